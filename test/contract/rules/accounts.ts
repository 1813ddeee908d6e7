import { expect } from "chai";
import {
  absent,
  all,
  attributes,
  body,
  containing,
  each,
  error,
  errorsAt,
  header,
  holding,
  integer,
  listed,
  orNull,
  related,
  resource,
  text,
  timestamp,
  url,
  uuid,
  walked,
  without,
} from "../expectations.ts";
import { rule, type Section } from "../rule.ts";

const guest = { name: "Another guest", email: "another@example.com" };

// biome-ignore format: a table, a rule a line
export const guestAccounts: Section = {
  title: "Guest accounts and invitations (Guest Account; its endpoints)",
  rules: [
    rule("have every field", "GET /guest_accounts/{guest}", 200, resource("guest_account", { invitation_url: null, max_usage: 1, current_usage: 1, guest: { name: "A guest", email: "guest@example.com" }, inserted_at: timestamp, updated_at: timestamp, accepted_at: timestamp }, "{guest}")),
    rule("are listed for the host", "GET /guest_accounts?page[size]=100", 200, all(holding("{guest}"), each("guest_account", { max_usage: integer, current_usage: integer }))),
    rule("listed for a guest are its own only", "GET /guest_accounts", 200, listed("{guest}"), { as: "guest" }),
    rule("are created with a monthly maximum and an invitation", "POST /guest_accounts", 201, resource("guest_account", { max_usage: 5, current_usage: 0, guest: null, accepted_at: null, invitation_url: url }, { kind: "a token", holds: (value) => typeof value === "string" && value.length > 20 }), { attributes: { max_usage: 5 }, keep: { new_guest: "data.id", invitation: "data.attributes.invitation_url" } }),
    rule("link to their reports", "GET /guest_accounts/{new_guest}", 200, related("reports")),
    rule("come in pages that link to each other", "GET /guest_accounts?page[size]=1", 200, walked),
    rule("are not created without a maximum", "POST /guest_accounts", 422, errorsAt("/data/attributes/max_usage"), { attributes: {} }),
    rule("are not created with a maximum of 0", "POST /guest_accounts", 422, error("out_of_range", "/data/attributes/max_usage"), { attributes: { max_usage: 0 } }),
    rule("are not created with a maximum that is not an integer", "POST /guest_accounts", 422, error("invalid_type", "/data/attributes/max_usage"), { attributes: { max_usage: "5" } }),
    rule("are not created with an unknown attribute", "POST /guest_accounts", 422, errorsAt("/data/attributes/name"), { attributes: { max_usage: 5, name: "x" } }),
    rule("cannot be created by guests", "POST /guest_accounts", 403, undefined, { as: "guest", attributes: { max_usage: 5 } }),
    rule("cannot be created with a read-only token", "POST /guest_accounts", 403, error("insufficient_scope"), { as: "reader", attributes: { max_usage: 5 } }),
    rule("have a public page for the invitation", "GET {invitation}", 200, header("content-type", /^text\/html/), { as: "anonymous" }),
    rule("cannot be accepted without name and email", "POST /invitations/{new_guest}", 422, errorsAt("/data/attributes/name", "/data/attributes/email"), { as: "anonymous", attributes: {} }),
    rule("cannot be accepted with an invalid email", "POST /invitations/{new_guest}", 422, errorsAt("/data/attributes/email"), { as: "anonymous", attributes: { ...guest, email: "nobody" } }),
    rule("give a token to the guest who accepts", "POST /invitations/{new_guest}", 201, resource("api_token", { token: text, scope: "write", guest_token: "{new_guest}" }), { as: "anonymous", attributes: guest, keep: { new_token: "data.attributes.token" } }),
    rule("show that they are accepted", "GET /guest_accounts/{new_guest}", 200, attributes({ invitation_url: null, accepted_at: timestamp, guest })),
    rule("cannot be accepted twice", "POST /invitations/{new_guest}", 409, error("invitation_used"), { as: "anonymous", attributes: guest }),
    rule("have a page that says that they are used", "GET {invitation}", 409, header("content-type", /^text\/html/), { as: "anonymous" }),
    rule("cannot be accepted under an unknown token", "POST /invitations/unknown", 404, error("not_found"), { as: "anonymous", attributes: guest }),
    rule("have a maximum that can be changed", "PATCH /guest_accounts/{new_guest}", 200, attributes({ max_usage: 9, current_usage: 0 }), { attributes: { max_usage: 9 } }),
    rule("have a usage that can be set", "PATCH /guest_accounts/{new_guest}", 200, attributes({ max_usage: 9, current_usage: 4 }), { attributes: { current_usage: 4 } }),
    rule("have a usage that can be reset", "PATCH /guest_accounts/{new_guest}", 200, attributes({ max_usage: 10, current_usage: 0 }), { attributes: { current_usage: 0, max_usage: 10 } }),
    rule("cannot be given a negative usage", "PATCH /guest_accounts/{new_guest}", 422, error("out_of_range", "/data/attributes/current_usage"), { attributes: { current_usage: -1 } }),
    rule("cannot be given a maximum of 0", "PATCH /guest_accounts/{new_guest}", 422, error("out_of_range", "/data/attributes/max_usage"), { attributes: { max_usage: 0 } }),
    rule("cannot raise their own maximum", "PATCH /guest_accounts/{guest}", 403, undefined, { as: "guest", attributes: { max_usage: 100 } }),
    rule("cannot see each other", "GET /guest_accounts/{new_guest}", 404, error("not_found"), { as: "guest" }),
    rule("of another account are not found", "GET /guest_accounts/{guest}", 404, error("not_found"), { as: "stranger" }),
    rule("cannot see the host's reports", "GET /reports", 200, listed(), { headers: { Authorization: "Bearer {new_token}" } }),
    rule("cannot delete themselves", "DELETE /guest_accounts/{guest}", 403, undefined, { as: "guest" }),
    rule("can be deleted", "DELETE /guest_accounts/{new_guest}", 204),
    rule("are gone after that", "GET /guest_accounts/{new_guest}", 404, error("not_found")),
    rule("lose their tokens when they are deleted", "GET /reports", 401, error("invalid_token"), { headers: { Authorization: "Bearer {new_token}" } }),
  ],
};

