import { expect } from "chai";
import fc from "fast-check";
import { sql } from "kysely";
import { findBase } from "../../../src/database/findings/comparisons.ts";
import { readProgress } from "../../../src/database/reports/progress.ts";
import { describeResult } from "../../../src/domain/findings/gate.ts";
import type { ReportSpec } from "../../../src/schema/report.ts";
import { deletePage, requeuePage } from "../../../src/transactions/change-pages.ts";
import { compareReports } from "../../../src/transactions/compare.ts";
import { recordOutcomes } from "../../../src/transactions/end-checks.ts";
import { endReport, judgeWithMuting } from "../../../src/transactions/end-report.ts";
import { leaseChecks } from "../../../src/transactions/lease-checks.ts";
import { insertAccount, insertReport, reportSpec } from "../../support/builders.ts";
import { createTestDatabase, emptyDatabase, type TestDatabase } from "../../support/database.ts";
import { a11yIssue, engine, htmlIssue } from "../../support/fake-runner.ts";
import { muteOnly } from "../../support/mute.ts";
import { addMuting, mutingOf, recountAll } from "../../support/mutings.ts";
import { queuePages } from "../../support/queue-pages.ts";
import { eventually, limitOf } from "../../support/wait.ts";

const NOW = new Date("2026-05-05T10:00:00Z");
const failure = { code: "http_error", detail: "The server responded with 500." } as const;

/** What is found on each page; null for a page that could not be checked. */
type Found = { html?: Parameters<typeof htmlIssue>[]; a11y?: Parameters<typeof a11yIssue>[] } | null;

/** What the reports of these tests perform. */
const KINDS = ["html", "a11y"] as const;

