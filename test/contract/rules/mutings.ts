import {
  absent,
  all,
  attributes,
  each,
  error,
  errorsAt,
  holding,
  listed,
  listing,
  related,
  resource,
  timestamp,
  walked,
  without,
} from "../expectations.ts";
import { rule, type Section } from "../rule.ts";

const alt = { url_match: "/SORT/three", message: "IS missing on", comment: "Known" };
const help = { url_match: "/sort/THREE", message: "alternative TEXT" };
const three = "/reports/{three}";

// biome-ignore format: a table, a rule a line
export const mutings: Section = {
  title: "Mutings (Muting; its endpoints)",
  rules: [
    rule("are made of part of a URL and part of a message", "POST /mutings", 201, resource("muting", { id: { kind: "an integer", holds: Number.isInteger }, ...alt, inserted_at: timestamp, updated_at: timestamp }), { attributes: alt, keep: { muting: "data.id" } }),
    rule("repeat their id as an integer", "GET /mutings/{muting}", 200, ({ json }) => {
      if (String(json.data.attributes.id) !== json.data.id) throw new Error(JSON.stringify(json.data));
    }),
    rule("may be without a comment", "POST /mutings", 201, attributes({ comment: null }), { attributes: help, keep: { muting_of_help: "data.id" } }),
    rule("are listed", "GET /mutings?page[size]=100", 200, all(holding("{muting}", "{muting_of_help}"), each("muting", {}))),
    rule("lead through all of them by their links", "GET /mutings?page[size]=1", 200, walked),
    rule("need what they match", "POST /mutings", 422, errorsAt("/data/attributes/url_match", "/data/attributes/message"), { attributes: { comment: "x" } }),
    rule("need more than nothing to match", "POST /mutings", 422, errorsAt("/data/attributes/url_match", "/data/attributes/message"), { attributes: { url_match: "", message: " " } }),
    rule("take no other attribute", "POST /mutings", 422, errorsAt("/data/attributes/colour"), { attributes: { ...alt, colour: "red" } }),
    rule("are not made with a token for reading", "POST /mutings", 403, error("insufficient_scope"), { as: "reader", attributes: alt }),
    rule("act on existing reports: the totals are without what is muted", `GET ${three}`, 200, attributes({ checks: { html: { issues: { errors: 0, warnings: 0 } }, a11y: { issues: { errors: 0, warnings: 0, severity: { critical: 0, total: { total: 0 } } } } } }), { eventually: true }),
    rule("are listed with the report where they took effect", `GET ${three}/mutings`, 200, listed("{muting}", "{muting_of_help}")),
    rule("are not listed with a report where they took none", "GET /reports/{two}/mutings", 200, listed()),
    rule("change no other report", "GET /reports/{two}", 200, attributes({ checks: { html: { issues: { errors: 2, warnings: 0 } } } })),
    rule("silence common HTML issues", `GET ${three}/common_html_issues`, 200, listed()),
    rule("silence common accessibility issues", `GET ${three}/common_a11y_issues`, 200, listed()),
    rule("keep what they silenced: filter[muted]=true lists it", `GET ${three}/common_html_issues?filter[muted]=true`, 200, listing("how_many", 3)),
    rule("keep its kind, found no more", `GET ${three}/common_html_issues?filter[muted]=true`, 200, undefined, { keep: { muted_issue: "data.0.id" } }),
    rule("leave no page that is affected by it", `GET ${three}/web_pages?filter[common_html_issue_id]={muted_issue}`, 200, listed()),
    rule("keep accessibility issues as well", `GET ${three}/common_a11y_issues?filter[muted]=true`, 200, listing("how_many", 3)),
    rule("act on the page's counts", `GET ${three}/web_pages`, 200, each("web_page", { html_check: { errors: 0, warnings: 0 }, a11y_check: { errors: 0 } }), { keep: { three_page: "data.0.id" } }),
    rule("silence HTML issues of a page", `GET ${three}/web_pages/{three_page}/html_issues`, 200, listed()),
    rule("silence accessibility issues of a page", `GET ${three}/web_pages/{three_page}/a11y_issues`, 200, listed()),
    rule("keep HTML issues of a page", `GET ${three}/web_pages/{three_page}/html_issues?filter[muted]=true`, 200, listing("how_many", 3)),
    rule("keep accessibility issues of a page", `GET ${three}/web_pages/{three_page}/a11y_issues?filter[muted]=true`, 200, listing("how_many", 3)),
    rule("act on later checks", `PATCH ${three}/web_pages/{three_page}`, 200, undefined, { attributes: { status: "pending" } }),
    rule("act on them when they are made", `GET ${three}`, 200, attributes({ phase: "Complete", checks: { html: { status: { pending: 0, checked: 1 }, issues: { errors: 0 } }, a11y: { status: { pending: 0, checked: 1 }, issues: { errors: 0 } } } }), { eventually: true }),
    rule("of the host are not a guest's", "GET /mutings", 200, listed(), { as: "guest" }),
    rule("of the host are not found by a guest", "GET /mutings/{muting}", 404, error("not_found"), { as: "guest" }),
    rule("of a guest are its own", "POST /mutings", 201, attributes({ guest_token: "{guest}" }), { as: "guest", attributes: help, keep: { guests_muting: "data.id" } }),
    rule("of a guest are seen by the host", "GET /mutings?page[size]=100", 200, holding("{muting}", "{guests_muting}")),
    rule("of another account are not found", "GET /mutings/{muting}", 404, error("not_found"), { as: "stranger" }),
    rule("are not deleted by another account", "DELETE /mutings/{muting}", 404, error("not_found"), { as: "stranger" }),
    rule("are deleted", "DELETE /mutings/{muting}", 204),
    rule("are deleted all", "DELETE /mutings/{muting_of_help}", 204),
    rule("are deleted by a guest", "DELETE /mutings/{guests_muting}", 204, undefined, { as: "guest" }),
    rule("are gone then", "GET /mutings/{muting}", 404, error("not_found")),
    rule("act no more once they are deleted", `GET ${three}`, 200, attributes({ checks: { html: { issues: { errors: 3, warnings: 0 } }, a11y: { issues: { errors: 3, warnings: 0 } } } }), { eventually: true }),
    rule("leave the page affected once they are deleted", `GET ${three}/web_pages?filter[common_html_issue_id]={muted_issue}`, 200, listed("{three_page}")),
    rule("are related to a report no more", `GET ${three}/mutings`, 200, without("{muting}", "{muting_of_help}")),
    rule("are not listed by the list itself", "GET /mutings?page[size]=100", 200, without("{muting}")),
    rule("need credentials", "GET /mutings", 401, error("unauthenticated"), { as: "anonymous" }),
    rule("of a report need credentials", `GET ${three}/mutings`, 401, error("unauthenticated"), { as: "anonymous" }),
    rule("show nobody a guest's token that is none", `GET ${three}/mutings`, 200, listed()),
  ],
};

