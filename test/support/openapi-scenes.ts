import { createHash, randomUUID } from "node:crypto";
import { type Kysely, type RawBuilder, sql } from "kysely";
import { createSession, createToken } from "../../src/database/accounts/tokens.ts";
import { writeNotices } from "../../src/database/crawl/notices.ts";
import { failRequest } from "../../src/database/findings/comparison-requests.ts";
import { announceComparison } from "../../src/database/findings/comparisons.ts";
import { listDue, recordAttempt } from "../../src/database/receivers/deliveries.ts";
import { keepSignInPictures } from "../../src/database/reports/sign-in-pictures.ts";
import { compressText } from "../../src/database/stored-text.ts";
import type { Database } from "../../src/database/tables.ts";
import { MAX_RESOURCE_BYTES } from "../../src/domain/accounts/limits.ts";
import { FIRST_TOKEN_NAME } from "../../src/domain/accounts/principal.ts";
import { MAX_HELD } from "../../src/domain/causes/assignment.ts";
import { compareReports } from "../../src/transactions/compare.ts";
import { endReport } from "../../src/transactions/end-report.ts";
import { storeComponents } from "../../src/transactions/store-components.ts";
import { accountWithToken, type Call, type TestApi } from "./api.ts";
import { insertReport, signInPicture } from "./builders.ts";
import { setReport } from "./check-counts.ts";
import type { TestDatabase } from "./database.ts";
import { insertFindings, insertLinkFinding } from "./findings.ts";
import type { Recording, Walker } from "./openapi-recording.ts";
import { withOtherSettings } from "./settings.ts";

const recorded = { title: "Recording 26/11/2026", selectorAttribute: "data-testid", timeout: 5_000 };

/** Everything that a report can be created with. */
const target = withOtherSettings({
  starting_url: "https://example.com/",
  initial_urls: "https://example.com/sitemap.xml\nhttps://example.com/start",
  exclusions: "/logout\n/calendar",
  include_globs: "/shop/**\n/help/*",
  exclude_globs: "*.pdf",
  include_links: "https://example.com/**",
  exclude_links: "*.zip",
  page_timeout_seconds: 60,
  sign_in_seconds: 60,
  sign_in_tries: 2,
  max_pages: 50,
  rate_limit: 2,
  active_deadline_seconds: 3600,
  deep_crawl: true,
  prefer_canonical_urls: true,
  follow_frames: true,
  use_sitemaps: true,
  ignored_parameters: "utm_*, gclid, sid",
  dynamic_crawler: false,
  follow_hash_routes: false,
  same_site: "www,shop.example.com",
  respect_robots: true,
  ...{ visit_actions: false, visit_forms: true, allow_posts: "/graphql" },
  user_agent: "ShopBot/1.0 (+https://example.com/bot)",
  perform_html_checks: true,
  perform_a11y_checks: true,
  perform_link_checks: true,
  html_engine: "conformance",
  standard: "wcag22aa",
  a11y_depth: "static",
  store_raw_html_checks: true,
  store_raw_a11y_checks: true,
  store_raw_link_checks: true,
  store_incomplete_checks: true,
  store_screenshot: true,
  prepare: [
    {
      ...recorded,
      url: "/shop/**",
      steps: [{ type: "click", selectors: [["aria/Accept"], ["#accept"]], optional: true }],
    },
  ],
  states: [
    { ...recorded, name: "menu-open", url: "/", steps: [{ type: "click", selectors: [["#menu"]], optional: true }] },
  ],
  wait_for: { selector: "main .ready", text: "Welcome", seconds: 5 },
  hide: ".chat\n#ads",
  device_id: "",
  devices: ["a2b1c07d-1a58-5c7f-abce-beef1f6447db"],
  device_rotated: false,
  gate: {
    ...{ max_errors: 10, max_warnings: 20, max_new_errors: 0, max_new_warnings: 5 },
    ...{ min_impact: "serious", fail_on_failed_pages: true, require_complete: true },
  },
  shared: false,
  tags: "shop,release",
} as const);

/** Every parameter of a list, so that lists are short in examples. */
const TAGS = "filter[tags][mode]=any&filter[tags][list]=a,wcag,wcag2aa,shop";

const EVERY_CRITERION = {
  rule: "obsolete",
  selector: "#archive a, .old > img",
  fingerprint: "0123456789abcdef0123",
  component: "0ccb0453aba4b039aa98",
};

const keyed = () => ({ "idempotency-key": randomUUID() });
const PAGE = "page[number]=1&page[size]=2";

/** A token as the service makes it at its start, in the account of this one. @returns its id */
async function insertFirstToken(db: Kysely<Database>, of: string): Promise<string> {
  const { account_id } = await db
    .selectFrom("api_tokens")
    .select("account_id")
    .where("id", "=", of)
    .executeTakeFirstOrThrow();
  return (await createToken(db, { accountId: account_id, name: FIRST_TOKEN_NAME, scope: "write" })).id;
}

/** @returns a guest's token */
export async function walkAccounts(walk: Walker, api: TestApi, call: Recording): Promise<string> {
  const invited = (await call(201, "POST", "/guest_accounts", { attributes: { max_usage: 100 }, headers: keyed() }))
    .made;
  const guestUrl = `/guest_accounts/${invited.id}`;
  const ada = { name: "Ada Lovelace", email: "ada@example.org" };
  const accepted = await walk.recording(api.as(undefined))(201, "POST", `/invitations/${invited.id}`, {
    attributes: ada,
  });
  const token = String(accepted.made.attributes.token);
  const guest = walk.recording(api.as(token));
  await call(200, "GET", guestUrl);
  await call(200, "PATCH", guestUrl, { attributes: { max_usage: 200, current_usage: 0 } });
  await call(200, "GET", `/guest_accounts?${PAGE}`);

  const nextWeek = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 19);
  const asked = { name: "for the dashboard", scope: "read", expires_at: nextWeek };
  const made = await call(201, "POST", "/api_tokens", { attributes: asked });
  await call(200, "GET", `/api_tokens/${made.made.id}`);
  const bounds = { may: ["read", "run"], site_tags: ["shop"] };
  await call(201, "POST", "/api_tokens", { attributes: { name: "CI of the shop", ...bounds } });
  await call(200, "PATCH", `/api_tokens/${made.made.id}`, { attributes: { expires_at: null } });
  await call(422, "PATCH", `/api_tokens/${made.made.id}`, { attributes: { expires_at: "2020-01-31T12:00:00" } });
  await call(201, "POST", `/api_tokens/${made.made.id}/secret`);
  const first = await insertFirstToken(api.deps.db, made.made.id);
  await call(409, "PATCH", `/api_tokens/${first}`, { attributes: { expires_at: null } });
  await call(409, "POST", `/api_tokens/${first}/secret`);
  await call(200, "GET", `/api_tokens?filter[ends]=soon&filter[used]=not&${PAGE}`);
  await call(200, "GET", `/api_tokens?${PAGE}`);

  const headers = [
    { name: "X-Preview", value: "battery staple" },
    { name: "Cookie", value: "session=correct horse" },
  ];
  const site = { host: "staging.example.com", username: "editor", password: "correct horse", headers };
  const stored = await call(201, "POST", "/basic_auths", { attributes: { ...site, sign_in: SIGN_IN } });
  await call(200, "GET", `/basic_auths/${stored.made.id}`);
  await guest(201, "POST", "/basic_auths", { attributes: site });
  await call(200, "GET", `/basic_auths?${PAGE}`);

  const rule = { url_match: "/archive/", message: "obsolete", category: "accepted", comment: "Old pages stay." };
  const muting = await call(201, "POST", "/mutings", { attributes: rule, headers: keyed() });
  await call(200, "GET", `/mutings/${muting.made.id}`);
  const lasting = { ...rule, ...EVERY_CRITERION, reason: "The supplier fixes it.", expires_at: "2100-01-31T12:00:00" };
  await call(200, "PATCH", `/mutings/${muting.made.id}`, { attributes: lasting });
  await call(201, "POST", "/mutings", { attributes: lasting });
  await guest(201, "POST", "/mutings", { attributes: rule });
  await call(200, "GET", `/mutings?${PAGE}`);
  await call(200, "GET", "/mutings?filter[category]=later&filter[state]=ends_soon&filter[search]=x");
  await call(200, "GET", `/devices?${PAGE}`);
  await call(200, "GET", "/devices/default");
  const devices = await call(200, "GET", "/devices?page[number]=2&page[size]=1");
  await call(200, "GET", `/devices/${(devices.json.data as unknown as { id: string }[])[0]?.id}`);
  await call(200, "GET", "/usage");
  return token;
}

