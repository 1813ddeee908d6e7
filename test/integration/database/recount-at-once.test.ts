import { expect } from "chai";
import { type Kysely, sql } from "kysely";
import { defaultLimits } from "../../../src/database/connection/connection-options.ts";
import { countedSection } from "../../../src/database/findings/element-counts.ts";
import { listComponents } from "../../../src/database/findings/list-components.ts";
import { countByRule } from "../../../src/database/findings/rules.ts";
import { listOutdatedReports } from "../../../src/database/reports/recounts.ts";
import { markReportDeleted } from "../../../src/database/reports/reports.ts";
import type { Database } from "../../../src/database/tables.ts";
import type { CheckOutcome, HtmlIssue } from "../../../src/domain/findings/findings.ts";
import { elementKey } from "../../../src/domain/identity/element-key.ts";
import { requeuePage } from "../../../src/transactions/change-pages.ts";
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
const OF_RULE: Record<string, number> = { one: OF_PAGE / 3, two: (OF_PAGE * 2) / 3 };

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

  /** A report with these rules, each at many elements of each page. */
  async function run(day: string, rules = ["one", "two"]): Promise<string> {
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
    const issues = rules.map((rule) => issueOf(rule, OF_RULE[rule] ?? 0));
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

  /** Keeps a row locked while `work` runs, in whose transaction it may change it. */
  async function whileLocked(
    row: ReturnType<typeof sql>,
    work: (trx: Kysely<Database>) => Promise<void>,
  ): Promise<void> {
    await other.transaction().execute(async (trx) => {
      await sql`${row} for update`.execute(trx);
      await work(trx);
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

  /** The transactions that have stored lists. */
  const versions = () =>
    sql<{ rows: string }>`
      select string_agg(distinct xmin::text, ' ') as rows from (
        select xmin from components where report_id = ${report} union all select xmin from rule_pages where report_id = ${report}
        union all select xmin from compared_issues where comparison_id = ${comparisonId}::bigint
      ) stored`.execute(database.db);

  it("leaves what is stored as it is where a muting silences nothing", async () => {
    const before = (await versions()).rows;
    await mute("three");
    await recount();
    expect((await listOutdatedReports(database.db)).map(({ id }) => id)).not.to.include(report);
    expect((await versions()).rows).to.deep.equal(before);
    expect(await numbers()).to.deep.equal(BEFORE);
  });

  it("stores lists anew that a change has outdated while it waited for the report, where a muting silences nothing", async () => {
    const before = (await versions()).rows;
    await mute("three");
    let recounted: Promise<void> | undefined;
    await whileLocked(sql`select from reports where id = ${report}`, async (trx) => {
      recounted = recount();
      await eventually(() => waiting(1));
      await sql`update reports set last_checked_at = now() where id = ${report}`.execute(trx);
    });
    await recounted;
    expect(await numbers()).to.deep.equal(BEFORE);
    expect((await versions()).rows).not.to.deep.equal(before);
  });

  it("is done in parts, with what is found meanwhile on a failed page that is checked again", async () => {
    const { db } = database;
    const context = { reportId: report, kind: "html" as const, spec: reportSpec({ performHtmlChecks: true }) };
    const check = async (outcome: CheckOutcome) => {
      const { checks } = await leaseChecks(db, context, 1, "2026-05-01");
      const results = checks.map((lease) => ({ lease, outcome }));
      expect(await recordOutcomes(db, context, results, NOW)).to.have.property("size", 1);
    };
    const [page = ""] = await queuePages(db, report, ["<p>"]);
    await check({ kind: "html", failure: { code: "timeout", detail: "It took too long." } });
    expect(await storeComponents(db, report, comparisonId)).to.equal("all");
    await mute("one");
    let recounted: Promise<void> | undefined;
    await whileLocked(commonIssue(), async () => {
      await requeuePage(db, report, page, NOW);
      recounted = recount();
      await eventually(() => waiting(1));
      await check({ kind: "html", engine, issues: [issueOf("three", 5)] });
    });
    await recounted;
    const { counted, rules, components } = await numbers();
    const errors = AFTER.counted + 5;
    expect({ counted, rules, components }).to.deep.equal({ counted: errors, rules: errors, components: errors });
    await expectConsistent(db, report);
  });

  it("is done in parts where the report has another comparison, or none, once its pages are locked", async () => {
    await mute("one");
    let recounted: Promise<void> | undefined;
    await whileLocked(sql`select from checks where report_id = ${report}`, async () => {
      recounted = recount();
      await eventually(() => waiting(1));
      await sql`update reports set comparison_id = null where id = ${report}`.execute(database.db);
    });
    await recounted;
    const { rows } = await sql`select comparison_id from component_lists where report_id = ${report}`.execute(
      database.db,
    );
    expect(rows).to.deep.equal([{ comparison_id: null }]);
    expect((await numbers()).counted).to.equal(AFTER.counted);
  });

  for (const [what, code] of [
    ["takes too long", "57014"],
    ["and another transaction wait for each other", "40P01"],
  ] as const)
    it(`is done in parts where a statement ${what}, for which nobody waits for longer than for a lock`, async () => {
      const { db } = database;
      // What a sequence has is not undone.
      await sql`create sequence tried`.execute(db);
      await sql`
        create function fail_once() returns trigger language plpgsql as $$ begin
          if not (select is_called from tried) then
            perform setval('tried', (select setting::integer from pg_settings where name = 'statement_timeout'));
            raise exception 'of this statement' using errcode = ${sql.lit(code)};
          end if;
          return null;
        end $$`.execute(db);
      await sql`create trigger fail after delete on components for each statement execute function fail_once()`.execute(
        db,
      );
      try {
        await mute("one");
        await recount();
        const { rows } = await sql<{ ms: number }>`select last_value::integer as ms from tried`.execute(db);
        expect(rows[0]?.ms).to.be.within(1, defaultLimits.lockMs - 1);
        expect(await numbers()).to.deep.equal(AFTER);
        await expectConsistent(db, report);
      } finally {
        await sql`drop function fail_once cascade`.execute(db);
        await sql`drop sequence tried`.execute(db);
      }
    });

  it("is done in parts at once where only the first part of the lists is stored", async () => {
    const { db } = database;
    await sql`update component_lists set all_version = null where report_id = ${report}`.execute(db);
    await mute("one");
    let recounted: Promise<void> | undefined;
    await whileLocked(commonIssue(), async () => {
      recounted = recount();
      await eventually(() => waiting(1));
      // In one transaction it would keep the report from being compared.
      const { rows } = await sql`
        select from pg_locks where granted and locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`.execute(
        db,
      );
      expect(rows).to.deep.equal([]);
    });
    await recounted;
    expect(await numbers()).to.deep.equal(AFTER);
  });

  it("does not keep the report from being deleted meanwhile, and ends", async () => {
    await mute("one");
    let recounted: Promise<void> | undefined;
    await whileLocked(commonIssue(), async () => {
      recounted = recount();
      await eventually(() => waiting(1));
      expect(await markReportDeleted(database.db, report, NOW)).to.equal(true);
    });
    await recounted;
    expect((await numbers()).counted).to.equal(AFTER.counted);
    await expectConsistent(database.db, report);
  });

  it("counts a comparison in which it is the base, too", async () => {
    const { db } = database;
    const next = await run("2026-05-03", ["two"]);
    const compared = await compareReports(db, next, report);
    await endReport(db, next, "Complete", NOW, compared?.id ?? null);
    const fixed = async () => {
      const { rows } = await sql`
        select issues_counted, (
          select sum((n ->> 'how_many')::integer)::integer from jsonb_array_elements(counts) n where n ->> 'state' = 'fixed'
        ) as fixed from comparisons where base_id = ${report}`.execute(db);
      return rows;
    };
    expect(await fixed()).to.deep.equal([{ issues_counted: true, fixed: (PAGES * OF_PAGE) / 3 }]);
    await mute("one");
    await recount();
    expect(await numbers()).to.deep.equal(AFTER);
    expect(await fixed()).to.deep.equal([{ issues_counted: true, fixed: null }]);
  });
});
