import {
  absent,
  all,
  attributes,
  body,
  boolean,
  each,
  error,
  errorsAt,
  header,
  integer,
  type Kind,
  listed,
  listOf,
  orNull,
  positive,
  related,
  resource,
  text,
  timestamp,
  url,
  uuid,
} from "../expectations.ts";
import { rule, type Section } from "../rule.ts";

const site = { starting_url: "{site}clean" };
const severity = { critical: 3, serious: 2, moderate: 0, minor: 0, total: { errors: 4, warnings: 1, total: 5 } };
const wrong = (name: string, given: Record<string, unknown>, code: string, attribute: string) =>
  rule(name, "POST /reports", 422, error(code, `/data/attributes/${attribute}`), {
    attributes: { ...site, ...given },
  });

type SiteAttributes = {
  latest: { id: string; phase: string };
  runs: { report_id: string; phase: string }[];
  num_reports: number;
};

/** Which of the prepared reports of the site is the newest is not known. */
const share: Kind = { kind: "a share", holds: (value) => typeof value === "number" && value >= 0 && value <= 1 };

// biome-ignore format: a table, a rule a line
export const sites: Section = {
  title: "Sites (Decisions; site)",
  rules: [
    rule("have every field", "GET /sites?page[size]=100", 200, each("site", { starting_url: url, num_reports: integer, next_run_at: orNull(timestamp) })),
    rule("can be one", "GET /sites?filter[starting_url]={site}", 200, each("site", { starting_url: "{site}" })),
    rule("have the numbers of their newest report", "GET /sites?filter[starting_url]={site}", 200, each("site", { name: null, owner: null, tags: [], numbers: { errors: positive, errors_per_page: positive, critical: integer, score: integer, share_without_errors: share, pages: { checked: 2, without_errors: integer, failed: 1, known: 3 } } })),
    rule("lead to one by its id", "GET /sites?filter[starting_url]={site}", 200, undefined, { keep: { site_id: "data.0.id" } }),
    rule("can be one by its id", "GET /sites/{site_id}", 200, attributes({ starting_url: "{site}" })),
    rule("can be named", "PATCH /sites/{site_id}", 200, attributes({ name: "The {run}", owner: "Web team", tags: ["{run}"] }), { attributes: { name: "The {run}", owner: "Web team", tags: ["{run}"] } }),
    rule("can be found by their name", "GET /sites?filter[search]=the%20{run}&sort=errors_per_page-desc", 200, listed("{site_id}")),
    rule("can be found by their owner and tags", "GET /sites?filter[owner]=Web%20team&filter[tags][list]={run}", 200, listed("{site_id}")),
    rule("can be found by all or any of their tags", "GET /sites?filter[tags][list]={run},none&filter[tags][mode]=any", 200, listed("{site_id}")),
    rule("that have not changed in a period are not among those that have", "GET /sites?filter[change]=worse&filter[search]=the%20{run}&period=7", 200, listed()),
    rule("say how they have changed in a period", "GET /sites/{site_id}?period=90", 200, attributes({ starting_url: "{site}" })),
    rule("keep what is left out", "PATCH /sites/{site_id}", 200, attributes({ name: "The {run}", owner: null }), { attributes: { owner: null } }),
    rule("refuse a name that is none", "PATCH /sites/{site_id}", 422, errorsAt("/data/attributes/name"), { attributes: { name: " " } }),
    rule("cannot be named by another account", "PATCH /sites/{site_id}", 404, error("not_found"), { as: "stranger", attributes: { name: "Mine" } }),
    rule("have a score, and what is lost", "GET /sites/{site_id}/score?period=90", 200, attributes({ score: integer, points: positive, target: null })),
    rule("have no page views before they are given some", "GET /sites/{site_id}/page_views", 200, attributes({ format: null, imported_at: null, pages: 0 })),
    rule("take page views from a file", "PATCH /sites/{site_id}/page_views", 200, attributes({ format: "csv", imported_at: timestamp, pages: 1, views: 120, other_rows: 1, other_views: 7 }), { attributes: { file: "path,views\n/,120\n/nowhere,7\n" } }),
    rule("refuse a file of page views that is not understood, and keep what they have", "PATCH /sites/{site_id}/page_views", 422, errorsAt("/data/attributes/file"), { attributes: { file: "name,age\nAda,36\n" } }),
    rule("have the page views of the last file that was understood", "GET /sites/{site_id}/page_views", 200, attributes({ views: 120 })),
    rule("have pages that say how often they were viewed, the most first", "GET /reports/{report}/web_pages?sort=views-desc&page[size]=1", 200, each("web_page", { views: 120, met: integer })),
    rule("have pages by how often visitors met an error", "GET /reports/{report}/web_pages?sort=met-desc&page[size]=1", 200, each("web_page", { views: 120, met: integer })),
    rule("have causes by how often visitors met them", "GET /reports/{report}/causes?sort=met-desc", 200, each("cause", { met: integer })),
    rule("take no page views of another account", "PATCH /sites/{site_id}/page_views", 404, error("not_found"), { as: "stranger", attributes: { file: "path,views\n/,1\n" } }),
    rule("forget their page views", "DELETE /sites/{site_id}/page_views", 204, undefined),
    rule("have none to forget twice", "DELETE /sites/{site_id}/page_views", 404, error("not_found")),
    rule("have the criteria of their standard, each in one state", "GET /sites/{site_id}/criteria?page[size]=100", 200, each("site_criterion", { number: text, level: text, state: text, answer: null })),
    rule("refuse an answer of nobody", "PATCH /sites/{site_id}/criteria/2.4.2", 422, errorsAt("/data/attributes/answered_by"), { attributes: { outcome: "passed" } }),
    rule("have the answer of a person", "PATCH /sites/{site_id}/criteria/2.4.2", 200, attributes({ answer: { outcome: "passed", answered_by: "Web team" } }), { attributes: { outcome: "passed", answered_by: "Web team", evidence: "Titles read" } }),
    rule("take no answer of another account", "PATCH /sites/{site_id}/criteria/2.4.2", 404, error("not_found"), { as: "stranger", attributes: { outcome: "passed", answered_by: "Me" } }),
    rule("have a statement", "GET /sites/{site_id}/statement", 200, attributes({ operator: null, claim: "partly" })),
    rule("have pages drawn for people to look at", "GET /sites/{site_id}/sample?seed=1", 200, attributes({ seed: "1" })),
    rule("take the details of a statement", "PATCH /sites/{site_id}/statement", 200, attributes({ operator: "The {run}" }), { attributes: { operator: "The {run}" } }),
    rule("have the criteria in one state", "GET /sites/{site_id}/criteria?filter[state]=passed", 200, each("site_criterion", { state: "passed" })),
    rule("have a statement as a page", "GET /sites/{site_id}/statement.html", 200, undefined),
    rule("have a statement as a table", "GET /sites/{site_id}/statement.vpat.html", 200, undefined),
    rule("have a statement as EARL", "GET /sites/{site_id}/statement.earl.jsonld", 200, undefined),
    rule("have a statement as OpenACR", "GET /sites/{site_id}/statement.openacr.yaml", 200, undefined),
    rule("can be those whose newest report has failed", "GET /sites?filter[latest]=failed&filter[search]=the%20{run}", 200, listed()),
    rule("have a series of a period by report", "GET /sites/{site_id}/history?period=90&each=report", 200, attributes({ days: { kind: "reports", holds: Array.isArray } })),
    rule("have the runs of a period", "GET /sites/{site_id}/runs?period=365&page[size]=1", 200, each("site_run", { errors: integer })),
    rule("have a series of all of them", "GET /sites_history?period=30", 200, attributes({ days: { kind: "days", holds: Array.isArray } })),
    rule("are what they were in a month", "GET /months/2026-01", 200, resource("month_report", { ended: true, next: "2026-02", num_sites: integer, sites: { kind: "sites", holds: Array.isArray } })),
    rule("have no month that is none", "GET /months/9999-99", 404, error("not_found")),
    rule("of a month are the caller's own", "GET /months/2026-01", 200, attributes({ num_sites: 0, sites: [] }), { as: "stranger" }),
    rule("of a month can be asked for as a file", "POST /months/2026-01/file", 201, resource("month_file", { state: text, failure: orNull(text), bytes: orNull(integer), asked_at: timestamp, ended_at: orNull(timestamp) })),
    rule("of a month say how their file is", "GET /months/2026-01/file", 200, attributes({ asked_at: timestamp })),
    rule("of a month have the file of nobody else", "GET /months/2026-01/file", 404, error("not_found"), { as: "stranger" }),
    rule("of a month have the PDF of nobody else", "GET /months/2026-01/file.pdf", 404, error("not_found"), { as: "stranger" }),
    rule("have a series by day", "GET /sites/{site_id}/history", 200, attributes({ days: { kind: "a day with numbers", holds: (days: unknown) => Array.isArray(days) && days.length === 1 && days[0].errors > 0 && days[0].markers.length === 0 } })),
    rule("refuse a period of other days", "GET /sites?period=8", 400, error("invalid_parameter", "parameter period")),
    rule("that nobody checked are none", "GET /sites?filter[starting_url]=https://nowhere.example/", 200, listed()),
    rule("link to their newest report and to all of them", "GET /sites?filter[starting_url]={site}", 200, related("latest_report", "reports", "history")),
    rule("have the newest report and those before it", "GET /sites?filter[starting_url]={site}", 200, ({ json }) => {
      const { latest, runs, num_reports: number } = (json.data[0] as unknown as { attributes: SiteAttributes }).attributes;
      const last = runs.at(-1);
      if (last?.report_id !== latest.id || last.phase !== latest.phase || runs.length !== Math.min(20, number)) throw new Error(JSON.stringify({ latest, runs }));
    }),
    rule("of another account are not listed", "GET /sites?filter[starting_url]={site}", 200, listed(), { as: "stranger" }),
    rule("of a guest are the guest's own", "GET /sites?page[size]=100", 200, ({ json }, { fill }) => {
      const ids = json.data.map((entry: { attributes: { latest: { id: string } } }) => entry.attributes.latest.id);
      if (!ids.includes(fill("{guest_report}")) || ids.includes(fill("{report}"))) throw new Error(ids.join());
    }, { as: "guest" }),
    rule("say how often each rule was found on them", "GET /site_rules?page[size]=100", 200, all(each("site_rule", { starting_url: url, kind: text, errors: integer, how_many: positive, num_pages: positive }), related("site", "report", "common_issue"))),
    rule("say so of the rules of one kind", "GET /site_rules?filter[kind]=html&page[size]=100", 200, each("site_rule", { starting_url: url, kind: "html", how_many: positive, num_pages: positive })),
    rule("say so of one rule, exactly", "GET /site_rules?filter[rule]=no-such-rule", 200, listed()),
    rule("that have a rule are none of another account", "GET /site_rules", 200, listed(), { as: "stranger" }),
    rule("refuse rules of an unknown kind", "GET /site_rules?filter[kind]=css", 400, error("invalid_parameter", "parameter filter[kind]")),
    rule("are not for anybody", "GET /sites", 401, error("unauthenticated"), { as: "anonymous" }),
  ],
};