describe("the gate of a report", () => {
  let database: TestDatabase;
  let accountId: string;
  let runs = 0;

  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());
  beforeEach(async () => {
    accountId = await insertAccount(database.db);
  });
  afterEach(() => emptyDatabase(database.db));

  /** Checks the pages that are queued. */
  const check = async (id: string, spec: ReportSpec, pages: readonly Found[], at = NOW) => {
    for (const kind of KINDS) {
      const { checks } = await leaseChecks(database.db, { reportId: id, kind }, 100, "2026-05-01");
      const results = checks.map((lease) => {
        const found = pages[Number(new URL(lease.url).pathname.slice(1))] ?? null;
        const issues =
          kind === "html"
            ? { kind, engine, issues: (found?.html ?? []).map((issue) => htmlIssue(...issue)) }
            : { kind, engine, issues: (found?.a11y ?? []).map((issue) => a11yIssue(...issue)) };
        return { lease, outcome: found === null ? { kind, failure } : issues };
      });
      await recordOutcomes(database.db, { reportId: id, kind, spec }, results, at);
    }
  };

  const end = async (id: string) => {
    const base = await findBase(database.db, id);
    const compared = base === undefined ? undefined : await compareReports(database.db, id, base);
    expect(await endReport(database.db, id, "Complete", NOW, compared?.id, "no_base")).to.equal(true);
  };

  const checked = async (gate: ReportSpec["gate"], pages: readonly Found[]) => {
    const { db } = database;
    const spec = reportSpec({ gate, performA11yChecks: true });
    const id = await insertReport(db, { accountId, spec });
    runs += 1;
    await sql`update reports set inserted_at = ${new Date(NOW.getTime() + runs * 1_000)} where id = ${id}`.execute(db);
    const pageIds = await queuePages(db, id, new Array(pages.length).fill(""), KINDS);
    await check(id, spec, pages);
    return { id, spec, pageIds };
  };

  const run = async (gate: ReportSpec["gate"], pages: readonly Found[]) => {
    const report = await checked(gate, pages);
    await end(report.id);
    return report;
  };

  /** Whether it passes, and each condition in words. */
  const judged = async (id: string): Promise<unknown[]> => {
    const progress = await readProgress(database.db, id);
    return progress?.gate ? [progress.gate.passed, ...progress.gate.results.map(describeResult)] : [];
  };

  it("counts errors and warnings of both kinds, from the impact that it names", async () => {
    const page: Found = {
      html: [
        ["Obsolete <center>", 2],
        ["Trailing slash", 1, "warning"],
      ],
      a11y: [
        ["minor", 3],
        ["serious", 4],
        ["critical", 1, true],
      ],
    };
    const all = await run({ maxErrors: 17, maxWarnings: 4 }, [page, page]);
    expect(await judged(all.id)).to.deep.equal([
      false,
      "errors: 18, at most 17 allowed",
      "warnings: 4, at most 4 allowed",
    ]);
    const serious = await run({ maxErrors: 12, maxWarnings: 4, minImpact: "serious" }, [page, page]);
    expect(await judged(serious.id)).to.deep.equal([
      true,
      "errors: 12, at most 12 allowed",
      "warnings: 4, at most 4 allowed",
    ]);
  });

  it("is not there without conditions, and before the end", async () => {
    expect(await judged((await run({}, [{}])).id)).to.deep.equal([]);
    expect(await judged((await run({ failOnFailedPages: false }, [null])).id)).to.deep.equal([]);
    const running = await insertReport(database.db, { accountId, spec: { gate: { maxErrors: 0 } } });
    expect(await judged(running)).to.deep.equal([]);
  });

  it("does not judge what is new in a first run, and does in the next one", async () => {
    const gate = { maxNewErrors: 0 };
    const first = await run(gate, [{ html: [["Obsolete <center>", 2]] }]);
    expect(await judged(first.id)).to.deep.equal([
      true,
      "new errors: not judged, there is no earlier report to compare with",
    ]);
    const same = await run(gate, [{ html: [["Obsolete <center>", 2]] }]);
    expect(await judged(same.id)).to.deep.equal([true, "new errors: 0, at most 0 allowed"]);
    const worse = await run(gate, [{ html: [["Obsolete <center>", 2]], a11y: [["serious", 1]] }]);
    expect(await judged(worse.id)).to.deep.equal([false, "new errors: 1, at most 0 allowed"]);
  });

  it("counts a page that failed with both engines once", async () => {
    const { id } = await run({ failOnFailedPages: true }, [{}, null, null]);
    expect(await judged(id)).to.deep.equal([false, "pages that could not be checked: 2, at most 0 allowed"]);
  });

  it("is not passed by a report that could check nothing", async () => {
    const { id } = await run({ maxErrors: 0 }, [null]);
    expect(await judged(id)).to.deep.equal([false, "errors: not judged, no page was checked"]);
  });

  it("is judged anew when mutings change", async () => {
    const first = await run({ maxErrors: 0, maxNewErrors: 0 }, [{}]);
    const { id } = await run({ maxErrors: 0, maxNewErrors: 0 }, [{ html: [["Obsolete <center>", 2]] }]);
    const failed = [false, "errors: 2, at most 0 allowed", "new errors: 2, at most 0 allowed"];
    expect(await judged(id)).to.deep.equal(failed);
    await muteOnly(database.db, accountId, "obsolete");
    expect(await judged(id)).to.deep.equal([true, "errors: 0, at most 0 allowed", "new errors: 0, at most 0 allowed"]);
    await muteOnly(database.db, accountId);
    expect(await judged(id)).to.deep.equal(failed);
    expect(await judged(first.id)).to.have.length(3);
  });

  it("is foretold of a muting as it is judged once that is there", async function () {
    this.timeout(limitOf(60));
    const { db } = database;
    const owner = { accountId: "", guestToken: null };
    const html = ["Obsolete <center>", "No title", "Trailing slash"] as const;
    const a11y = ["minor", "serious", "critical"] as const;
    const amount = fc.integer({ min: 1, max: 3 });
    const page = fc.record({
      html: fc.array(
        fc.tuple(fc.constantFrom(...html), amount, fc.constantFrom("error" as const, "warning" as const)),
        {
          maxLength: 3,
        },
      ),
      a11y: fc.array(fc.tuple(fc.constantFrom(...a11y), amount, fc.boolean()), { maxLength: 3 }),
    });
    const pages = fc.array(page, { minLength: 2, maxLength: 2 });
    const limit = fc.option(fc.integer({ min: 0, max: 6 }), { nil: undefined });
    const gates = fc.record({
      ...{ maxErrors: limit, maxWarnings: limit, maxNewErrors: limit, maxNewWarnings: limit },
      minImpact: fc.option(fc.constantFrom(...a11y), { nil: undefined }),
    });
    const criteria = fc.oneof(
      fc.record({ rule: fc.constantFrom("rule", "rule-minor", "rule-serious", "rule-critical") }),
      fc.record({ message: fc.constantFrom(...html, "Help"), url_match: fc.constantFrom("/0", "/1", "/") }),
      fc.record({ selector: fc.constantFrom("p", "*"), rule: fc.constantFrom("rule", "rule-serious") }),
    );
    await fc.assert(
      fc.asyncProperty(gates, pages, pages, criteria, criteria, async (gate, before, now, first, wanted) => {
        owner.accountId = accountId = await insertAccount(db);
        const known = Object.fromEntries(Object.entries(gate).filter(([, value]) => value !== undefined));
        await run(known, before);
        const { id } = await run(known, now);
        await addMuting(db, owner, mutingOf(first));
        await recountAll(db);
        const passes = (await judged(id))[0] ?? null;
        const foretold = await judgeWithMuting(db, id, mutingOf(wanted).criteria);
        await addMuting(db, owner, mutingOf(wanted));
        await recountAll(db);
        expect(foretold).to.deep.equal({ passes, would_pass: (await judged(id))[0] ?? null });
      }),
      { numRuns: 15, endOnFailure: true },
    );
  });

  it("agrees with the counts whether the report ends before mutings change, meanwhile, or after", async () => {
    const page: Found = { html: [["Obsolete <center>", 2], ["No title"]] };
    for (let round = 0; round < 10; round++) {
      await run({}, [{}, {}]);
      const { id } = await checked({ maxErrors: 1, maxNewErrors: 1 }, [page, page]);
      const mutes = round % 2 === 0 ? ["obsolete", "title"] : [];
      await Promise.all([end(id), muteOnly(database.db, accountId, ...mutes)]);
      const progress = await readProgress(database.db, id);
      const counted = mutes.length === 0 ? 6 : 0;
      expect(progress?.errors).to.equal(counted);
      const results = progress?.gate?.results.map((result) => result.counted);
      expect(results, `round ${round}`).to.deep.equal([counted, counted]);
      expect(progress?.gate?.passed).to.equal(mutes.length > 0);
    }
  });

  it("does not count what was muted while its comparison was being made", async () => {
    const { db } = database;
    await run({}, [{}]);
    const { id } = await checked({ maxNewErrors: 0 }, [{ html: [["Obsolete <center>", 2]] }]);
    const waiting = () =>
      sql`select from pg_locks where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())`.execute(db);
    // The comparison has counted, and is about to end, when the muting comes.
    await sql`create function hold() returns trigger language plpgsql as
      'begin perform pg_advisory_xact_lock_shared(42); return new; end'`.execute(db);
    await sql`create trigger hold before update on comparisons for each row execute function hold()`.execute(db);
    await db.connection().execute(async (holder) => {
      await sql`select pg_advisory_lock(42)`.execute(holder);
      const ending = end(id);
      await eventually(async () => (await waiting()).rows.length === 1);
      let isMuted = false;
      const muting = muteOnly(db, accountId, "obsolete").finally(() => {
        isMuted = true;
      });
      await eventually(async () => isMuted || (await waiting()).rows.length === 2);
      await sql`select pg_advisory_unlock(42)`.execute(holder);
      await Promise.all([ending, muting]);
    });
    await sql`drop trigger hold on comparisons`.execute(db);
    await sql`drop function hold`.execute(db);
    expect(await judged(id)).to.deep.equal([true, "new errors: 0, at most 0 allowed"]);
  });

  it("keeps what was new when the report before it is gone", async () => {
    const first = await run({}, [{}]);
    const { id } = await run({ maxNewErrors: 0 }, [{ html: [["Obsolete <center>", 2]] }]);
    await database.db.deleteFrom("reports").where("id", "=", first.id).execute();
    await muteOnly(database.db, accountId, "obsolete");
    expect(await judged(id)).to.deep.equal([false, "new errors: 2, at most 0 allowed"]);
  });

  it("is judged anew when a page is removed, and when one is checked again", async () => {
    const wrong: Found = { html: [["Obsolete <center>", 2]] };
    await run({}, [{}]);
    const { id, spec, pageIds } = await run({ maxErrors: 0, maxNewErrors: 2 }, [wrong, wrong]);
    const [first = "", second = ""] = pageIds;
    expect(await judged(id)).to.deep.equal([false, "errors: 4, at most 0 allowed", "new errors: 4, at most 2 allowed"]);
    await deletePage(database.db, id, first, NOW);
    expect(await judged(id)).to.deep.equal([false, "errors: 2, at most 0 allowed", "new errors: 2, at most 2 allowed"]);
    await requeuePage(database.db, id, second, NOW);
    expect(await judged(id)).to.deep.equal([]);
    await check(id, spec, [{}, {}], new Date(NOW.getTime() + 1_000));
    await end(id);
    expect(await judged(id)).to.deep.equal([true, "errors: 0, at most 0 allowed", "new errors: 0, at most 2 allowed"]);
  });
});
