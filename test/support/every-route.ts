import { createHash } from "node:crypto";
import { expect } from "chai";
import type { Route } from "../../src/api/context.ts";
import { listDevices } from "../../src/browser/devices.ts";
import { createSession } from "../../src/database/accounts/tokens.ts";
import { keepSignInPictures } from "../../src/database/reports/sign-in-pictures.ts";
import type { TestApi } from "./api.ts";
import { insertReport, signInPicture } from "./builders.ts";
import type { TestDatabase } from "./database.ts";
import { insertFindings, insertLinkFinding } from "./findings.ts";

/** Of the site that the report is of. */
const siteId = createHash("md5").update("https://example.com/").digest("hex");

/** For each resource type, what a POST and a PATCH may hold. */
export const validBodies: Record<string, Record<"POST" | "PATCH", object>> = {
  cause: { POST: {}, PATCH: { assignee: "Web team" } },
  report: { POST: { starting_url: "https://example.com/" }, PATCH: { shared: false } },
  web_page: { POST: {}, PATCH: { status: "pending" } },
  share_link: {
    POST: { site_id: siteId, expires_at: new Date(Date.now() + 86_400_000).toISOString() },
    PATCH: { expires_at: new Date(Date.now() + 86_400_000).toISOString() },
  },
  site: { POST: {}, PATCH: { name: "The shop" } },
  site_criterion: { POST: {}, PATCH: { outcome: "passed", answered_by: "Web team" } },
  page_views: { POST: {}, PATCH: { file: "path,views\n/,120\n/about,30\n" } },
  statement: { POST: {}, PATCH: { operator: "The shop" } },
  schedule: { POST: { starting_url: "https://example.com/", periodicity: null }, PATCH: { active: false } },
  muting: { POST: { url_match: "example", message: "duplicate" }, PATCH: { comment: "later" } },
  guest_account: { POST: { max_usage: 5 }, PATCH: { max_usage: 6 } },
  team: { POST: { name: "Web team" }, PATCH: { name: "Shop editors" } },
  assignment: { POST: { site_id: siteId, assignee: "Agency South" }, PATCH: { due_on: "2030-12-10" } },
  person: { POST: { mail: "ada@example.org", role: "editor" }, PATCH: { role: "reader" } },
  api_token: {
    POST: { name: "another", scope: "read" },
    PATCH: { expires_at: new Date(Date.now() + 86_400_000).toISOString() },
  },
  receiver: {
    POST: { kind: "webhook", name: "Tickets", url: "https://tickets.example.com/in", events: ["report.failed"] },
    PATCH: { name: "Helpdesk" },
  },
  retention: { POST: { report_days: 90 }, PATCH: { picture_days: 30 } },
  // Of a report that oneOfEach makes.
  pin: { POST: { report_id: "", reason: "For the tender." }, PATCH: {} },
  deletion: { POST: { report_ids: [] }, PATCH: { stopped: true } },
  basic_auth: { POST: { host: "example.com", username: "u", password: "p" }, PATCH: { username: "v" } },
};

/**
 * Everything an account can have, by the names of the ids in paths. The report has
 * ended, so that its event stream is short. The API needs an encryptor for this.
 */
export async function oneOfEach(
  { db }: Pick<TestDatabase, "db">,
  api: TestApi,
  owner: { accountId: string; token: string },
): Promise<Record<string, string>> {
  const make = async (path: string, type: string) => {
    const reply = await api.as(owner.token)("POST", path, { attributes: validBodies[type]?.POST ?? {} });
    expect(reply.status, reply.text).to.equal(201);
    return reply.json.data.id;
  };
  const report_id = await insertReport(db, { accountId: owner.accountId });
  const kept = await insertReport(db, { accountId: owner.accountId });
  await db.updateTable("reports").set({ phase: "Complete", crawl_state: "ended" }).where("id", "=", kept).execute();
  Object.assign(validBodies.pin?.POST ?? {}, { report_id: kept });
  Object.assign(validBodies.deletion?.POST ?? {}, { report_ids: [report_id] });
  const found = await insertFindings(db, report_id);
  const links = await insertLinkFinding(db, report_id, found.pageIds);
  await db.updateTable("reports").set({ phase: "Complete" }).where("id", "=", report_id).execute();
  await keepSignInPictures(db, report_id, [signInPicture()]);
  await api.as(owner.token)("PATCH", `/sites/${siteId}/page_views`, {
    attributes: validBodies.page_views?.PATCH ?? {},
  });
  const causes = await api.as(owner.token)("GET", `/reports/${report_id}/causes`);
  const link = { report_id, expires_at: new Date(Date.now() + 86_400_000).toISOString() };
  const { json } = await api.as(owner.token)("POST", "/share_links", { attributes: link });
  const person = { mail: "grace@example.org", role: "reader" };
  const invited = await api.as(owner.token)("POST", "/people", { attributes: person });
  const team = await api.as(owner.token)("POST", "/teams", { attributes: { name: "Agency South" } });
  const deletion_id = await make("/deletions", "deletion");
  const receiver_id = await make("/receivers", "receiver");
  const test = await api.as(owner.token)("POST", `/receivers/${receiver_id}/tests`);
  const month = new Date().toISOString().slice(0, 7);
  expect((await api.as(owner.token)("POST", `/months/${month}/file`)).status).to.equal(201);
  await db
    .updateTable("month_files")
    .set({ state: "ready", pdf: Buffer.from("%PDF-1.4") })
    .execute();
  return {
    report_id,
    pin_id: await make("/pins", "pin"),
    deletion_id,
    receiver_id,
    delivery_id: test.json.data.id,
    share_link_id: json.data.id,
    share_secret: String(json.data.attributes.secret),
    web_page_id: found.pageIds[0],
    picture_id: found.pictureId,
    step: "2",
    site_id: siteId,
    month,
    criterion: "2.4.2",
    html_issue_id: found.htmlIssueIds[0],
    a11y_issue_id: found.a11yIssueId,
    common_html_issue_id: found.commonHtmlIssueIds[0],
    common_a11y_issue_id: found.commonA11yIssueId,
    cause_id: causes.json.data[0]?.id ?? "",
    link_issue_id: links.issue,
    common_link_issue_id: links.common,
    schedule_id: await make("/schedules", "schedule"),
    badge: `report.${report_id}.${api.deps.encryptor?.sign(`badge report ${report_id}`)}`,
    muting_id: await make("/mutings", "muting"),
    guest_account_id: await make("/guest_accounts", "guest_account"),
    api_token_id: await make("/api_tokens", "api_token"),
    basic_auth_id: await make("/basic_auths", "basic_auth"),
    person_id: invited.json.data.id,
    team_id: team.json.data.id,
    assignment_id: await make("/assignments", "assignment"),
    session_id: await sessionOf(db, owner.accountId, "test"),
    audit_entry_id: (await api.as(owner.token)("GET", "/audit")).json.data[0]?.id ?? "",
    device_id: (await listDevices())[1]?.id ?? "",
  };
}