// biome-ignore format: a table, a rule a line
export const reportFields: Section = {
  title: "A report (Resources and their fields; Report)",
  rules: [
    rule("has every field", "GET /reports/{report}", 200, resource("report", { starting_url: url, initial_urls: listOf(url), exclusions: listOf(text), domain: text, max_pages: integer, num_pages: integer, rate_limit: integer, deep_crawl: boolean, prefer_canonical_urls: boolean, dynamic_crawler: boolean, perform_html_checks: boolean, perform_a11y_checks: boolean, device_rotated: boolean, shared: boolean, tags: listOf(text), inserted_at: timestamp, updated_at: timestamp, last_checked_at: orNull(timestamp), html_engine: text }, uuid)),
    rule("says how many faults its errors are", "GET /reports/{report}", 200, attributes({ num_faults: 5 })),
    rule("says who can mend its errors", "GET /reports/{report}", 200, attributes({ roles: { content: positive, template: 0, design: 0 } })),
    rule("says how long it took", "GET /reports/{report}", 200, attributes({ durations: { queued_ms: integer, crawl_ms: integer, checks_ms: integer } })),
    rule("shows lists as arrays", "GET /reports/{report}", 200, attributes({ initial_urls: ["{site}about"], exclusions: ["/private/", "/none/"], tags: ["{run}", "{run}-a"] })),
    rule("has the domain of its starting URL", "GET /reports/{report}", 200, attributes({ starting_url: "{site}", domain: "{domain}" })),
    rule("counts its pages, checks and issues", "GET /reports/{report}", 200, attributes({ num_pages: 3, checks: { html: { status: { pending: 0, checked: 2, failed: 1 }, issues: { errors: 4, warnings: 1 } }, a11y: { status: { pending: 0, checked: 2, failed: 1 }, issues: { errors: 4, warnings: 1, severity } } } })),
    rule("has null for an engine that is off", "GET /reports/{spare}", 200, attributes({ checks: { a11y: null } })),
    rule("names the engines that ran and their versions", "GET /reports/{report}", 200, attributes({ engines: { html: { name: "conformance", version: text }, a11y: { name: "axe-core", version: text } } })),
    rule("has no guest token unless a guest created it", "GET /reports/{report}", 200, attributes({ guest_token: absent })),
    rule("of a guest has the guest's token as its guest_token", "GET /reports/{guest_report}", 200, attributes({ guest_token: "{guest}" })),
    rule("links to its lists and its device, and the links resolve", "GET /reports/{report}", 200, related("web_pages", "common_html_issues", "common_a11y_issues", "common_link_issues", "findings", "components", "causes", "sections", "criteria", "device", "mutings", "excluded_urls")),
    rule("of a guest links to the guest account", "GET /reports/{guest_report}", 200, related("web_pages", "common_html_issues", "common_a11y_issues", "common_link_issues", "findings", "components", "causes", "sections", "criteria", "device", "mutings", "excluded_urls", "guest_account")),
    rule("can be requested by HEAD, without a body", "HEAD /reports/{report}", 200),
    rule("is not found under an unknown id", "GET /reports/{unknown_uuid}", 404, error("not_found")),
    rule("is not found under an id that is not a UUID", "GET /reports/7", 404, error("not_found")),
    rule("is not found by another account", "GET /reports/{report}", 404, error("not_found"), { as: "stranger" }),
    rule("of another account is not found either", "GET /reports/{strangers_report}", 404, error("not_found")),
    rule("of the host is not found by a guest", "GET /reports/{report}", 404, error("not_found"), { as: "guest" }),
    rule("of a guest is visible to the guest", "GET /reports/{guest_report}", 200, attributes({ guest_token: "{guest}" }), { as: "guest" }),
    rule("needs credentials", "GET /reports/{report}", 401, error("unauthenticated"), { as: "anonymous" }),
  ],
};

