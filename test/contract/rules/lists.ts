import {
  all,
  body,
  type Expectation,
  each,
  error,
  holding,
  listed,
  listing,
  walked,
  without,
} from "../expectations.ts";
import { type Rule, rule, type Section } from "../rule.ts";

const tagged = "filter[tags][mode]=any&filter[tags][list]={run}";
const refused = (name: string, request: string, parameter: string, code = "invalid_parameter") =>
  rule(name, request, 400, error(code, `parameter ${parameter}`));

// biome-ignore format: a table, a rule a line
export const reportLists: Section = {
  title: "The list of reports (Endpoints; List query options)",
  rules: [
    rule("is the account's own by default", "GET /reports?page[size]=100", 200, all(holding("{report}", "{two}", "{spare}"), without("{guest_report}", "{strangers_report}"))),
    rule("is its own for created_by=me", "GET /reports?created_by=me&page[size]=100", 200, all(holding("{report}"), without("{guest_report}"))),
    rule("has the guests' too for created_by=all", "GET /reports?created_by=all&page[size]=100", 200, all(holding("{report}", "{guest_report}"), without("{strangers_report}"))),
    rule("has the guests' only for created_by=guests", `GET /reports?created_by=guests&${tagged}`, 200, listed("{guest_report}")),
    rule("has those of one guest", "GET /reports?created_by=guests&guest_token={guest}", 200, listed("{guest_report}")),
    rule("has those of several guests", "GET /reports?created_by=guests&guest_token=nobody,{guest}", 200, listed("{guest_report}")),
    rule("has none of an unknown guest", "GET /reports?created_by=guests&guest_token=nobody", 200, listed()),
    refused("takes guest_token with created_by=guests only", "GET /reports?guest_token={guest}", "guest_token"),
    refused("knows no other created_by", "GET /reports?created_by=others", "created_by"),
    rule("of a guest is its own", "GET /reports", 200, listed("{guest_report}"), { as: "guest" }),
    rule("of a guest is its own, whatever it asks", "GET /reports?created_by=all", 200, listed("{guest_report}"), { as: "guest" }),
    rule("of another account has nothing of this one", "GET /reports", 200, listed("{strangers_report}"), { as: "stranger" }),
    rule("shows reports as they are", `GET /reports?${tagged}`, 200, each("report", { domain: "{domain}" })),
    rule("is filtered by the starting URL", "GET /reports?filter[url]={site}sort/three", 200, listed("{three}")),
    rule("is filtered by part of the starting URL", "GET /reports?filter[url]=sort/t", 200, listed("{two}", "{two_and_one}", "{three}")),
    rule("is filtered by a domain", "GET /reports?filter[url]={domain}&page[size]=100", 200, holding("{report}", "{three}")),
    rule("is filtered in whatever case", "GET /reports?filter[url]=SORT/THREE", 200, listed("{three}")),
    rule("is empty for a URL that nothing has", "GET /reports?filter[url]=nowhere.example", 200, body({ data: [], meta: { total: 0 } })),
    rule("takes a filter's wildcards as they are", "GET /reports?filter[url]=sort%25three", 200, listed()),
    rule("has reports with any of the tags", "GET /reports?filter[tags][mode]=any&filter[tags][list]={run}-a,{run}-b", 200, listed("{report}", "{two}", "{two_and_one}")),
    rule("has reports with all of the tags", "GET /reports?filter[tags][mode]=all&filter[tags][list]={run}-a,{run}-b", 200, listed("{two}")),
    rule("has reports with none of the tags", "GET /reports?filter[url]=/sort/&filter[tags][mode]=none&filter[tags][list]={run}-a,{run}-b", 200, listed("{three}")),
    rule("takes spaces around tags", "GET /reports?filter[tags][mode]=all&filter[tags][list]=%20{run}-a%20,{run}-b", 200, listed("{two}")),
    rule("tells tags by their whole names", "GET /reports?filter[tags][mode]=any&filter[tags][list]={run}-", 200, listed()),
    refused("knows no other tag mode", "GET /reports?filter[tags][mode]=some&filter[tags][list]=a", "filter[tags][mode]"),
    refused("needs a list with a tag mode", "GET /reports?filter[tags][mode]=any", "filter[tags][list]"),
    rule("combines filters", "GET /reports?filter[url]=sort/two&filter[tags][mode]=any&filter[tags][list]={run}-a", 200, listed("{two}")),
    rule("is empty for an unknown schedule", "GET /reports?filter[schedule_id]={unknown_uuid}", 200, listed()),
    refused("needs a UUID for a schedule", "GET /reports?filter[schedule_id]=7", "filter[schedule_id]"),
    refused("refuses an unknown filter", "GET /reports?filter[colour]=red", "filter[colour]", "unknown_parameter"),
    refused("refuses an unknown parameter", "GET /reports?colour=red", "colour", "unknown_parameter"),
    refused("refuses an unknown page parameter", "GET /reports?page[offset]=1", "page[offset]", "unknown_parameter"),
    refused("refuses a parameter given twice", "GET /reports?sort=url-asc&sort=url-desc", "sort", "repeated_parameter"),
  ],
};

/** Each key with the prepared reports in descending order; those that tie stand together. */
const orders: readonly [key: string, ...groups: readonly (readonly string[])[]][] = [
  ["num_web_pages", ["report"], ["two", "two_and_one", "three"]],
  ["html_issues", ["report"], ["three"], ["two_and_one"], ["two"]],
  ["html_errors", ["report"], ["three"], ["two_and_one", "two"]],
  ["html_warnings", ["report", "two_and_one"], ["three", "two"]],
  ["a11y_issues", ["report"], ["two_and_one"], ["three"], ["two"]],
  ["a11y_errors", ["report"], ["two_and_one", "three"], ["two"]],
  ["a11y_warnings", ["report", "two_and_one"], ["three", "two"]],
  ["url", ["two_and_one"], ["two"], ["three"], ["report"]],
];