/** A site of the account besides the one that `oneOfEach` is about. */
export const OTHER_SITE = "https://own.example.org/";

/** The ids of what that site has, and belongs to nothing else: for people whose role is on this site alone. */
export async function onOtherSite(
  { db }: Pick<TestDatabase, "db">,
  api: TestApi,
  owner: { accountId: string; token: string },
): Promise<Record<string, string>> {
  const make = async (path: string, attributes: object) => {
    const reply = await api.as(owner.token)("POST", path, { attributes });
    expect(reply.status, reply.text).to.equal(201);
    return reply.json.data.id;
  };
  const report_id = await insertReport(db, { accountId: owner.accountId, spec: { startingUrl: OTHER_SITE } });
  const found = await insertFindings(db, report_id, OTHER_SITE);
  const links = await insertLinkFinding(db, report_id, found.pageIds, OTHER_SITE);
  await db.updateTable("reports").set({ phase: "Complete" }).where("id", "=", report_id).execute();
  await keepSignInPictures(db, report_id, [signInPicture()]);
  const site_id = createHash("md5").update(OTHER_SITE).digest("hex");
  const call = api.as(owner.token);
  await call("PATCH", `/sites/${site_id}/page_views`, { attributes: validBodies.page_views?.PATCH ?? {} });
  const causes = await call("GET", `/reports/${report_id}/causes`);
  const components = await call("GET", `/reports/${report_id}/components`);
  const expires_at = new Date(Date.now() + 86_400_000).toISOString();
  return {
    ...{ report_id, site_id, web_page_id: found.pageIds[0], picture_id: found.pictureId },
    html_issue_id: found.htmlIssueIds[0],
    a11y_issue_id: found.a11yIssueId,
    common_html_issue_id: found.commonHtmlIssueIds[0],
    common_a11y_issue_id: found.commonA11yIssueId,
    ...{ link_issue_id: links.issue, common_link_issue_id: links.common },
    cause_id: causes.json.data[0]?.id ?? "",
    component_id: components.json.data[0]?.id ?? "",
    pin_id: await make("/pins", { report_id, reason: "Ours." }),
    share_link_id: await make("/share_links", { report_id, expires_at }),
    schedule_id: await make("/schedules", { starting_url: OTHER_SITE, periodicity: null }),
    assignment_id: await make("/assignments", { site_id, assignee: "Agency North" }),
  };
}

/** A route's address with those ids. A route with an id that is not among them is an error: it must not be forgotten. */
export function addressOf({ method, path }: Route, ids: Readonly<Record<string, string>>): string {
  return path.replace(/:(\w+)/g, (_, name: string) => {
    const id = ids[name];
    if (id === undefined) throw new Error(`${method} ${path}: make a ${name} in oneOfEach.`);
    return id;
  });
}

/** Attributes that a route takes; undefined for one without a body. */
export function validAttributes({ method, path, body: taken }: Route): object | undefined {
  if (taken === undefined) return undefined;
  const body = validBodies[taken.type];
  if (!body) throw new Error(`${method} ${path}: write a body of a ${taken.type}.`);
  return body[method as "POST" | "PATCH"];
}

/** A browser in which somebody is signed in with one of the account's tokens. @param name of the token */
export async function sessionOf(db: TestDatabase["db"], accountId: string, name: string): Promise<string> {
  const found = db.selectFrom("api_tokens").select("id").where("account_id", "=", accountId).where("name", "=", name);
  const { id } = await found.executeTakeFirstOrThrow();
  await createSession(db, id, new Date());
  return (await db.selectFrom("web_sessions").select("id").where("token_id", "=", id).executeTakeFirstOrThrow()).id;
}
