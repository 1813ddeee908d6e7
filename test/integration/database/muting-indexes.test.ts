import { expect } from "chai";
import { type CompiledQuery, Kysely, PostgresDialect, sql } from "kysely";
import pg from "pg";
import {
  latestReports,
  listAppliedMutings,
  listExpiring,
  previewMuting,
} from "../../../src/database/accounts/mutings.ts";
import type { Database } from "../../../src/database/tables.ts";
import { expireMutings } from "../../../src/transactions/change-mutings.ts";
import { insertAccount, insertReport, reportSpec } from "../../support/builders.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

type Plan = { "Node Type": string; "Actual Rows": number; "Actual Loops": number; Plans?: Plan[] } & Record<
  string,
  unknown
>;

const page = { limit: 25, offset: 0 };
const print = "ab".repeat(10);

describe("mutings in a large account", () => {
  let database: TestDatabase;
  let db: Kysely<Database>;
  let recorded: CompiledQuery[] = [];
  let owner: { accountId: string; guestToken: null };
  let reportId: string;

  before(async () => {
    database = await createTestDatabase();
    db = new Kysely<Database>({
      dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: database.url, max: 1 }) }),
      log: ({ query }) => void recorded.push(query),
    });
    owner = { accountId: await insertAccount(database.db), guestToken: null };
    reportId = await insertReport(database.db, { accountId: owner.accountId });
    await fill(database.db, owner.accountId, reportId);
  });
  after(async () => {
    await db.destroy();
    await database.drop();
  });

  /** How many rows the statements of `run` scan, at most. */
  async function rowsRead(run: () => Promise<unknown>): Promise<number> {
    recorded = [];
    await run();
    const statements = recorded.filter(({ sql: text }) => /^\s*(?:with|select|update)/i.test(text));
    expect(statements).to.not.be.empty;
    let read = 0;
    for (const { sql: text, parameters } of statements) {
      const client = new pg.Client({ connectionString: database.url });
      await client.connect();
      const { rows } = await client.query(`explain (analyze, format json) ${text}`, [...parameters]);
      await client.end();
      read = Math.max(read, scanned((rows[0] as { "QUERY PLAN": { Plan: Plan }[] })["QUERY PLAN"][0]?.Plan));
    }
    return read;
  }

  const limits: [what: string, run: () => Promise<unknown>, most: number][] = [
    ["a preview by fingerprint", () => previewMuting(db, reportId, { fingerprint: print }), 50],
    ["the mutings of a report", () => listAppliedMutings(db, reportId, page), 1_100],
    ["the latest reports, with a look at a check of each", () => latestReports(db, owner), 2_200],
    ["the accounts with mutings that end", () => listExpiring(db, new Date()), 50],
    ["the end of a muting", () => expireMutings(db, owner.accountId, new Date()), 50],
  ];
  for (const [what, run, most] of limits)
    it(`read ${most} rows at most for ${what}`, async () => {
      expect(await rowsRead(run)).to.be.within(1, most);
    });
});

/** Rows that the scans of a plan read, including those that a filter removed. */
function scanned(plan: Plan | undefined): number {
  if (!plan) return 0;
  const { "Actual Rows": rows, "Actual Loops": loops, "Rows Removed by Filter": removed = 0 } = plan;
  const own = /Scan$/.test(plan["Node Type"]) ? (rows + Number(removed)) * loops : 0;
  return own + (plan.Plans ?? []).reduce((sum, part) => sum + scanned(part), 0);
}

/** 4,000 other reports, 1,000 mutings of which one has ended, and a report with 50,000 findings, half of them muted. */
async function fill(db: Kysely<Database>, accountId: string, reportId: string): Promise<void> {
  await sql`
    insert into reports (id, account_id, namespace, name, uid, spec, starting_url, domain, last_checked_at, inserted_at)
    select gen_random_uuid(), ${accountId}, 'default', 'r' || n, n, ${JSON.stringify(reportSpec())},
      'https://example.com/' || n % 50, 'example.com', now() - n * interval '1 hour', now() - n * interval '1 day'
    from generate_series(1, 4000) n`.execute(db);
  await sql`insert into web_pages (report_id, url) select id, 'https://example.com/' from reports`.execute(db);
  await sql`insert into web_pages (report_id, url)
    select ${reportId}::uuid, 'https://example.com/' || n from generate_series(1, 999) n`.execute(db);
  await sql`insert into checks (report_id, web_page_id, kind, status)
    select report_id, id, 'html', 'checked' from web_pages`.execute(db);
  await sql`
    insert into mutings (account_id, criteria, expires_at)
    select ${accountId}, '{"rule": "x"}', now() + (n - 1) * interval '1 day' from generate_series(1, 1000) n`.execute(
    db,
  );
  await sql`insert into common_issues (report_id, kind, key, issue_type, message, how_many)
    select ${reportId}::uuid, 'html', n::text::bytea, 'error', 'm' || n, 5000 from generate_series(1, 5) n`.execute(db);
  await sql`insert into issues (report_id, kind, web_page_id, common_id, issue_type, message, html, how_many, muted_count)
    select w.report_id, 'html', w.id, c.id, 'error', c.message, '[]', 5, 5 from web_pages w, common_issues c
    where w.report_id = ${reportId}::uuid`.execute(db);
  await sql`insert into findings
      (report_id, web_page_id, kind, issue_id, rule, issue_type, fingerprint, component, how_many, muting_id, found_at)
    select i.report_id, web_page_id, 'html', i.id, 'r', 'error',
      case when n = 10 and message = 'm1' and url like '%00' then decode(${print}, 'hex') else decode(md5(i.id || '-' || n), 'hex') end,
      '', 1, case when n <= 5 then n end, now()
    from issues i join web_pages w on w.id = web_page_id, generate_series(1, 10) n`.execute(db);
  await sql`analyze`.execute(db);
}
