import { expect } from "chai";
import { sql } from "kysely";
import { routes } from "../../../src/api/routes.ts";
import { createToken } from "../../../src/database/accounts/tokens.ts";
import { insertEntry, settleIntents } from "../../../src/database/audit/entries.ts";
import { cutOldAddresses, deleteOldEntries } from "../../../src/database/audit/old-entries.ts";
import { createEncryptor } from "../../../src/domain/accounts/encryption.ts";
import type { Change } from "../../../src/domain/audit/changes.ts";
import { accountWithToken, type Call, startTestApi, type TestApi } from "../../support/api.ts";
import { insertReport } from "../../support/builders.ts";
import { createTestDatabase, emptyDatabase, type TestDatabase } from "../../support/database.ts";
import { addressOf, oneOfEach, validAttributes } from "../../support/every-route.ts";

describe("the audit log", () => {
  let database: TestDatabase;
  let api: TestApi;
  let owner: { accountId: string; token: string };
  let call: Call;

  before(async () => {
    database = await createTestDatabase();
    api = await startTestApi(database, { encryptor: createEncryptor(Buffer.alloc(32, 7).toString("base64")) });
  });
  beforeEach(async () => {
    await emptyDatabase(database.db);
    owner = await accountWithToken(database);
    call = api.as(owner.token);
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  const entries = async (query = "") => (await call("GET", `/audit${query}`)).json;
  const entry = async (id: string) => (await call("GET", `/audit/${id}`)).json.data.attributes;
  /** The newest entry, with its changes. */
  const last = async () => entry((await entries()).data[0]?.id ?? "");
  const schedule = async (attributes: object = {}) => {
    const made = await call("POST", "/schedules", {
      attributes: { starting_url: "https://example.com/", periodicity: null, ...attributes },
    });
    expect(made.status, made.text).to.equal(201);
    return made.json.data.id;
  };

  it("says who changed what, on what, from where, with what was before", async () => {
    const id = await schedule({ max_pages: 45 });
    await call("PATCH", `/schedules/${id}`, {
      attributes: { max_pages: 50 },
      headers: { "user-agent": "deploy/1.0", "x-request-id": "01JDF4Q7TN" },
    });
    const changed = await last();
    expect(changed).to.deep.include({
      ...{ who: "token", who_name: "test", operation: "updateSchedule", verb: "changed a schedule", area: "schedules" },
      ...{ outcome: "done", target_type: "schedule", target_id: id, target_path: `/schedules/${id}` },
      ...{ site_url: "https://example.com/", via: "api", address: "127.0.0.1", agent: "deploy/1.0" },
      ...{ request_id: "01JDF4Q7TN", num_changes: 1 },
      changes: [{ field: "max_pages", before: "45", after: "50", hidden: false }],
    });
    const { data, meta } = await entries();
    expect(data.map(({ attributes }) => attributes.operation)).to.deep.equal(["updateSchedule", "createSchedule"]);
    expect(meta).to.deep.include({ counts: { token: 2 }, num_kept: 2, kept_days: 730 });
  });

  it("says what was deleted", async () => {
    const id = await schedule({ max_pages: 45 });
    await call("DELETE", `/schedules/${id}`);
    const deleted = await last();
    expect(deleted).to.deep.include({ operation: "deleteSchedule", target_id: id });
    expect(deleted.changes).to.deep.include({ field: "max_pages", before: "45", after: null, hidden: false });
  });

  it("has no entry of what was refused or only read", async () => {
    await call("POST", "/schedules", { attributes: { starting_url: "no address" } });
    await call("DELETE", "/schedules/00000000-0000-0000-0000-000000000000");
    await call("GET", "/schedules");
    expect((await entries()).data).to.deep.equal([]);
    const { rows } = await sql`select from audit_intents`.execute(database.db);
    expect(rows).to.deep.equal([]);
  });

  it("names tokens as they were, also after they are revoked", async () => {
    const { id, token } = await createToken(database.db, { accountId: owner.accountId, name: "CI", scope: "write" });
    await api.as(token)("PATCH", "/retention", { attributes: { report_days: 90 } });
    await call("DELETE", `/api_tokens/${id}`);
    const [revoked, changed] = (await entries()).data;
    expect(changed?.attributes).to.include({ who_name: "CI", who_id: id, verb: "changed what is kept" });
    expect(revoked?.attributes).to.include({ verb: "revoked a token", target_name: "CI", target_id: id });
  });

  it("has what is done without a token: by a deploy hook, an invitation, a share link", async () => {
    const { json } = await call("GET", `/schedules/${await schedule()}`);
    const hook = new URL(String(json.data.attributes.deploy_hook_url)).pathname.replace("/api/v1", "");
    expect((await api.as(undefined)("POST", hook)).status).to.equal(202);
    expect(await last()).to.include({ who: "link", who_name: "a deploy hook", verb: "started a run", via: "hook" });

    const invited = (await call("POST", "/guest_accounts", { attributes: { max_usage: 5 } })).json.data.id;
    const ada = { name: "Ada\nLovelace", email: "ada@example.org" };
    await api.as(undefined)("POST", `/invitations/${invited}`, { attributes: { ...ada, name: "Ada Lovelace" } });
    expect(await last()).to.include({ who: "guest", who_name: "Ada Lovelace", verb: "accepted an invitation" });

    const report = await insertReport(database.db, { accountId: owner.accountId });
    const attributes = { report_id: report, expires_at: new Date(Date.now() + 86_400_000).toISOString() };
    const secret = (await call("POST", "/share_links", { attributes })).json.data.attributes.secret;
    for (const _ of "twice") await api.as(undefined)("GET", `/shared/${secret}`);
    const read = (await entries("?filter[who]=link&filter[area]=sharing")).data;
    expect(read.map(({ attributes: { verb } }) => verb)).to.deep.equal(["read what a share link opens"]);
  });

  it("has exports, also those by somebody else's link", async () => {
    const report = await insertReport(database.db, { accountId: owner.accountId });
    await database.db.updateTable("reports").set({ shared: true }).where("id", "=", report).execute();
    await call("GET", `/reports/${report}/export.csv`);
    for (const _ of "twice") await api.as(undefined)("GET", `/reports/${report}/export.csv`);
    const found = (await entries("?filter[area]=exports")).data;
    expect(found.map(({ attributes: { who } }) => who)).to.deep.equal(["link", "token"]);
  });

  it("keeps no secret, of whatever kind, whoever makes it", async () => {
    const ids = await oneOfEach(database, api, owner);
    const marked = { host: "example.com", username: "ada", password: "CANARY-1" };
    const headers = [{ name: "X-Preview", value: "CANARY-2" }];
    const signIn = {
      steps: [
        { type: "navigate", url: "https://example.com/sign-in" },
        { type: "change", selectors: [["#password"]], value: "CANARY-3" },
      ],
    };
    const told = { kind: "slack", name: "Press", url: "https://hooks.slack.com/services/T0/B0/CANARY-4" };
    const made: [string, object][] = [
      ["/basic_auths", { ...marked, headers, sign_in: signIn }],
      ["/receivers", { ...told, events: ["report.failed"] }],
    ];
    for (const [path, attributes] of made) {
      const { status, text, json } = await call("POST", path, { attributes });
      expect(status, text).to.equal(201);
      const again = { ...attributes };
      for (const name of ["kind", "events", "name"]) delete (again as Record<string, unknown>)[name];
      const changed = await call("PATCH", `${path}/${json.data.id}`, { attributes: again });
      expect(changed.status, changed.text).to.equal(200);
    }
    const secrets: string[] = [];
    const changing = routes.filter(({ method, isSafe, access }) => method !== "GET" && !isSafe && access === "account");
    for (const route of changing) {
      const attributes = validAttributes(route);
      const path = addressOf(route, ids);
      const { text } = await call(route.method, path, attributes && { attributes });
      secrets.push(...(text.match(/\bsv[a-z]+_[\w-]{20,}/g) ?? []));
    }
    expect(secrets.length).to.be.greaterThan(4);
    const { rows } = await sql<{ all: string }>`
      select concat(
        (select jsonb_agg(to_jsonb(e)) from audit_entries e), (select jsonb_agg(to_jsonb(i)) from audit_intents i)
      ) as all`.execute(database.db);
    const kept = rows[0]?.all ?? "";
    expect(kept).to.include("createReceiver").and.to.include("updateBasicAuth");
    expect(kept.match(/CANARY-\d|\bsv[a-z]+_[\w-]{20,}/g)).to.equal(null);
    for (const secret of secrets) expect(kept).not.to.include(secret.slice(4));
  });

  it("says of a change whose process ended that nobody knows what became of it", async () => {
    const broken = await startTestApi(database, {
      cluster: { ...api.deps.cluster, create: () => Promise.reject(new Error("The process ends here.")) },
    });
    try {
      const attributes = { starting_url: "https://example.com/" };
      expect((await broken.as(owner.token)("POST", "/reports", { attributes })).status).to.equal(500);
    } finally {
      await broken.close();
    }
    expect((await entries()).data).to.deep.equal([]);
    expect(await settleIntents(database.db, new Date(Date.now() - 900_000), 10)).to.equal(0);
    expect(await settleIntents(database.db, new Date(Date.now() + 1_000), 10)).to.equal(1);
    expect(await last()).to.include({
      operation: "createReport",
      outcome: "unknown",
      who_name: "test",
      num_changes: 0,
    });
    expect(await settleIntents(database.db, new Date(Date.now() + 1_000), 10)).to.equal(0);
  });

  it("changes nothing when it cannot be written", async () => {
    await sql`alter table audit_intents rename to gone`.execute(database.db);
    try {
      const attributes = { report_days: 1 };
      expect((await call("PATCH", "/retention", { attributes })).status).to.equal(500);
    } finally {
      await sql`alter table gone rename to audit_intents`.execute(database.db);
    }
    expect((await call("GET", "/retention")).json.data.attributes.report_days).to.equal(null);
  });

  it("is changed by no statement, and loses only what is old enough", async () => {
    const { accountId } = owner;
    const days = (howMany: number) => new Date(Date.now() - howMany * 86_400_000);
    const old = (at: Date, address: string) =>
      insertEntry(database.db, {
        ...{ accountId, at, who: "token", whoId: null, whoName: "old", operation: "x", verb: "did", area: "kept" },
        ...{ outcome: "done", target: null, via: "api", address, agent: null, requestId: null, changes: [] },
      });
    await old(days(731), "192.0.2.1");
    await old(days(729), "192.0.2.71");
    await old(days(91), "2001:db8:1:2::5c");
    await old(days(89), "192.0.2.71");
    const refused = async (statement: string) =>
      String(
        await sql
          .raw(statement)
          .execute(database.db)
          .catch((error: unknown) => error),
      );
    for (const statement of [
      "update audit_entries set who_name = 'nobody'",
      "update audit_entries set address = '198.51.100.1'",
      "update audit_entries set address = '192.0.2.0/24', verb = 'said'",
      "delete from audit_entries where at > now() - interval '90 days'",
    ])
      expect(await refused(statement), statement).to.include("neither changed nor deleted");
    expect(await deleteOldEntries(database.db, new Date(), 100)).to.equal(1);
    expect(await deleteOldEntries(database.db, days(-10_000), 100), "a clock that is ahead").to.equal(0);
    expect(await cutOldAddresses(database.db, new Date(), 100)).to.equal(2);
    expect(await cutOldAddresses(database.db, new Date(), 100)).to.equal(0);
    const { data } = await entries();
    expect(data.map(({ attributes: { address } }) => address)).to.deep.equal([
      ...["192.0.2.71", "2001:db8:1::", "192.0.2.0"],
    ]);
    await call("PATCH", "/retention", { attributes: { audit_days: 90 } });
    expect(await deleteOldEntries(database.db, new Date(), 100)).to.equal(2);
    await database.db.deleteFrom("accounts").where("id", "=", accountId).execute();
    expect(await database.db.selectFrom("audit_entries").selectAll().execute()).to.deep.equal([]);
  });

  it("says truly what was before each of many changes at once", async () => {
    const id = await schedule({ max_pages: 1 });
    const values = Array.from({ length: 12 }, (_, n) => n + 2);
    await Promise.all(values.map((max_pages) => call("PATCH", `/schedules/${id}`, { attributes: { max_pages } })));
    const found = (await entries(`?filter[target_id]=${id}`)).data.filter(
      ({ attributes }) => attributes.operation === "updateSchedule",
    );
    const changes = await Promise.all(found.map(async (one) => (await entry(one.id)).changes as Change[]));
    const pairs = changes.flat().map(({ before, after }) => [Number(before), Number(after)] as const);
    const next = new Map(pairs);
    expect(next.size).to.equal(values.length);
    let value = 1;
    for (const _ of values) value = next.get(value) ?? 0;
    const now = (await call("GET", `/schedules/${id}`)).json.data.attributes.max_pages;
    expect(value).to.equal(now);
  });

  it("is a table that no name can forge, and no line longer than its entry", async () => {
    const evil = '=HYPERLINK("https://evil.example/";"x") 2026-01-01,owner\u2028+1';
    await call("POST", "/api_tokens", { attributes: { name: evil, scope: "read" } });
    await call("PATCH", "/retention", { attributes: { report_days: 9 }, headers: { "user-agent": "@SUM(A1)\tx" } });
    const csv = (await call("GET", "/audit/export.csv")).text;
    for (const cell of ["=HYPERLINK", "@SUM"]) expect(csv).not.to.match(new RegExp(`(^|,)"?${cell}`, "m"));
    expect(csv.trim().split("\r\n").length, csv).to.equal(4);
    const lines = (await call("GET", "/audit/export.ndjson")).text.trim().split("\n");
    expect(lines.map((line) => JSON.parse(line).operation)).to.deep.equal([
      ...["exportAuditEntriesAsNDJSON", "exportAuditEntriesAsCSV", "updateRetention", "createApiToken"],
    ]);
  });

  it("keeps little of what is large", async () => {
    const ids = await oneOfEach(database, api, owner);
    const file = `path,views\n/,7\n${Array.from({ length: 150_000 }, (_, n) => `/a-long-path-of-a-page-${n},${n + 1}\n`).join("")}`;
    const imported = await call("PATCH", `/sites/${ids.site_id}/page_views`, { attributes: { file } });
    expect(imported.status, imported.text.slice(0, 300)).to.equal(200);
    expect(await last()).to.include({ operation: "importSitePageViews", site_url: "https://example.com/" });
    const { rows } = await sql<{ bytes: number }>`
      select max(pg_column_size(e.*)) as bytes from audit_entries e`.execute(database.db);
    expect(rows[0]?.bytes).to.be.lessThan(20_000);
  });

  it("knows every operation that changes something", () => {
    const silent = routes.filter(({ method, isSafe, audit }) => method !== "GET" && !isSafe && !audit);
    expect(silent.map(({ id }) => id)).to.deep.equal([]);
  });
});
