import {
  absent,
  all,
  attributes,
  type Expectation,
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

/** The link of the resource, or of each in the list, leads to exactly the pages with these paths. */
const linkedPages =
  (...paths: readonly string[]): Expectation =>
  async ({ json }, { send }) => {
    for (const { relationships } of [json.data].flat()) {
      const pages = await send(`GET ${relationships.web_pages.links.related}`);
      const found = pages.json.data.map(
        ({ attributes: { url } }: { attributes: { url: string } }) => new URL(url).pathname,
      );
      if (found.join() !== paths.join())
        throw new Error(`${relationships.web_pages.links.related} has ${found.join()}`);
    }
  };

// biome-ignore format: a table, a rule a line
export const mutings: Section = {
  title: "Mutings (Muting; its endpoints)",
  rules: [
    rule("are created from part of a URL and part of a message", "POST /mutings", 201, resource("muting", { id: { kind: "an integer", holds: Number.isInteger }, ...alt, inserted_at: timestamp, updated_at: timestamp }), { attributes: alt, keep: { muting: "data.id" } }),
    rule("have their id as an integer attribute, too", "GET /mutings/{muting}", 200, ({ json }) => {
      if (String(json.data.attributes.id) !== json.data.id) throw new Error(JSON.stringify(json.data));
    }),
    rule("can be created without a comment", "POST /mutings", 201, attributes({ comment: null }), { attributes: help, keep: { muting_of_help: "data.id" } }),
    rule("are listed", "GET /mutings?page[size]=100", 200, all(holding("{muting}", "{muting_of_help}"), each("muting", {}))),
    rule("say what they silence now, if asked", "GET /mutings/{muting}?now=true", 200),
    rule("are listed with what they silence now, if asked", "GET /mutings?now=true&page[size]=100", 200, holding("{muting}")),
    rule("of no reason are not listed with those for one", "GET /mutings?filter[category]=third_party", 200, listed()),
    rule("can be those in a state", "GET /mutings?filter[state]=ends_soon&page[size]=100", 200, without("{muting}")),
    rule("are searched by their text", "GET /mutings?filter[search]=no-such-text", 200, listed()),
    rule("come in pages that link to each other", "GET /mutings?page[size]=1", 200, walked),
    rule("are not created without url_match and message", "POST /mutings", 422, errorsAt("/data/attributes/url_match", "/data/attributes/message"), { attributes: { comment: "x" } }),
    rule("are not created with an empty url_match and message", "POST /mutings", 422, errorsAt("/data/attributes/url_match", "/data/attributes/message"), { attributes: { url_match: "", message: " " } }),
    rule("have a category", "POST /mutings", 201, attributes({ category: "later", expires_at: timestamp }), { attributes: { rule: "for-later", category: "later", expires_at: "2100-01-31T12:00:00" }, keep: { later: "data.id" } }),
    rule("are not created for later without an end", "POST /mutings", 422, errorsAt("/data/attributes/expires_at"), { attributes: { ...alt, category: "later" } }),
    rule("are not created with an unknown category", "POST /mutings", 422, errorsAt("/data/attributes/category"), { attributes: { ...alt, category: "whim" } }),
    rule("for later can be deleted", "DELETE /mutings/{later}", 204),
    rule("are not created with an unknown attribute", "POST /mutings", 422, errorsAt("/data/attributes/colour"), { attributes: { ...alt, colour: "red" } }),
    rule("cannot be created with a read-only token", "POST /mutings", 403, error("insufficient_scope"), { as: "reader", attributes: alt }),
    rule("apply to existing reports, whose totals leave out what is muted", `GET ${three}`, 200, attributes({ checks: { html: { issues: { errors: 0, warnings: 0 } }, a11y: { issues: { errors: 0, warnings: 0, severity: { critical: 0, total: { total: 0 } } } } } }), { eventually: true }),
    rule("are listed for a report to which they apply", `GET ${three}/mutings`, 200, listed("{muting}", "{muting_of_help}")),
    rule("are not listed for a report to which they do not apply", "GET /reports/{two}/mutings", 200, listed()),
    rule("change no other report", "GET /reports/{two}", 200, attributes({ checks: { html: { issues: { errors: 2, warnings: 0 } } } })),
    rule("silence common HTML issues", `GET ${three}/common_html_issues`, 200, listed()),
    rule("silence common accessibility issues", `GET ${three}/common_a11y_issues`, 200, listed()),
    rule("keep what they silence, and filter[muted]=true lists it", `GET ${three}/common_html_issues?filter[muted]=true`, 200, listing("how_many", 3)),
    rule("keep the silenced common issue", `GET ${three}/common_html_issues?filter[muted]=true`, 200, undefined, { keep: { muted_issue: "data.0.id" } }),
    rule("let the list link to the pages of what it lists", `GET ${three}/common_html_issues?filter[muted]=true`, 200, linkedPages("/sort/three")),
    rule("show the silenced common issue as the list does", `GET ${three}/common_html_issues/{muted_issue}?filter[muted]=true`, 200, all(resource("common_html_issue", { how_many: 3 }, "{muted_issue}"), linkedPages("/sort/three"))),
    rule("show no more of it without filter[muted]", `GET ${three}/common_html_issues/{muted_issue}`, 200, all(attributes({ how_many: 0 }), linkedPages())),
    rule("list the pages that the silenced issue affects", `GET ${three}/web_pages?filter[common_html_issue_id]={muted_issue}&filter[muted]=true`, 200, each("web_page", { url: "{site}sort/three" })),
    rule("are a filter of pages only beside a common issue", `GET ${three}/web_pages?filter[muted]=true`, 400, error("invalid_parameter", "parameter filter[muted]")),
    rule("leave no page that the silenced issue affects", `GET ${three}/web_pages?filter[common_html_issue_id]={muted_issue}`, 200, listed()),
    rule("let a list of silenced accessibility issues link to their pages, too", `GET ${three}/common_a11y_issues?filter[muted]=true`, 200, linkedPages("/sort/three")),
    rule("keep silenced accessibility issues as well", `GET ${three}/common_a11y_issues?filter[muted]=true`, 200, listing("how_many", 3), { keep: { muted_a11y_issue: "data.0.id" } }),
    rule("show a silenced accessibility issue as its list does", `GET ${three}/common_a11y_issues/{muted_a11y_issue}?filter[muted]=true`, 200, all(resource("common_a11y_issue", { how_many: 3 }, "{muted_a11y_issue}"), linkedPages("/sort/three"))),
    rule("apply to the page's counts", `GET ${three}/web_pages`, 200, each("web_page", { html_check: { errors: 0, warnings: 0 }, a11y_check: { errors: 0 } }), { keep: { three_page: "data.0.id" } }),
    rule("silence HTML issues of a page", `GET ${three}/web_pages/{three_page}/html_issues`, 200, listed()),
    rule("silence accessibility issues of a page", `GET ${three}/web_pages/{three_page}/a11y_issues`, 200, listed()),
    rule("keep silenced HTML issues of a page", `GET ${three}/web_pages/{three_page}/html_issues?filter[muted]=true`, 200, listing("how_many", 3)),
    rule("keep silenced accessibility issues of a page", `GET ${three}/web_pages/{three_page}/a11y_issues?filter[muted]=true`, 200, listing("how_many", 3)),
    rule("let the page be queued for another check", `PATCH ${three}/web_pages/{three_page}`, 200, undefined, { attributes: { status: "pending" } }),
    rule("apply to that later check", `GET ${three}`, 200, attributes({ phase: "Complete", checks: { html: { status: { pending: 0, checked: 1 }, issues: { errors: 0 } }, a11y: { status: { pending: 0, checked: 1 }, issues: { errors: 0 } } } }), { eventually: true }),
    rule("of the host are not listed for a guest", "GET /mutings", 200, listed(), { as: "guest" }),
    rule("of the host are not found by a guest", "GET /mutings/{muting}", 404, error("not_found"), { as: "guest" }),
    rule("can be created by a guest", "POST /mutings", 201, attributes({ guest_token: "{guest}" }), { as: "guest", attributes: help, keep: { guests_muting: "data.id" } }),
    rule("of a guest are visible to the host", "GET /mutings?page[size]=100", 200, holding("{muting}", "{guests_muting}")),
    rule("of another account are not found", "GET /mutings/{muting}", 404, error("not_found"), { as: "stranger" }),
    rule("cannot be deleted by another account", "DELETE /mutings/{muting}", 404, error("not_found"), { as: "stranger" }),
    rule("can be deleted", "DELETE /mutings/{muting}", 204),
    rule("can be deleted, the other one too", "DELETE /mutings/{muting_of_help}", 204),
    rule("of a guest can be deleted by the guest", "DELETE /mutings/{guests_muting}", 204, undefined, { as: "guest" }),
    rule("are gone after that", "GET /mutings/{muting}", 404, error("not_found")),
    rule("no longer apply to reports once they are deleted", `GET ${three}`, 200, attributes({ checks: { html: { issues: { errors: 3, warnings: 0 } }, a11y: { issues: { errors: 3, warnings: 0 } } } }), { eventually: true }),
    rule("no longer apply to pages once they are deleted", `GET ${three}/web_pages?filter[common_html_issue_id]={muted_issue}`, 200, listed("{three_page}")),
    rule("are no longer listed for the report", `GET ${three}/mutings`, 200, without("{muting}", "{muting_of_help}")),
    rule("are no longer listed", "GET /mutings?page[size]=100", 200, without("{muting}")),
    rule("need credentials", "GET /mutings", 401, error("unauthenticated"), { as: "anonymous" }),
    rule("of a report need credentials", `GET ${three}/mutings`, 401, error("unauthenticated"), { as: "anonymous" }),
    rule("of a report may be an empty list", `GET ${three}/mutings`, 200, listed()),
  ],
};

const shared = "/reports/{guest_report}";
const open = (name: string, path: string) => rule(name, `GET ${shared}${path}`, 200, undefined, { as: "anonymous" });

// biome-ignore format: a table, a rule a line
export const sharing: Section = {
  title: "Sharing (Authentication; Decisions, Access)",
  rules: [
    rule("opens a report to everybody", `PATCH ${shared}`, 200, attributes({ shared: true, guest_token: "{guest}" }), { attributes: { shared: true } }),
    rule("shows its owners whether it uses stored credentials", `GET ${shared}`, 200, attributes({ basic_auth_id: null, store_screenshot: false })),
    rule("shows its readers nothing of stored credentials", `GET ${shared}`, 200, attributes({ basic_auth_id: absent, store_screenshot: false }), { as: "anonymous" }),
    rule("shows it without credentials, and no guest token", `GET ${shared}`, 200, attributes({ shared: true, num_pages: 2, guest_token: absent }), { as: "anonymous" }),
    rule("shows it to another account, and no guest token", `GET ${shared}`, 200, attributes({ guest_token: absent }), { as: "stranger" }),
    rule("leaves only the links that its readers may follow", `GET ${shared}`, 200, related("web_pages", "common_html_issues", "common_a11y_issues", "common_link_issues", "findings", "components", "causes", "sections", "criteria", "mutings", "excluded_urls"), { as: "anonymous" }),
    open("opens its web pages", "/web_pages"),
    open("opens one web page", "/web_pages/{guest_page}"),
    open("opens the HTML issues of a page", "/web_pages/{guest_page}/html_issues"),
    open("opens the accessibility issues of a page", "/web_pages/{guest_page}/a11y_issues"),
    open("opens its common HTML issues", "/common_html_issues"),
    open("opens its common accessibility issues", "/common_a11y_issues"),
    open("opens its excluded URLs", "/excluded_urls"),
    open("opens its mutings", "/mutings"),
    rule("opens its raw checks, of which none was stored", `GET ${shared}/web_pages/{guest_page}/raw_html_check`, 404, error("raw_check_not_stored"), { as: "anonymous" }),
    rule("does not let anybody change it without credentials", `PATCH ${shared}`, 401, error("unauthenticated"), { as: "anonymous", attributes: { shared: false } }),
    rule("does not let another account change it", `PATCH ${shared}`, 404, error("not_found"), { as: "stranger", attributes: { shared: false } }),
    rule("does not let anybody delete it without credentials", `DELETE ${shared}`, 401, error("unauthenticated"), { as: "anonymous" }),
    rule("does not let another account delete a page", `DELETE ${shared}/web_pages/{guest_page}`, 404, error("not_found"), { as: "stranger" }),
    rule("opens no other report", "GET /reports/{report}", 401, error("unauthenticated"), { as: "anonymous" }),
    rule("does not open the list of reports", "GET /reports", 401, error("unauthenticated"), { as: "anonymous" }),
    rule("does not add it to another account's list", "GET /reports", 200, without("{guest_report}"), { as: "stranger" }),
    rule("does not open it to an invalid token", `GET ${shared}`, 401, error("invalid_token"), { as: "anonymous", headers: { Authorization: "Bearer nothing" } }),
    rule("can be ended", `PATCH ${shared}`, 200, attributes({ shared: false }), { as: "guest", attributes: { shared: false } }),
    rule("ends at once", `GET ${shared}`, 401, error("unauthenticated"), { as: "anonymous" }),
  ],
};
