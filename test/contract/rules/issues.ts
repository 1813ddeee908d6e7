import {
  all,
  attributes,
  boolean,
  type Expectation,
  each,
  error,
  integer,
  type Kind,
  listed,
  listing,
  listOf,
  numericId,
  orNull,
  positive,
  related,
  resource,
  text,
  timestamp,
  url,
} from "../expectations.ts";
import { rule, type Section } from "../rule.ts";

const page = "/reports/{report}/web_pages/{page}";
/** Every rule that the fixture site breaks has a guide. */
const guide = { description: text, description_markdown: text, description_html: text, guide_url: url };
/** A page for people about the rule of missing text alternatives. */
const explains: Expectation = ({ headers, text: source }) => {
  if (
    !headers["content-type"]?.startsWith("text/html") ||
    !source.includes("<h1>An image has no text alternative</h1>")
  )
    throw new Error(`${headers["content-type"]}: ${source}`);
};
const times = { inserted_at: timestamp, updated_at: timestamp };
const center = "<center> is obsolete; use CSS instead.";
const alt =
  'The attribute "alt" is missing on <img>. It gives the text alternative; it is empty for decoration. It may be left out in a <figure> with a <figcaption> and nothing else.';
const lang = 'The language of the document is not declared; give <html> the attribute "lang".';

const elements: Kind = {
  kind: "elements with extract and coordinates",
  holds: (value) =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.every(
      ({ extract, coordinates }) =>
        typeof extract === "string" &&
        ["first_line", "last_line", "last_column", "hilite_start", "hilite_length"].every((name) =>
          Number.isInteger(coordinates[name]),
        ) &&
        (coordinates.first_column === null || Number.isInteger(coordinates.first_column)),
    ),
};
const nodes: Kind = {
  kind: "elements with extract, target, failure_summary, box and contrast",
  holds: (value) =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.every(
      (node) =>
        ["extract", "target", "failure_summary"].every((name) => typeof node[name] === "string") &&
        (node.box === null || ["x", "y", "width", "height"].every((name) => Number.isInteger(node.box[name]))) &&
        (node.contrast === null || typeof node.contrast.required === "number"),
    ),
};

/** The rules of filters that every list of issues has: by rule, type and state. */
const ruleFilters = (
  path: string,
  name: string,
  found: readonly unknown[],
  warnings: readonly unknown[],
  attribute: string,
) => [
  rule("can be filtered by their rule", `GET ${path}?filter[rule]=${name}`, 200, listing(attribute, ...found)),
  ...(path.includes("/common_")
    ? [
        rule("can be those on the pages of a folder", `GET ${path}?filter[path]=/none/`, 200, listed()),
        rule("can be those of a role", `GET ${path}?filter[role]=template`, 200, listed()),
      ]
    : []),
  rule("are an empty list for part of a rule's name", `GET ${path}?filter[rule]=${name.slice(1)}`, 200, listed()),
  rule("can be filtered by their type", `GET ${path}?filter[issue_type]=warning`, 200, listing(attribute, ...warnings)),
  rule("are in no state where there is nothing to compare with", `GET ${path}?filter[state]=new`, 200, listed()),
  rule("have no states where there is nothing to compare with", `GET ${path}`, 200, ({ json }) => {
    for (const { attributes } of json.data) if (attributes.states !== null) throw new Error(JSON.stringify(attributes));
  }),
  ...["filter[issue_type]=notice", "filter[state]=old", "filter[state]=fixed", "sort=colour-desc", "sort=how_many"].map(
    (query) =>
      rule(
        `refuse ${query}`,
        `GET ${path}?${query}`,
        400,
        error("invalid_parameter", `parameter ${query.split("=")[0]}`),
      ),
  ),
];
const impactFilters = (path: string, critical: readonly unknown[], attribute: string) => [
  rule(
    "can be filtered by their severity",
    `GET ${path}?filter[impact]=critical`,
    200,
    listing(attribute, ...critical),
  ),
  rule(
    "refuse an unknown severity",
    `GET ${path}?filter[impact]=deadly`,
    400,
    error("invalid_parameter", "parameter filter[impact]"),
  ),
];
/** An order, and its exact reverse. */
const sorted = (path: string, key: string, attribute: string, ...descending: readonly unknown[]) => [
  rule(`can be sorted by ${key}`, `GET ${path}?sort=${key}-desc`, 200, listing(attribute, ...descending)),
  rule(
    `can be sorted by ${key} the other way round`,
    `GET ${path}?sort=${key}-asc`,
    200,
    listing(attribute, ...descending.toReversed()),
  ),
];