// biome-ignore format: a table, a rule a line
export const credits: Section = {
  title: "Credits (What the service does; Decisions, Meaning)",
  rules: [
    rule("pay for one engine run each, as the guest's only one did", "GET /usage", 200, resource("usage", { month: text, limit: 1, charged: 1, reserved: 0, left: 0 }), { as: "guest" }),
    rule("that have run out let the check fail", "GET /reports/{guest_report}", 200, attributes({ num_pages: 2, checks: { html: { status: { pending: 0, checked: 1, failed: 1 } } } })),
    rule("that have run out are the failure's reason", "GET /reports/{guest_report}/web_pages", 200, ({ json }) => {
      type Entry = { attributes: { html_check: { failure: { code: string } | null } } };
      const codes = json.data.map((entry: Entry) => entry.attributes.html_check.failure?.code ?? "none").sort();
      if (codes.join() !== "credits_exhausted,none") throw new Error(codes.join());
    }),
    rule("are needed for another report", "POST /reports", 402, error("credits_exhausted"), { as: "guest", attributes: { starting_url: "{site}clean" } }),
    rule("are needed to check a page again", "GET /reports/{guest_report}/web_pages", 200, undefined, { keep: { guest_page: "data.0.id" } }),
    rule("that have run out refuse to check a page again", "PATCH /reports/{guest_report}/web_pages/{guest_page}", 402, error("credits_exhausted"), { as: "guest", attributes: { status: "pending" } }),
    rule("that guests use are counted for the host too", "GET /usage", 200, ({ json }, { fill }) => {
      const { charged, guests } = json.data.attributes;
      const own = guests.find((entry: { guest_token: string }) => entry.guest_token === fill("{guest}"));
      if (own?.charged !== 1 || charged < 1) throw new Error(JSON.stringify(json.data.attributes));
    }),
    rule("are shown with the month, the limit and what is left", "GET /usage", 200, resource("usage", { month: { kind: "a month", holds: (value: unknown) => /^\d{4}-\d\d$/.test(String(value)) }, limit: orNull(integer), charged: integer, reserved: integer, left: orNull(integer), months: { kind: "the months of a year", holds: (value: unknown) => Array.isArray(value) && value.length === 12 } })),
    rule("of another account are counted separately", "GET /usage", 200, attributes({ guests: [] }), { as: "stranger" }),
    rule("are available again when the usage is reset", "PATCH /guest_accounts/{guest}", 200, attributes({ current_usage: 0 }), { attributes: { current_usage: 0 } }),
    rule("then pay for another report", "POST /reports", 201, undefined, { as: "guest", attributes: { starting_url: "{site}clean" }, keep: { paid: "data.id" } }),
    rule("are charged once for it", "GET /guest_accounts/{guest}", 200, attributes({ current_usage: 1 }), { eventually: true }),
    rule("are not shown without credentials", "GET /usage", 401, error("unauthenticated"), { as: "anonymous" }),
  ],
};

const nextWeek = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 19);

const ofReceiver = {
  kind: "webhook",
  name: "Tickets",
  url: "https://tickets.example.com/in?key=1",
  events: ["report.failed", "issues.new"],
};
const newReceiver = (change: object) => ({ attributes: { ...ofReceiver, ...change } });

// biome-ignore format: a table, a rule a line
export const receivers: Section = {
  title: "Receivers",
  rules: [
    rule("get a secret that is shown once", "POST /receivers", 201, resource("receiver", { ...ofReceiver, url: "https://tickets.example.com/in?…", state: "works", secret: text, waiting: 0, missed: 0 }, uuid), { attributes: ofReceiver, keep: { receiver: "data.id" } }),
    rule("do not show their secret again", "GET /receivers/{receiver}", 200, attributes({ secret: absent, digest: "none", time_zone: "UTC" })),
    rule("are listed", "GET /receivers?page[size]=100", 200, holding("{receiver}")),
    rule("change what is given alone", "PATCH /receivers/{receiver}", 200, attributes({ name: "Helpdesk", events: ["report.failed", "issues.new"], tags: [] }), { attributes: { name: "Helpdesk" } }),
    rule("of webhooks keep an address", "PATCH /receivers/{receiver}", 422, error("required", "/data/attributes/url"), { attributes: { url: null } }),
    rule("of webhooks have no addresses of mail", "PATCH /receivers/{receiver}", 422, error("inconsistent", "/data/attributes/mail_addresses"), { attributes: { mail_addresses: ["ada@example.org"] } }),
    rule("get a new secret", "POST /receivers/{receiver}/secret", 201, attributes({ secret: text })),
    rule("are tried by a test, which is a delivery", "POST /receivers/{receiver}/tests", 201, resource("delivery", { type: "test", site_url: null }, uuid), { keep: { delivery: "data.id" } }),
    rule("have a log of deliveries", "GET /deliveries?filter[receiver_id]={receiver}&filter[type]=test&page[size]=1", 200, holding("{delivery}")),
    rule("have deliveries in each state", "GET /deliveries?filter[state]=collected", 200, listed()),
    rule("have no delivery about a site of which nothing was told", "GET /deliveries?filter[site]=no-such-site", 200, listed()),
    rule("have deliveries of the last days", "GET /deliveries?filter[period]=24h&filter[receiver_id]={receiver}", 200, holding("{delivery}")),
    rule("have no deliveries of another period", "GET /deliveries?filter[period]=1y", 400, error("invalid_parameter", "parameter filter[period]")),
    rule("say of a delivery what was sent, and each answer", "GET /deliveries/{delivery}", 200, attributes({ type: "test", title: text })),
    rule("are switched off", "PATCH /receivers/{receiver}", 200, attributes({ state: "disabled", disabled_at: timestamp }), { attributes: { enabled: false } }),
    rule("that are switched off get no test", "POST /receivers/{receiver}/tests", 409, error("receiver_disabled")),
    rule("that are switched off are sent nothing again", "POST /deliveries/{delivery}/attempts", 409, error("receiver_disabled")),
    rule("are switched on again", "PATCH /receivers/{receiver}", 200, attributes({ state: "works", disabled_at: null }), { attributes: { enabled: true } }),
    rule("can be sent a delivery again", "POST /deliveries/{delivery}/attempts", 200, attributes({ type: "test" })),
    rule("need an address outside of the service's own network", "POST /receivers", 422, error("not_allowed", "/data/attributes/url"), newReceiver({ url: "https://127.0.0.1/" })),
    rule("need https", "POST /receivers", 422, error("invalid_format", "/data/attributes/url"), newReceiver({ url: "ftp://tickets.example.com/" })),
    rule("hear of something", "POST /receivers", 422, error("out_of_range", "/data/attributes/events"), newReceiver({ events: [] })),
    rule("hear of nothing unknown", "POST /receivers", 422, error("not_allowed", "/data/attributes/events/0"), newReceiver({ events: ["report.begun"] })),
    rule("need a time zone that there is", "POST /receivers", 422, error("not_allowed", "/data/attributes/time_zone"), newReceiver({ time_zone: "Europe/Atlantis" })),
    rule("of mail have addresses", "POST /receivers", 422, undefined, newReceiver({ kind: "mail" })),
    rule("are none of a guest", "GET /receivers", 200, listed(), { as: "guest" }),
    rule("cannot be added by a guest", "POST /receivers", 403, error("host_only"), { as: "guest", attributes: ofReceiver }),
    rule("of another account are not found", "GET /receivers/{receiver}", 404, error("not_found"), { as: "stranger" }),
    rule("of another account have deliveries that are not found", "GET /deliveries/{delivery}", 404, error("not_found"), { as: "stranger" }),
    rule("need credentials", "GET /receivers", 401, error("unauthenticated"), { as: "anonymous" }),
    rule("can be given up", "DELETE /deliveries/{delivery}/attempts", 204),
    rule("are removed, with their log", "DELETE /receivers/{receiver}", 204),
    rule("are gone after that", "GET /receivers/{receiver}", 404, error("not_found")),
  ],
};