/** @returns a schedule, and the report that its hook started */
export async function walkSchedules(walk: Walker, api: TestApi, call: Recording, keyless: Call) {
  const attributes = {
    ...target,
    basic_auth_id: null,
    periodicity: { every: "week", weekday: ["monday", "friday"], at: "22:30", time_zone: "Europe/Berlin" },
    active: true,
    history_limit: 3,
    preview_hosts: "pr-*.example.com",
  };
  const { made } = await call(201, "POST", "/schedules", { attributes, headers: keyed() });
  const self = `/schedules/${made.id}`;
  await call(200, "GET", self);
  await call(200, "PATCH", self, { attributes: { ...attributes, periodicity: { every: "month", monthday: 28 } } });
  await call(200, "GET", `/schedules?filter[url]=example&${TAGS}&${PAGE}`);
  const renewed = await call(201, "POST", `${self}/deploy_hook`);
  await walk.recording(keyless)(409, "POST", `${self}/deploy_hook`);
  const hook = new URL(String(renewed.made.attributes.deploy_hook_url)).pathname.replace("/api/v1", "");
  const anybody = walk.recording(api.as(undefined));
  const started = await anybody(202, "POST", hook);
  const queued = await anybody(202, "POST", hook);
  await call(202, "POST", `${self}/runs`, { headers: keyed() });
  const bounds = { may: ["read"], site_urls: [target.starting_url] };
  await call(201, "POST", "/api_tokens", { attributes: { name: "Dashboard of the site", ...bounds } });
  const badge = new URL(String(made.attributes.badge_url)).pathname.replace("/api/v1", "");
  await anybody(200, "GET", badge);
  await call(409, "DELETE", `/reports/${queued.made.id}`);
  await call(200, "GET", `/sites?${PAGE}`);
  await call(200, "PATCH", self, { attributes: { active: false } });
  await anybody(409, "POST", hook);
  await call(409, "POST", `${self}/runs`);
  await anybody(422, "POST", hook, { body: "starting_url=https://example.org/" });
  const login = { host: "staging.example.com", username: "author", password: "battery staple" };
  const stored = (await call(201, "POST", "/basic_auths", { attributes: login })).made;
  await call(200, "PATCH", self, { attributes: { basic_auth_id: stored.id } });
  const headers = [{ name: "X-Preview", value: "correct horse" }];
  await call(200, "PATCH", `/basic_auths/${stored.id}`, { attributes: { ...login, headers, sign_in: SIGN_IN } });
  await call(200, "PATCH", `/basic_auths/${stored.id}`, { attributes: { username: null } });
  await call(409, "DELETE", `/basic_auths/${stored.id}?force=false`);
  await call(204, "DELETE", `/basic_auths/${stored.id}?force=true`);
  return { id: made.id, reportId: started.made.id };
}

/** As Chrome's DevTools Recorder writes it. */
const SIGN_IN = {
  title: "Sign in",
  steps: [
    { type: "navigate", url: "https://staging.example.com/login" },
    { type: "change", selectors: [["#user"]], value: "editor" },
    { type: "change", selectors: [["#password"]], value: "$PASSWORD" },
    { type: "click", selectors: [["aria/Sign in"]] },
  ],
  signed_out_when: { selector: "#farewell", text: "Good-bye", url: "/ended" },
  signed_in_when: { selector: "#account", text: "Welcome", url: "/account", cookie: "session" },
  totp: "GEZDGNBVGY3TQOJQ",
  variables: { PASSWORD: "correct horse" },
};

/** Two reports that have ended, the second one compared with the first. @returns their addresses, and a page of the second */
async function insertCompared(db: Kysely<Database>, accountId: string) {
  const gate = { maxErrors: 10, maxNewErrors: 0, failOnFailedPages: true };
  const ended = async (settings: { exclusions?: string[] } = {}) => {
    const spec = { gate, performA11yChecks: true, performLinkChecks: true, ...settings };
    const id = await insertReport(db, { accountId, spec });
    const { pageIds } = await insertFindings(db, id);
    await insertLinkFinding(db, id, pageIds);
    // What waits would keep the report from being compared.
    await db.deleteFrom("web_pages").where("id", "=", pageIds[2]).execute();
    const ended = { crawl_state: "ended", num_pages: 2, html_pending: 0, a11y_pending: 0 } as const;
    await setReport(db, id, ended);
    return { id, page: pageIds[0] };
  };
  const base = (await ended()).id;
  await endReport(db, base, "Complete", new Date());
  const { id, page } = await ended();
  const comparison = await compareReports(db, id, base);
  await endReport(db, id, "Complete", new Date(), comparison?.id);
  await setTimes(db, id);
  await makeOlder(db, base);
  await storeComponents(db, id, comparison?.id ?? null);
  const unlike = (await ended({ exclusions: ["/archive/"] })).id;
  await endReport(db, unlike, "Complete", new Date());
  await makeOlder(db, unlike);
  await compareReports(db, id, unlike);
  return { base, unlike, compared: `/reports/${id}`, comparedPage: `/reports/${id}/web_pages/${page}` };
}

