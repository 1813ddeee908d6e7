import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { type Kysely, sql } from "kysely";
import { connect } from "../../src/database/connection/connect.ts";
import { withJobToken } from "../../src/database/connection/connection-options.ts";
import { readNotices, writeNotices } from "../../src/database/crawl/notices.ts";
import { ensureJobRole, jobToken, ownLogin, withLogin } from "../../src/database/job-role.ts";
import { projectedColumns } from "../../src/database/reports/projected-columns.ts";
import type { Database } from "../../src/database/tables.ts";
import { accountWithToken, guestWithToken } from "../support/api.ts";
import { insertReport } from "../support/builders.ts";
import { readReport } from "../support/check-counts.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { insertFindings } from "../support/findings.ts";
import { ownAddress } from "../support/own-address.ts";
import { serveSite } from "../support/site.ts";

const page = (body: string) => `<!doctype html><html lang="en"><title>A page</title><h1>A page</h1>${body}`;

/** Tables with rows of single reports, and what a row of another report's could be changed by. */
const ofReports: Record<string, string> = {
  reports: "num_pages = 999",
  rate_limits: "next_slot = now()",
  frontier: "done = true",
  web_pages: "http_status = 599",
  page_sources: "body = ''",
  excluded_urls: "url = 'x'",
  report_notices: "how_many = 999",
  inbound_links: "how_many = 999",
  seen_links: "body = ''",
  page_references: "ids = ''",
  answers: "status = 599",
  checks: "status = 'queued'",
  check_counts: "errors = 0",
  common_issues: "how_many = 0",
  issues: "how_many = 0",
  raw_checks: "raw = '1'",
  screenshots: "png = ''",
  element_pictures: "webp = ''",
};

/** Statements that a Job that was taken over may try. Each must be refused. */
const forbidden: [name: string, statement: string][] = [
  ["read tokens", "select * from api_tokens"],
  [
    "create a token",
    "insert into api_tokens (account_id, name, scope, token_hash) select account_id, 'x', 'write', '\\x00' from reports",
  ],
  ["read names and addresses of guests", "select name, email from guest_accounts"],
  ["read stored credentials", "select * from basic_auths"],
  ["have its Jobs counted anew", "update reports set last_jobs = '{}'"],
  ["read schedules and their hooks", "select * from schedules"],
  ["read stored answers of the API", "select * from idempotency_keys"],
  ["read or write resources of the local cluster", "select * from cluster_objects"],
  [
    "start a Job through the local cluster",
    "insert into cluster_objects (kind, namespace, name, uid, resource_version, object) values ('Job', 'default', 'x', 'x', 1, '{}')",
  ],
  ["depose the leader", "update leader_terms set term = 1e9"],
  ["read the keys of tokens", "select * from job_keys"],
  ["make a token for another report", "select job_token(id) from reports"],
  ["give its account more credits", "update accounts set monthly_credits = null"],
  ["share its report", "update reports set shared = true"],
  ["give its report to another account", "update reports set account_id = gen_random_uuid()"],
  ["change what its report asks for", "update reports set spec = '{}'"],
  ...[...projectedColumns.fixed, ...projectedColumns.following].map((column): [string, string] => [
    `change the ${column} of its report`,
    `update reports set ${column} = ${column}`,
  ]),
  ["make its report pass its gate", "update reports set passed = true"],
  ["give its report's counters to another account", "update check_counts set account_id = gen_random_uuid()"],
  ["give its report's counters to another report", "update check_counts set report_id = gen_random_uuid()"],
  [
    "count another report",
    "insert into check_counts (report_id, account_id, kind) select gen_random_uuid(), account_id, 'html' from reports",
  ],
  ["delete its report's counters", "delete from check_counts"],
  ["delete its report", "delete from reports"],
  ["create a mute", "insert into mutings (account_id, criteria) select account_id, '{}' from reports"],
  ["empty a table", "truncate web_pages"],
  ["turn the rules off", "alter table reports disable row level security"],
  ["create a table", "create table planted (id integer)"],
  [
    "create a function in place of another",
    "create or replace function job_report() returns uuid language sql as 'select null::uuid'",
  ],
  ["become the owner", "set role site_validator"],
  ["read files of the server", "select pg_read_file('/etc/passwd')"],
  ["run programs on the server", "copy (select 1) to program 'id'"],
];