// biome-ignore format: a table, a rule a line
export const retention: Section = {
  title: "What is kept",
  rules: [
    rule("is everything, unless somebody says otherwise", "GET /retention", 200, resource("retention", { report_days: null, schedule_runs: null, picture_days: null, raw_days: null, takes_effect_at: null, updated_by: null, pins: 0, max_pins: 100 }, "account")),
    rule("can be looked at before it is changed", "POST /retention/preview", 200, resource("retention_preview", { report_days: 36500, reports: 0, bytes: 0 }, "account"), { attributes: { report_days: 36500 } }),
    rule("changes in the next night", "PATCH /retention", 200, attributes({ report_days: 36500, raw_days: null, takes_effect_at: timestamp, updated_by: text }), { attributes: { report_days: 36500 } }),
    rule("changes as far as is given", "PATCH /retention", 200, attributes({ report_days: 36500, picture_days: 3650 }), { attributes: { picture_days: 3650 } }),
    rule("is not less than a day", "PATCH /retention", 422, error("out_of_range", "/data/attributes/report_days"), { attributes: { report_days: 0 } }),
    rule("is a whole number", "PATCH /retention", 422, error("invalid_type", "/data/attributes/raw_days"), { attributes: { raw_days: "30" } }),
    rule("is nothing unknown", "PATCH /retention", 422, errorsAt("/data/attributes/days"), { attributes: { days: 30 } }),
    rule("is for a guest what it is for the account", "GET /retention", 200, attributes({ report_days: 36500, reports: 0, bytes: 0 }), { as: "guest" }),
    rule("is not changed by a guest", "PATCH /retention", 403, error("host_only"), { as: "guest", attributes: { report_days: 1 } }),
    rule("is not looked into by a guest", "POST /retention/preview", 403, error("host_only"), { as: "guest", attributes: {} }),
    rule("is each account's own", "GET /retention", 200, attributes({ report_days: null }), { as: "stranger" }),
    rule("needs credentials", "GET /retention", 401, error("unauthenticated"), { as: "anonymous" }),
    rule("is everything again", "PATCH /retention", 200, attributes({ takes_effect_at: null }), { attributes: { report_days: null, picture_days: null } }),
    rule("are pinned reports, with why", "POST /pins", 201, resource("pin", { reason: "For the tender.", pinned_by: text, inserted_at: timestamp }, "{two}"), { attributes: { report_id: "{two}", reason: "For the tender." } }),
    rule("are pinned reports, which say so", "GET /reports/{two}", 200, attributes({ pin: { reason: "For the tender.", pinned_by: text, inserted_at: timestamp } })),
    rule("are pinned reports, which are listed", "GET /pins?page[size]=100", 200, listed("{two}")),
    rule("are pinned reports, one by one", "GET /pins/{two}", 200, attributes({ reason: "For the tender." })),
    rule("are pinned reports, which are not deleted", "DELETE /reports/{two}", 409, error("pinned")),
    rule("are pinned reports, which stay when many are deleted", "POST /deletions", 201, attributes({ total: 1, deleted: 0, stays: { pinned: 1, newest: 0, compared: 0, running: 0 } }), { attributes: { report_ids: ["{two}"] }, keep: { deletion: "data.id" } }),
    rule("is said of each report that was not deleted", "GET /deletions/{deletion}", 200, attributes({ state: "ended", deleted: 0, waiting: 0, left: [{ report_id: "{two}", reason: "pinned" }] }), { eventually: true }),
    rule("is listed of what was deleted", "GET /deletions?page[size]=1", 200, holding("{deletion}")),
    rule("has ended, and is not stopped then", "PATCH /deletions/{deletion}", 200, attributes({ state: "ended" }), { attributes: { stopped: true } }),
    rule("are reports without a reason to pin them, refused", "POST /pins", 422, errorsAt("/data/attributes/reason"), { attributes: { report_id: "{two}" } }),
    rule("are reports of others, which cannot be pinned", "POST /pins", 422, error("unknown_report", "/data/attributes/report_id"), { as: "stranger", attributes: { report_id: "{two}", reason: "Mine." } }),
    rule("are reports of others, which cannot be deleted", "POST /deletions", 422, error("unknown_report", "/data/attributes/report_ids/0"), { as: "stranger", attributes: { report_ids: ["{two}"] } }),
    rule("are pins of others, which are not found", "DELETE /pins/{two}", 404, error("not_found"), { as: "stranger" }),
    rule("are deletions of others, which are not found", "GET /deletions/{deletion}", 404, error("not_found"), { as: "stranger" }),
    rule("are no pins of a guest", "GET /pins", 200, listed(), { as: "guest" }),
    rule("are no reports that a guest pins", "POST /pins", 403, error("host_only"), { as: "guest", attributes: { report_id: "{two}", reason: "Mine." } }),
    rule("are no many that a guest deletes", "POST /deletions", 403, error("host_only"), { as: "guest", attributes: { report_ids: ["{two}"] } }),
    rule("are no pins after one is taken away", "DELETE /pins/{two}", 204),
    rule("are no pins twice", "DELETE /pins/{two}", 404, error("not_found")),
  ],
};