/** Lets a report that has ended take 2 s, 30 s and 58 s. */
async function setTimes(db: Kysely<Database>, id: string): Promise<void> {
  await sql`update reports set crawl_started_at = inserted_at + interval '2 s', crawl_ended_at = inserted_at + interval '32 s'
    where id = ${id}`.execute(db);
  await sql`update report_ends e set ended_at = r.inserted_at + interval '90 s' from reports r
    where r.id = e.report_id and e.report_id = ${id}`.execute(db);
}

/** Without milliseconds, which examples would have. */
function tomorrow(): string {
  return new Date(Date.now() + 86_400_000).toISOString().slice(0, 19);
}

/** A report and a site that are shared. */
async function walkShareLinks(
  walk: Walker,
  call: Recording,
  api: TestApi,
  { report, site }: { report: string; site: string },
) {
  const expires_at = tomorrow();
  const { made } = await call(201, "POST", "/share_links", { attributes: { report_id: report, expires_at } });
  await call(200, "GET", `/share_links/${made.id}`);
  await call(200, "PATCH", `/share_links/${made.id}`, { attributes: { expires_at } });
  const renewed = await call(201, "POST", `/share_links/${made.id}/secret`);
  const ofSite = await call(201, "POST", "/share_links", { attributes: { site_id: site, expires_at } });
  await call(200, "GET", `/share_links?filter[report_id]=${report}&filter[site_id]=${site}&${PAGE}`);
  await call(200, "GET", "/share_links");
  const anybody = walk.recording(api.as(undefined));
  for (const { attributes } of [renewed.made, ofSite.made]) await anybody(200, "GET", `/shared/${attributes.secret}`);
}

/**
 * The month, as if one of two reports had been of the month before, and all others of this one, also on its first days; and with a
 * run without a result.
 */
async function walkMonth(
  call: Recording,
  db: Kysely<Database>,
  { accountId, base, newest }: { accountId: string; base: string; newest: string },
): Promise<void> {
  const month = `/months/${new Date().toISOString().slice(0, 7)}`;
  const ends = await db
    .selectFrom("report_ends as e")
    .innerJoin("reports as r", "r.id", "e.report_id")
    .where("r.account_id", "=", accountId)
    .select(["e.report_id", "e.ended_at"])
    .execute();
  const ended = (id: string, at: RawBuilder<unknown>) =>
    sql`update report_ends set ended_at = ${at} where report_id = ${id}`.execute(db);
  const shift = (days: number) =>
    sql`update reports set inserted_at = inserted_at + ${days} * interval '1 day' where id = ${base}`.execute(db);
  await shift(-62);
  for (const { report_id } of ends) await ended(report_id, sql`now() - (now() - ended_at) / 1e6`);
  for (const earlier of [newest, base]) {
    for (const id of [base, newest]) await ended(id, sql`now()`);
    await ended(earlier, sql`now() - interval '1 month'`);
    await call(200, "GET", month);
  }
  const unreached = await insertReport(db, { accountId });
  await setReport(db, unreached, { phase: "Failed", failure_code: "unreachable" });
  await call(200, "GET", month);
  await db.deleteFrom("reports").where("id", "=", unreached).execute();
  await shift(62);
  for (const { report_id, ended_at } of ends) await ended(report_id, sql`${ended_at}`);
  await call(404, "GET", "/months/9999-99");
  await call(201, "POST", `${month}/file`, { headers: keyed() });
  await call(409, "POST", `${month}/file`);
  const made = (values: { state: "ready" | "failed"; failure?: string; pdf?: Buffer }) =>
    db
      .updateTable("month_files")
      .set({ ended_at: new Date(), ...values })
      .execute();
  await made({ state: "ready", pdf: Buffer.from("%PDF-1.4") });
  await call(200, "GET", `${month}/file`);
  await call(200, "GET", `${month}/file.pdf`);
  await made({ state: "failed", failure: "The file could not be made in time, or its Job has failed: ask again." });
  await call(200, "GET", `${month}/file`);
  await call(404, "GET", `${month}/file.pdf`);
}

/** What is kept, a report that stays, and many that are deleted. @param base a report with which another is compared */
async function walkRetention(call: Recording, db: Kysely<Database>, base: string): Promise<void> {
  const attributes = { report_days: 365, schedule_runs: 400, picture_days: 90, raw_days: 30, audit_days: 730 };
  await call(200, "POST", "/retention/preview", { attributes });
  await call(200, "PATCH", "/retention", { attributes });
  await call(200, "GET", "/retention");
  await call(422, "PATCH", "/retention", { attributes: { report_days: 0 } });
  await call(200, "PATCH", "/retention", {
    attributes: { report_days: null, schedule_runs: null, picture_days: null, raw_days: null },
  });
  const pin = { report_id: base, reason: "State before the new design, for the tender." };
  await call(201, "POST", "/pins", { attributes: pin, headers: keyed() });
  await call(200, "GET", "/pins");
  await call(200, "GET", `/pins?${PAGE}`);
  await call(200, "GET", `/pins/${base}`);
  await call(409, "DELETE", `/reports/${base}`);
  await call(422, "POST", "/pins", { attributes: { ...pin, report_id: randomUUID() } });
  const { rows } = await sql<{
    id: string;
  }>`select id from reports where phase not in ('Complete', 'Failed') limit 1`.execute(db);
  if (rows[0]) await call(409, "POST", "/pins", { attributes: { ...pin, report_id: rows[0].id } });
  const { made } = await call(201, "POST", "/deletions", {
    attributes: { report_ids: [base], part: "pictures" },
    headers: keyed(),
  });
  await call(204, "DELETE", `/pins/${base}`);
  await call(201, "POST", "/pins", { attributes: pin });
  await call(201, "POST", "/deletions", { attributes: { report_ids: [base] } });
  await call(422, "POST", "/deletions", { attributes: { report_ids: [randomUUID()] } });
  await call(200, "GET", "/deletions");
  await call(200, "GET", `/deletions?${PAGE}`);
  await call(200, "GET", `/deletions/${made.id}`);
  await call(200, "PATCH", `/deletions/${made.id}`, { attributes: { stopped: true } });
}