const counts = { errors: integer, warnings: integer };
const states = { persisting: counts, new: counts, new_rule: counts, fixed: counts, gone: counts, unknown: counts };

// biome-ignore format: a table, a rule a line
export const progress: Section = {
  title: "How long a report takes",
  rules: [
    rule("is not said of one that has ended", "GET /reports/{report}/progress", 200, resource("progress", { checks_per_minute: null, seconds_left: null, all_pages_found: true, comparing: false }, "{report}")),
    rule("links to the report", "GET /reports/{report}/progress", 200, related("report")),
    rule("is not found of another account's", "GET /reports/{report}/progress", 404, error("not_found"), { as: "stranger" }),
    rule("needs credentials", "GET /reports/{report}/progress", 401, error("unauthenticated"), { as: "anonymous" }),
  ],
};

// biome-ignore format: a table, a rule a line
export const comparisons: Section = {
  title: "A report compared with an earlier one",
  rules: [
    rule("has no base when it is the first of its site and settings", "GET /reports/{report}/comparison", 200, resource("comparison", { base_id: null, states: null }, "{report}")),
    rule("counts the findings of both in each state", "GET /reports/{report}/comparison?base={spare}", 200, resource("comparison", { base_id: "{spare}", states }, "{report}")),
    rule("finds nothing new against itself", "GET /reports/{report}/comparison?base={report}", 200, attributes({ states: { persisting: { errors: 8, warnings: 2 }, new: { errors: 0, warnings: 0 }, fixed: { errors: 0, warnings: 0 } } })),
    rule("lists the findings with their states", "GET /reports/{report}/findings?base={spare}&page[size]=1", 200, each("finding", { state: text })),
    rule("lists them by rule", "GET /reports/{report}/comparison/rules?base={spare}", 200, each("compared_rule", { rule: text, state: text })),
    rule("links to both", "GET /reports/{report}/comparison?base={spare}", 200, related("report", "base")),
    rule("may be named when the report is created", "POST /reports", 201, attributes({ base_id: "{report}" }), { attributes: { ...site, base_id: "{report}" }, keep: { against_report: "data.id" } }),
    rule("is the one that was named, although its settings differ", "GET /reports/{against_report}", 200, attributes({ phase: "Complete", base_id: "{report}", comparison: { base_id: "{report}", states } }), { eventually: true }),
    rule("and is compared with it on request, too", "GET /reports/{against_report}/comparison", 200, attributes({ base_id: "{report}" })),
    rule("can be undone", "DELETE /reports/{against_report}", 204),
    wrong("cannot be an unknown one", { base_id: "{unknown_uuid}" }, "unknown_base", "base_id"),
    wrong("cannot be another account's", { base_id: "{strangers_report}" }, "unknown_base", "base_id"),
    wrong("cannot be what is not a UUID", { base_id: "7" }, "invalid_format", "base_id"),
    rule("refuses a base that is not a UUID", "GET /reports/{report}/comparison?base=7", 400, error("invalid_parameter", "parameter base")),
    rule("does not find another account's base", "GET /reports/{report}/comparison?base={strangers_report}", 404, error("not_found")),
    rule("of another account is not found", "GET /reports/{report}/comparison", 404, error("not_found"), { as: "stranger" }),
    rule("needs credentials", "GET /reports/{report}/comparison", 401, error("unauthenticated"), { as: "anonymous" }),
  ],
};

