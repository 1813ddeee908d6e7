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
    rule("has only the account's own reports by default", "GET /reports?page[size]=100", 200, all(holding("{report}", "{two}", "{spare}"), without("{guest_report}", "{strangers_report}"))),
    rule("has only the account's own reports with created_by=me", "GET /reports?created_by=me&page[size]=100", 200, all(holding("{report}"), without("{guest_report}"))),
    rule("has the guests' reports too with created_by=all", "GET /reports?created_by=all&page[size]=100", 200, all(holding("{report}", "{guest_report}"), without("{strangers_report}"))),
    rule("has only the guests' reports with created_by=guests", `GET /reports?created_by=guests&${tagged}`, 200, listed("{guest_report}")),
    rule("can be limited to one guest", "GET /reports?created_by=guests&guest_token={guest}", 200, listed("{guest_report}")),
    rule("can be limited to several guests", "GET /reports?created_by=guests&guest_token=nobody,{guest}", 200, listed("{guest_report}")),
    rule("is empty for an unknown guest", "GET /reports?created_by=guests&guest_token=nobody", 200, listed()),
    refused("accepts guest_token only with created_by=guests", "GET /reports?guest_token={guest}", "guest_token"),
    refused("refuses an unknown created_by", "GET /reports?created_by=others", "created_by"),
    rule("of a guest has only the guest's reports", "GET /reports", 200, listed("{guest_report}"), { as: "guest" }),
    rule("of a guest has only the guest's reports, even with created_by=all", "GET /reports?created_by=all", 200, listed("{guest_report}"), { as: "guest" }),
    rule("of another account has none of this account's reports", "GET /reports", 200, listed("{strangers_report}"), { as: "stranger" }),
    rule("has reports with their attributes", `GET /reports?${tagged}`, 200, each("report", { domain: "{domain}" })),
    rule("can be filtered by the starting URL", "GET /reports?filter[url]={site}sort/three", 200, listed("{three}")),
    rule("can be filtered by part of the starting URL", "GET /reports?filter[url]=sort/t", 200, listed("{two}", "{two_and_one}", "{three}")),
    rule("can be filtered by a domain", "GET /reports?filter[url]={domain}&page[size]=100", 200, holding("{report}", "{three}")),
    rule("is filtered regardless of case", "GET /reports?filter[url]=SORT/THREE", 200, listed("{three}")),
    rule("is empty for a URL that no report has", "GET /reports?filter[url]=nowhere.example", 200, body({ data: [], meta: { total: 0 } })),
    rule("takes wildcards in a filter literally", "GET /reports?filter[url]=sort%25three", 200, listed()),
    rule("can be filtered by any of several tags", "GET /reports?filter[tags][mode]=any&filter[tags][list]={run}-a,{run}-b", 200, listed("{report}", "{two}", "{two_and_one}")),
    rule("can be filtered by all of several tags", "GET /reports?filter[tags][mode]=all&filter[tags][list]={run}-a,{run}-b", 200, listed("{two}")),
    rule("can be filtered by none of several tags", "GET /reports?filter[url]=/sort/&filter[tags][mode]=none&filter[tags][list]={run}-a,{run}-b", 200, listed("{three}")),
    rule("ignores spaces around tags", "GET /reports?filter[tags][mode]=all&filter[tags][list]=%20{run}-a%20,{run}-b", 200, listed("{two}")),
    rule("matches whole tags only", "GET /reports?filter[tags][mode]=any&filter[tags][list]={run}-", 200, listed()),
    refused("refuses an unknown tag mode", "GET /reports?filter[tags][mode]=some&filter[tags][list]=a", "filter[tags][mode]"),
    refused("needs a list of tags with a tag mode", "GET /reports?filter[tags][mode]=any", "filter[tags][list]"),
    rule("can be filtered by URL and tags at once", "GET /reports?filter[url]=sort/two&filter[tags][mode]=any&filter[tags][list]={run}-a", 200, listed("{two}")),
    rule("is empty for an unknown schedule", "GET /reports?filter[schedule_id]={unknown_uuid}", 200, listed()),
    rule("can be filtered by id", "GET /reports?filter[id]={two},{unknown_uuid}", 200, listed("{two}")),
    refused("needs UUIDs as ids", "GET /reports?filter[id]={two},7", "filter[id]"),
    rule("can be filtered by when they were created", "GET /reports?filter[url]=/sort/&filter[from]=2020-01-01&filter[to]=2020-01-02", 200, listed()),
    refused("needs a day that there is", "GET /reports?filter[from]=2026-02-30", "filter[from]"),
    rule("can be filtered by their result, and counted by it", "GET /reports?filter[url]=/sort/two&filter[result]=passed&results=true", 200, all(listed(), body({ meta: { results: { passed: 0, pinned: 0 } } }))),
    refused("refuses an unknown result", "GET /reports?filter[result]=good", "filter[result]"),
    rule("can be filtered by their pins", "GET /reports?filter[url]=/sort/&filter[pinned]=true", 200, listed()),
    refused("needs a UUID for a schedule", "GET /reports?filter[schedule_id]=7", "filter[schedule_id]"),
    refused("refuses an unknown filter", "GET /reports?filter[colour]=red", "filter[colour]", "unknown_parameter"),
    refused("refuses an unknown parameter", "GET /reports?colour=red", "colour", "unknown_parameter"),
    refused("refuses an unknown page parameter", "GET /reports?page[offset]=1", "page[offset]", "unknown_parameter"),
    refused("refuses a parameter that is given twice", "GET /reports?sort=url-asc&sort=url-desc", "sort", "repeated_parameter"),
  ],
};