/** Somebody who is invited, changed and removed, and a browser that is signed out. */
async function walkPeople(call: Recording, db: Kysely<Database>): Promise<void> {
  const ends_at = "2090-01-01T00:00:00";
  const sites = [{ site_id: createHash("md5").update("https://example.com/").digest("hex"), role: "editor" }];
  const attributes = { mail: "Grace@example.org", name: "Grace Hopper", role: "reader", sites, ends_at };
  const { made } = await call(201, "POST", "/people", { attributes });
  await call(409, "POST", "/people", { attributes });
  await call(422, "POST", "/people", { attributes: { ...attributes, mail: "nobody" } });
  await call(200, "GET", `/people?${PAGE}`);
  await call(200, "GET", `/assignees?${PAGE}`);
  await call(200, "GET", "/assignees");
  await call(200, "GET", "/people");
  await call(200, "GET", `/people/${made.id}`);
  await call(200, "PATCH", `/people/${made.id}`, {
    attributes: { role: "owner", sites, name: "Grace", ends_at: null, awaits_provider: true },
  });
  await db.updateTable("people").set({ password_hash: "scrypt$1$1$1$$" }).where("id", "=", made.id).execute();
  await call(409, "PATCH", `/people/${made.id}`, { attributes: { role: "reader" } });
  await call(409, "DELETE", `/people/${made.id}`);
  await db
    .updateTable("people")
    .set({ password_hash: null, groups: ["web"], group_role: "reader" })
    .where("id", "=", made.id)
    .execute();
  await createSession(db, made.id, new Date(), { userAgent: "Mozilla/5.0", address: "192.0.2.71" });
  const { json } = await call(200, "GET", `/sessions?filter[person_id]=${made.id}&${PAGE}`);
  await call(200, "GET", "/sessions");
  const id = (json.data as unknown as { id: string }[])[0]?.id;
  await call(200, "GET", `/sessions/${id}`);
  await call(204, "DELETE", `/sessions/${id}`);
  await call(200, "GET", "/people");
  const mailed = { ...attributes, mail: "ada@example.org", send_invitation: true };
  const other = await call(201, "POST", "/people", { attributes: mailed });
  await walkTeams(call, { person: made.id, leaving: other.made.id });
  await call(204, "DELETE", `/people/${other.made.id}?successor_id=${made.id}`);
  await createSession(db, made.id, new Date(), { userAgent: "Mozilla/5.0", address: "192.0.2.71" });
  const left = await call(200, "GET", `/sessions?filter[person_id]=${made.id}`);
  await call(200, "GET", `/sessions/${(left.json.data as unknown as { id: string }[])[0]?.id}`);
  await call(200, "GET", `/people/${made.id}`);
}

/** A team that has a site, and people who have a section and nothing. */
async function walkTeams(call: Recording, { person, leaving }: { person: string; leaving: string }): Promise<void> {
  const attributes = { name: "Web team", member_ids: [person] };
  const { made: team } = await call(201, "POST", "/teams", { attributes, headers: keyed() });
  await call(409, "POST", "/teams", { attributes });
  await call(422, "POST", "/teams", { attributes: { name: "Others", member_ids: [randomUUID()] } });
  await call(200, "GET", "/teams");
  await call(200, "GET", `/teams?${PAGE}`);
  await call(200, "GET", `/teams/${team.id}`);
  await call(200, "PATCH", `/teams/${team.id}`, { attributes: { name: "Shop editors", member_ids: [] } });
  const { made: second } = await call(201, "POST", "/teams", { attributes: { name: "Agency" } });
  await call(409, "PATCH", `/teams/${second.id}`, { attributes: { name: "Shop editors" } });
  await call(200, "GET", "/sites?filter[mine]=true");
  const site_id = (await call(200, "GET", "/sites")).json.data as unknown as { id: string }[];
  const site = { site_id: site_id[0]?.id, due_on: "2099-12-10", note: "Ticket 4512", done: false };
  const { made } = await call(201, "POST", "/assignments", { attributes: { ...site, team_id: second.id } });
  await call(201, "POST", "/assignments", { attributes: { ...site, path: "/docs/", person_id: leaving } });
  const news = { ...site, path: "/news/", assignee: "Agency South" };
  const { made: section } = await call(201, "POST", "/assignments", { attributes: news, headers: keyed() });
  await call(422, "POST", "/assignments", { attributes: { ...site, path: "docs" } });
  const filters = `filter[kind]=site&filter[assignee]=Agency&filter[site_id]=${site.site_id}`;
  await call(200, "GET", `/assignments?${filters}&${PAGE}`);
  await call(200, "GET", "/assignments?filter[mine]=true&filter[left]=true");
  await call(200, "GET", "/assignments");
  await call(200, "GET", `/assignments/${section.id}`);
  const change = { person_id: person, due_on: null, note: null, done: true };
  await call(200, "PATCH", `/assignments/${made.id}`, { attributes: change });
  await call(200, "PATCH", `/assignments/${made.id}`, { attributes: { team_id: second.id } });
  await call(200, "PATCH", `/assignments/${made.id}`, { attributes: { assignee: "Agency South" } });
  await call(422, "PATCH", `/assignments/${made.id}`, { attributes: { due_on: "2026-02-30" } });
  await call(204, "DELETE", `/assignments/${made.id}`);
  await call(400, "DELETE", `/teams/${second.id}?successor_id=${second.id}`);
  await call(204, "DELETE", `/teams/${second.id}?successor_id=${person}`);
}

/** What was done until then. */
async function walkAuditLog(call: Recording): Promise<void> {
  const { json } = await call(200, "GET", "/audit?page[size]=3");
  const [entry] = json.data as unknown as { id: string; attributes: { target_id: string; who_id: string } }[];
  const { target_id, who_id } = entry?.attributes ?? { target_id: "", who_id: "" };
  const of = `filter[who]=token&filter[token_id]=${who_id}&filter[area]=kept&filter[target_id]=${target_id}`;
  const when = "filter[from]=2020-01-01&filter[to]=2100-01-01T00:00:00&filter[text]=e";
  await call(200, "GET", `/audit?${of}&${when}&filter[site_url]=https://example.com/`);
  await call(
    200,
    "GET",
    new URL(String(json.links.next)).pathname.replace("/api/v1", "") + new URL(String(json.links.next)).search,
  );
  await call(200, "GET", `/audit/${entry?.id}`);
  await call(200, "GET", `/audit/export.csv?${of}&${when}&filter[site_url]=https://example.com/`);
  await call(200, "GET", `/audit/export.ndjson?${of}&${when}&filter[site_url]=https://example.com/`);
}