/** The rules of filters that every list of issues has: by text, tags and muting. */
const filters = (
  path: string,
  filter: string,
  { part, found, tag, some, none }: { part: string; found: unknown[]; tag: string; some: unknown[]; none: unknown[] },
  attribute: string,
) => [
  rule(`can be filtered by ${filter}`, `GET ${path}?${filter}=${part}`, 200, listing(attribute, ...found)),
  rule(
    `can be filtered by ${filter} regardless of case`,
    `GET ${path}?${filter}=${part.toUpperCase()}`,
    200,
    listing(attribute, ...found),
  ),
  rule(`are an empty list for a ${filter} that matches nothing`, `GET ${path}?${filter}=no+such+text`, 200, listed()),
  rule(
    "can be filtered by any of several tags",
    `GET ${path}?filter[tags][mode]=any&filter[tags][list]=${tag},unused`,
    200,
    listing(attribute, ...some),
  ),
  rule(
    "can be filtered by all of several tags",
    `GET ${path}?filter[tags][mode]=all&filter[tags][list]=${tag}`,
    200,
    listing(attribute, ...some),
  ),
  rule(
    "are an empty list if no issue has all of the tags",
    `GET ${path}?filter[tags][mode]=all&filter[tags][list]=${tag},unused`,
    200,
    listed(),
  ),
  rule(
    "can be filtered by none of several tags",
    `GET ${path}?filter[tags][mode]=none&filter[tags][list]=${tag}`,
    200,
    listing(attribute, ...none),
  ),
  rule(
    "refuse an unknown tag mode",
    `GET ${path}?filter[tags][mode]=some&filter[tags][list]=${tag}`,
    400,
    error("invalid_parameter", "parameter filter[tags][mode]"),
  ),
  rule("are an empty list of muted ones when nothing is muted", `GET ${path}?filter[muted]=true`, 200, listed()),
  rule(
    "refuse an unknown value of filter[muted]",
    `GET ${path}?filter[muted]=perhaps`,
    400,
    error("invalid_parameter", "parameter filter[muted]"),
  ),
  rule("of another account are not found", `GET ${path}`, 404, error("not_found"), { as: "stranger" }),
  rule("need credentials", `GET ${path}`, 401, error("unauthenticated"), { as: "anonymous" }),
];

