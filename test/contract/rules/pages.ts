import {
  all,
  attributes,
  body,
  containing,
  each,
  error,
  errorsAt,
  header,
  integer,
  listed,
  listing,
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

const pages = "/reports/{report}/web_pages";
const severity = {
  critical: integer,
  serious: integer,
  moderate: integer,
  minor: integer,
  total: { errors: integer, warnings: integer, total: integer },
};
const check = { status: text, errors: integer, warnings: integer };

// biome-ignore format: a table, a rule a line
export const webPages: Section = {
  title: "Web pages (Web pages of a report; Decisions, web_page)",
  rules: [
    rule("have every field", `GET ${pages}`, 200, each("web_page", { url, linked_from: orNull(url), status: text, http_status: integer, html_check: check, a11y_check: { ...check, severity }, inserted_at: timestamp, updated_at: timestamp, last_checked_at: timestamp })),
    rule("can be read by id", `GET ${pages}/{page}`, 200, resource("web_page", { url: "{site}", linked_from: null, status: "checked", http_status: 200, html_check: { status: "checked", errors: 3, warnings: 1, failure: null }, a11y_check: { status: "checked", errors: 3, warnings: 1, severity: { critical: 2, serious: 2, moderate: 0, minor: 0, total: { errors: 3, warnings: 1, total: 4 } } } }, numericId)),
    rule("are listed once each, without fragments and without excluded URLs", `GET ${pages}`, 200, ({ json }, { fill }) => {
      const urls = json.data.map((page: { attributes: { url: string } }) => page.attributes.url).sort();
      const wanted = ["{site}", "{site}about", "{site}missing"].map(fill);
      if (urls.join() !== wanted.join()) throw new Error(urls.join());
    }),
    rule("name the page that linked to them", `GET ${pages}/{missing}`, 200, attributes({ linked_from: "{site}" })),
    rule("that failed have the reason", `GET ${pages}/{missing}`, 200, attributes({ status: "failed", http_status: 404, html_check: { status: "failed", failure: { code: "http_error", detail: containing("404") } }, a11y_check: { status: "failed", failure: { code: "http_error" } } })),
    rule("have null for an engine that is off", "GET /reports/{spare}/web_pages", 200, each("web_page", { a11y_check: null })),
    rule("link to no raw checks and screenshot that were not stored", "GET /reports/{two}/web_pages/{two_page}", 200, related("report", "html_issues", "a11y_issues", "link_issues", "source")),
    rule("link to none of them for a page that could not be checked", `GET ${pages}/{missing}`, 200, related("report", "html_issues", "a11y_issues", "link_issues")),
    rule("link to report, issues, raw checks and screenshot, and the links resolve", `GET ${pages}/{page}`, 200, related("report", "html_issues", "a11y_issues", "link_issues", "raw_html_check", "raw_a11y_check", "screenshot", "source")),
    rule("can be filtered by part of the URL", `GET ${pages}?filter[url]=/ABOUT`, 200, listed("{about}")),
    rule("can be found by a part of their address", `GET ${pages}?filter[search]=no-such-part`, 200, listed()),
    rule("are counted by result, if asked", `GET ${pages}?results=true&filter[result]=waiting`, 200, all(listed(), body({ meta: { results: { pages: { waiting: 0 } } } }))),
    rule("can be those that wait for their check", `GET ${pages}?filter[result]=waiting`, 200, listed()),
    rule("can be those with an id", `GET ${pages}?filter[id]={page}`, 200, listed("{page}")),
    rule("can be filtered by their status", `GET ${pages}?filter[status]=failed`, 200, listed("{missing}")),
    rule("that are checked can be listed", `GET ${pages}?filter[status]=checked`, 200, listed("{page}", "{about}")),
    rule("that wait can be listed", `GET ${pages}?filter[status]=pending`, 200, listed()),
    rule("refuse an unknown status", `GET ${pages}?filter[status]=lost`, 400, error("invalid_parameter", "parameter filter[status]")),
    rule("can be sorted by their errors", `GET ${pages}?sort=errors-desc`, 200, listing("id", "{page}", "{about}", "{missing}")),
    rule("can be sorted by their errors the other way round", `GET ${pages}?sort=errors-asc`, 200, listing("id", "{missing}", "{about}", "{page}")),
    rule("can be sorted by their URL", `GET ${pages}?sort=url-asc`, 200, listing("id", "{page}", "{about}", "{missing}")),
    rule("say that acting leaves out none of them in a report that does not act", `GET ${pages}/{page}`, 200, attributes({ like_others: false })),
    rule("say how long the fetch and each check took", `GET ${pages}/{page}`, 200, attributes({ fetch_ms: integer, duration_ms: positive, html_check: { duration_ms: integer }, a11y_check: { duration_ms: positive } })),
    rule("say that no engine ran on a page that could not be fetched", `GET ${pages}/{missing}`, 200, attributes({ fetch_ms: integer, html_check: { duration_ms: null }, a11y_check: { duration_ms: null } })),
    rule("can be sorted by how long they took", `GET ${pages}?sort=duration-desc`, 200, ({ json }) => {
      const took = json.data.map((page: { attributes: { duration_ms: number } }) => page.attributes.duration_ms);
      if (took.length !== 3 || took.join() !== took.toSorted((a: number, b: number) => b - a).join()) throw new Error(took.join());
    }),
    rule("can be those addresses that lead to no page", `GET ${pages}?filter[without_page]=true`, 200, listed("{missing}")),
    rule("can be those addresses that lead to a page", `GET ${pages}?filter[without_page]=false`, 200, listed("{page}", "{about}")),
    rule("can be filtered by a rule", `GET ${pages}?filter[kind]=a11y&filter[rule]=image-alt`, 200, listed("{page}", "{about}")),
    rule("can be filtered by a rule that only one page has", `GET ${pages}?filter[kind]=a11y&filter[rule]=html-has-lang`, 200, listed("{page}")),
    rule("can be filtered by a rule of another kind, which has none of that name", `GET ${pages}?filter[kind]=html&filter[rule]=image-alt`, 200, listed()),
    rule("can be filtered by the type of what a rule found", `GET ${pages}?filter[kind]=a11y&filter[rule]=color-contrast&filter[issue_type]=warning`, 200, listed("{page}")),
    rule("can be filtered by the type of what a rule never found", `GET ${pages}?filter[kind]=a11y&filter[rule]=color-contrast&filter[issue_type]=error`, 200, listed()),
    rule("can be filtered by what a rule found within the standard", `GET ${pages}?filter[kind]=a11y&filter[rule]=image-alt&filter[outside_standard]=false`, 200, listed("{page}", "{about}")),
    rule("can be filtered by what a rule found outside of the standard", `GET ${pages}?filter[kind]=a11y&filter[rule]=image-alt&filter[outside_standard]=true`, 200, listed()),
    rule("refuse a rule without its kind", `GET ${pages}?filter[rule]=image-alt`, 400, error("invalid_parameter", "parameter filter[rule]")),
    rule("refuse a kind without its rule", `GET ${pages}?filter[kind]=a11y`, 400, error("invalid_parameter", "parameter filter[kind]")),
    rule("refuse an unknown order", `GET ${pages}?sort=status-asc`, 400, error("invalid_parameter", "parameter sort")),
    rule("can be filtered by a common HTML issue", `GET ${pages}?filter[common_html_issue_id]={common_html_issue}`, 200, listed("{page}", "{about}")),
    rule("can be filtered by a common HTML issue that only one page has", `GET ${pages}?filter[common_html_issue_id]={center}`, 200, listed("{page}")),
    rule("can be filtered by a common accessibility issue", `GET ${pages}?filter[common_a11y_issue_id]={common_a11y_issue}`, 200, listed("{page}", "{about}")),
    rule("can be filtered by a common accessibility issue that only one page has", `GET ${pages}?filter[common_a11y_issue_id]={lang}`, 200, listed("{page}")),
    rule("can be filtered by both kinds of issue at once", `GET ${pages}?filter[common_html_issue_id]={common_html_issue}&filter[common_a11y_issue_id]={lang}`, 200, listed("{page}")),
    rule("can be those of a folder", `GET ${pages}?filter[path]=/`, 200, listed("{page}", "{about}", "{missing}")),
    rule("can be those of a folder that has none", `GET ${pages}?filter[path]=/none/`, 200, listed()),
    rule("refuse the path of a page as that of a folder", `GET ${pages}?filter[path]=/about`, 400, error("invalid_parameter", "parameter filter[path]")),
    rule("have nothing new where there is nothing to compare with", `GET ${pages}?filter[state]=new`, 200, listed()),
    rule("are counted by section", "GET /reports/{report}/sections", 200, each("section", { path: "/", num_pages: 3, num_checked_pages: 2, errors: integer, warnings: integer, new_errors: null })),
    rule("are counted by section in another order, too", "GET /reports/{report}/sections?sort=path-asc", 200, listing("path", "/")),
    rule("are counted by section in pages, too", "GET /reports/{report}/sections?page[size]=1", 200, listing("path", "/")),
    rule("are linked to by their section, and the links resolve", "GET /reports/{report}/sections", 200, related("report", "web_pages", "findings")),
    rule("are not counted by section in another account", "GET /reports/{report}/sections", 404, error("not_found"), { as: "stranger" }),
    rule("of an unknown common issue are an empty list", `GET ${pages}?filter[common_html_issue_id]=999999999`, 200, listed()),
    rule("refuse a common issue's id that is not a number", `GET ${pages}?filter[common_a11y_issue_id]=x`, 400, error("invalid_parameter", "parameter filter[common_a11y_issue_id]")),
    rule("of another report are not found", "GET /reports/{two}/web_pages/{page}", 404, error("not_found")),
    rule("are not found under an id that is not a number", `GET ${pages}/x`, 404, error("not_found")),
    rule("of another account are not found", `GET ${pages}/{page}`, 404, error("not_found"), { as: "stranger" }),
    rule("need credentials", `GET ${pages}`, 401, error("unauthenticated"), { as: "anonymous" }),
  ],
};

const spare = "/reports/{spare}/web_pages";

// biome-ignore format: a table, a rule a line
export const rechecks: Section = {
  title: "Checking and deleting one page (Decisions; web_page)",
  rules: [
    rule("accept no status but pending", `PATCH ${spare}/{spare_page}`, 422, error("not_allowed", "/data/attributes/status"), { attributes: { status: "checked" } }),
    rule("accept no other attribute", `PATCH ${spare}/{spare_page}`, 422, errorsAt("/data/attributes/url"), { attributes: { status: "pending", url: "x" } }),
    rule('need the scope "write"', `PATCH ${spare}/{spare_page}`, 403, error("insufficient_scope"), { as: "reader", attributes: { status: "pending" } }),
    rule("are not possible for another account", `PATCH ${spare}/{spare_page}`, 404, error("not_found"), { as: "stranger", attributes: { status: "pending" } }),
    rule("start from these counters", "GET /reports/{spare}", 200, attributes({ num_pages: 3, checks: { html: { status: { pending: 0, checked: 2, failed: 1 }, issues: { errors: 4, warnings: 1 } } } })),
    rule("queue the page for another check", `PATCH ${spare}/{spare_page}`, 200, resource("web_page", { url: "{site}" }), { attributes: { status: "pending" } }),
    rule("check the page again", `GET ${spare}/{spare_page}`, 200, attributes({ status: "checked", html_check: { errors: 3, warnings: 1 } }), { eventually: true }),
    rule("leave the same counters as before", "GET /reports/{spare}", 200, attributes({ num_pages: 3, phase: "Complete", checks: { html: { status: { pending: 0, checked: 2, failed: 1 }, issues: { errors: 4, warnings: 1 } } } }), { eventually: true }),
    rule("cannot delete a page with a read-only token", `DELETE ${spare}/{spare_about}`, 403, error("insufficient_scope"), { as: "reader" }),
    rule("delete a page", `DELETE ${spare}/{spare_about}`, 204),
    rule("cannot delete the page a second time", `DELETE ${spare}/{spare_about}`, 404, error("not_found")),
    rule("update the counters at once", "GET /reports/{spare}", 200, attributes({ num_pages: 2, checks: { html: { status: { pending: 0, checked: 1, failed: 1 }, issues: { errors: 3, warnings: 1 } } } })),
    rule("update the common issues", "GET /reports/{spare}/common_html_issues?filter[message]=alt", 200, each("common_html_issue", { how_many: 2 })),
    rule("record the page as deleted", "GET /reports/{spare}/excluded_urls", 200, ({ json }, { fill }) => {
      type Entry = { attributes: { url: string; reason: string } };
      const found = json.data.map(({ attributes: { url: at, reason } }: Entry) => `${at} ${reason}`);
      if (!found.includes(fill("{site}about deleted"))) throw new Error(found.join());
    }),
  ],
};

// biome-ignore format: a table, a rule a line
export const excludedUrls: Section = {
  title: "Excluded URLs (Decisions; excluded_url)",
  rules: [
    rule("have every field", "GET /reports/{report}/excluded_urls", 200, each("excluded_url", { url, linked_from: orNull(url), reason: text, inserted_at: timestamp })),
    rule("have their reasons", "GET /reports/{report}/excluded_urls", 200, listing("reason", "exclusion", "off_site")),
    rule("can be filtered by their reason", "GET /reports/{report}/excluded_urls?filter[reason]=off_site", 200, listing("url", "https://elsewhere.example/")),
    rule("can be filtered by a reason that none has", "GET /reports/{report}/excluded_urls?filter[reason]=robots", 200, listed()),
    rule("refuse an unknown reason", "GET /reports/{report}/excluded_urls?filter[reason]=mood", 400, error("invalid_parameter", "parameter filter[reason]")),
    rule("have their URLs", "GET /reports/{report}/excluded_urls", 200, listing("url", "{site}private/staff", "https://elsewhere.example/")),
    rule("name the page that linked to them", "GET /reports/{report}/excluded_urls", 200, each("excluded_url", { linked_from: "{site}" })),
    rule("link to the report", "GET /reports/{report}/excluded_urls", 200, related("report")),
    rule("beyond the page limit are listed with those that a pattern excluded", "GET /reports/{guest_report}/excluded_urls", 200, ({ json }) => {
      const reasons = json.data.map((entry: { attributes: { reason: string } }) => entry.attributes.reason);
      if (!reasons.includes("exclusion")) throw new Error(reasons.join());
    }),
    rule("of another account are not found", "GET /reports/{report}/excluded_urls", 404, error("not_found"), { as: "stranger" }),
  ],
};

const raw = `${pages}/{page}`;

// biome-ignore format: a table, a rule a line
export const rawChecks: Section = {
  title: "Raw checks, screenshots and sources (Raw Check; Endpoints, Raw checks)",
  rules: [
    rule("of HTML have language, URL and messages", `GET ${raw}/raw_html_check`, 200, resource("raw_check", { kind: "html", raw: { language: "", url: "{site}", messages: { kind: "messages as specified", holds: areMessages } } }, { kind: "a text", holds: (value) => typeof value === "string" && value !== "" })),
    rule("of HTML have the document's language", `GET ${pages}/{about}/raw_html_check`, 200, attributes({ raw: { language: "en" } })),
    rule("of accessibility are the engine's results", `GET ${raw}/raw_a11y_check`, 200, resource("raw_check", { kind: "a11y", raw: { violations: { kind: "an array", holds: Array.isArray }, incomplete: { kind: "an array", holds: Array.isArray }, passes: { kind: "an array", holds: Array.isArray } } })),
    rule("link to their page", `GET ${raw}/raw_html_check`, 200, related("web_page")),
    rule("of HTML exist only if the report asked for them", "GET /reports/{two}/web_pages/{two_page}/raw_html_check", 404, error("raw_check_not_stored")),
    rule("of accessibility exist only if the report asked for them", "GET /reports/{two}/web_pages/{two_page}/raw_a11y_check", 404, error("raw_check_not_stored")),
    rule("do not exist for a page that could not be checked", `GET ${pages}/{missing}/raw_html_check`, 404, error("raw_check_not_stored")),
    rule("of a page of another report are not found", "GET /reports/{two}/web_pages/{page}/raw_html_check", 404, error("not_found")),
    rule("of another account are not found", `GET ${raw}/raw_html_check`, 404, error("not_found"), { as: "stranger" }),
    rule("include the screenshot as a PNG image", `GET ${raw}/screenshot`, 200, ({ headers, text: bytes }) => {
      if (headers["content-type"] !== "image/png" || !bytes.includes("PNG"))
        throw new Error(`${headers["content-type"]}`);
    }),
    rule("include a screenshot of a report without accessibility checks, too", "POST /reports", 201, undefined, { attributes: { starting_url: "{site}sort/two", max_pages: 1, perform_a11y_checks: false, store_screenshot: true, rate_limit: 25 }, keep: { pictured: "data.id" } }),
    rule("link to that screenshot, and to no raw checks", "GET /reports/{pictured}/web_pages", 200, all(each("web_page", { status: "checked" }), related("report", "html_issues", "a11y_issues", "link_issues", "screenshot", "source")), { eventually: true, keep: { pictured_page: "data.0.id" } }),
    rule("say how much of the page is in that screenshot", "GET /reports/{pictured}/web_pages/{pictured_page}", 200, attributes({ screenshot_size: { width: 800, height: positive, scale: 1 } })),
    rule("say nothing of a screenshot that was not stored", "GET /reports/{two}/web_pages/{two_page}", 200, attributes({ screenshot_size: null })),
    rule("have that screenshot as a PNG image", "GET /reports/{pictured}/web_pages/{pictured_page}/screenshot", 200, header("content-type", "image/png")),
    rule("leave that report to be deleted", "DELETE /reports/{pictured}", 204),
    rule("include a screenshot only if the report asked for it", "GET /reports/{two}/web_pages/{two_page}/screenshot", 404, error("screenshot_not_stored")),
    rule("include a picture of the page on which nobody could sign in: with steps that fail", "POST /basic_auths", 201, undefined, { attributes: { host: "{site_host}", sign_in: { steps: [{ type: "navigate", url: "{site}clean" }, { type: "click", selector: "#not-there", timeout: 300 }] } }, keep: { failing: "data.id" } }),
    rule("include a picture of the page on which nobody could sign in: with a report that uses them", "POST /reports", 201, undefined, { attributes: { starting_url: "{site}clean", max_pages: 1, rate_limit: 25, store_screenshot: true, basic_auth_id: "{failing}" }, keep: { unsigned: "data.id" } }),
    rule("include a picture of the page on which nobody could sign in, and of the page after each step that was done", "GET /reports/{unsigned}", 200, attributes({ phase: "Failed", sign_in_pictures: [{ step: 1, action: containing("open http"), failed: false, url }, { step: 2, action: "click #not-there", failed: true, url }] }), { eventually: true }),
    rule("have that picture as a PNG image", "GET /reports/{unsigned}/sign_in_pictures/2", 200, all(header("content-type", "image/png"), header("content-security-policy", "default-src 'none'; sandbox"))),
    rule("do not show that picture to another account", "GET /reports/{unsigned}/sign_in_pictures/2", 404, error("not_found"), { as: "stranger" }),
    rule("have no such picture of other reports", "GET /reports/{two}/sign_in_pictures/1", 404, error("sign_in_picture_not_stored")),
    rule("leave the report and its credentials to be deleted", "DELETE /reports/{unsigned}", 204),
    rule("leave those credentials to be deleted", "DELETE /basic_auths/{failing}?force=true", 204),
    rule("include pictures of elements, a few kB each", "GET /reports/{report}/findings?filter[rule]=image-alt&filter[web_page_id]={page}", 200, each("finding", { element: { picture: { url, area: { x: integer, y: integer, width: positive, height: positive } } } }), { keep: { picture: "data.0.attributes.element.picture.url" } }),
    rule("have no picture that was not cut", "GET /reports/{report}/web_pages/{page}/pictures/999999999", 404, error("not_found")),
    rule("have such a picture as a WebP image", "GET {picture}", 200, all(header("content-type", "image/webp"), ({ text: bytes }) => {
      if (!bytes.includes("WEBP") || bytes.length > 15_000) throw new Error(`${bytes.length}`);
    })),
    rule("do not show the picture to another account", "GET {picture}", 404, error("not_found"), { as: "stranger" }),
    rule("include no pictures without a screenshot", "GET /reports/{two}/findings", 200, each("finding", { element: { picture: null } })),
    rule("include the source of a page with HTML findings, as text and nothing else", `GET ${raw}/source`, 200, all(header("content-type", "text/plain; charset=utf-8"), header("x-content-type-options", "nosniff"), header("content-security-policy", "default-src 'none'; sandbox"), ({ text: source }) => {
      if (!source.includes("<center>Old</center>\n")) throw new Error(source);
    })),
    rule("include no source of a page that could not be checked", `GET ${pages}/{missing}/source`, 404, error("source_not_stored")),
    rule("offer the source in no other media type", `GET ${raw}/source`, 406, error("not_acceptable", "header Accept"), { headers: { Accept: "text/html" } }),
    rule("do not show the source to another account", `GET ${raw}/source`, 404, error("not_found"), { as: "stranger" }),
    rule("offer the screenshot in no other media type", `GET ${raw}/screenshot`, 406, error("not_acceptable", "header Accept"), { headers: { Accept: "application/json" } }),
  ],
};

function areMessages(value: unknown): boolean {
  if (!Array.isArray(value) || value.length !== 4) return false;
  const types = value.map(({ type, subType }) => [type, subType].filter(Boolean).join(" ")).sort();
  const complete = value.every(
    (entry) =>
      typeof entry.message === "string" &&
      typeof entry.extract === "string" &&
      typeof entry.rule === "string" &&
      entry.rule !== "" &&
      typeof entry.section === "string" &&
      Number.isInteger(entry.lastLine) &&
      Number.isInteger(entry.lastColumn) &&
      Number.isInteger(entry.hiliteStart) &&
      Number.isInteger(entry.hiliteLength),
  );
  return complete && types.join() === "error,error,error,info warning";
}