/** A receiver, and what was sent to it. */
async function walkReceivers(call: Recording, db: Kysely<Database>, deps: TestApi["deps"]) {
  const attributes = {
    ...{ kind: "webhook", name: "Ticket system", url: "https://tickets.example.com/checks" },
    ...{ events: ["issues.new", "report.failed"], site_urls: ["https://example.com/"], tags: ["shop"] },
    ...{ digest: "none", time_zone: "Europe/Berlin", mail_addresses: [] },
  };
  const { made } = await call(201, "POST", "/receivers", { attributes });
  const url = `/receivers/${made.id}`;
  await call(200, "GET", "/receivers");
  await call(200, "GET", `/receivers?${PAGE}`);
  await call(200, "GET", url);
  await call(201, "POST", `${url}/secret`);
  const test = await call(201, "POST", `${url}/tests`, { headers: keyed() });
  const delivery = `/deliveries/${test.made.id}`;
  const answered = async (outcome: { status: number; answer: string; delivered: boolean }) => {
    const sent = { headers: { "content-type": "application/json" }, body: "{}" };
    const attempt = { ...outcome, accepted: [], beganAt: new Date(), tookMs: 104, sent };
    for (const due of await listDue(db, [], new Date())) await recordAttempt(db, due.delivery, attempt, new Date());
  };
  await answered({ status: 503, answer: "down for maintenance", delivered: false });
  await call(200, "GET", "/deliveries");
  await call(
    200,
    "GET",
    `/deliveries?filter[receiver_id]=${made.id}&filter[state]=waiting&filter[type]=test&filter[site]=shop&filter[period]=7d&${PAGE}`,
  );
  await call(200, "GET", delivery);
  await call(200, "POST", `${delivery}/attempts`, { headers: keyed() });
  await call(204, "DELETE", `${delivery}/attempts`);
  await call(200, "POST", `${delivery}/attempts`);
  await answered({ status: 204, answer: "", delivered: true });
  await call(409, "DELETE", `${delivery}/attempts`);
  await call(422, "POST", "/receivers", { attributes: { ...attributes, url: "https://127.0.0.1/" } });
  await call(200, "POST", `${delivery}/attempts`);
  await call(200, "PATCH", url, { attributes: { enabled: false } });
  await call(409, "POST", `${url}/tests`);
  await call(409, "POST", `${delivery}/attempts`);
  const { kind: _, ...all } = attributes;
  await call(200, "PATCH", url, { attributes: { ...all, enabled: true, send_missed: true } });
  const channel = { kind: "slack", name: "#web", url: "https://hooks.slack.com/services/x", events: ["report.failed"] };
  const slack = await call(201, "POST", "/receivers", { attributes: channel });
  await call(409, "POST", `/receivers/${slack.made.id}/secret`);
  const { receivers } = deps;
  deps.receivers = undefined;
  await call(409, "POST", "/receivers", { attributes });
  await call(409, "PATCH", url, { attributes: { name: "Tickets" } });
  deps.receivers = receivers;
  // As the controller stores what a Schedule declares.
  const declared = (value: string | null) =>
    sql`update receivers set schedule_id = (select id from schedules where ${value}::text is not null limit 1)
      where id = ${slack.made.id}`.execute(db);
  await declared("a Schedule");
  await call(409, "DELETE", `/receivers/${slack.made.id}`);
  await declared(null);
  await call(204, "DELETE", `/receivers/${slack.made.id}`);
}

/** Lets a report have ended eight days ago, with fewer errors and an older engine. */
async function makeOlder(db: Kysely<Database>, id: string): Promise<void> {
  await sql`update reports set inserted_at = inserted_at - interval '8 days',
    engines = '{"html":{"name":"html-validate","version":"10.0.0"}}' where id = ${id}`.execute(db);
  await sql`update report_ends set ended_at = ended_at - interval '8 days' where report_id = ${id}`.execute(db);
  await sql`update common_issues set how_many = how_many - 1 where report_id = ${id} and how_many > 1`.execute(db);
}

/** The report's findings, one by one and by what has to be fixed once. */
async function walkFindings(call: Recording, report: string): Promise<void> {
  const filters = "filter[issue_type]=error&filter[muted]=false&page[size]=1";
  const { json } = await call(
    200,
    "GET",
    `${report}/findings?filter[rule]=color-contrast&filter[impact]=serious&${filters}`,
  );
  await call(200, "GET", String(json.links.next).replace(/^.*\/api\/v1/, ""));
  await call(
    200,
    "GET",
    `${report}/findings?filter[state]=fixed&filter[path]=/news/&filter[role]=design&filter[component]=00000000000000000000`,
  );
  for (const list of ["findings", "components"])
    await call(
      200,
      "GET",
      `${report}/${list}?filter[issue_type]=warning&filter[kind]=html&filter[outside_standard]=false`,
    );
  await call(200, "GET", `${report}/rules?filter[kind]=a11y&group=topic`);
  await call(200, "GET", `${report}/rules?filter[kind]=html&filter[muted]=false&sort=how_many-desc&${PAGE}`);
  const nothing =
    "filter[rule]=none&filter[message]=none&filter[tags][mode]=any&filter[tags][list]=none&filter[impact]=minor";
  const other =
    "filter[issue_type]=error&filter[outside_standard]=true&filter[state]=new&filter[path]=/&filter[role]=content";
  await call(200, "GET", `${report}/rules?${nothing}&${other}`);
  const ofRule = "filter[kind]=html&filter[rule]=none&filter[issue_type]=error&filter[outside_standard]=false";
  await call(200, "GET", `${report}/web_pages?${ofRule}&filter[without_page]=false`);
  await call(200, "GET", `${report}/excluded_urls?filter[reason]=off_site`);
  const none = "filter[state]=new&filter[rule]=none&filter[impact]=minor&filter[path]=/&filter[role]=content";
  await call(200, "GET", `${report}/components?sort=how_many-desc&page[number]=1&filter[repeated]=false&${filters}`);
  await call(200, "GET", `${report}/components?${none}&filter[repeated]=true`);
  await call(200, "GET", `${report}/findings?filter[cause]=00000000000000000000`);
  await call(200, "GET", `${report}/findings?filter[consequence]=true`);
  await call(200, "GET", `${report}/findings?filter[consequence]=false&filter[kind]=html`);
  await call(200, "GET", `${report}/components?filter[kind]=html`);
  const { json: causes } = await call(200, "GET", `${report}/causes?sort=gain-desc&page[number]=1&page[size]=2`);
  const cause = `${report}/causes/${causes.data[0]?.id}`;
  const mended = { assignee: "Web team", due_on: "2099-12-10", note: "Ticket 4512", done: false };
  await call(200, "PATCH", cause, { attributes: mended });
  await call(422, "PATCH", cause, { attributes: { due_on: "soon" } });
  const people = (await call(200, "GET", "/assignees")).json.data as unknown as {
    id: string;
    attributes: { kind: string };
  }[];
  for (const { id, attributes } of people)
    await call(200, "PATCH", cause, { attributes: { [`${attributes.kind}_id`]: id } });
  await call(200, "PATCH", cause, { attributes: mended });
  await call(200, "GET", "/assignments?filter[kind]=cause");
  await call(422, "PATCH", cause, { attributes: { person_id: randomUUID() } });
  await call(
    200,
    "GET",
    `${report}/causes?filter[state]=late&filter[assignee]=Web%20team&filter[search]=image&filter[mine]=true`,
  );
  await call(200, "GET", cause);
  await call(404, "GET", `${report}/causes/00000000000000000000`);
  await call(
    200,
    "GET",
    `${report}/causes?filter[role]=content&filter[impact]=none&filter[known_by]=not_verified&filter[path]=/`,
  );
}

type Scene = {
  database: TestDatabase;
  api: TestApi;
  call: Recording;
  guestCall: Recording;
  accountId: string;
  schedule: { id: string; reportId: string };
};