// biome-ignore format: a table, a rule a line
export const commonHtmlIssues: Section = {
  title: "Common HTML issues (Common HTML Issue; its endpoints)",
  rules: [
    rule("have every field", "GET /reports/{report}/common_html_issues", 200, each("common_html_issue", { report_id: "{report}", issue_type: text, issue_sub_type: orNull(text), message: text, help_url: orNull(url), tags: listOf(text), how_many: positive, num_pages: positive, first_seen_at: timestamp, ...guide })),
    rule("are listed once for each kind of issue, errors first", "GET /reports/{report}/common_html_issues", 200, listing("message", alt, center, lang)),
    rule("are counted over all pages", "GET /reports/{report}/common_html_issues", 200, listing("how_many", 3, 1, 1)),
    rule("are errors and warnings", "GET /reports/{report}/common_html_issues", 200, listing("issue_type", "error", "error", "warning")),
    rule("can be read by id", "GET /reports/{report}/common_html_issues/{common_html_issue}", 200, resource("common_html_issue", { message: alt, how_many: 3, report_id: "{report}" }, numericId), { keep: { html_guide: "data.attributes.guide_url" } }),
    rule("lead to a guide that needs no credentials", "GET {html_guide}", 200, explains, { as: "anonymous" }),
    rule("link to their web pages, and the links resolve", "GET /reports/{report}/common_html_issues", 200, related("web_pages")),
    ...filters("/reports/{report}/common_html_issues", "filter[message]", { part: "attribute", found: [alt, lang], tag: "wcag2a", some: [alt], none: [center, lang] }, "message"),
    ...ruleFilters("/reports/{report}/common_html_issues", "img/alt", [alt], [lang], "message"),
    ...sorted("/reports/{report}/common_html_issues", "how_many", "message", alt, center, lang),
    ...sorted("/reports/{report}/common_html_issues", "pages", "num_pages", 2, 1, 1),
    rule("have no severity to filter by", "GET /reports/{report}/common_html_issues?filter[impact]=critical", 400, error("unknown_parameter", "parameter filter[impact]")),
    rule("of another report are not found", "GET /reports/{two}/common_html_issues/{common_html_issue}", 404, error("not_found")),
    rule("are not found under an id that is not a number", "GET /reports/{report}/common_html_issues/x", 404, error("not_found")),
  ],
};

const help = [
  "Images must have alternative text",
  "<html> element must have a lang attribute",
  "Elements must meet minimum color contrast ratio thresholds",
] as const;

// biome-ignore format: a table, a rule a line
export const commonA11yIssues: Section = {
  title: "Common accessibility issues (Common Accessibility Issue; its endpoints)",
  rules: [
    rule("have every field", "GET /reports/{report}/common_a11y_issues", 200, each("common_a11y_issue", { report_id: "{report}", help: text, help_url: url, how_many: positive, impact: text, impact_order: integer, tags: listOf(text), num_pages: positive, first_seen_at: timestamp, ...guide, ...times })),
    rule("are listed once for each kind of issue, with a count over all pages", "GET /reports/{report}/common_a11y_issues", 200, all(listing("help", ...help), listing("how_many", 3, 1, 1))),
    rule("have their severity", "GET /reports/{report}/common_a11y_issues", 200, listing("impact", "critical", "serious", "serious")),
    rule("have their severity as a number", "GET /reports/{report}/common_a11y_issues", 200, listing("impact_order", 4, 3, 3)),
    rule("say which ones a person must review", "GET /reports/{report}/common_a11y_issues", 200, listing("review", false, false, true)),
    rule("can be read by id", "GET /reports/{report}/common_a11y_issues/{common_a11y_issue}", 200, resource("common_a11y_issue", { help: help[0], how_many: 3, impact: "critical" }, numericId), { keep: { a11y_guide: "data.attributes.guide_url" } }),
    rule("lead to a guide that needs no credentials", "GET {a11y_guide}", 200, explains, { as: "anonymous" }),
    rule("link to their web pages, and the links resolve", "GET /reports/{report}/common_a11y_issues", 200, related("web_pages")),
    ...filters("/reports/{report}/common_a11y_issues", "filter[help]", { part: "element", found: [help[1], help[2]], tag: "wcag2a", some: [help[0], help[1]], none: [help[2]] }, "help"),
    ...ruleFilters("/reports/{report}/common_a11y_issues", "image-alt", [help[0]], [help[2]], "help"),
    ...impactFilters("/reports/{report}/common_a11y_issues", [help[0]], "help"),
    ...sorted("/reports/{report}/common_a11y_issues", "impact", "help", help[0], help[1], help[2]),
    ...sorted("/reports/{report}/common_a11y_issues", "how_many", "help", help[0], help[1], help[2]),
    ...sorted("/reports/{report}/common_a11y_issues", "pages", "num_pages", 2, 1, 1),
    rule("name their success criteria and standards", "GET /reports/{report}/common_a11y_issues/{common_a11y_issue}", 200, attributes({ success_criteria: [{ number: "1.1.1", title: "Non-text Content", level: "A", since: "2.0" }], standards: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "wcag22aaa", "section508", "en301549"] })),
    rule("of another report are not found", "GET /reports/{two}/common_a11y_issues/{common_a11y_issue}", 404, error("not_found")),
    rule("are not found under an id that is not a number", "GET /reports/{report}/common_a11y_issues/x", 404, error("not_found")),
  ],
};