// biome-ignore format: a table, a rule a line
export const auditLog: Section = {
  title: "The audit log",
  rules: [
    rule("begins with a change", "POST /mutings", 201, undefined, { attributes: { url_match: "audited", message: "duplicate" }, keep: { audited: "data.id" } }),
    rule("has it then, the newest first", "GET /audit?page[size]=1", 200, each("audit_entry", { who: "token", operation: "createMuting", area: "mutings", outcome: "done", via: "api", target_id: "{audited}" }), { keep: { entry: "data.0.id" } }),
    rule("says what changed of one entry", "GET /audit/{entry}", 200, attributes({ operation: "createMuting", changes: [{ field: "url_match", before: null, after: "audited", hidden: false }, { field: "message", before: null, after: "duplicate", hidden: false }] })),
    rule("is filtered by whom", "GET /audit?filter[who]=token&filter[target_id]={audited}", 200, holding("{entry}")),
    rule("is filtered by a token", "GET /audit?filter[token_id]=00000000-0000-0000-0000-000000000000", 200, listed()),
    rule("is filtered by what", "GET /audit?filter[area]=mutings&filter[target_id]={audited}", 200, holding("{entry}")),
    rule("is filtered by a site", "GET /audit?filter[site_url]=https://nobody.example/", 200, listed()),
    rule("is filtered by words", "GET /audit?filter[text]=MUTED&filter[target_id]={audited}", 200, holding("{entry}")),
    rule("is filtered by time", "GET /audit?filter[from]=2020-01-01&filter[to]=2020-01-02T12:30:00", 200, listed()),
    rule("has no 30 February", "GET /audit?filter[from]=2026-02-30", 400, error("invalid_parameter")),
    rule("has no other times", "GET /audit?filter[to]=yesterday", 400, error("invalid_parameter")),
    rule("goes on after a place, also when nothing is there", "GET /audit?page[after]=IjEi", 200, body({ data: [], links: { next: null } })),
    rule("has no other places", "GET /audit?page[after]=e30", 400, error("invalid_parameter")),
    rule("is exported for spreadsheets", "GET /audit/export.csv?filter[target_id]={audited}", 200, ({ text }) => void expect(text).to.include("muted findings")),
    rule("is exported for programs", "GET /audit/export.ndjson?filter[target_id]={audited}", 200, ({ text }) => void expect(text).to.include("muted findings")),
    rule("is exported by every filter", "GET /audit/export.csv?filter[who]=token&filter[token_id]=00000000-0000-0000-0000-000000000000&filter[area]=mutings&filter[site_url]=x&filter[from]=2020-01-01&filter[to]=2100-01-01&filter[text]=x&filter[target_id]={audited}", 200),
    rule("is exported by every filter for programs, too", "GET /audit/export.ndjson?filter[who]=token&filter[token_id]=00000000-0000-0000-0000-000000000000&filter[area]=mutings&filter[site_url]=x&filter[from]=2020-01-01&filter[to]=2100-01-01&filter[text]=x&filter[target_id]={audited}", 200),
    rule("says that it was", "GET /audit?page[size]=1", 200, each("audit_entry", { operation: "exportAuditEntriesAsNDJSON", area: "exports" })),
    rule("is changed by nobody", "PATCH /audit/{entry}", 405, error("method_not_allowed"), { attributes: {} }),
    rule("is deleted by nobody", "DELETE /audit/{entry}", 405, error("method_not_allowed")),
    rule("is each account's own", "GET /audit/{entry}", 404, error("not_found"), { as: "stranger" }),
    rule("has nothing for guests", "GET /audit", 200, listed(), { as: "guest" }),
    rule("has no entry for guests", "GET /audit/{entry}", 404, error("not_found"), { as: "guest" }),
    rule("has nothing to export for guests", "GET /audit/export.ndjson", 200, ({ text }) => void expect(text).to.equal(""), { as: "guest" }),
    rule("needs credentials", "GET /audit", 401, error("unauthenticated"), { as: "anonymous" }),
  ],
};

// biome-ignore format: a table, a rule a line
export const shareLinks: Section = {
  title: "Share links",
  rules: [
    rule("open a report, until they end", "POST /share_links", 201, resource("share_link", { report_id: "{two}", site_id: null, expires_at: nextWeek, secret: text }, uuid), { attributes: { report_id: "{two}", expires_at: nextWeek }, keep: { share_link: "data.id", share_secret: "data.attributes.secret" } }),
    rule("do not show their secret again", "GET /share_links/{share_link}", 200, attributes({ report_id: "{two}", secret: absent })),
    rule("are listed by what they open", "GET /share_links?filter[report_id]={two}", 200, holding("{share_link}")),
    rule("are none of a site to which none leads", "GET /share_links?filter[site_id]=00000000000000000000000000000000&page[size]=1", 200, listed()),
    rule("can end later", "PATCH /share_links/{share_link}", 200, attributes({ report_id: "{two}" }), { attributes: { expires_at: nextWeek } }),
    rule("lead to what they open", "GET /shared/{share_secret}", 200, attributes({ report_id: "{two}", site: null }), { as: "anonymous" }),
    rule("let everybody who has them read the report", "GET /reports/{two}", 200, undefined, { as: "anonymous", headers: { "Share-Link": "{share_secret}" } }),
    rule("let them read everything below it", "GET /reports/{two}/findings?page[size]=1", 200, undefined, { as: "anonymous", headers: { "Share-Link": "{share_secret}" } }),
    rule("open no other report", "GET /reports/{report}", 401, error("unauthenticated"), { as: "anonymous", headers: { "Share-Link": "{share_secret}" } }),
    rule("let nobody change a report", "DELETE /reports/{two}", 401, error("unauthenticated"), { as: "anonymous", headers: { "Share-Link": "{share_secret}" } }),
    rule("get a new secret", "POST /share_links/{share_link}/secret", 201, attributes({ secret: text }), { keep: { new_secret: "data.attributes.secret" } }),
    rule("open nothing with the secret before it", "GET /shared/{share_secret}", 404, error("not_found"), { as: "anonymous" }),
    rule("open the same with the new one", "GET /shared/{new_secret}", 200, attributes({ report_id: "{two}" }), { as: "anonymous" }),
    rule("of nothing are refused", "POST /share_links", 422, error("required", "/data/attributes/report_id"), { attributes: { expires_at: nextWeek } }),
    rule("of another account's report are refused", "POST /share_links", 422, error("unknown_report", "/data/attributes/report_id"), { as: "stranger", attributes: { report_id: "{two}", expires_at: nextWeek } }),
    rule("that are over already are refused", "PATCH /share_links/{share_link}", 422, error("out_of_range", "/data/attributes/expires_at"), { attributes: { expires_at: "2020-01-31T12:00:00" } }),
    rule("of another account are not found", "GET /share_links/{share_link}", 404, error("not_found"), { as: "stranger" }),
    rule("can be deleted", "DELETE /share_links/{share_link}", 204),
    rule("open nothing when they are deleted", "GET /reports/{two}", 401, error("unauthenticated"), { as: "anonymous", headers: { "Share-Link": "{new_secret}" } }),
  ],
};