describe("the database's user of Jobs", () => {
  let database: TestDatabase;
  let url: string;
  let mine: string;
  let other: string;
  let sibling: string;
  const opened: Kysely<Database>[] = [];

  before(async () => {
    database = await createTestDatabase();
    const { db } = database;
    const { accountId } = await accountWithToken(database);
    await guestWithToken(database, accountId);
    mine = await insertReport(db, { accountId });
    sibling = await insertReport(db, { accountId });
    other = await insertReport(db);
    for (const id of [mine, sibling, other]) {
      const { pageIds } = await insertFindings(db, id);
      await db
        .insertInto("frontier")
        .values({ report_id: id, url: "https://example.com/", position: 1, depth: 0 })
        .execute();
      await writeNotices(db, id, [
        { code: "sitemap_failed", url: "https://example.com/s.xml", howMany: 1, detail: "" },
      ]);
      await db
        .insertInto("inbound_links")
        .values({ report_id: id, url: "https://example.com/gone", how_many: 2, pages: ["https://example.com/"] })
        .execute();
      await db
        .insertInto("seen_links")
        .values({ report_id: id, number: 0, body: Buffer.from("x") })
        .execute();
      await db
        .insertInto("page_references")
        .values({ web_page_id: pageIds[0], report_id: id, body: null, ids: Buffer.from("x") })
        .execute();
      await db
        .insertInto("answers")
        .values({ report_id: id, url: "https://example.com/a", status: 200, location: null })
        .execute();
      await db
        .insertInto("page_sources")
        .values({
          web_page_id: pageIds[2],
          encoding: "identity",
          body: Buffer.from("<p>"),
          content_type: "text/html",
          charset: null,
        })
        .execute();
    }
    const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db);
    const login = ownLogin(rows[0]?.name ?? "");
    expect(await ensureJobRole(db, login)).to.equal(true);
    url = withLogin(database.url, login);
  });
  after(async () => {
    for (const db of opened) await db.destroy();
    await database.drop();
  });

  function as(token: string | undefined): Kysely<Database> {
    const db = connect({
      url: token === undefined ? url : withJobToken(url, token),
      ...{ applicationName: "test", maxConnections: 1, onIdleError: () => {} },
    });
    opened.push(db);
    return db;
  }
  const count = async (db: Kysely<Database>, table: string) =>
    (await sql`select from ${sql.table(table)}`.execute(db)).rows.length;

  it("sees the rows of its own report, in every table that has rows of reports", async () => {
    const job = as(await jobToken(database.db, mine));
    for (const table of Object.keys(ofReports)) {
      const all = await count(database.db, table);
      expect([table, await count(job, table)]).to.deep.equal([table, all / 3]);
      expect(all).to.be.above(0);
    }
    expect((await sql`select id from reports`.execute(job)).rows).to.deep.equal([{ id: mine }]);
  });

  it("changes no row of another report, neither of its own account's nor of another's", async () => {
    const job = as(await jobToken(database.db, mine));
    for (const [table, change] of Object.entries(ofReports)) {
      const all = `select json_agg(t order by t::text) as rows from ${table} t`;
      const column = ["page_sources", "raw_checks", "screenshots", "element_pictures"].includes(table)
        ? `web_page_id in (select id from web_pages where report_id <> '${mine}')`
        : `${table === "reports" ? "id" : "report_id"} <> '${mine}'`;
      const others = `${all} where ${column}`;
      const before = (await sql.raw(others).execute(database.db)).rows;
      for (const statement of [`update ${table} set ${change}`, `delete from ${table}`])
        await sql
          .raw(`begin; ${statement}; rollback`)
          .execute(job)
          .catch(() => sql`rollback`.execute(job));
      for (const statement of [`update ${table} set ${change}`, `delete from ${table}`])
        await sql
          .raw(`${statement} where ${column}`)
          .execute(job)
          .catch(() => {});
      expect((await sql.raw(others).execute(database.db)).rows, table).to.deep.equal(before);
    }
  });

  it("writes notices of its own report, again and again, and none of another", async () => {
    const job = as(await jobToken(database.db, mine));
    const notice = { code: "robots_unread", url: "https://example.com/robots.txt", howMany: 1, detail: "" } as const;
    for (const detail of ["first", "second"]) await writeNotices(job, mine, [{ ...notice, detail }]);
    const [robots] = await readNotices(job, mine);
    expect(robots).to.deep.include({
      code: "robots_unread",
      how_many: 1,
      examples: [{ url: notice.url, detail: "second" }],
    });
    expect(await writeNotices(job, other, [notice]).catch(String)).to.match(/row-level security/);
  });

  it("adds no row to another report", async () => {
    const job = as(await jobToken(database.db, mine));
    const page = { report_id: other, url: "https://planted.example/", http_status: 200, linked_from: null };
    const refused = await job.insertInto("web_pages").values(page).execute().catch(String);
    expect(refused).to.match(/row-level security/);
  });

  for (const [name, statement] of forbidden)
    it(`may not ${name}`, async () => {
      const job = as(await jobToken(database.db, mine));
      const outcome = await sql
        .raw(statement)
        .execute(job)
        .then(() => "done", String);
      expect(outcome).to.match(/permission denied|must be owner|must be superuser|row-level security/);
    });

  it("reads only its own account's credits and mutings, and no other guest's", async () => {
    const job = as(await jobToken(database.db, mine));
    expect(await count(job, "accounts")).to.equal(1);
    expect((await sql`select token from guest_accounts`.execute(job)).rows).to.have.length(0);
  });

  for (const [name, forge] of [
    ["no token", () => undefined],
    ["a token of another form", () => "x".repeat(101)],
    ["another report's id with its own signature", (token: string) => other + token.slice(36)],
    ["a signature that was changed", (token: string) => token.replace(/.$/, (last) => (last === "0" ? "1" : "0"))],
    ["only the id", (token: string) => token.slice(0, 36)],
  ] as [string, (token: string) => string | undefined][])
    it(`sees nothing with ${name}`, async () => {
      const job = as(forge(await jobToken(database.db, mine)));
      for (const table of [...Object.keys(ofReports), "mutings", "credit_usage"])
        expect([table, await count(job, table)]).to.deep.equal([table, 0]);
    });

  it("is not misled by tables and functions that a Job makes for its session", async () => {
    const job = as(await jobToken(database.db, mine));
    await sql.raw("create temporary table job_keys (inner_key bytea, outer_key bytea)").execute(job);
    await sql.raw("insert into job_keys values ('', '')").execute(job);
    await sql
      .raw("create function pg_temp.job_token(uuid) returns text language sql as $$ select $1 || 'x' $$")
      .execute(job);
    await sql.raw("set search_path = pg_temp, public").execute(job);
    await sql.raw(`set site_validator.job_token = '${other}.${"0".repeat(64)}'`).execute(job);
    expect(await count(job, "public.reports".slice(7))).to.equal(0);
  });

  it("is created once by many that start at the same time", async () => {
    const login = ownLogin("many");
    const made = await Promise.all(Array.from({ length: 5 }, () => ensureJobRole(database.db, login)));
    expect(made).to.deep.equal(Array(5).fill(true));
  });

  it("does not change what other users of the database see", async () => {
    await sql.raw("create role reader_of_everything login password 'x'").execute(database.db);
    await sql.raw("grant select on reports, web_pages to reader_of_everything").execute(database.db);
    const reader = connect({
      url: withLogin(database.url, { user: "reader_of_everything", password: "x" }),
      ...{ applicationName: "test", maxConnections: 1, onIdleError: () => {} },
    });
    opened.push(reader);
    expect(await count(reader, "reports")).to.equal(3);
    expect(await count(reader, "web_pages")).to.equal(9);
  });

  it("has all the rights that the real crawler and checkers need, and credits are charged", async () => {
    const { db } = database;
    // Loopback is closed to guests: their report needs another address of this machine.
    const ofGuest = ownAddress();
    if (!ofGuest) console.warn("    NOT RUN: a guest's credits: this machine has no address but loopback.");
    const routes = { "/": page('<img src="x"><a href="/b">b</a>'), "/b": page("<p>b</p>") };
    const site = await serveSite(routes, ofGuest);
    const { accountId } = await accountWithToken(database, { monthly_credits: 100 });
    const { guestToken } = await guestWithToken(database, accountId);
    const options = { storeRawHtmlChecks: true, storeRawA11yChecks: true, storeScreenshot: true, rateLimit: 25 };
    const spec = { startingUrl: site.url, performA11yChecks: true, ...options };
    const id = await insertReport(db, { accountId, spec });
    if (ofGuest) await db.updateTable("reports").set({ guest_token: guestToken }).where("id", "=", id).execute();
    const env = {
      ...{ PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", LOG_LEVEL: "error" },
      ...{
        DATABASE_URL: url,
        JOB_TOKEN: await jobToken(db, id),
        ALLOWED_PRIVATE_CIDRS: `${ofGuest ?? "127.0.0.1"}/32`,
      },
      CACHE_DIR: path.resolve("node_modules/.cache/site-validator"),
    };
    const run = (...args: string[]) =>
      promisify(execFile)(process.execPath, ["bin/run.js", ...args, "--report", id, "--run", "1"], { env });
    await run("crawler");
    await run("checker", "--engine", "html", "--html-engine", "conformance");
    await run("checker", "--engine", "a11y");
    const row = await readReport(db, id);
    expect(row.failure_detail).to.equal(null);
    expect(row).to.include({ crawl_state: "ended", num_pages: 2, html_checked: 2, a11y_checked: 2, html_failed: 0 });
    expect(row.html_errors).to.be.above(0);
    const charged = await db.selectFrom("credit_usage").select("charged").where("account_id", "=", accountId).execute();
    expect(charged).to.deep.equal(ofGuest ? [{ charged: 4 }, { charged: 4 }] : [{ charged: 4 }]);
    await site.close();
  });
});