// biome-ignore format: a table, a rule a line
export const htmlIssues: Section = {
  title: "HTML issues of a page (HTML Issue; its endpoints)",
  rules: [
    rule("have every field", `GET ${page}/html_issues`, 200, each("html_issue", { issue_type: text, issue_sub_type: orNull(text), message: text, help_url: orNull(url), html: elements, how_many: positive, tags: listOf(text), first_seen_at: timestamp, ...guide, ...times })),
    rule("are only those of the page", `GET ${page}/html_issues`, 200, all(listing("message", alt, center, lang), listing("how_many", 2, 1, 1))),
    rule("have an element for each occurrence", `GET ${page}/html_issues`, 200, ({ json }) => {
      for (const {
        attributes: { html, how_many },
      } of json.data)
        if (html.length !== how_many) throw new Error(JSON.stringify(html));
    }),
    rule("have their position in the source", `GET ${page}/html_issues?filter[message]=center`, 200, each("html_issue", { html: [{ extract: { kind: "the element", holds: (value: unknown) => String(value).includes("<center") }, coordinates: { first_line: 7, last_line: 7 } }] })),
    rule("can be read by id", `GET ${page}/html_issues/{html_issue}`, 200, resource("html_issue", { message: alt, how_many: 2 }, numericId)),
    rule("link to report and page", `GET ${page}/html_issues`, 200, related("report", "web_page")),
    ...filters(`${page}/html_issues`, "filter[message]", { part: "attribute", found: [alt, lang], tag: "wcag2a", some: [alt], none: [center, lang] }, "message"),
    ...ruleFilters(`${page}/html_issues`, "img/alt", [alt], [lang], "message"),
    ...sorted(`${page}/html_issues`, "how_many", "how_many", 2, 1, 1),
    rule("of another page are not found", "GET /reports/{report}/web_pages/{about}/html_issues/{html_issue}", 404, error("not_found")),
    rule("of a page of another report are not found", "GET /reports/{two}/web_pages/{page}/html_issues", 404, error("not_found")),
    rule("are not found under an id that is not a number", `GET ${page}/html_issues/x`, 404, error("not_found")),
    rule("of a page that could not be checked are an empty list", "GET /reports/{report}/web_pages/{missing}/html_issues", 200, listed()),
  ],
};

// biome-ignore format: a table, a rule a line
export const a11yIssues: Section = {
  title: "Accessibility issues of a page (Decisions; a11y_issue)",
  rules: [
    rule("have every field", `GET ${page}/a11y_issues`, 200, each("a11y_issue", { help: text, help_url: url, impact: text, impact_order: integer, review: boolean, html: nodes, how_many: positive, tags: listOf(text), first_seen_at: timestamp, ...guide, ...times })),
    rule("are only those of the page", `GET ${page}/a11y_issues`, 200, all(listing("help", ...help), listing("how_many", 2, 1, 1), listing("review", false, false, true))),
    rule("can be read by id", `GET ${page}/a11y_issues/{a11y_issue}`, 200, resource("a11y_issue", { help: help[0], how_many: 2, impact: "critical", impact_order: 4 }, numericId)),
    rule("link to report and page", `GET ${page}/a11y_issues`, 200, related("report", "web_page")),
    ...filters(`${page}/a11y_issues`, "filter[help]", { part: "element", found: [help[1], help[2]], tag: "wcag2a", some: [help[0], help[1]], none: [help[2]] }, "help"),
    ...ruleFilters(`${page}/a11y_issues`, "image-alt", [help[0]], [help[2]], "help"),
    ...impactFilters(`${page}/a11y_issues`, [help[0]], "help"),
    ...sorted(`${page}/a11y_issues`, "impact", "help", help[0], help[1], help[2]),
    ...sorted(`${page}/a11y_issues`, "how_many", "how_many", 2, 1, 1),
    rule("of another page are not found", "GET /reports/{report}/web_pages/{about}/a11y_issues/{a11y_issue}", 404, error("not_found")),
    rule("are not found under an id that is not a number", `GET ${page}/a11y_issues/x`, 404, error("not_found")),
  ],
};

