import {
  all,
  attributes,
  body,
  containing,
  type Expectation,
  each,
  error,
  integer,
  listed,
  listing,
  listOf,
  matching,
  orNull,
  positive,
  related,
  resource,
  text,
  timestamp,
  url,
} from "../expectations.ts";
import { rule, type Section } from "../rule.ts";

const findingsPath = "/reports/{report}/findings";
const rulesPath = "/reports/{report}/rules";
const comparedPath = "/reports/{report}/comparison/rules?base={spare}";
const causesPath = "/reports/{report}/causes";
const componentsPath = "/reports/{report}/components";
const digest = matching("20 hexadecimal digits", /^[0-9a-f]{20}$/);
const common = {
  kind: text,
  rule: text,
  message: text,
  help_url: orNull(url),
  tags: listOf(text),
  issue_type: text,
  impact: orNull(text),
  how_many: positive,
};

/** @param beginning of the rules' names, for one of several lists in a section */
const refusedAs = (beginning: string, path: string, ...queries: string[]) =>
  queries.map((query) =>
    rule(
      `${beginning}refuse ${query}`,
      `GET ${path}?${query}`,
      400,
      error("invalid_parameter", `parameter ${query.split("=")[0]}`),
    ),
  );

const refused = (path: string, ...queries: string[]) => refusedAs("", path, ...queries);

const holdingSome: Expectation = ({ json, text: received }) => {
  if (json.data.length === 0) throw new Error(received);
};

/** The links next lead through the whole list, and each entry occurs once. */
const followed =
  (wanted: number): Expectation =>
  async (reply, { send }) => {
    const ids: string[] = [];
    for (let page = reply; ; page = await send(`GET ${page.json.links.next}`)) {
      if (page.status !== 200 || page.json.data.length !== 1) throw new Error(page.text);
      ids.push(page.json.data[0].id);
      if (page.json.links.next === null) break;
      if (ids.length > wanted) throw new Error(`more than ${wanted} pages`);
    }
    if (ids.length !== wanted || new Set(ids).size !== wanted) throw new Error(ids.join());
  };