// biome-ignore format: a table, a rule a line
export const tokens: Section = {
  title: "API tokens (Decisions; Access)",
  rules: [
    rule("have the scope read by default, and their secret is shown when they are created", "POST /api_tokens", 201, resource("api_token", { name: "CI", scope: "read", token: text, last_used_at: null, inserted_at: timestamp }, uuid), { attributes: { name: "CI" }, keep: { token: "data.id", secret: "data.attributes.token" } }),
    rule("with the scope read can read", "GET /reports?page[size]=1", 200, undefined, { headers: { Authorization: "Bearer {secret}" } }),
    rule("with the scope read cannot write", "POST /mutings", 403, error("insufficient_scope"), { headers: { Authorization: "Bearer {secret}" }, attributes: { url_match: "a", message: "b" } }),
    rule("do not show their secret again", "GET /api_tokens/{token}", 200, attributes({ name: "CI", token: absent })),
    rule("do not show their secret in the list", "GET /api_tokens?page[size]=100", 200, all(holding("{token}"), each("api_token", { name: text, scope: text, token: absent }))),
    rule("come in pages that link to each other", "GET /api_tokens?page[size]=1", 200, walked),
    rule("with bounds say what they may, and have the scope that follows", "POST /api_tokens", 201, attributes({ may: ["read", "run"], scope: "write", site_urls: null, site_tags: ["{run}-none"], token: text }), { attributes: { name: "CI of the shop", may: ["read", "run"], site_tags: ["{run}-none"] }, keep: { bounded: "data.id", bounded_secret: "data.attributes.token" } }),
    rule("with bounds see only the sites that they are for", "GET /reports?page[size]=1", 200, body({ data: [] }), { headers: { Authorization: "Bearer {bounded_secret}" } }),
    rule("with bounds cannot do anything else", "POST /mutings", 403, error("insufficient_scope"), { headers: { Authorization: "Bearer {bounded_secret}" }, attributes: { url_match: "a", message: "b" } }),
    rule("with bounds make no other tokens", "POST /api_tokens", 403, error("insufficient_scope"), { headers: { Authorization: "Bearer {bounded_secret}" }, attributes: { name: "x" } }),
    rule("with bounds can be deleted", "DELETE /api_tokens/{bounded}", 204),
    rule("for single sites are not created without saying what they may", "POST /api_tokens", 422, error("inconsistent", "/data/attributes/site_tags"), { attributes: { name: "x", site_tags: ["shop"] } }),
    rule("with the scope write can be created", "POST /api_tokens", 201, attributes({ scope: "write" }), { attributes: { name: "Writer", scope: "write" }, keep: { writer: "data.id" } }),
    rule("end when that is wanted, within a year", "PATCH /api_tokens/{writer}", 200, attributes({ name: "Writer", expires_at: nextWeek, token: absent }), { attributes: { expires_at: nextWeek } }),
    rule("that would have ended already are refused", "PATCH /api_tokens/{writer}", 422, error("out_of_range", "/data/attributes/expires_at"), { attributes: { expires_at: "2020-01-31T12:00:00" } }),
    rule("that end soon can be listed", "GET /api_tokens?filter[ends]=soon", 200, all(holding("{writer}"), without("{token}"))),
    rule("without an end are said to have none", "PATCH /api_tokens/{writer}", 200, attributes({ expires_at: null }), { attributes: { expires_at: null } }),
    rule("get a new secret with the same rights", "POST /api_tokens/{writer}/secret", 201, attributes({ scope: "write", token: text }), { keep: { new_writer: "data.attributes.token" } }),
    rule("work with their new secret", "GET /reports?page[size]=1", 200, undefined, { headers: { Authorization: "Bearer {new_writer}" } }),
    rule("of another account get no new secret", "POST /api_tokens/{writer}/secret", 404, error("not_found"), { as: "stranger" }),
    rule("of another account are not changed", "PATCH /api_tokens/{writer}", 404, error("not_found"), { as: "stranger", attributes: { expires_at: null } }),
    rule("that were not used are none that were made just now", "GET /api_tokens?filter[used]=not", 200, without("{writer}")),
    rule("are not created without a name", "POST /api_tokens", 422, errorsAt("/data/attributes/name"), { attributes: {} }),
    rule("are not created with an unknown scope", "POST /api_tokens", 422, error("not_allowed", "/data/attributes/scope"), { attributes: { name: "x", scope: "admin" } }),
    rule("with the scope read cannot create tokens", "POST /api_tokens", 403, error("insufficient_scope"), { as: "reader", attributes: { name: "x" } }),
    rule("of another account are not found", "GET /api_tokens/{token}", 404, error("not_found"), { as: "stranger" }),
    rule("of the host are not listed for a guest", "GET /api_tokens", 200, without("{token}"), { as: "guest" }),
    rule("can be deleted", "DELETE /api_tokens/{token}", 204),
    rule("no longer work once they are deleted", "GET /reports", 401, error("invalid_token"), { headers: { Authorization: "Bearer {secret}" } }),
    rule("cannot be deleted twice", "DELETE /api_tokens/{token}", 404, error("not_found")),
    rule("can be deleted if they may write, too", "DELETE /api_tokens/{writer}", 204),
  ],
};

const login = { host: "{domain}", username: "editor", password: "a-secret-password" };
const hidden = { password: absent };
const secretHeaders = [
  { name: "X-Preview", value: login.password },
  { name: "Cookie", value: `sid=${login.password}` },
];

