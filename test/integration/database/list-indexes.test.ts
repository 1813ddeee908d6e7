import { expect } from "chai";
import { type CompiledQuery, Kysely, PostgresDialect, sql } from "kysely";
import pg from "pg";
import { listBasicAuths } from "../../../src/database/accounts/basic-auths.ts";
import { listGuests } from "../../../src/database/accounts/guests.ts";
import { listMutings } from "../../../src/database/accounts/mutings.ts";
import { listTokens } from "../../../src/database/accounts/token-list.ts";
import { listReports, type ReportQuery, reportSortKeys } from "../../../src/database/reports/queries.ts";
import { listSchedules } from "../../../src/database/schedules/schedules.ts";
import type { Database } from "../../../src/database/tables.ts";
import { insertAccount, reportSpec } from "../../support/builders.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

type Plan = { "Node Type": string; "Actual Rows"?: number; "Actual Loops"?: number; Plans?: Plan[] } & Record<
  string,
  unknown
>;

/** Rows of each list in the account; a list's first page must not read more than a few of them. */
const ROWS = 3_000;
const MAX_ROWS_READ = 200;
const page = { limit: 25, offset: 0 };

describe("the lists of a large account", () => {
  let database: TestDatabase;
  let recorded: CompiledQuery[];
  let db: Kysely<Database>;
  let accountId: string;
  let scheduleId: string;

  before(async () => {
    database = await createTestDatabase();
    db = new Kysely<Database>({
      dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: database.url, max: 1 }) }),
      log: ({ query }) => void recorded.push(query),
    });
    recorded = [];
    accountId = await insertAccount(database.db);
    scheduleId = await fill(database.db, accountId);
  });
  after(async () => {
    await db.destroy();
    await database.drop();
  });

  /** How many rows each query of a list's page reads; the query that counts them reads all. */
  async function rowsRead(list: () => Promise<{ rows: unknown[] }>): Promise<number> {
    recorded = [];
    expect((await list()).rows).to.have.length(page.limit);
    const queries = recorded.filter(({ sql: text }) => / limit /.test(text));
    // Where rows may be large, their sizes are read first.
    expect(queries).to.have.length.within(1, 2);
    let read = 0;
    for (const { sql: text, parameters } of queries) {
      const client = new pg.Client({ connectionString: database.url });
      await client.connect();
      const { rows } = await client.query(`explain (analyze, format json) ${text}`, [...parameters]);
      await client.end();
      read = Math.max(read, scanned((rows[0] as { "QUERY PLAN": { Plan: Plan }[] })["QUERY PLAN"][0]?.Plan));
    }
    return read;
  }

  const reports = (query: Partial<ReportQuery> = {}) =>
    listReports(db, {
      ...{ accountId, createdBy: "all", sort: { key: "last_checked_at", direction: "desc" }, page },
      ...query,
    });

  for (const key of reportSortKeys)
    for (const direction of ["asc", "desc"] as const)
      it(`read few reports for the order ${key}-${direction}`, async () => {
        expect(await rowsRead(() => reports({ sort: { key, direction } }))).to.be.at.most(MAX_ROWS_READ);
      });

  const filters: [string, () => Partial<ReportQuery>][] = [
    ["the account's own", () => ({ createdBy: "me" })],
    ["those of guests", () => ({ createdBy: "guests" })],
    ["those of one guest", () => ({ createdBy: { guestTokens: ["guest-7"] } })],
    ["those of a schedule", () => ({ scheduleId })],
    ["those with a tag", () => ({ tags: { mode: "any", list: ["rare"] } })],
    ["those with all of two tags", () => ({ tags: { mode: "all", list: ["rare", "often"] } })],
    ["those without a tag", () => ({ tags: { mode: "none", list: ["rare"] } })],
    ["those with a text in their URL", () => ({ url: "example.com/" })],
  ];
  for (const [name, filter] of filters)
    it(`read few reports for ${name}`, async () => {
      expect(await rowsRead(() => reports(filter()))).to.be.at.most(MAX_ROWS_READ);
    });

  const lists: [string, (guestToken: string | null) => Promise<{ rows: unknown[] }>][] = [
    ["schedules", (guestToken) => listSchedules(db, { accountId, guestToken, page })],
    ["mutings", (guestToken) => listMutings(db, { accountId, guestToken }, page)],
    ["tokens", (guestToken) => listTokens(db, { accountId, guestToken }, page)],
    ["credentials", (guestToken) => listBasicAuths(db, { accountId, guestToken }, page)],
  ];
  for (const [name, list] of lists)
    for (const guestToken of [null, "guest-7"])
      it(`read few ${name}${guestToken === null ? "" : " of one guest"}`, async () => {
        expect(await rowsRead(() => list(guestToken))).to.be.at.most(MAX_ROWS_READ);
      });

  it("read few guests", async () => {
    expect(
      await rowsRead(() => listGuests(db, { accountId, guestToken: null, scope: "write" as const }, page, new Date())),
    ).to.be.at.most(MAX_ROWS_READ);
  });
});