const linked = "/reports/{linked}/common_link_issues";
const linkedPage = "/reports/{linked}/web_pages/{linked_page}";
const broken = "broken-link";

// biome-ignore format: a table, a rule a line
export const linkIssues: Section = {
  title: "Link issues, of a report and of a page (Decisions; link_issue)",
  rules: [
    rule("have every field", `GET ${linked}`, 200, each("common_link_issue", { report_id: "{linked}", issue_type: text, rule: text, message: text, help_url: orNull(url), tags: listOf(text), how_many: positive, num_pages: positive, first_seen_at: timestamp, ...guide })),
    rule("are listed once for each address", `GET ${linked}`, 200, listing("rule", broken)),
    rule("can be read by id", `GET ${linked}/{common_link_issue}`, 200, resource("common_link_issue", { rule: broken, how_many: 1 }, numericId)),
    rule("are not muted", `GET ${linked}/{common_link_issue}?filter[muted]=false`, 200, resource("common_link_issue", { rule: broken }, numericId)),
    rule("link to their web pages, and the links resolve", `GET ${linked}`, 200, related("web_pages")),
    ...filters(linked, "filter[message]", { part: "the link", found: [broken], tag: "internal", some: [broken], none: [] }, "rule"),
    ...ruleFilters(linked, broken, [broken], [], "rule"),
    ...sorted(linked, "how_many", "how_many", 1),
    ...sorted(linked, "pages", "num_pages", 1),
    rule("have no severity to filter by", `GET ${linked}?filter[impact]=critical`, 400, error("unknown_parameter", "parameter filter[impact]")),
    rule("of another report are not found", "GET /reports/{two}/common_link_issues/{common_link_issue}", 404, error("not_found")),
    rule("say on which pages they are", "GET /reports/{linked}/web_pages?filter[common_link_issue_id]={common_link_issue}", 200, listed("{linked_page}")),
  ],
};

// biome-ignore format: a table, a rule a line
export const pageLinkIssues: Section = {
  title: "Link issues of a page (Decisions; link_issue)",
  rules: [
    rule("have every field", `GET ${linkedPage}/link_issues`, 200, each("link_issue", { issue_type: text, rule: text, message: text, help_url: orNull(url), html: elements, how_many: positive, tags: listOf(text), first_seen_at: timestamp, ...guide, ...times })),
    rule("can be read by id", `GET ${linkedPage}/link_issues/{link_issue}`, 200, resource("link_issue", { how_many: 1 }, numericId)),
    rule("are not muted", `GET ${linkedPage}/link_issues/{link_issue}?filter[muted]=false`, 200, resource("link_issue", { how_many: 1 }, numericId)),
    rule("link to report and page", `GET ${linkedPage}/link_issues`, 200, related("report", "web_page")),
    ...filters(`${linkedPage}/link_issues`, "filter[message]", { part: "the link", found: [broken], tag: "internal", some: [broken], none: [] }, "rule"),
    ...ruleFilters(`${linkedPage}/link_issues`, broken, [broken], [], "rule"),
    ...sorted(`${linkedPage}/link_issues`, "how_many", "how_many", 1),
    rule("come from what the page needs, which was kept", `GET ${linkedPage}/raw_link_check`, 200, attributes({ kind: "links" })),
    rule("are not found under an id that is not a number", `GET ${linkedPage}/link_issues/x`, 404, error("not_found")),
    rule("are empty without link checks", `GET ${page}/link_issues`, 200, listed()),
  ],
};