// biome-ignore format: a table, a rule a line
export const basicAuths: Section = {
  title: "Stored credentials (Create attributes, basic_auth_id; Decisions)",
  rules: [
    rule("can be created, and the password is not shown", "POST /basic_auths", 201, all(resource("basic_auth", { host: "{domain}", username: "editor", inserted_at: timestamp, updated_at: timestamp, ...hidden }, uuid), noPassword), { attributes: login, keep: { basic_auth: "data.id" } }),
    rule("are shown without the password", "GET /basic_auths/{basic_auth}", 200, all(attributes({ username: "editor", ...hidden }), noPassword)),
    rule("are listed without the password", "GET /basic_auths", 200, all(holding("{basic_auth}"), each("basic_auth", hidden), noPassword)),
    rule("come in pages that link to each other", "GET /basic_auths?page[size]=1", 200, walked),
    rule("can change, and the password is not shown", "PATCH /basic_auths/{basic_auth}", 200, all(attributes({ host: "{domain}", username: "author", ...hidden }), noPassword), { attributes: { username: "author", password: login.password } }),
    rule("can change their host only together with the password", "PATCH /basic_auths/{basic_auth}", 422, error("inconsistent", "/data/attributes/host"), { attributes: { host: "elsewhere.example" } }),
    rule("may repeat their host without the password", "PATCH /basic_auths/{basic_auth}", 200, attributes({ host: "{domain}", username: "editor" }), { attributes: { host: "{domain}", username: "editor" } }),
    rule("refuse a change to a colon in the user name", "PATCH /basic_auths/{basic_auth}", 422, errorsAt("/data/attributes/username"), { attributes: { username: "a:b" } }),
    rule("cannot be changed with a read-only token", "PATCH /basic_auths/{basic_auth}", 403, error("insufficient_scope"), { as: "reader", attributes: { username: "x" } }),
    rule("of another account cannot be changed", "PATCH /basic_auths/{basic_auth}", 404, error("not_found"), { as: "stranger", attributes: { username: "x" } }),
    rule("can be used by a schedule, which says so", "POST /schedules", 201, all(attributes({ basic_auth_id: "{basic_auth}", store_screenshot: false, store_raw_html_checks: false, store_raw_a11y_checks: false, store_incomplete_checks: false }), noPassword), { attributes: { starting_url: "{site}clean", periodicity: null, basic_auth_id: "{basic_auth}" }, keep: { with_login: "data.id" } }),
    rule("can be headers, whose values are not shown", "POST /basic_auths", 201, all(resource("basic_auth", { host: "{domain}", username: null, headers: [{ name: "X-Preview" }, { name: "Cookie" }], inserted_at: timestamp, updated_at: timestamp, ...hidden }, uuid), noPassword), { attributes: { host: login.host, headers: secretHeaders }, keep: { header_auth: "data.id" } }),
    rule("with headers are shown without their values", "GET /basic_auths/{header_auth}", 200, all(attributes({ headers: [{ name: "X-Preview" }, { name: "Cookie" }], ...hidden }), noPassword)),
    rule("with headers are listed without their values", "GET /basic_auths", 200, all(holding("{header_auth}"), noPassword)),
    rule("with headers can get a user, too", "PATCH /basic_auths/{header_auth}", 200, all(attributes({ username: "editor", headers: [{ name: "X-Preview" }, { name: "Cookie" }] }), noPassword), { attributes: { username: login.username, password: login.password } }),
    rule("with headers can lose their user", "PATCH /basic_auths/{header_auth}", 200, attributes({ username: null }), { attributes: { username: null } }),
    rule("with headers can change all of these", "PATCH /basic_auths/{header_auth}", 200, all(attributes({ headers: [{ name: "Authorization" }] }), noPassword), { attributes: { headers: [{ name: "Authorization", value: `Bearer ${login.password}` }] } }),
    rule("with headers can change their host only together with these", "PATCH /basic_auths/{header_auth}", 422, all(error("inconsistent", "/data/attributes/host"), noPassword), { attributes: { host: "elsewhere.example" } }),
    rule("with headers are not left without any", "PATCH /basic_auths/{header_auth}", 422, error("inconsistent", "/data/attributes/headers"), { attributes: { headers: [] } }),
    rule("with headers of another account cannot be changed", "PATCH /basic_auths/{header_auth}", 404, error("not_found"), { as: "stranger", attributes: { headers: secretHeaders } }),
    rule("with headers cannot be changed with a read-only token", "PATCH /basic_auths/{header_auth}", 403, error("insufficient_scope"), { as: "reader", attributes: { headers: secretHeaders } }),
    rule("with headers of another account cannot be used", "POST /reports", 422, error("unknown_basic_auth", "/data/attributes/basic_auth_id"), { as: "stranger", attributes: { starting_url: "{site}clean", basic_auth_id: "{header_auth}" } }),
    rule("with headers can be deleted", "DELETE /basic_auths/{header_auth}", 204),
    rule("are not created with a header of the connection", "POST /basic_auths", 422, all(error("not_allowed", "/data/attributes/headers/0/name"), noPassword), { attributes: { host: login.host, headers: [{ name: "Content-Length", value: "0" }] } }),
    rule("are not created with a header that has two lines, and do not repeat it", "POST /basic_auths", 422, all(errorsAt("/data/attributes/headers/0/value"), noPassword), { attributes: { host: login.host, headers: [{ name: "X-A", value: `${login.password}\r\nX-B: c` }] } }),
    rule("are not created with a header that is given twice", "POST /basic_auths", 422, error("inconsistent", "/data/attributes/headers/1/name"), { attributes: { host: login.host, headers: [{ name: "X-A", value: "b" }, { name: "x-a", value: "c" }] } }),
    rule("are not created with headers that are a text, and do not repeat it", "POST /basic_auths", 422, all(error("invalid_type", "/data/attributes/headers"), noPassword), { attributes: { host: login.host, headers: `X-A: ${login.password}` } }),
    rule("are not created with a password that is not a text, and do not repeat it", "POST /basic_auths", 422, all(error("invalid_type", "/data/attributes/password"), noPassword), { attributes: { ...login, password: [login.password] } }),
    rule("are not created without host, user name and password", "POST /basic_auths", 422, errorsAt("/data/attributes/host", "/data/attributes/username", "/data/attributes/password"), { attributes: {} }),
    rule("are not created with a URL for a host", "POST /basic_auths", 422, errorsAt("/data/attributes/host"), { attributes: { ...login, host: "http://example.com/" } }),
    rule("are not created with a colon in the user name", "POST /basic_auths", 422, errorsAt("/data/attributes/username"), { attributes: { ...login, username: "a:b" } }),
    rule("cannot be created with a read-only token", "POST /basic_auths", 403, error("insufficient_scope"), { as: "reader", attributes: login }),
    rule("of another account are not found", "GET /basic_auths/{basic_auth}", 404, error("not_found"), { as: "stranger" }),
    rule("of another account cannot be used", "POST /reports", 422, error("unknown_basic_auth", "/data/attributes/basic_auth_id"), { as: "stranger", attributes: { starting_url: "{site}clean", basic_auth_id: "{basic_auth}" } }),
    rule("of the host cannot be used by a guest", "POST /schedules", 422, error("unknown_basic_auth", "/data/attributes/basic_auth_id"), { as: "guest", attributes: { starting_url: "{site}clean", periodicity: null, basic_auth_id: "{basic_auth}" } }),
    rule("are not deleted while a schedule uses them", "DELETE /basic_auths/{basic_auth}", 409, error("basic_auth_in_use")),
    rule("refuse an unknown value of force", "DELETE /basic_auths/{basic_auth}?force=yes", 400, error("invalid_parameter", "parameter force")),
    rule("can be stored a second time", "POST /basic_auths", 201, undefined, { attributes: login, keep: { second_auth: "data.id" } }),
    rule("can be given to the schedule instead", "PATCH /schedules/{with_login}", 200, attributes({ basic_auth_id: "{second_auth}" }), { attributes: { basic_auth_id: "{second_auth}" } }),
    rule("are deleted with force=true while a schedule uses them", "DELETE /basic_auths/{second_auth}?force=true", 204),
    rule("can be taken from the schedule", "PATCH /schedules/{with_login}", 200, attributes({ basic_auth_id: null }), { attributes: { basic_auth_id: null } }),
    rule("do not keep their schedule from being deleted", "DELETE /schedules/{with_login}", 204),
    rule("can be deleted", "DELETE /basic_auths/{basic_auth}", 204),
    rule("are gone after that", "GET /basic_auths/{basic_auth}", 404, error("not_found")),
  ],
};