/** In the order of the groups, and within one by id, which makes every order the same each time. */
function ordered(groups: readonly (readonly string[])[], direction: "asc" | "desc"): Expectation {
  return (answer, scene) => {
    const descending = groups.flatMap((group) => group.map((name) => scene.fill(`{${name}}`)).sort());
    return listing("id", ...(direction === "desc" ? descending : descending.reverse()))(answer, scene);
  };
}

const byLastChecked =
  (direction: "asc" | "desc"): Expectation =>
  ({ json }) => {
    type Entry = { attributes: { last_checked_at: string | null; inserted_at: string } };
    const times = json.data.map(({ attributes }: Entry) => attributes.last_checked_at ?? attributes.inserted_at);
    const sorted = [...times].sort();
    if (direction === "desc") sorted.reverse();
    if (times.join() !== sorted.join()) throw new Error(`Not in order: ${times.join()}`);
  };

// biome-ignore format: a table, a rule a line
export const sorting: Section = {
  title: "Sorting reports (Endpoints; Default order, sort keys)",
  rules: [
    ...orders.flatMap(([key, ...groups]): Rule[] => [
      rule(`knows ${key}-desc`, `GET /reports?${tagged}&sort=${key}-desc`, 200, ordered(groups, "desc")),
      rule(`knows ${key}-asc, its reverse`, `GET /reports?${tagged}&sort=${key}-asc`, 200, ordered(groups, "asc")),
      rule(`keeps the order of ${key} from page to page`, `GET /reports?${tagged}&sort=${key}-desc&page[size]=1`, 200, walked),
    ]),
    rule("is by the last check, latest first, by default", "GET /reports?page[size]=100", 200, byLastChecked("desc")),
    rule("knows last_checked_at-desc", "GET /reports?sort=last_checked_at-desc&page[size]=100", 200, byLastChecked("desc")),
    rule("knows last_checked_at-asc", "GET /reports?sort=last_checked_at-asc&page[size]=100", 200, byLastChecked("asc")),
    refused("refuses an unknown key", "GET /reports?sort=colour-asc", "sort"),
    refused("refuses a key without a direction", "GET /reports?sort=url", "sort"),
    refused("refuses another direction", "GET /reports?sort=url-up", "sort"),
  ],
};

const lists: readonly [name: string, path: string][] = [
  ["reports", "/reports"],
  ["a report's web pages", "/reports/{report}/web_pages"],
  ["a page's HTML issues", "/reports/{report}/web_pages/{page}/html_issues"],
  ["a page's accessibility issues", "/reports/{report}/web_pages/{page}/a11y_issues"],
  ["common HTML issues", "/reports/{report}/common_html_issues"],
  ["common accessibility issues", "/reports/{report}/common_a11y_issues"],
  ["excluded URLs", "/reports/{report}/excluded_urls"],
  ["a report's mutings", "/reports/{report}/mutings"],
  ["schedules", "/schedules"],
  ["mutings", "/mutings"],
  ["devices", "/devices"],
  ["guest accounts", "/guest_accounts"],
  ["API tokens", "/api_tokens"],
  ["stored credentials", "/basic_auths"],
];
/** Those that have entries without further preparation. */
const filled = lists.filter(
  ([name]) => !["a report's mutings", "schedules", "mutings", "stored credentials"].includes(name),
);

// biome-ignore format: a table, a rule a line
export const paging: Section = {
  title: "Pages of lists (Decisions; Lists)",
  rules: [
    ...filled.map(([name, path]) =>
      rule(`lead through all ${name} by their links`, `GET ${path}?page[size]=${name === "devices" ? 40 : 1}`, 200, walked),
    ),
    ...lists.flatMap(([name, path]) => [
      rule(`have at most 100 ${name}`, `GET ${path}?page[size]=100`, 200),
      refused(`refuse 101 ${name}`, `GET ${path}?page[size]=101`, "page[size]"),
      refused(`refuse page 0 of ${name}`, `GET ${path}?page[number]=0`, "page[number]"),
      refused(`refuse an unknown filter of ${name}`, `GET ${path}?filter[colour]=red`, "filter[colour]", "unknown_parameter"),
    ]),
    rule("have 25 entries unless another size is asked for", "GET /devices", 200, ({ json }) => {
      if (json.data.length !== 25) throw new Error(`${json.data.length} entries`);
    }),
    refused("refuse a size of 0", "GET /reports?page[size]=0", "page[size]"),
    refused("refuse a size that is no number", "GET /reports?page[size]=many", "page[size]"),
    refused("refuse a negative number", "GET /reports?page[number]=-1", "page[number]"),
    rule(
      "are empty past the last one and lead back to it",
      `GET /reports?${tagged}&page[number]=9&page[size]=3`,
      200,
      async (answer, scene) => {
        await body({ data: [], meta: { total: 4 }, links: { next: null } })(answer, scene);
        const { links } = answer.json;
        if (links.prev !== links.last) throw new Error(`prev is ${links.prev}, last is ${links.last}`);
      },
    ),
    rule(
      "keep the other parameters in their links",
      `GET /reports?${tagged}&sort=url-asc&page[size]=1`,
      200,
      ({ json }, { fill }) => {
        const next = new URL(json.links.next).searchParams;
        const wanted = { "filter[tags][list]": fill("{run}"), sort: "url-asc", "page[number]": "2", "page[size]": "1" };
        for (const [name, value] of Object.entries(wanted))
          if (next.get(name) !== value) throw new Error(`${name}: ${next.get(name)}`);
      },
    ),
  ],
};