// biome-ignore format: a table, a rule a line
export const createReport: Section = {
  title: "Creating a report (Endpoints; Reports)",
  rules: [
    rule("needs only a starting URL and fills in the defaults", "POST /reports", 201, resource("report", { starting_url: "{site}clean", deep_crawl: true, dynamic_crawler: false, prefer_canonical_urls: true, max_pages: 10, rate_limit: 1, active_deadline_seconds: 0, perform_html_checks: true, perform_a11y_checks: false, initial_urls: [], exclusions: [], device_rotated: false, tags: [], shared: false, last_checked_at: null, html_engine: "conformance", user_agent: null, checks: { html: { status: { pending: integer, checked: integer, failed: integer }, issues: { errors: 0, warnings: 0 } }, a11y: null } }, uuid), { attributes: site, keep: { created: "data.id", created_at: "header location" } }),
    rule("says where the report is", "GET {created_at}", 200, body({ data: { id: "{created}" } })),
    rule("uses the default device if none is given", "GET {created_at}", 200, body({ data: { relationships: { device: { links: { related: "{base}/devices/default" } } } } })),
    rule("checks with another HTML engine when it is asked for", "POST /reports", 201, attributes({ html_engine: "html-validate" }), { attributes: { ...site, html_engine: "html-validate" }, keep: { other_engine: "data.id" } }),
    rule("names that engine", "GET /reports/{other_engine}", 200, attributes({ phase: "Complete", html_engine: "html-validate", engines: { html: { name: "html-validate", version: text } } }), { eventually: true }),
    rule("leads to a report that ends with all its checks done", "GET {created_at}", 200, attributes({ phase: "Complete", num_pages: 1, last_checked_at: timestamp, checks: { html: { status: { pending: 0, checked: 1, failed: 0 } } } }), { eventually: true }),
    rule("accepts null for attributes without a default", "POST /reports", 201, attributes({ initial_urls: [], exclusions: [], tags: [] }), { attributes: { ...site, initial_urls: null, exclusions: null, tags: null, device_id: null }, keep: { with_nulls: "data.id" } }),
    rule("can be undone at once by deleting the report", "DELETE /reports/{with_nulls}", 204),
    rule("accepts the type report", "POST /reports", 201, undefined, { body: '{"data":{"type":"report","attributes":{"starting_url":"{site}clean"}}}', keep: { typed: "data.id" } }),
    rule("with a type can be undone too", "DELETE /reports/{typed}", 204),
    rule(
      "accepts plain JSON, and responds in it if nothing else is acceptable",
      "POST /reports",
      201,
      header("content-type", /^application\/json/),
      {
        attributes: site,
        headers: { "Content-Type": "application/json; charset=utf-8", Accept: "application/json" },
        keep: { plain: "data.id" },
      },
    ),
    rule("in plain JSON can be undone too", "DELETE /reports/{plain}", 204),
    wrong("refuses a starting URL of an invalid format", { starting_url: "nowhere" }, "invalid_format", "starting_url"),
    wrong("refuses schemes other than http and https", { starting_url: "ftp://example.com/" }, "invalid_format", "starting_url"),
    wrong("refuses credentials in the starting URL", { starting_url: "http://a:b@example.com/" }, "invalid_format", "starting_url"),
    wrong("refuses an empty starting URL", { starting_url: "" }, "invalid_format", "starting_url"),
    wrong("refuses null as the starting URL", { starting_url: null }, "invalid_type", "starting_url"),
    wrong("refuses an initial URL of an invalid format", { initial_urls: "nowhere" }, "invalid_format", "initial_urls"),
    rule("takes lists as arrays, as responses have them", "POST /reports", 201, attributes({ initial_urls: ["http://example.com/"], exclusions: ["/a"], tags: ["a", "b"] }), { attributes: { ...site, initial_urls: ["http://example.com/"], exclusions: ["/a"], tags: ["a", "b"] } }),
    wrong("refuses initial URLs that are no texts", { initial_urls: [5] }, "invalid_type", "initial_urls"),
    wrong("refuses exclusions that are no texts", { exclusions: [5] }, "invalid_type", "exclusions"),
    wrong("refuses tags that are no texts", { tags: [5] }, "invalid_type", "tags"),
    wrong("refuses a negative max_pages", { max_pages: -1 }, "out_of_range", "max_pages"),
    wrong("refuses a max_pages that is not an integer", { max_pages: 1.5 }, "invalid_type", "max_pages"),
    wrong("refuses a max_pages that is a string", { max_pages: "10" }, "invalid_type", "max_pages"),
    wrong("refuses a negative rate_limit", { rate_limit: -1 }, "out_of_range", "rate_limit"),
    wrong("refuses a boolean that is a string", { deep_crawl: "true" }, "invalid_type", "deep_crawl"),
    wrong("refuses null for a boolean", { shared: null }, "invalid_type", "shared"),
    wrong("refuses an unknown engine", { html_engine: "other" }, "not_allowed", "html_engine"),
    wrong("refuses a user agent with a line break", { user_agent: "MyBot\r\nX-Other: y" }, "invalid_format", "user_agent"),
    wrong("refuses a user agent that is too long", { user_agent: "x".repeat(513) }, "too_long", "user_agent"),
    rule("names its user agent", "POST /reports", 201, attributes({ user_agent: "MyBot/1.0 (contract)" }), { attributes: { ...site, user_agent: "MyBot/1.0 (contract)" }, keep: { named_agent: "data.id" } }),
    rule("with a user agent can be deleted", "DELETE /reports/{named_agent}", 204),
    wrong("refuses an unknown device", { device_id: "{unknown_uuid}" }, "unknown_device", "device_id"),
    wrong("refuses unknown stored credentials", { basic_auth_id: "{unknown_uuid}" }, "unknown_basic_auth", "basic_auth_id"),
    wrong("refuses to turn both engines off", { perform_html_checks: false }, "inconsistent", "perform_html_checks"),
    wrong("refuses store_incomplete_checks without accessibility checks", { store_incomplete_checks: true }, "inconsistent", "store_incomplete_checks"),
    wrong("refuses an unknown depth", { a11y_depth: "deep" }, "not_allowed", "a11y_depth"),
    wrong("refuses to act without accessibility checks", { a11y_depth: "acting" }, "inconsistent", "a11y_depth"),
    wrong("refuses an unknown attribute", { colour: "red" }, "unknown_attribute", "colour"),
    wrong("refuses a read-only attribute", { num_pages: 3 }, "unknown_attribute", "num_pages"),
    rule("refuses a missing starting URL", "POST /reports", 422, error("required", "/data/attributes/starting_url"), { attributes: {} }),
    rule("says that the format is invalid", "POST /reports", 422, body({ errors: [{ detail: { kind: "that the format is invalid", holds: (value: unknown) => /format is invalid/.test(String(value)) }, title: text, source: { pointer: "/data/attributes/starting_url" } }] }), { attributes: { starting_url: "nowhere" } }),
    rule("reports all errors at once", "POST /reports", 422, errorsAt("/data/attributes/starting_url", "/data/attributes/max_pages", "/data/attributes/colour"), { attributes: { starting_url: "nowhere", max_pages: "ten", colour: "red" } }),
    rule('needs the scope "write"', "POST /reports", 403, error("insufficient_scope"), { as: "reader", attributes: site }),
    rule("needs credentials", "POST /reports", 401, error("unauthenticated"), { as: "anonymous", attributes: site }),
    rule(
      "accepts every attribute",
      "POST /reports",
      201,
      attributes({
        deep_crawl: false,
        dynamic_crawler: true,
        prefer_canonical_urls: false,
        max_pages: 2,
        rate_limit: 7,
        perform_html_checks: false,
        perform_a11y_checks: true,
        device_rotated: true,
        shared: true,
        initial_urls: ["{site}clean?1", "{site}clean?2"],
        exclusions: ["/a", "/b"],
        tags: ["red", "blue"],
        checks: { html: null, a11y: { status: { pending: integer } } },
      }),
      {
        attributes: {
          ...site,
          deep_crawl: false,
          dynamic_crawler: true,
          prefer_canonical_urls: false,
          max_pages: 2,
          rate_limit: 7,
          perform_html_checks: false,
          perform_a11y_checks: true,
          store_raw_html_checks: true,
          store_raw_a11y_checks: true,
          store_incomplete_checks: true,
          initial_urls: "{site}clean?1\n{site}clean?2\n",
          exclusions: "/a\r\n/b",
          device_id: "",
          device_rotated: true,
          tags: " red ,blue,red",
          shared: true,
          html_engine: "html-validate",
        },
        keep: { full: "data.id" },
      },
    ),
  ],
};