// biome-ignore format: a table, a rule a line
export const findings: Section = {
  title: "Findings (a finding has an identity)",
  rules: [
    rule("have every field", `GET ${findingsPath}`, 200, each("finding", { ...common, fingerprint: digest, component: digest, url, element: { extract: text }, state: null, states: null, first_seen_at: timestamp, found_at: timestamp })),
    rule("are those of all pages and both kinds, errors first, the most severe first", `GET ${findingsPath}`, 200, all(
      listing("issue_type", ...Array(8).fill("error"), "warning", "warning"),
      listing("impact", "critical", "critical", "critical", "serious", null, null, null, null, "serious", null),
    )),
    rule("name the element in the source, and what an accessibility rule says about it", `GET ${findingsPath}?filter[rule]=image-alt`, 200, each("finding", { kind: "a11y", element: { extract: text, target: text, failure_summary: text, coordinates: null } })),
    rule("say where an accessibility rule's element is on the page", `GET ${findingsPath}?filter[rule]=image-alt`, 200, each("finding", { element: { box: { x: integer, y: integer, width: positive, height: positive } } })),
    rule("say what was measured of the contrast of a text, and what could not be", `GET ${findingsPath}?filter[rule]=color-contrast`, 200, each("finding", { issue_type: "warning", element: { contrast: { ratio: null, required: 4.5, foreground: null, background: null, shadow: null, font_size: 16, font_weight: "normal" } } })),
    rule("have the position of what is wrong in HTML", `GET ${findingsPath}?filter[rule]=img/alt`, 200, each("finding", { kind: "html", element: { target: null, failure_summary: null, coordinates: { first_line: positive } } })),
    rule("name their success criteria", `GET ${findingsPath}?filter[rule]=html-has-lang`, 200, each("finding", { success_criteria: [{ number: "3.1.1", title: "Language of Page", level: "A", since: "2.0" }] })),
    rule("can be filtered by their rule", `GET ${findingsPath}?filter[rule]=image-alt`, 200, listing("rule", "image-alt", "image-alt", "image-alt")),
    rule("can be filtered by their severity", `GET ${findingsPath}?filter[impact]=critical`, 200, listing("rule", "image-alt", "image-alt", "image-alt")),
    rule("can be filtered by their type", `GET ${findingsPath}?filter[issue_type]=warning`, 200, listing("kind", "a11y", "html")),
    rule("can be filtered by their kind", `GET ${findingsPath}?filter[kind]=html`, 200, listing("kind", ...Array(5).fill("html"))),
    rule("can be those within the standard alone", `GET ${findingsPath}?filter[outside_standard]=false&page[size]=1`, 200, followed(10)),
    rule("can be those outside of the standard alone", `GET ${findingsPath}?filter[outside_standard]=true`, 200, listed()),
    rule("can be those on the pages of a folder", `GET ${findingsPath}?filter[path]=/none/`, 200, listed()),
    rule("say who can mend them, and can be those of a role", `GET ${findingsPath}?filter[role]=content&filter[rule]=img/alt`, 200, all(holdingSome, each("finding", { role: "content" }))),
    rule("that are of templates are none on a site of two pages", `GET ${findingsPath}?filter[role]=template`, 200, listed()),
    rule("of both kinds about the text alternative of one element are one fault", `GET ${findingsPath}?filter[web_page_id]={page}`, 200, ({ json }) => {
      type Found = { attributes: { rule: string; fault: string; fingerprint: string } };
      const faults = (name: string) => json.data.flatMap(({ attributes: { rule: of, fault } }: Found) => (of === name ? [fault] : [])).sort();
      if (faults("image-alt").length !== 2 || faults("image-alt").join() !== faults("img/alt").join()) throw new Error(JSON.stringify(json.data));
    }),
    rule("of a page are as many faults as it says", "GET /reports/{report}/web_pages/{page}", 200, attributes({ num_faults: 4 })),
    rule("can be those that follow from no other", `GET ${findingsPath}?filter[consequence]=false&page[size]=1`, 200, all(each("finding", { element: { caused_by: null } }), followed(10))),
    rule("can be those that follow from another", `GET ${findingsPath}?filter[consequence]=true`, 200, listed()),
    rule("can be those of a page", `GET ${findingsPath}?filter[web_page_id]={about}`, 200, all(holdingSome, each("finding", { url: "{site}about" }))),
    rule("can be filtered by several things at once", `GET ${findingsPath}?filter[issue_type]=error&filter[impact]=serious`, 200, listing("rule", "html-has-lang")),
    rule("can be those on several pages alone", `GET ${componentsPath}?filter[repeated]=true&page[size]=1`, 200, body({ data: [], meta: { total: 0, how_many: 0, largest: [] } })),
    rule("are in no state where there is nothing to compare with", `GET ${findingsPath}?filter[state]=new`, 200, listed()),
    rule("can be those of a cause", `GET ${findingsPath}?filter[cause]={cause}`, 200, all(listing("rule", ...Array(3).fill("image-alt"), ...Array(3).fill("img/alt")), each("finding", { cause: "{cause}" }))),
    rule("of an unknown cause are an empty list", `GET ${findingsPath}?filter[cause]=00000000000000000000`, 200, listed()),
    rule("of an unknown component are an empty list", `GET ${findingsPath}?filter[component]=00000000000000000000`, 200, listed()),
    rule("are an empty list of muted ones when nothing is muted", `GET ${findingsPath}?filter[muted]=true`, 200, listed()),
    rule("are by rule what people call it, with what each filter would select", `GET ${rulesPath}`, 200, all(
      each("report_rule", { kind: text, title: text, issue_type: text, how_many: positive, num_pages: positive, first_seen_at: timestamp }),
      body({ meta: { how_many: 10, counts: { issue_type: { error: 8, warning: 2 }, outside_standard: 0, muted: { true: 0, false: 10 } } } }),
    )),
    rule("of one rule are those of all of its messages", `GET ${rulesPath}?filter[kind]=a11y&filter[rule]=image-alt`, 200, each("report_rule", { title: "An image has no text alternative", how_many: 3 })),
    rule("by rule can be one for all engines that find the same, with the sum of their elements", `GET ${rulesPath}?group=topic&page[size]=1`, 200, each("report_rule", { title: "An image has no text alternative", how_many: 6, rules: [{ kind: "a11y", rule: "image-alt", how_many: 3 }, { kind: "html", rule: "img/alt", how_many: 3 }] })),
    rule("by rule can be of a folder, of a role and in a state at once", `GET ${rulesPath}?filter[path]=/none/&filter[role]=content&filter[state]=new`, 200, body({ data: [], meta: { total: 0, how_many: 0 } })),
    rule("by rule can be those with a text in a message, regardless of case", `GET ${rulesPath}?filter[message]=CENTER`, 200, all(listing("how_many", 1), each("report_rule", { kind: "html", message: containing("center") }))),
    rule("by rule can be those with any of several tags", `GET ${rulesPath}?filter[tags][mode]=any&filter[tags][list]=wcag311,wcag143`, 200, listing("rule", "html-has-lang", "color-contrast")),
    rule("by rule can be those with none of several tags", `GET ${rulesPath}?filter[kind]=a11y&filter[tags][mode]=none&filter[tags][list]=wcag311,wcag143`, 200, listing("rule", "image-alt")),
    rule("by rule can be filtered by their severity", `GET ${rulesPath}?filter[impact]=critical`, 200, listing("rule", "image-alt")),
    rule("by rule can be filtered by their type", `GET ${rulesPath}?filter[issue_type]=warning`, 200, all(listing("issue_type", "warning", "warning"), body({ meta: { how_many: 2 } }))),
    rule("by rule can be those outside of the standard alone", `GET ${rulesPath}?filter[outside_standard]=true`, 200, body({ data: [], meta: { total: 0, how_many: 0, counts: { outside_standard: 0, issue_type: { error: 8, warning: 2 } } } })),
    rule("by rule are an empty list of muted ones when nothing is muted", `GET ${rulesPath}?filter[muted]=true`, 200, body({ data: [], meta: { how_many: 0, counts: { muted: { true: 0, false: 10 } } } })),
    rule("by rule can be sorted by severity, errors before warnings", `GET ${rulesPath}?filter[kind]=a11y&sort=impact-asc`, 200, listing("rule", "html-has-lang", "image-alt", "color-contrast")),
    rule("by rule can be sorted by their elements, the fewest first, and errors before warnings", `GET ${rulesPath}?sort=how_many-asc`, 200, listing("how_many", 1, 1, 3, 3, 1, 1)),
    rule("by rule link to report and issue, and the links resolve", `GET ${rulesPath}?page[size]=2`, 200, related("report", "common_issue")),
    ...refusedAs("by rule ", rulesPath, "filter[impact]=deadly", "filter[kind]=css", "filter[outside_standard]=perhaps", "group=engine", "sort=colour-desc"),
    rule("by rule of another account are not found", `GET ${rulesPath}`, 404, error("not_found"), { as: "stranger" }),
    rule("are compared by rule with nothing where there is nothing to compare with", "GET /reports/{report}/comparison/rules", 200, listed()),
    rule("are compared by rule in an order, by state, and in pages", "GET /reports/{report}/comparison/rules?filter[state]=new&filter[muted]=false&sort=how_many-asc&page[size]=1", 200, listed()),
    rule("are compared by rule, and can be errors or warnings alone", `GET ${comparedPath}&filter[issue_type]=warning`, 200, all(each("compared_rule", { issue_type: "warning" }), body({ meta: { counts: { issue_type: { error: positive, warning: positive } } } }))),
    rule("are compared by rule, and can be those within the standard alone", `GET ${comparedPath}&filter[outside_standard]=false`, 200, each("compared_rule", { outside_standard: false })),
    rule("are compared by rule, and can be those outside of the standard alone", `GET ${comparedPath}&filter[outside_standard]=true`, 200, listed()),
    rule("of two reports that are not compared are refused", `GET ${findingsPath}?base={two}`, 409, error("not_compared")),
    rule("of two reports that are not compared are refused by rule, too", "GET /reports/{report}/comparison/rules?base={two}", 409, error("not_compared")),
    rule("are not compared with another account's report", "GET /reports/{report}/comparison/rules?base={two}", 404, error("not_found"), { as: "stranger" }),
    rule("link to report, page and issue, and the links resolve", `GET ${findingsPath}`, 200, related("report", "web_page", "issue")),
    rule("come in pages that lead to the next one", `GET ${findingsPath}?page[size]=1`, 200, followed(10)),
    rule("keep their filters from page to page", `GET ${findingsPath}?filter[rule]=image-alt&page[size]=1`, 200, followed(3)),
    rule("begin after a place, also when nothing is there", `GET ${findingsPath}?page[after]=WyJ3YXJuaW5nIiw5LCIiLCIxIl0`, 200, body({ data: [], links: { next: null } })),
    ...refused(findingsPath, "filter[impact]=deadly", "filter[issue_type]=notice", "filter[state]=old", "filter[kind]=css", "filter[outside_standard]=perhaps", "filter[component]=1", "filter[cause]=1", "filter[muted]=perhaps", "page[after]=1", "page[after]=", "page[size]=0", "page[size]=101"),
    rule("have no numbered pages", `GET ${findingsPath}?page[number]=1`, 400, error("unknown_parameter", "parameter page[number]")),
    rule("of another account are not found", `GET ${findingsPath}`, 404, error("not_found"), { as: "stranger" }),
    rule("need credentials", `GET ${findingsPath}`, 401, error("unauthenticated"), { as: "anonymous" }),
  ],
};

