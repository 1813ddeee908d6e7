import {
  absent,
  all,
  attributes,
  body,
  each,
  error,
  errorsAt,
  holding,
  listed,
  listing,
  resource,
} from "../expectations.ts";
import { rule, type Section } from "../rule.ts";

const page = "/reports/{report}/web_pages/{page}";
const issue = `${page}/html_issues/{html_issue}`;
const common = "/reports/{report}/common_html_issues/{common_html_issue}";
const preview = "POST /mutings/preview?report_id={report}";
const END = "2100-01-31T12:00:00";
const single = { fingerprint: "{print}", comment: "Known", reason: "The supplier fixes it.", expires_at: END };
const none = { url_match: null, message: null, rule: null, selector: null, fingerprint: null, component: null };
const [url_match, message, expires_at, selector] = ["url_match", "message", "expires_at", "selector"].map(
  (name) => `/data/attributes/${name}`,
) as [string, string, string, string];
/** The issue has this many elements, in its number and in its list. */
const elements = (howMany: number) =>
  all(attributes({ how_many: howMany, html_truncated: false }), ({ json }) => {
    if (json.data.attributes.html.length !== howMany) throw new Error(JSON.stringify(json.data.attributes.html));
  });
const counts = (findings: number, issues: number, pages: number) =>
  resource("muting_preview", { findings, issues, pages, reports: 1, num_sites: 1, complete: true });