export async function walkReports(
  walk: Walker,
  { database: { db }, api, call, guestCall, accountId, schedule }: Scene,
): Promise<void> {
  const attributes = { ...target, basic_auth_id: null };
  await call(201, "POST", "/reports", { attributes, headers: keyed() });
  const unreachable = await guestCall(201, "POST", "/reports", { attributes: { starting_url: target.starting_url } });
  await db
    .updateTable("reports")
    .set({ phase: "Failed", failure_code: "unreachable", failure_detail: "The server refused the connection." })
    .where("id", "=", unreachable.made.id)
    .execute();
  await call(200, "GET", `/reports?created_by=guests&${PAGE}`);
  await guestCall(200, "GET", "/sites");
  const ofGuest = { report_id: unreachable.made.id, expires_at: tomorrow() };
  await guestCall(201, "POST", "/share_links", { attributes: ofGuest });
  await call(422, "POST", "/share_links", { attributes: { ...ofGuest, report_id: randomUUID() } });
  await call(422, "POST", "/share_links", { attributes: { site_id: "0".repeat(32), expires_at: ofGuest.expires_at } });
  const id = await insertReport(db, {
    accountId,
    spec: { performA11yChecks: true, performLinkChecks: true, tags: ["a", "b"] },
  });
  const self = `/reports/${id}`;
  const found = await insertFindings(db, id);
  const links = await insertLinkFinding(db, id, found.pageIds);
  const [checked, failed] = found.pageIds;
  await makeRealistic(db, id, checked);
  await call(200, "GET", self, { headers: { prefer: "wait=0" } });
  await call(200, "GET", `/reports/${schedule.reportId}`);
  await call(200, "GET", `/reports?created_by=all&sort=url-asc&${PAGE}`);
  await call(200, "GET", `/reports?created_by=guests&guest_token=nobody,else&results=true`);
  await call(200, "GET", `/reports?filter[id]=${id}&filter[result]=no_limits&filter[pinned]=false`);
  await call(200, "GET", `/reports?filter[from]=2026-05-01&filter[to]=2026-06-01&filter[url]=nowhere`);
  await call(200, "GET", `/reports?filter[url]=example&filter[schedule_id]=${schedule.id}&${TAGS}`);

  const page = `${self}/web_pages/${checked}`;
  await call(200, "GET", `${self}/web_pages?filter[url]=example&${PAGE}`);
  await call(
    200,
    "GET",
    `${self}/web_pages?filter[common_html_issue_id]=${found.commonHtmlIssueIds[0]}&filter[muted]=false`,
  );
  await call(200, "GET", `${self}/web_pages?filter[common_a11y_issue_id]=${found.commonA11yIssueId}`);
  await call(200, "GET", `${self}/web_pages?filter[common_link_issue_id]=1`);
  await call(200, "GET", `${self}/web_pages?filter[path]=/&filter[state]=new&results=true`);
  await call(200, "GET", `${self}/criteria?filter[state]=fails&sort=errors-desc&${PAGE}`);
  await call(200, "GET", `${self}/sections?sort=path-asc&${PAGE}`);
  await call(200, "GET", page);
  await call(200, "GET", `${self}/web_pages/${failed}`);
  await call(200, "GET", `${self}/web_pages?filter[status]=checked&sort=errors-desc`);
  await call(200, "GET", `${self}/web_pages?filter[search]=example&filter[result]=errors&filter[id]=1,2`);
  const byText = {
    link: "filter[message]=broken&sort=how_many-desc&filter[issue_type]=error",
    html: "filter[message]=needs&sort=how_many-desc&filter[issue_type]=error",
    a11y: "filter[help]=contrast&filter[rule]=color-contrast&filter[impact]=serious&sort=impact-desc&filter[issue_type]=error",
  };
  for (const kind of ["html", "a11y", "link"]) {
    await call(200, "GET", `${page}/${kind}_issues?filter[rule]=none&filter[state]=new`);
    await call(200, "GET", `${self}/common_${kind}_issues?filter[rule]=none&filter[state]=new`);
  }
  for (const [kind, text] of Object.entries(byText)) {
    const ids: Record<string, [common: string, one: string]> = {
      html: [found.commonHtmlIssueIds[0], found.htmlIssueIds[0]],
      a11y: [found.commonA11yIssueId, found.a11yIssueId],
      link: [links.common, links.issue],
    };
    const [common, one] = ids[kind] ?? [];
    await call(200, "GET", `${self}/common_${kind}_issues?${text}&${TAGS}&filter[muted]=false&${PAGE}`);
    await call(200, "GET", `${self}/common_${kind}_issues?filter[path]=/news/&filter[role]=design`);
    await call(200, "GET", `${self}/common_${kind}_issues/${common}?filter[muted]=false`);
    await call(200, "GET", `${page}/${kind}_issues?${text}&${TAGS}&filter[muted]=false&${PAGE}`);
    await call(200, "GET", `${page}/${kind}_issues/${one}?filter[muted]=false`);
    await call(200, "GET", `${page}/raw_${kind}_check`);
  }
  await call(200, "GET", `${self}/excluded_urls?${PAGE}`);
  await call(200, "GET", `/sites?filter[starting_url]=https://example.com/&${PAGE}`);
  const { base, unlike, compared, comparedPage } = await insertCompared(db, accountId);
  const [shop] = (await call(200, "GET", "/sites")).json.data;
  const about = { name: "The shop", owner: "Web team", tags: ["shops"] };
  await call(200, "PATCH", `/sites/${shop?.id}`, { attributes: about });
  await call(200, "GET", `/sites/${shop?.id}?period=90`);
  // A run of a schedule without a result.
  const unreached = await insertReport(db, { accountId });
  await setReport(db, unreached, { phase: "Failed", failure_code: "unreachable", schedule_id: randomUUID() });
  await call(200, "GET", `/sites/${shop?.id}/history`);
  await call(200, "GET", `/sites/${shop?.id}/history?period=90&each=report`);
  await call(200, "GET", `/sites/${shop?.id}/runs?period=365&${PAGE}`);
  await call(200, "PATCH", `/sites/${shop?.id}`, { attributes: { target_score: 90, target_on: "2099-03-31" } });
  const { json: scored } = await call(200, "GET", `/sites/${shop?.id}/score?period=365`);
  const ofShopsScore = String(scored.data.relationships.report?.links.related).split("/").at(-1);
  const [costly] = (await call(200, "GET", `/reports/${ofShopsScore}/causes`)).json.data;
  await call(200, "PATCH", `/reports/${ofShopsScore}/causes/${costly?.id}`, {
    attributes: { assignee: "Agency South", due_on: "2099-12-10" },
  });
  await call(200, "GET", `/sites/${shop?.id}/score?period=365`);
  await db.deleteFrom("reports").where("id", "=", unreached).execute();
  const ofShop = `/sites/${shop?.id}`;
  await call(200, "GET", `${ofShop}/page_views`);
  await call(200, "PATCH", `${ofShop}/page_views`, {
    attributes: { file: "path,views\n/,41200\n/search?q=bread,350\n" },
  });
  await call(422, "PATCH", `${ofShop}/page_views`, { attributes: { file: "title,visitors\nWelcome,12\n" } });
  await call(200, "GET", `${compared}/web_pages?sort=met-desc`);
  await call(200, "GET", `${compared}/causes?sort=met-desc`);
  await call(204, "DELETE", `${ofShop}/page_views`);
  await sql`insert into assignments (account_id, starting_url, kind, part, assignee, holder)
    select ${accountId}::uuid, starting_url, kind, case kind when 'cause' then substr(md5(n::text), 1, 20) else '/' || n || '/' end, 'Editors', 'name'
    from sites, generate_series(1, ${MAX_HELD}::int) n, unnest('{section,cause}'::text[]) kind
    where md5(starting_url) = ${shop?.id ?? ""}`.execute(db);
  const [, free] = (await call(200, "GET", `/reports/${ofShopsScore}/causes`)).json.data;
  await call(409, "PATCH", `/reports/${ofShopsScore}/causes/${free?.id}`, { attributes: { assignee: "Agency South" } });
  await call(409, "POST", "/assignments", { attributes: { site_id: shop?.id, path: "/news/", assignee: "Press" } });
  await db.deleteFrom("assignments").where("kind", "=", "section").where("part", "<>", "/").execute();
  await db.deleteFrom("assignments").where("kind", "=", "cause").where("assignee", "=", "Editors").execute();
  await call(201, "POST", "/assignments", { attributes: { site_id: shop?.id, path: "/", assignee: "Editors" } });
  await call(200, "GET", `/reports/${ofShopsScore}/sections`);
  await call(200, "GET", `${ofShop}/criteria?${PAGE}`);
  const seen = {
    ...{ outcome: "failed", evidence: "Buttons of the header show no focus in dark mode", answered_by: "Agency South" },
    due_on: "2099-02-01",
    pages: [{ url: "https://example.com/", outcome: "failed" }],
  };
  await call(200, "PATCH", `${ofShop}/criteria/2.4.7`, { attributes: seen });
  await call(422, "PATCH", `${ofShop}/criteria/2.4.6`, { attributes: { outcome: "passed" } });
  await call(404, "PATCH", `${ofShop}/criteria/9.9.9`, { attributes: { outcome: null } });
  await call(200, "GET", `${ofShop}/criteria?filter[state]=failed`);
  await call(200, "GET", `${ofShop}/sample?seed=4711`);
  const details = { operator: "Market hall", contact: "access@example.com", answer_within_days: 14 };
  await call(200, "PATCH", `${ofShop}/statement`, { attributes: details });
  await call(200, "GET", `${ofShop}/statement`);
  for (const format of ["html", "vpat.html", "earl.jsonld", "openacr.yaml"])
    await call(200, "GET", `${ofShop}/statement.${format}`);
  await call(200, "GET", "/sites_history?period=30");
  await walkMonth(call, db, { accountId, base, newest: compared.split("/").at(-1) ?? "" });
  await call(200, "GET", "/sites?filter[latest]=failed");
  await call(
    200,
    "GET",
    `/sites?filter[search]=shop&filter[owner]=Web%20team&filter[change]=worse&sort=change-desc&${TAGS}`,
  );
  await call(200, "GET", "/sites?period=7");
  await call(200, "GET", `/site_rules?filter[kind]=a11y&filter[rule]=image-alt&${PAGE}`);
  await call(200, "GET", "/site_rules");
  await walkReceivers(call, db, api.deps);
  await walkRetention(call, db, base);
  await walkPeople(call, db);
  await walkAuditLog(call);
  await walkShareLinks(walk, call, api, { report: base, site: String(shop?.id) });
  for (const kind of ["html", "a11y", "link"])
    for (const list of [`${compared}/common_${kind}_issues`, `${comparedPage}/${kind}_issues`])
      await call(200, "GET", `${list}?filter[state]=persisting`);
  await walkFindings(call, compared);
  await call(200, "GET", `${compared}/sections`);
  await call(200, "GET", `${compared}/findings?filter[web_page_id]=${comparedPage.split("/").at(-1)}`);
  await call(200, "GET", `${compared}/web_pages?sort=new_errors-desc`);
  await walkFindings(call, self);
  await call(200, "GET", `${compared}/comparison?base=${base}`);
  await call(200, "GET", `${compared}/comparison?base=${unlike}`);
  await call(
    200,
    "GET",
    `${compared}/comparison/rules?filter[state]=persisting&filter[muted]=false&filter[issue_type]=error&filter[outside_standard]=false&sort=pages-desc&${PAGE}`,
  );
  await call(200, "GET", `${compared}/comparison/rules?base=${base}`);
  await call(200, "GET", `${compared}/findings?base=${base}`);
  const pair = { reportId: base, baseId: compared.replace("/reports/", "") };
  const other = `/reports/${pair.reportId}/comparison?base=${pair.baseId}`;
  for (const list of ["comparison/rules", "findings"])
    await call(409, "GET", `/reports/${pair.reportId}/${list}?base=${pair.baseId}`);
  await call(202, "GET", other);
  await failRequest(db, pair, "not_compared");
  await call(200, "GET", other);
  await call(201, "POST", "/reports", { attributes: { starting_url: "https://preview.example.com/", base_id: base } });
  await call(200, "GET", `/reports/${base}`);
  await call(200, "GET", compared);
  await call(200, "GET", `${self}/comparison`);
  await call(200, "GET", `${compared}/comparison?base=${unreachable.made.id}`);
  await call(200, "GET", `${self}/progress`);
  const selfId = self.replace("/reports/", "");
  const detail = 'It has "trash" as its action, with a token (token).';
  const url = "https://example.com/shop/post?id=7&action=trash&token=4f9c2d81ab";
  await writeNotices(db, selfId, [{ code: "acts_left_out", url, howMany: 1, detail }]);
  await setReport(db, selfId, { phase: "Crawling" });
  await call(200, "GET", `${self}/progress`);
  await setReport(db, selfId, { phase: "Complete" });
  const filters = "filter[kind]=html&filter[issue_type]=error&filter[rule]=x&filter[muted]=false";
  for (const name of ["", ".ndjson", ".csv", ".sheet", ".sarif", ".junit"])
    for (const query of [filters, "filter[impact]=minor&filter[state]=new&filter[path]=/news/&filter[role]=template"])
      await call(200, "GET", `${self}/export${name}?${query}`);
  await call(200, "GET", `${self}/mutings?${PAGE}`);
  const silencing = await call(200, "GET", `/mutings?${PAGE}`);
  const silenced = sql`report_id in (select report_id from report_ends where is_whole)`;
  await sql`update findings set muting_id = ${silencing.json.data[0]?.id}::bigint where ${silenced}`.execute(db);
  await call(200, "GET", `/mutings?now=true&${PAGE}`);
  await call(200, "GET", `/mutings/${silencing.json.data[0]?.id}?now=true`);
  await sql`update findings set muting_id = null where ${silenced}`.execute(db);
  const tried = {
    url_match: "example",
    message: "needs",
    ...EVERY_CRITERION,
    category: null,
    comment: null,
    reason: null,
  };
  const preview = { ...tried, expires_at: null, rule: null, selector: null, fingerprint: null, component: null };
  await call(200, "POST", `/mutings/preview?report_id=${id}`, { attributes: preview });
  await call(200, "POST", "/mutings/preview", { attributes: { ...tried, expires_at: "2100-01-31T12:00:00Z" } });
  const { made } = await call(201, "POST", "/mutings", { attributes: { rule: "changed" } });
  await call(200, "POST", `/mutings/preview?muting_id=${made.id}`, { attributes: { rule: "changed-again" } });
  await call(200, "GET", `${page}/screenshot`);
  await keepSignInPictures(db, id, [signInPicture(), signInPicture({ step: 3, action: "", failed: true })]);
  await call(200, "GET", `${self}/sign_in_pictures/2`);
  await call(200, "GET", self);
  await call(200, "GET", `${page}/pictures/${found.pictureId}`);
  await call(200, "GET", `${page}/source`);
  await db.transaction().execute(async (trx) => {
    await announceComparison(trx, id);
    await call(409, "DELETE", page);
  });
  await call(200, "PATCH", self, { attributes: { shared: true } });
  const cancelled = await call(201, "POST", "/reports", { attributes: { starting_url: target.starting_url } });
  await call(200, "PATCH", `/reports/${cancelled.made.id}`, { attributes: { cancelled: true } });
  await walk.recording(api.as(undefined))(200, "GET", self);
  await call(200, "PATCH", page, { attributes: { status: "pending" } });
  await walkEvents(db, call, id);
}