const criteriaPath = "/reports/{report}/criteria";

// biome-ignore format: a table, a rule a line
export const criteria: Section = {
  title: "Success criteria of a report",
  rules: [
    rule("have every field", `GET ${criteriaPath}`, 200, each("criterion", { number: text, title: text, level: text, since: text, state: text, errors: integer, warnings: integer, url })),
    rule("fail where there are errors", `GET ${criteriaPath}?filter[state]=fails&sort=errors-desc`, 200, all(listing("number", "1.1.1", "3.1.1"), each("criterion", { errors: positive }))),
    rule("have nothing found, or are not judged by a program", `GET ${criteriaPath}?filter[state]=not_judged&page[size]=1`, 200, body({ data: [{ attributes: { number: "1.2.1", state: "not_judged", errors: 0 } }] })),
    rule("link to their report and issues, and the links resolve", `GET ${criteriaPath}?filter[state]=fails`, 200, related("report", "common_html_issues", "common_a11y_issues")),
    ...refused(criteriaPath, "filter[state]=passed", "sort=title-asc"),
    rule("of another account are not found", `GET ${criteriaPath}`, 404, error("not_found"), { as: "stranger" }),
  ],
};

// biome-ignore format: a table, a rule a line
export const components: Section = {
  title: "Components (what has to be fixed once)",
  rules: [
    rule("have every field", `GET ${componentsPath}`, 200, each("component", { ...common, num_pages: positive, url, element: { extract: text } })),
    rule("say how many elements there are, and how many the largest of them have", `GET ${componentsPath}?page[size]=1`, 200, body({ meta: { total: positive, how_many: 10, largest: [{ components: 1, how_many: positive }, { components: 2, how_many: positive }, { components: 3, how_many: positive }, { components: 5, how_many: positive }, { components: 10, how_many: 10 }] } })),
    rule("can be filtered by their rule", `GET ${componentsPath}?filter[rule]=image-alt`, 200, listing("rule", "image-alt", "image-alt", "image-alt")),
    rule("can be filtered by their kind", `GET ${componentsPath}?filter[kind]=a11y`, 200, each("component", { kind: "a11y" })),
    rule("can be those within the standard alone", `GET ${componentsPath}?filter[outside_standard]=false&page[size]=1`, 200, body({ meta: { how_many: 10 } })),
    rule("can be those outside of the standard alone", `GET ${componentsPath}?filter[outside_standard]=true`, 200, body({ data: [], meta: { total: 0, how_many: 0, largest: [] } })),
    rule("can be those on the pages of a folder", `GET ${componentsPath}?filter[path]=/none/`, 200, listed()),
    rule("can be filtered by their severity", `GET ${componentsPath}?filter[impact]=critical`, 200, listing("rule", "image-alt", "image-alt", "image-alt")),
    rule("can be filtered by their type", `GET ${componentsPath}?filter[issue_type]=warning&sort=impact-desc`, 200, listing("kind", "a11y", "html")),
    rule("can be those on several pages alone", `GET ${componentsPath}?filter[repeated]=true&page[size]=1`, 200, body({ data: [], meta: { total: 0, how_many: 0, largest: [] } })),
    rule("are in no state where there is nothing to compare with", `GET ${componentsPath}?filter[state]=new`, 200, body({ data: [], meta: { total: 0, how_many: 0, largest: [] } })),
    rule("are an empty list of muted ones when nothing is muted", `GET ${componentsPath}?filter[muted]=true`, 200, listed()),
    rule("say who can mend them, and can be those of a role", `GET ${componentsPath}?filter[role]=content`, 200, all(holdingSome, each("component", { role: "content" }))),
    rule("can be sorted by severity", `GET ${componentsPath}?sort=impact-desc`, 200, listing("impact", "critical", "critical", "critical", "serious", "serious", null, null, null, null, null)),
    rule("can be sorted by their elements", `GET ${componentsPath}?sort=how_many-asc`, 200, each("component", { how_many: positive })),
    rule("link to report, page and findings, and the links resolve", `GET ${componentsPath}`, 200, related("report", "web_page", "findings")),
    ...refused(componentsPath, "filter[kind]=css", "filter[outside_standard]=perhaps", "filter[impact]=deadly", "filter[issue_type]=notice", "filter[state]=fixed", "filter[muted]=perhaps", "sort=colour-desc", "sort=pages"),
    rule("of another account are not found", `GET ${componentsPath}`, 404, error("not_found"), { as: "stranger" }),
    rule("need credentials", `GET ${componentsPath}`, 401, error("unauthenticated"), { as: "anonymous" }),
  ],
};