function noPassword({ text: returned }: { text: string }): void {
  if (returned.includes(login.password)) throw new Error("The password is shown.");
}

const device = {
  name: text,
  width: integer,
  height: integer,
  device_scale_factor: { kind: "a number", holds: Number.isFinite },
  is_mobile: { kind: "true or false", holds: isBoolean },
  is_landscape: { kind: "true or false", holds: isBoolean },
  has_touch: { kind: "true or false", holds: isBoolean },
  user_agent: { kind: "a text", holds: isString },
};

/** Empty for the default device, which has the browser's own. */
function isString(value: unknown): boolean {
  return typeof value === "string";
}

function isBoolean(value: unknown): boolean {
  return typeof value === "boolean";
}

// biome-ignore format: a table, a rule a line
export const devices: Section = {
  title: "Devices (Device; its endpoints)",
  rules: [
    rule("have every field", "GET /devices?page[size]=100", 200, each("device", device)),
    rule("are listed with their ids", "GET /devices?page[size]=1&page[number]=2", 200, undefined, { keep: { device: "data.0.id" } }),
    rule("can be read by id", "GET /devices/{device}", 200, resource("device", device, uuid)),
    rule("include a default one, whose id is empty", "GET /devices/default", 200, resource("device", { ...device, name: "Default", width: 800, height: 600, device_scale_factor: 1 }, "")),
    rule("can be used by a report", "POST /reports", 201, body({ data: { relationships: { device: { links: { related: containing("/devices/") } } } } }), { attributes: { starting_url: "{site}clean", device_id: "{device}" }, keep: { emulated: "data.id" } }),
    rule("are what the report links to", "GET /reports/{emulated}", 200, body({ data: { relationships: { device: { links: { related: "{base}/devices/{device}" } } } } })),
    rule("are not found under an unknown id", "GET /devices/{unknown_uuid}", 404, error("not_found")),
    rule("need credentials", "GET /devices", 401, error("unauthenticated"), { as: "anonymous" }),
    rule("are read-only", "POST /devices", 405, header("allow", /^GET, HEAD/), { attributes: {} }),
    rule("do not keep the report from being deleted", "DELETE /reports/{emulated}", 204),
  ],
};