/** What the engines would have stored: their names, and raw results. */
async function makeRealistic(db: Kysely<Database>, reportId: string, pageId: string): Promise<void> {
  const engines = {
    html: { name: "conformance", version: "0.1.0+vnu-26.9.27" },
    a11y: { name: "axe-core", version: "4.0.0" },
    links: { name: "link-checker", version: "1.0.0" },
  };
  await db
    .updateTable("reports")
    .set({ engines: JSON.stringify(engines) })
    .where("id", "=", reportId)
    .execute();
  const message = {
    type: "error",
    rule: "img/alt",
    section: "https://html.spec.whatwg.org/multipage/images.html#alt",
    message: "Element <img> needs an alternative",
    extract: '<img src="a.png">',
    firstLine: 3,
    lastLine: 3,
    firstColumn: 1,
    lastColumn: 17,
    hiliteStart: 0,
    hiliteLength: 17,
  };
  const warning = {
    ...message,
    type: "info",
    subType: "warning",
    rule: "void/trailing-slash",
    section: "",
    message: "Trailing slash",
  };
  const edit = { start: 52, end: 52, startLine: 3, startColumn: 6, endLine: 3, endColumn: 6, text: " " };
  const fix = { kind: "attribute", title: "insert a space at 3:6", edits: [edit], removes: 2 };
  const mistake = { ...message, rule: "likely-mistake", message: "White space is probably missing here.", fix };
  const raws = {
    html: {
      ...{ url: "https://example.com/", language: "en" },
      messages: [mistake, { ...message, causedBy: 0 }, warning],
    },
    a11y: { violations: [{ id: "color-contrast", impact: "serious", nodes: [] }], incomplete: [], passes: [] },
  };
  const { text } = edit;
  const place = { start_line: 3, start_column: 6, end_line: 3, end_column: 6, text };
  const parts = [
    { fix: { title: fix.title, removes: fix.removes, edits: [place] } },
    { caused_by: { rule: mistake.rule, first_line: 3, first_column: 1 } },
  ];
  await sql`
    update issues set html = jsonb_set(jsonb_set(html, '{1}', html->1 || ${JSON.stringify(parts[0])}::jsonb),
      '{2}', html->2 || ${JSON.stringify(parts[1])}::jsonb)
    where web_page_id = ${pageId} and kind = 'html' and how_many = 3`.execute(db);
  await sql`
    update findings f set consequences = f.how_many from issues i
    where i.id = f.issue_id and i.web_page_id = ${pageId} and encode(f.fingerprint, 'hex') = i.html->2->>'fingerprint'
      and i.html->2 ? 'caused_by'`.execute(db);
  for (const kind of ["html", "a11y"] as const)
    await db
      .updateTable("raw_checks")
      .set({ raw_zstd: await compressText(Buffer.from(JSON.stringify(raws[kind]))) })
      .where("web_page_id", "=", pageId)
      .where("kind", "=", kind)
      .execute();
}

