import { expect } from "chai";
import { sql } from "kysely";
import { readProgress } from "../../../src/database/reports/progress.ts";
import type { A11yIssue, CheckOutcome } from "../../../src/domain/findings/findings.ts";
import { describeResult } from "../../../src/domain/findings/gate.ts";
import type { ReportSpec } from "../../../src/schema/report.ts";
import { compareReports } from "../../../src/transactions/compare.ts";
import { recordOutcomes } from "../../../src/transactions/end-checks.ts";
import { endReport } from "../../../src/transactions/end-report.ts";
import { leaseChecks } from "../../../src/transactions/lease-checks.ts";
import { insertAccount, insertReport, reportSpec } from "../../support/builders.ts";
import { expectConsistent } from "../../support/consistency.ts";
import { createTestDatabase, emptyDatabase, type TestDatabase } from "../../support/database.ts";
import { a11yIssue, engine } from "../../support/fake-runner.ts";
import { muteOnly } from "../../support/mute.ts";
import { queuePages } from "../../support/queue-pages.ts";

const NOW = new Date("2026-05-05T10:00:00Z");
const gate = { maxErrors: 2, maxWarnings: 0, maxNewErrors: 2 };

const tagged = (tags: string[], ...of: Parameters<typeof a11yIssue>): A11yIssue => {
  const issue = a11yIssue(...of);
  return { ...issue, rule: `${tags[0]}-${issue.rule}`, message: `Help of ${tags[0]}`, tags };
};
/** 2 errors of WCAG 2.0 AA, 3 of WCAG 2.2, 4 best practices, and 5 more of these that a person must review. */
const issues = [
  tagged(["wcag2aa"], "serious", 2),
  tagged(["wcag22aa"], "critical", 3),
  tagged(["best-practice"], "moderate", 4),
  tagged(["best-practice"], "minor", 5, true),
];

describe("the standard of a report", () => {
  let database: TestDatabase;
  let accountId: string;

  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());
  beforeEach(async () => {
    accountId = await insertAccount(database.db);
  });
  afterEach(() => emptyDatabase(database.db));

  const run = async (standard: ReportSpec["standard"], baseId?: string): Promise<string> => {
    const { db } = database;
    const spec = reportSpec({ standard, gate, performHtmlChecks: false, performA11yChecks: true });
    const id = await insertReport(db, { accountId, spec });
    await queuePages(db, id, [""], ["a11y"]);
    const { checks } = await leaseChecks(db, { reportId: id, kind: "a11y" }, 10, "2026-05-01");
    const outcome: CheckOutcome = { kind: "a11y", engine, issues };
    const results = checks.map((lease) => ({
      lease,
      outcome: baseId === undefined ? { ...outcome, issues: [] } : outcome,
    }));
    await recordOutcomes(db, { reportId: id, kind: "a11y", spec }, results, NOW);
    const compared = baseId === undefined ? undefined : await compareReports(db, id, baseId);
    await endReport(db, id, "Complete", NOW, compared?.id);
    return id;
  };

  const counts = async (id: string) =>
    (
      await sql`
        select errors, warnings, serious, critical, moderate, minor, outside_standard as outside
        from check_counts where report_id = ${id} and kind = 'a11y'`.execute(database.db)
    ).rows[0];
  const judged = async (id: string) => {
    const found = (await readProgress(database.db, id))?.gate;
    return [found?.passed, ...(found?.results ?? []).map(describeResult)];
  };
  it("chooses what is an error, and keeps the rest apart from errors, warnings, impacts and the gate", async () => {
    const id = await run("wcag2aa", await run("wcag2aa"));
    const expected = { errors: 2, warnings: 0, serious: 2, critical: 0, moderate: 0, minor: 0, outside: 12 };
    expect(await counts(id)).to.deep.equal(expected);
    expect(await judged(id)).to.deep.equal([
      true,
      "errors: 2, at most 2 allowed",
      "warnings: 0, at most 0 allowed",
      "new errors: 2, at most 2 allowed",
    ]);
    await expectConsistent(database.db, id);
  });

  it("counts every rule by default", async () => {
    const id = await run("all", await run("all"));
    const expected = { errors: 9, warnings: 5, serious: 2, critical: 3, moderate: 4, minor: 5, outside: 0 };
    expect(await counts(id)).to.deep.equal(expected);
    expect(await judged(id)).to.deep.equal([
      false,
      "errors: 9, at most 2 allowed",
      "warnings: 5, at most 0 allowed",
      "new errors: 9, at most 2 allowed",
    ]);
    await expectConsistent(database.db, id);
  });

  it("is the one that a report was checked by, when mutings count it again", async () => {
    const id = await run("wcag22aa", await run("wcag22aa"));
    expect(await counts(id)).to.deep.include({ errors: 5, critical: 3, outside: 9 });
    await muteOnly(database.db, accountId, "wcag22aa", "best-practice");
    const expected = { errors: 2, warnings: 0, serious: 2, critical: 0, moderate: 0, minor: 0, outside: 0 };
    expect(await counts(id)).to.deep.equal(expected);
    expect((await judged(id))[0]).to.equal(true);
    await muteOnly(database.db, accountId);
    expect(await counts(id)).to.deep.include({ errors: 5, critical: 3, outside: 9 });
    await expectConsistent(database.db, id);
  });
});