// biome-ignore format: a table, a rule a line
export const people: Section = {
  title: "People and their sessions",
  rules: [
    rule("are invited with a role, and the link is shown once", "POST /people", 201, resource("person", { mail: "ada@example.org", name: "ada", role: "editor", group_role: null, groups: [], ends_at: null, has_password: false, has_second_factor: false, has_provider: false, awaits_provider: false, invitation_url: url, invitation_ends_at: timestamp, num_tokens: 0, last_seen_at: null, inserted_at: timestamp }, uuid), { attributes: { mail: "Ada@example.org", role: "editor" }, keep: { person: "data.id" } }),
    rule("do not show the link again", "GET /people/{person}", 200, attributes({ mail: "ada@example.org", invitation_url: absent })),
    rule("are listed", "GET /people?page[size]=100", 200, all(holding("{person}"), each("person", { mail: text }))),
    rule("link to their sessions", "GET /people/{person}", 200, related("sessions")),
    rule("have an address that nobody else of the account has", "POST /people", 409, error("person_known"), { attributes: { mail: "ADA@example.org", role: "reader" } }),
    rule("have an address", "POST /people", 422, errorsAt("/data/attributes/mail"), { attributes: { mail: "nobody", role: "reader" } }),
    rule("have one of the roles", "POST /people", 422, error("not_allowed", "/data/attributes/role"), { attributes: { mail: "x@example.org", role: "admin" } }),
    rule("have no end that is over", "POST /people", 422, error("out_of_range", "/data/attributes/ends_at"), { attributes: { mail: "x@example.org", role: "reader", ends_at: "2020-01-01T00:00:00" } }),
    rule("have a role, a name and an end that can be changed", "PATCH /people/{person}", 200, attributes({ role: "reader", name: "Ada", ends_at: "2090-01-01T00:00:00" }), { attributes: { role: "reader", name: "Ada", ends_at: "2090-01-01T00:00:00Z" } }),
    rule("are bound to the sign-in provider when an owner decides so", "PATCH /people/{person}", 200, attributes({ awaits_provider: true, has_provider: false }), { attributes: { awaits_provider: true } }),
    rule("are not invited by guests", "POST /people", 403, error("host_only"), { as: "guest", attributes: { mail: "x@example.org", role: "owner" } }),
    rule("are nothing for guests", "GET /people", 200, listed(), { as: "guest" }),
    rule("can have something, and are chosen by name without an address", "GET /assignees?page[size]=100", 200, all(holding("{person}"), each("assignee", { kind: text, name: text, mine: false, mail: absent }))),
    rule("have teams, with people of the account", "POST /teams", 201, resource("team", { name: "Web team", members: [{ id: "{person}", name: "Ada" }], num_assignments: 0 }, uuid), { attributes: { name: "Web team", member_ids: ["{person}"] }, keep: { team: "data.id" } }),
    rule("have teams of different names", "POST /teams", 409, error("team_known"), { attributes: { name: "Web team" } }),
    rule("have teams with a name", "POST /teams", 422, errorsAt("/data/attributes/name"), { attributes: {} }),
    rule("have no teams with strangers", "POST /teams", 422, error("unknown_person", "/data/attributes/member_ids"), { attributes: { name: "Others", member_ids: ["00000000-0000-4000-8000-000000000000"] } }),
    rule("have teams that are listed", "GET /teams?page[size]=100", 200, all(listed("{team}"), each("team", { name: text }))),
    rule("have teams that can be read", "GET /teams/{team}", 200, attributes({ name: "Web team" })),
    rule("have teams that can be changed", "PATCH /teams/{team}", 200, attributes({ name: "Shop editors", members: [] }), { attributes: { name: "Shop editors", member_ids: [] } }),
    rule("of another account have teams that are not found", "GET /teams/{team}", 404, error("not_found"), { as: "stranger" }),
    rule("of another account have teams that are not changed", "PATCH /teams/{team}", 404, error("not_found"), { as: "stranger", attributes: { name: "Mine" } }),
    rule("add no teams as guests", "POST /teams", 403, error("host_only"), { as: "guest", attributes: { name: "Mine" } }),
    rule("can have a site, as teams can", "POST /assignments", 201, resource("assignment", { kind: "site", path: null, cause_id: null, title: null, assignee: "Shop editors", holder: "team", person_id: null, team_id: "{team}", is_left: false, due_on: "2090-01-01", note: null, state: "taken", done_at: null, starting_url: url }, uuid), { attributes: { site_id: "{site_id}", team_id: "{team}", due_on: "2090-01-01" }, keep: { assignment: "data.id" } }),
    rule("can have a section", "POST /assignments", 201, attributes({ kind: "section", path: "/docs/", assignee: "Ada", holder: "person", person_id: "{person}" }), { attributes: { site_id: "{site_id}", path: "/docs/", person_id: "{person}" }, keep: { section: "data.id" } }),
    rule("have sections that are folders", "POST /assignments", 422, errorsAt("/data/attributes/path"), { attributes: { site_id: "{site_id}", path: "docs", assignee: "Ada" } }),
    rule("have sites of the account alone", "POST /assignments", 422, error("unknown_site", "/data/attributes/site_id"), { attributes: { site_id: "00000000000000000000000000000000", assignee: "Ada" } }),
    rule("of another account get no site", "POST /assignments", 422, error("unknown_person", "/data/attributes/person_id"), { attributes: { site_id: "{site_id}", person_id: "00000000-0000-4000-8000-000000000000" } }),
    rule("have what is listed", "GET /assignments?page[size]=100&filter[kind]=section&filter[assignee]=Ada&filter[site_id]={site_id}", 200, listed("{section}")),
    rule("have nothing when a token asks that is nobody's", "GET /assignments?filter[mine]=true", 200, listed()),
    rule("have nothing of others who are removed", "GET /assignments?filter[left]=true", 200, listed()),
    rule("have what can be read", "GET /assignments/{assignment}", 200, all(attributes({ kind: "site", assignee: "Shop editors" }), related("report", "site"))),
    rule("have what can be given to others, and be done", "PATCH /assignments/{assignment}", 200, attributes({ assignee: "Agency South", holder: "name", team_id: null, state: "done", done_at: timestamp, due_on: "2090-01-01" }), { attributes: { assignee: "Agency South", done: true } }),
    rule("have a site, which says so", "GET /sites/{site_id}", 200, attributes({ owner: "Agency South", assignment: { assignee: "Agency South", of: "site" } })),
    rule("have what others do not find", "GET /assignments/{assignment}", 404, error("not_found"), { as: "stranger" }),
    rule("have what guests do not find", "GET /assignments", 200, listed(), { as: "guest" }),
    rule("have something until nobody has it", "DELETE /assignments/{assignment}", 204),
    rule("hand over to others of the account alone", "DELETE /teams/{team}?successor_id=00000000-0000-4000-8000-000000000000", 400, error("invalid_parameter")),
    rule("hand over what a team has", "DELETE /teams/{team}?successor_id={person}", 204),
    rule("have sites among them", "GET /sites?filter[mine]=true", 200, listed()),
    rule("of another account have nothing here", "GET /assignees", 200, listed(), { as: "stranger" }),
    rule("are not shown to guests", "GET /assignees", 200, listed(), { as: "guest" }),
    rule("of another account are not found", "GET /people/{person}", 404, error("not_found"), { as: "stranger" }),
    rule("of another account are not changed", "PATCH /people/{person}", 404, error("not_found"), { as: "stranger", attributes: { role: "owner" } }),
    rule("have sessions, of which an invited one has none", "GET /sessions?filter[person_id]={person}", 200, listed()),
    rule("of another account have no sessions", "GET /sessions?filter[person_id]={person}", 200, listed(), { as: "stranger" }),
    rule("are others than a token, which has sessions of its own", "GET /sessions?page[size]=100", 200, listed()),
    rule("have sessions with ids", "GET /sessions/{person}", 404, error("not_found")),
    rule("have sessions that end", "DELETE /sessions/{person}", 404, error("not_found")),
    rule("hand nothing over to themselves", "DELETE /people/{person}?successor_id={person}", 400, error("invalid_parameter")),
    rule("come and go", "POST /people", 201, attributes({ name: "Bob" }), { attributes: { mail: "bob@example.org", name: "Bob", role: "reader" }, keep: { other: "data.id" } }),
    rule("hand over to another one", "DELETE /people/{other}?successor_id={person}", 204),
    rule("can be removed", "DELETE /people/{person}", 204),
    rule("leave what they have, under their name", "GET /assignments?filter[left]=true", 200, all(listed("{section}"), each("assignment", { assignee: "Ada", is_left: true, person_id: null }))),
    rule("leave what nobody has then", "DELETE /assignments/{section}", 204),
    rule("are gone then", "GET /people/{person}", 404, error("not_found")),
  ],
};