const shared = "/reports/{guest_report}";
const open = (name: string, path: string) => rule(name, `GET ${shared}${path}`, 200, undefined, { as: "anonymous" });

// biome-ignore format: a table, a rule a line
export const sharing: Section = {
  title: "Sharing (Authentication; Decisions, Access)",
  rules: [
    rule("opens a report", `PATCH ${shared}`, 200, attributes({ shared: true, guest_token: "{guest}" }), { attributes: { shared: true } }),
    rule("shows it without credentials, and no guest token", `GET ${shared}`, 200, attributes({ shared: true, num_pages: 2, guest_token: absent }), { as: "anonymous" }),
    rule("shows it to another account, and no guest token", `GET ${shared}`, 200, attributes({ guest_token: absent }), { as: "stranger" }),
    rule("links it to what its readers may follow, and to nothing else", `GET ${shared}`, 200, related("web_pages", "common_html_issues", "common_a11y_issues", "mutings", "excluded_urls"), { as: "anonymous" }),
    open("opens its web pages", "/web_pages"),
    open("opens one web page", "/web_pages/{guest_page}"),
    open("opens the HTML issues of a page", "/web_pages/{guest_page}/html_issues"),
    open("opens the accessibility issues of a page", "/web_pages/{guest_page}/a11y_issues"),
    open("opens its common HTML issues", "/common_html_issues"),
    open("opens its common accessibility issues", "/common_a11y_issues"),
    open("opens its excluded URLs", "/excluded_urls"),
    open("opens its mutings", "/mutings"),
    rule("opens raw checks, which were not stored", `GET ${shared}/web_pages/{guest_page}/raw_html_check`, 404, error("raw_check_not_stored"), { as: "anonymous" }),
    rule("is for reading: no change", `PATCH ${shared}`, 401, error("unauthenticated"), { as: "anonymous", attributes: { shared: false } }),
    rule("is for reading: no change by another account", `PATCH ${shared}`, 404, error("not_found"), { as: "stranger", attributes: { shared: false } }),
    rule("is for reading: no deletion", `DELETE ${shared}`, 401, error("unauthenticated"), { as: "anonymous" }),
    rule("is for reading: no deletion of a page", `DELETE ${shared}/web_pages/{guest_page}`, 404, error("not_found"), { as: "stranger" }),
    rule("opens no other report", "GET /reports/{report}", 401, error("unauthenticated"), { as: "anonymous" }),
    rule("opens no list of reports", "GET /reports", 401, error("unauthenticated"), { as: "anonymous" }),
    rule("brings it into no other list", "GET /reports", 200, without("{guest_report}"), { as: "stranger" }),
    rule("does not open it to a wrong token", `GET ${shared}`, 401, error("invalid_token"), { as: "anonymous", headers: { Authorization: "Bearer nothing" } }),
    rule("ends", `PATCH ${shared}`, 200, attributes({ shared: false }), { as: "guest", attributes: { shared: false } }),
    rule("has ended at once", `GET ${shared}`, 401, error("unauthenticated"), { as: "anonymous" }),
  ],
};