/** Rows that the scans of a plan read, including those that a filter removed. */
function scanned(plan: Plan | undefined): number {
  if (!plan) return 0;
  const { "Actual Rows": rows = 0, "Actual Loops": loops = 0, "Rows Removed by Filter": removed = 0 } = plan;
  const own = /Scan$/.test(plan["Node Type"]) ? (rows + Number(removed)) * loops : 0;
  return own + (plan.Plans ?? []).reduce((sum, part) => sum + scanned(part), 0);
}

/** ROWS of everything that an account lists, a tenth of them guests', distributed evenly. @returns a schedule's id */
async function fill(db: Kysely<Database>, accountId: string): Promise<string> {
  const spec = JSON.stringify(reportSpec());
  const guest = sql.raw("case when n % 10 = 7 then 'guest-' || n % 20 end");
  const numbers = sql`generate_series(1, ${ROWS}::integer) n`;
  await sql`
    insert into guest_accounts (token, account_id, max_usage, inserted_at)
    select 'guest-' || n, ${accountId}, 10, now() - n * interval '1 minute' from ${numbers}`.execute(db);
  await sql`
    insert into schedules (id, account_id, guest_token, namespace, name, uid, spec, starting_url, inserted_at)
    select gen_random_uuid(), ${accountId}, ${guest}, 'default', 's' || n, n, ${spec}, 'https://example.com/' || n,
      now() - n * interval '1 minute' from ${numbers}`.execute(db);
  const schedule = await db.selectFrom("schedules").select("id").limit(1).executeTakeFirstOrThrow();
  await sql`
    insert into reports (id, account_id, guest_token, schedule_id, namespace, name, uid, spec, starting_url, domain,
      tags, num_pages, html_errors, html_warnings, a11y_errors, a11y_warnings, last_checked_at, inserted_at)
    select gen_random_uuid(), ${accountId}, ${guest}, case when n % 50 = 0 then ${schedule.id}::uuid end,
      'default', 'r' || n, n, ${spec}, 'https://example.com/' || n % 100, 'example.com',
      array['often'] || case when n % 60 = 0 then array['rare'] else '{}' end,
      n % 9, n % 8, n % 7, n % 6, n % 5, now() - n * interval '1 minute', now() - n * interval '1 day'
    from ${numbers}`.execute(db);
  await sql`
    insert into mutings (account_id, guest_token, url_match, message)
    select ${accountId}, ${guest}, 'x', 'y' from ${numbers}`.execute(db);
  await sql`
    insert into api_tokens (account_id, guest_token, name, scope, token_hash, inserted_at)
    select ${accountId}, ${guest}, 'n', 'read', n::text::bytea, now() - n * interval '1 minute' from ${numbers}`.execute(
    db,
  );
  await sql`
    insert into basic_auths (account_id, guest_token, host, username, password_sealed, inserted_at)
    select ${accountId}, ${guest}, 'h', 'u', 'p', now() - n * interval '1 minute' from ${numbers}`.execute(db);
  await sql`analyze`.execute(db);
  return schedule.id;
}