/** Each key with the prepared reports in descending order, ties in one group. */
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

/** In the order of the groups, and by id within a group, so that the order is always the same. */
function ordered(groups: readonly (readonly string[])[], direction: "asc" | "desc"): Expectation {
  return (reply, scene) => {
    const descending = groups.flatMap((group) => group.map((name) => scene.fill(`{${name}}`)).sort());
    return listing("id", ...(direction === "desc" ? descending : descending.reverse()))(reply, scene);
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
  title: "The order of reports (Endpoints; Default order, sort keys)",
  rules: [
    ...orders.flatMap(([key, ...groups]): Rule[] => [
      rule(`can be ${key}-desc`, `GET /reports?${tagged}&sort=${key}-desc`, 200, ordered(groups, "desc")),
      rule(`can be ${key}-asc, which is the reverse`, `GET /reports?${tagged}&sort=${key}-asc`, 200, ordered(groups, "asc")),
      rule(`by ${key} is the same across pages`, `GET /reports?${tagged}&sort=${key}-desc&page[size]=1`, 200, walked),
    ]),
    rule("is by default that of the last check, latest first", "GET /reports?page[size]=100", 200, byLastChecked("desc")),
    rule("can be last_checked_at-desc", "GET /reports?sort=last_checked_at-desc&page[size]=100", 200, byLastChecked("desc")),
    rule("can be last_checked_at-asc", "GET /reports?sort=last_checked_at-asc&page[size]=100", 200, byLastChecked("asc")),
    refused("cannot be by an unknown key", "GET /reports?sort=colour-asc", "sort"),
    refused("cannot be by a key without a direction", "GET /reports?sort=url", "sort"),
    refused("cannot have an unknown direction", "GET /reports?sort=url-up", "sort"),
  ],
};

const lists: readonly [name: string, path: string][] = [
  ["reports", "/reports"],
  ["sites", "/sites"],
  ["rules of sites", "/site_rules"],
  ["a report's web pages", "/reports/{report}/web_pages"],
  ["a page's HTML issues", "/reports/{report}/web_pages/{page}/html_issues"],
  ["a page's accessibility issues", "/reports/{report}/web_pages/{page}/a11y_issues"],
  ["common HTML issues", "/reports/{report}/common_html_issues"],
  ["common accessibility issues", "/reports/{report}/common_a11y_issues"],
  ["common link issues", "/reports/{linked}/common_link_issues"],
  ["a page's link issues", "/reports/{linked}/web_pages/{linked_page}/link_issues"],
  ["causes", "/reports/{report}/causes"],
  ["components", "/reports/{report}/components"],
  ["findings by rule", "/reports/{report}/rules"],
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
      rule(`of ${name} link to each other, through the whole list`, `GET ${path}?page[size]=${name === "devices" ? 40 : 1}`, 200, walked),
    ),
    ...lists.flatMap(([name, path]) => [
      rule(`of ${name} may have a size of 100`, `GET ${path}?page[size]=100`, 200),
      refused(`of ${name} may not have a size of 101`, `GET ${path}?page[size]=101`, "page[size]"),
      refused(`of ${name} do not include a page 0`, `GET ${path}?page[number]=0`, "page[number]"),
      refused(`of ${name} refuse an unknown filter`, `GET ${path}?filter[colour]=red`, "filter[colour]", "unknown_parameter"),
    ]),
    rule("have 25 entries by default", "GET /devices", 200, ({ json }) => {
      if (json.data.length !== 25) throw new Error(`${json.data.length} entries`);
    }),
    refused("may not have a size of 0", "GET /reports?page[size]=0", "page[size]"),
    refused("may not have a size that is not a number", "GET /reports?page[size]=many", "page[size]"),
    refused("may not have a negative number", "GET /reports?page[number]=-1", "page[number]"),
    rule(
      "past the last one are empty and link back to it",
      `GET /reports?${tagged}&page[number]=9&page[size]=3`,
      200,
      async (reply, scene) => {
        await body({ data: [], meta: { total: 4 }, links: { next: null } })(reply, scene);
        const { links } = reply.json;
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