// biome-ignore format: a table, a rule a line
export const lastingMutings: Section = {
  title: "Mutings that last (Muting, and what is beside it)",
  rules: [
    rule("have a rule, a fingerprint and a selector to name", `GET ${issue}`, 200, attributes({ html: [{ selector: "html > body > main > img" }, { selector: "html > body > main > img" }] }), { keep: { rule: "data.attributes.rule", print: "data.attributes.html.0.fingerprint" } }),
    rule("can be tried on a report before they are created", preview, 200, resource("muting_preview", { findings: 1, issues: 1, pages: 1, reports: 1 }, "{report}"), { attributes: single }),
    rule("are tried without a verdict on a report that has no gate", preview, 200, ({ json }) => {
      const [site] = json.data.attributes.sites;
      if (site?.passes !== null || site.would_pass !== null) throw new Error(JSON.stringify(json.data));
    }, { attributes: single }),
    rule("can be tried by rule", preview, 200, counts(3, 2, 2), { attributes: { rule: "{rule}" } }),
    rule("can be tried by rule and page", preview, 200, counts(1, 1, 1), { attributes: { rule: "{rule}", url_match: "/about" } }),
    rule("can be tried by rule and selector", preview, 200, counts(3, 2, 2), { attributes: { rule: "{rule}", selector: "main > img" } }),
    rule("can be tried by both texts", preview, 200, counts(1, 1, 1), { attributes: { url_match: "/about", message: "is missing on <IMG>" } }),
    rule("can be tried on the latest report of each site", "POST /mutings/preview", 200, ({ json }) => {
      const { id, attributes: { findings, reports, num_sites, complete } } = json.data;
      if (id !== "latest" || reports < 4 || findings < 3 || num_sites !== reports || !complete) throw new Error(JSON.stringify(json.data));
    }, { attributes: { rule: "{rule}" } }),
    rule("cannot be tried on a report of another account", preview, 404, error("not_found"), { as: "stranger", attributes: single }),
    rule("cannot be tried on a report that does not exist", "POST /mutings/preview?report_id={unknown_uuid}", 404, error("not_found"), { attributes: single }),
    rule("cannot be tried on what is no report's id", "POST /mutings/preview?report_id=x", 400, error("invalid_parameter", "parameter report_id"), { attributes: single }),
    rule("of a guest cannot be tried on a report of the host", preview, 404, error("not_found"), { as: "guest", attributes: single }),
    rule("of a guest can be tried on its own report", "POST /mutings/preview?report_id={guest_report}", 200, body({ data: { id: "{guest_report}", attributes: { reports: 1 } } }), { as: "guest", attributes: { rule: "{rule}" } }),
    rule("of the host silence nothing in a report of its guest", "POST /mutings/preview?report_id={guest_report}", 200, body({ data: { attributes: { findings: 0, issues: 0, pages: 0, reports: 0 } } }), { attributes: { rule: "{rule}" } }),
    rule("are not tried when they are invalid", preview, 422, errorsAt(url_match, message), { attributes: {} }),
    rule("cannot be tried with a read-only token", preview, 403, error("insufficient_scope"), { as: "reader", attributes: single }),
    rule("cannot be tried without credentials", preview, 401, error("unauthenticated"), { as: "anonymous", attributes: single }),

    rule("are created by a fingerprint", "POST /mutings", 201, resource("muting", { ...none, ...single, fingerprint: "{print}" }), { attributes: single, keep: { single: "data.id" } }),
    rule("leave the rest of an issue", `GET ${issue}`, 200, elements(1), { eventually: true }),
    rule("leave the rest of an issue in its page's list", `GET ${page}/html_issues?filter[message]=attribute%20"alt"`, 200, listing("how_many", 1)),
    rule("keep the part of an issue that they silence", `GET ${issue}?filter[muted]=true`, 200, elements(1)),
    rule("list that part with filter[muted]=true", `GET ${page}/html_issues?filter[muted]=true`, 200, listing("how_many", 1)),
    rule("keep accessibility issues that they do not silence", `GET ${page}/a11y_issues/{a11y_issue}?filter[muted]=true`, 200, elements(0)),
    rule("leave the rest of a common issue", `GET ${common}`, 200, attributes({ how_many: 2 })),
    rule("count the silenced part of a common issue with filter[muted]=true", `GET ${common}?filter[muted]=true`, 200, attributes({ how_many: 1 })),
    rule("list that part of the common issue", "GET /reports/{report}/common_html_issues?filter[muted]=true", 200, listing("how_many", 1)),
    rule("leave the page among those of the common issue", "GET /reports/{report}/web_pages?filter[common_html_issue_id]={common_html_issue}", 200, listed("{page}", "{about}")),
    rule("list the page among those of the silenced part", "GET /reports/{report}/web_pages?filter[common_html_issue_id]={common_html_issue}&filter[muted]=true", 200, listed("{page}")),
    rule("apply to the page's counts, too", `GET ${page}`, 200, attributes({ html_check: { errors: 2, warnings: 1 } })),
    rule("apply to the report's totals, too", "GET /reports/{report}", 200, attributes({ checks: { html: { issues: { errors: 3, warnings: 1 } } } })),
    rule("are listed for the report", "GET /reports/{report}/mutings", 200, all(listed("{single}"), each("muting", { reason: "The supplier fixes it." }))),
    rule("would silence no more than they do", preview, 200, counts(0, 0, 0), { attributes: single }),
    rule("can be tried with a change, as if they silenced nothing yet", `${preview}&muting_id={single}`, 200, counts(1, 1, 1), { attributes: { comment: "Noted" } }),
    rule("of another account cannot be tried with a change", "POST /mutings/preview?muting_id={single}", 404, error("not_found"), { as: "stranger", attributes: single }),

    rule("can be changed", "PATCH /mutings/{single}", 200, resource("muting", { ...none, ...single, fingerprint: "{print}", comment: "Noted" }, "{single}"), { attributes: { comment: "Noted" } }),
    rule("keep what a change does not name", "GET /mutings/{single}", 200, attributes({ ...single, fingerprint: "{print}", comment: "Noted" })),
    rule("can be changed to name an element on every page", "PATCH /mutings/{single}", 200, attributes({ ...none, selector: "MAIN > img", reason: null, expires_at: END }), { attributes: { selector: "MAIN > img", fingerprint: null, reason: null } }),
    rule("apply anew once they are changed", `GET ${common}`, 200, attributes({ how_many: 0 }), { eventually: true }),
    rule("can be changed to be without an end", "PATCH /mutings/{single}", 200, attributes({ selector: "MAIN > img", expires_at: null }), { attributes: { expires_at: null } }),
    rule("cannot be left with one text", "PATCH /mutings/{single}", 422, errorsAt(message), { attributes: { selector: null, url_match: "/about" } }),
    rule("can be changed to both texts", "PATCH /mutings/{single}", 200, attributes({ ...none, url_match: "/about", message: "alt" }), { attributes: { selector: null, url_match: "/about", message: "alt" } }),
    rule("apply anew to both texts", `GET ${common}`, 200, attributes({ how_many: 2 }), { eventually: true }),
    rule("cannot be changed by another account", "PATCH /mutings/{single}", 404, error("not_found"), { as: "stranger", attributes: { comment: "x" } }),
    rule("of the host cannot be changed by a guest", "PATCH /mutings/{single}", 404, error("not_found"), { as: "guest", attributes: { comment: "x" } }),
    rule("cannot be changed with a read-only token", "PATCH /mutings/{single}", 403, error("insufficient_scope"), { as: "reader", attributes: { comment: "x" } }),
    rule("cannot be changed without credentials", "PATCH /mutings/{single}", 401, error("unauthenticated"), { as: "anonymous", attributes: { comment: "x" } }),
    rule("have no attribute that cannot be set", "PATCH /mutings/{single}", 422, errorsAt("/data/attributes/colour"), { attributes: { colour: "red" } }),
    rule("do not show their reason to readers of a shared report: sharing", "PATCH /reports/{report}", 200, attributes({ shared: true }), { attributes: { shared: true } }),
    rule("show their comment to readers of a shared report", "GET /reports/{report}/mutings", 200, each("muting", { comment: "Noted", reason: absent }), { as: "anonymous" }),
    rule("do not show their reason to readers of a shared report: no longer", "PATCH /reports/{report}", 200, attributes({ shared: false }), { attributes: { shared: false } }),
    rule("can be deleted", "DELETE /mutings/{single}", 204),
    rule("bring everything back", `GET ${common}`, 200, attributes({ how_many: 3 }), { eventually: true }),

    rule("are created by a rule alone", "POST /mutings", 201, attributes({ ...none, rule: "nothing-like-it" }), { attributes: { rule: "nothing-like-it" }, keep: { by_rule: "data.id" } }),
    rule("are listed beside the others", "GET /mutings?page[size]=100", 200, holding("{by_rule}")),
    rule("by rule can be deleted", "DELETE /mutings/{by_rule}", 204),
    rule("take a time with an offset", "POST /mutings", 201, attributes({ expires_at: "2100-01-31T10:00:00" }), { attributes: { rule: "nothing-like-it", expires_at: "2100-01-31T12:00:00+02:00" }, keep: { by_rule: "data.id" } }),
    rule("with a time can be deleted", "DELETE /mutings/{by_rule}", 204),
    rule("are not created with one text alone", "POST /mutings", 422, errorsAt(message), { attributes: { url_match: "/about" } }),
    rule("take null for what is not asked", "POST /mutings", 422, errorsAt(url_match, message), { attributes: { rule: null, selector: null, fingerprint: null } }),
    rule("do not end in the past", "POST /mutings", 422, error("out_of_range", expires_at), { attributes: { ...single, expires_at: "2020-01-01T00:00:00" } }),
    rule("do not end on a day that there is not", "POST /mutings", 422, error("invalid_format", expires_at), { attributes: { ...single, expires_at: "2100-02-30T00:00:00" } }),
    rule("do not end at what is no time", "POST /mutings", 422, error("invalid_format", expires_at), { attributes: { ...single, expires_at: "soon" } }),
    rule("do not name what is no fingerprint", "POST /mutings", 422, errorsAt("/data/attributes/fingerprint"), { attributes: { fingerprint: "x" } }),
    rule("do not name an empty rule", "POST /mutings", 422, errorsAt("/data/attributes/rule"), { attributes: { rule: "" } }),
    rule("do not name a position", "POST /mutings", 422, error("invalid_format", selector), { attributes: { selector: "img:nth-child(2)" } }),
    rule("do not name what is no selector", "POST /mutings", 422, error("invalid_format", selector), { attributes: { selector: "main >> img {" } }),
    rule("say in words what a selector may be", "POST /mutings", 422, body({ errors: [{ detail: 'selector has :hover, which cannot be matched against a stored finding; allowed are the names of elements, ids and classes, one inside of another (a space) or its child (>), and several selectors with commas, such as #ads img, .banner > a. Received "a:hover".' }] }), { attributes: { selector: "a:hover" } }),
  ],
};
