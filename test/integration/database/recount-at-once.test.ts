import { expect } from "chai";
import { type Kysely, sql } from "kysely";
import { countedSection } from "../../../src/database/findings/element-counts.ts";
import { listComponents } from "../../../src/database/findings/list-components.ts";
import { countByRule } from "../../../src/database/findings/rules.ts";
import { listOutdatedReports } from "../../../src/database/reports/recounts.ts";
import type { Database } from "../../../src/database/tables.ts";
import type { HtmlIssue } from "../../../src/domain/findings/findings.ts";
import { elementKey } from "../../../src/domain/identity/element-key.ts";
import { compareReports } from "../../../src/transactions/compare.ts";
import { recordOutcomes } from "../../../src/transactions/end-checks.ts";
import { endReport } from "../../../src/transactions/end-report.ts";
import { leaseChecks } from "../../../src/transactions/lease-checks.ts";
import { recountReport } from "../../../src/transactions/recount.ts";
import { storeComponents } from "../../../src/transactions/store-components.ts";
import { insertAccount, insertReport, reportSpec } from "../../support/builders.ts";
import { readReport } from "../../support/check-counts.ts";
import { expectConsistent } from "../../support/consistency.ts";
import { connectTo, createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { engine, htmlIssue } from "../../support/fake-runner.ts";
import { addMuting, mutingOf } from "../../support/mutings.ts";
import { queuePages } from "../../support/queue-pages.ts";
import { eventually, limitOf } from "../../support/wait.ts";

const NOW = new Date("2026-05-05T10:00:00Z");
/** More findings than are grouped for each request. */
const PAGES = 60;
const OF_PAGE = 90;

describe("a recount of a large report", function () {
  this.timeout(limitOf(60));
  let database: TestDatabase;
  let other: Kysely<Database>;
  let accountId: string;
  let report: string;
  let comparisonId: string;

  before(async () => {
    database = await createTestDatabase();
    other = connectTo(database.url, 2);
  });
  after(async () => {
    await other.destroy();
    await database.drop();
  });
  beforeEach(async () => {
    accountId = await insertAccount(database.db);
    const base = await run("2026-05-01");
    report = await run("2026-05-02");
    const compared = await compareReports(database.db, report, base);
    comparisonId = compared?.id ?? "";
    await endReport(database.db, report, "Complete", NOW, comparisonId);
    expect(await storeComponents(database.db, report, comparisonId)).to.equal("all");
  });

  /** A report with two rules, each at many elements of each page. */
  async function run(day: string): Promise<string> {
    const { db } = database;
    const spec = reportSpec({ performHtmlChecks: true });
    const id = await insertReport(db, { accountId, spec });
    await sql`update reports set inserted_at = ${day}::date where id = ${id}`.execute(db);
    await queuePages(
      db,
      id,
      Array.from({ length: PAGES }, () => "<p>"),
    );
    const { checks } = await leaseChecks(db, { reportId: id, kind: "html" }, PAGES, "2026-05-01");
    const issues = [issueOf("one", OF_PAGE / 3), issueOf("two", (OF_PAGE * 2) / 3)];
    const results = checks.map((lease) => ({ lease, outcome: { kind: "html" as const, engine, issues } }));
    await recordOutcomes(db, { reportId: id, kind: "html", spec }, results, NOW);
    if (day === "2026-05-01") await endReport(db, id, "Complete", NOW);
    return id;
  }

  function issueOf(rule: string, howMany: number): HtmlIssue {
    const [element] = htmlIssue(rule).html;
    const html = Array.from({ length: howMany }, (_, n) => {
      const attributes: [string, string][] = [["class", `${rule}-${n}`]];
      const key = elementKey({ name: "img", attributes, ancestors: [] }, "https://example.com");
      return { ...element, extract: "<img>", coordinates: htmlIssue(rule).html[0]?.coordinates, element: key };
    });
    return { ...htmlIssue(`Message of ${rule}.`), rule, html } as HtmlIssue;
  }

  const mute = (rule: string) => addMuting(database.db, { accountId, guestToken: null }, mutingOf({ rule }));

  async function recount(): Promise<void> {
    const outdated = (await listOutdatedReports(database.db)).find(({ id }) => id === report);
    if (outdated) await recountReport(database.db, outdated, new AbortController().signal);
  }

  /** The errors of the report by each place that has them, and whether all lists are read from what is stored. */
  async function numbers() {
    const of = { reportId: report, comparisonId };
    const filter = { outsideStandard: false, muted: false } as const;
    const { howMany, by } = await countByRule(database.db, of, filter);
    const components = { ...filter, comparisonId, outsideStandard: undefined };
    const listed = await listComponents(
      database.db,
      report,
      components,
      { key: "pages", direction: "desc" },
      { limit: 1, offset: 0 },
    );
    const { rows } = await sql<{ states: Record<string, number> }>`
      select json_object_agg(state, how_many) as states from (
        select state, sum(how_many) as how_many from compared_issues where comparison_id = ${comparisonId}::bigint and not is_muted group by 1
      ) counted`.execute(database.db);
    return {
      counted: (await readReport(database.db, report)).html_errors,
      rules: howMany,
      states: by.state,
      components: listed.howMany,
      compared: rows[0]?.states,
      stored: (await countedSection(database.db, of, undefined)) !== undefined,
    };
  }
  const all = (errors: number) => ({
    ...{ counted: errors, rules: errors, components: errors, stored: true },
    ...{ states: { persisting: errors }, compared: { persisting: errors } },
  });
  const BEFORE = all(PAGES * OF_PAGE);
  const AFTER = all((PAGES * OF_PAGE * 2) / 3);

  /** Keeps a row locked while `work` runs. */
  async function whileLocked(row: ReturnType<typeof sql>, work: () => Promise<void>): Promise<void> {
    await other.transaction().execute(async (trx) => {
      await sql`${row} for update`.execute(trx);
      await work();
    });
  }
  const commonIssue = () => sql`select from common_issues where report_id = ${report} and rule = 'one'`;
  const waiting = async (howMany: number) => {
    const { rows } =
      await sql`select from pg_locks where not granted and locktype in ('transactionid', 'tuple')`.execute(database.db);
    return rows.length >= howMany;
  };

  it("shows all numbers from before until all of them are new, and reads each list from what is stored meanwhile", async () => {
    expect(await numbers()).to.deep.equal(BEFORE);
    await mute("one");
    let recounted: Promise<void> | undefined;
    await whileLocked(commonIssue(), async () => {
      recounted = recount();
      // It has done everything but what many lock.
      await eventually(() => waiting(1));
      expect(await numbers()).to.deep.equal(BEFORE);
    });
    await recounted;
    expect(await numbers()).to.deep.equal(AFTER);
    await expectConsistent(database.db, report);
  });

  it("gives way to who waits for one of its pages, and is done in parts then", async () => {
    await mute("one");
    let recounted: Promise<void> | undefined;
    let page: Promise<unknown> | undefined;
    await whileLocked(commonIssue(), async () => {
      recounted = recount();
      await eventually(() => waiting(1));
      page = sql`select from checks where report_id = ${report} for update`.execute(other);
      await eventually(() => waiting(2));
    });
    await page;
    await recounted;
    expect(await numbers()).to.deep.equal(AFTER);
    await expectConsistent(database.db, report);
  });

  it("leaves what is stored as it is where a muting silences nothing", async () => {
    const versions = () =>
      sql<{ rows: string }>`
        select string_agg(distinct xmin::text, ' ') as rows from (
          select xmin from components where report_id = ${report} union all select xmin from rule_pages where report_id = ${report}
          union all select xmin from compared_issues where comparison_id = ${comparisonId}::bigint
        ) stored`.execute(database.db);
    const before = (await versions()).rows;
    await mute("three");
    await recount();
    expect((await listOutdatedReports(database.db)).map(({ id }) => id)).not.to.include(report);
    expect((await versions()).rows).to.deep.equal(before);
    expect(await numbers()).to.deep.equal(BEFORE);
  });
});