/** Reads the events of a report that has ended: the end, and then 204. */
async function walkEvents(db: Kysely<Database>, call: Recording, reportId: string): Promise<void> {
  await db.updateTable("reports").set({ phase: "Complete" }).where("id", "=", reportId).execute();
  const { text } = await call(200, "GET", `/reports/${reportId}/events`);
  const ids = [...text.matchAll(/^id: (\S+)$/gm)].map(([, id = ""]) => id);
  const headers = { "last-event-id": ids.at(-1) ?? "" };
  await call(204, "GET", `/reports/${reportId}/events`, { headers });
}

/** Leaves no room for other definitions of the account. */
async function fillResources(db: Kysely<Database>, accountId: string): Promise<void> {
  await sql`update reports set spec = spec || jsonb_build_object('filler', repeat('x', ${MAX_RESOURCE_BYTES}))
    where id = (select id from reports where account_id = ${accountId} limit 1)`.execute(db);
}

/** An account without credits left. */
export async function walkNoCredits(walk: Walker, database: TestDatabase, api: TestApi): Promise<void> {
  const { accountId, token } = await accountWithToken(database, { monthly_credits: 0 });
  const call = walk.recording(api.as(token));
  await call(402, "POST", "/reports", { attributes: { starting_url: target.starting_url } });
  const report = await insertReport(database.db, { accountId });
  const { pageIds } = await insertFindings(database.db, report);
  await call(402, "PATCH", `/reports/${report}/web_pages/${pageIds[0]}`, { attributes: { status: "pending" } });
  const schedule = { starting_url: target.starting_url, periodicity: null, preview_hosts: "pr-*.example.com" };
  const { made } = await call(201, "POST", "/schedules", { attributes: schedule });
  const hook = new URL(String(made.attributes.deploy_hook_url)).pathname.replace("/api/v1", "");
  await walk.recording(api.as(undefined))(402, "POST", hook, { body: "starting_url=https://pr-1.example.com/" });
  await fillResources(database.db, accountId);
  await call(402, "POST", "/schedules", { attributes: schedule });
  const exclusions = Array.from({ length: 100 }, (_, index) => `/left-out-${index}`).join("\n");
  await call(402, "PATCH", `/schedules/${made.id}`, { attributes: { exclusions } });
}