// biome-ignore format: a table, a rule a line
export const causes: Section = {
  title: "Causes (one change, and what it removes)",
  rules: [
    rule("have every field", `GET ${causesPath}`, 200, each("cause", { number: positive, kind: text, rule: text, title: text, message: text, help_url: orNull(url), tags: listOf(text), issue_type: "error", impact: orNull(text), rules: listOf(text), how_many: positive, verified: positive, known_by: text, num_pages: positive, num_places: positive, role: text, change: { before: text, after: text }, url, element: { extract: text } })),
    rule("are those that remove most first", `GET ${causesPath}?page[size]=1`, 200, listing("number", 1), { keep: { cause: "data.0.id" } }),
    rule("can be read by id", `GET ${causesPath}/{cause}`, 200, resource("cause", { number: 1, rules: ["a11y image-alt", "html img/alt"], how_many: 6, verified: 6, known_by: "verified", num_pages: 2, num_places: 3, impact: "critical", place: "main > img", change: { before: containing("<img"), after: containing("alt=") } }, "{cause}")),
    rule("have each error once, and say how many choices there are", `GET ${causesPath}`, 200, body({ meta: { total: 3, how_many: 8, verified: 8, estimated: 0, first: { causes: 3, how_many: 8, verified: 8, estimated: 0 }, counts: { role: { content: 3, template: 0, design: 0 }, impact: { critical: 1, serious: 1, moderate: 0, minor: 0, none: 1 }, known_by: { verified: 3, estimated: 0, not_verified: 0 } }, left_out: { causes: 0, how_many: 0 } } })),
    rule("can have somebody who mends them", `PATCH ${causesPath}/{cause}`, 200, attributes({ assignment: { assignee: "Web team", holder: "name", person_id: null, team_id: null, of: "cause", path: null, is_left: false, due_on: "2030-12-10", note: null, state: "taken" } }), { attributes: { assignee: "Web team", due_on: "2030-12-10" } }),
    rule("can be found by who mends them", `GET ${causesPath}?filter[assignee]=Web%20team&filter[state]=taken`, 200, listed("{cause}")),
    rule("can be found by a text", `GET ${causesPath}?filter[search]=no-such-text`, 200, listed()),
    rule("are nobody's who asks without being a person", `GET ${causesPath}?filter[mine]=true`, 200, all(listed(), body({ meta: { counts: { mine: 0 } } }))),
    rule("are mended by people of the account alone", `PATCH ${causesPath}/{cause}`, 422, error("unknown_person", "/data/attributes/person_id"), { attributes: { person_id: "00000000-0000-4000-8000-000000000000" } }),
    rule("are mended by teams of the account alone", `PATCH ${causesPath}/{cause}`, 422, error("unknown_team", "/data/attributes/team_id"), { attributes: { team_id: "00000000-0000-4000-8000-000000000000" } }),
    rule("are mended by one of these", `PATCH ${causesPath}/{cause}`, 422, error("inconsistent", "/data/attributes/person_id"), { attributes: { assignee: "Web team", person_id: "00000000-0000-4000-8000-000000000000" } }),
    rule("can be nobody's again", `PATCH ${causesPath}/{cause}`, 200, attributes({ assignment: null }), { attributes: { assignee: null } }),
    rule("can be those of a role", `GET ${causesPath}?filter[role]=content`, 200, all(listing("role", "content", "content", "content"), body({ meta: { how_many: 8 } }))),
    rule("can be those of a role that none has", `GET ${causesPath}?filter[role]=design`, 200, body({ data: [], meta: { total: 0, how_many: 0, counts: { role: { content: 3 } } } })),
    rule("can be filtered by their severity", `GET ${causesPath}?filter[impact]=critical`, 200, all(listed("{cause}"), body({ meta: { how_many: 6 } }))),
    rule("can be those without a severity", `GET ${causesPath}?filter[impact]=none`, 200, listing("rule", "obsolete-element")),
    rule("can be those whose whole effect was tried", `GET ${causesPath}?filter[known_by]=verified`, 200, listing("known_by", "verified", "verified", "verified")),
    rule("can be those whose effect is known in part", `GET ${causesPath}?filter[known_by]=estimated`, 200, body({ data: [], meta: { total: 0, counts: { known_by: { verified: 3 } } } })),
    rule("can be those on the pages of the root folder", `GET ${causesPath}?filter[path]=/`, 200, body({ meta: { total: 3, how_many: 8 } })),
    rule("can be those on the pages of a folder", `GET ${causesPath}?filter[path]=/none/`, 200, body({ data: [], meta: { total: 0, how_many: 0, counts: { role: { content: 0 } } } })),
    rule("can be sorted by severity", `GET ${causesPath}?sort=impact-asc`, 200, listing("impact", null, "serious", "critical")),
    rule("can be sorted by their errors", `GET ${causesPath}?sort=how_many-asc`, 200, listing("how_many", 1, 1, 6)),
    rule("can be sorted by places to change", `GET ${causesPath}?sort=places-asc`, 200, listing("num_places", 1, 1, 3)),
    rule("can be sorted by errors for each place", `GET ${causesPath}?sort=gain-asc`, 200, listing("how_many", 1, 1, 6)),
    rule("keep their numbers in every order", `GET ${causesPath}?sort=how_many-asc`, 200, listing("number", 3, 2, 1)),
    rule("link to report, page and findings, and the links resolve", `GET ${causesPath}`, 200, related("report", "web_page", "findings")),
    ...refused(causesPath, "filter[role]=boss", "filter[impact]=deadly", "filter[known_by]=hearsay", "filter[path]=/about", "sort=colour-desc"),
    rule("are not found under an unknown id", `GET ${causesPath}/00000000000000000000`, 404, error("not_found")),
    rule("of another account are not found", `GET ${causesPath}`, 404, error("not_found"), { as: "stranger" }),
    rule("of another account are not found by id", `GET ${causesPath}/{cause}`, 404, error("not_found"), { as: "stranger" }),
    rule("need credentials", `GET ${causesPath}`, 401, error("unauthenticated"), { as: "anonymous" }),
  ],
};
