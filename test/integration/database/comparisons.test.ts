import { expect } from "chai";
import { sql } from "kysely";
import { deleteMuting, insertMuting } from "../../../src/database/accounts/mutings.ts";
import { leaseChecks } from "../../../src/database/checks/leases.ts";
import { type LeaseOutcome, recordOutcomes } from "../../../src/database/checks/record-outcomes.ts";
import { compareReports } from "../../../src/database/findings/compare.ts";
import { findBase } from "../../../src/database/findings/find-base.ts";
import { findUnidentified } from "../../../src/database/findings/identify-stored.ts";
import { endReport } from "../../../src/database/reports/progress.ts";
import { purgeWorkingRows } from "../../../src/database/reports/purge.ts";
import { listOutdatedReports, recountReport } from "../../../src/database/reports/recount.ts";
import { type FindingState, stateTotals } from "../../../src/domain/finding-state.ts";
import type { CheckOutcome, HtmlIssue } from "../../../src/domain/findings.ts";
import { digest } from "../../../src/domain/identity/digest.ts";
import { elementKey } from "../../../src/domain/identity/element-key.ts";
import type { ReportSpec } from "../../../src/schema/report.ts";
import { insertAccount, insertReport, reportSpec } from "../../support/builders.ts";
import { createTestDatabase, emptyDatabase, type TestDatabase } from "../../support/database.ts";

const NOW = new Date("2026-05-05T10:00:00Z");
const MONTH = "2026-05-01";
const coordinates = { first_line: 1, last_line: 1, first_column: 1, last_column: 3, hilite_start: 0, hilite_length: 3 };

/** A finding as "rule tag path", or "*" for one about the document. A failed page has a status instead. */
type Page = readonly string[] | { failed: number | null };
type Site = Record<string, Page>;
type Run = { at?: Date; spec?: Partial<ReportSpec>; version?: string };

describe("the comparison of two reports", () => {
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

  const run = async (site: Site, { at = NOW, spec = {}, version = "1" }: Run = {}): Promise<string> => {
    const { db } = database;
    const id = await insertReport(db, { accountId, spec });
    await sql`update reports set inserted_at = ${at} where id = ${id}`.execute(db);
    const pages = Object.entries(site);
    for (const [path] of pages) {
      const page = { report_id: id, url: `https://example.com${path}`, http_status: 200, linked_from: null };
      const { id: pageId } = await db.insertInto("web_pages").values(page).returning("id").executeTakeFirstOrThrow();
      await db.insertInto("checks").values({ report_id: id, web_page_id: pageId, kind: "html" }).execute();
    }
    await sql`update reports set crawl_state = 'ended', html_pending = ${pages.length}, num_pages = ${pages.length}
      where id = ${id}`.execute(db);
    const { checks } = await leaseChecks(db, { reportId: id, kind: "html" }, 100, MONTH);
    const results = checks.map((lease): LeaseOutcome => {
      const page = site[lease.url.slice("https://example.com".length)] ?? [];
      return { lease, outcome: outcomeOf(page, version) };
    });
    await recordOutcomes(db, { reportId: id, kind: "html", spec: reportSpec(spec) }, results, at);
    for (const [path, page] of pages)
      if ("failed" in page)
        await sql`update web_pages set http_status = ${page.failed}
          where report_id = ${id} and url = ${`https://example.com${path}`}`.execute(db);
    const base = await findBase(db, id);
    const compared = base === undefined ? undefined : await compareReports(db, id, base);
    expect(await endReport(db, id, "Complete", at, compared?.id)).to.equal(true);
    return id;
  };

  /** The states of a comparison as "state rule tag path" of each element, sorted. */
  const states = async (reportId: string): Promise<string[]> => {
    const { rows } = await sql<{
      state: FindingState;
      rule: string;
      tag: string | null;
      path: string;
      how_many: number;
    }>`
      select c.state, f.rule, encode(f.tag, 'hex') as tag, encode(f.path, 'hex') as path, c.how_many
      from reports r join compared_findings c on c.comparison_id = r.comparison_id join findings f on f.id = c.finding_id
      where r.id = ${reportId}`.execute(database.db);
    return rows
      .flatMap(({ state, rule, tag, path, how_many }) => {
        const element = tag === null ? "*" : `${names.get(tag)} ${names.get(path)}`;
        return Array<string>(how_many).fill(`${state} ${rule} ${element}`);
      })
      .sort();
  };

  const later = new Date(NOW.getTime() + 86_400_000);
  const table: { edit: string; before: Site; after: Site; expected: string[]; spec?: Partial<ReportSpec> }[] = [
    {
      edit: "nothing changed, in another order",
      before: { "/": ["alt img main", "alt img main", "lang *"], "/b": ["alt img nav"] },
      after: { "/b": ["alt img nav"], "/": ["lang *", "alt img main", "alt img main"] },
      expected: ["persisting alt img main", "persisting alt img main", "persisting alt img nav", "persisting lang *"],
    },
    {
      edit: "one more that nothing tells apart",
      before: { "/": ["alt img main"] },
      after: { "/": ["alt img main", "alt img main"] },
      expected: ["new alt img main", "persisting alt img main"],
    },
    {
      edit: "one fewer that nothing tells apart",
      before: { "/": ["alt img main", "alt img main", "alt img main"] },
      after: { "/": ["alt img main", "alt img main"] },
      expected: ["fixed alt img main", "persisting alt img main", "persisting alt img main"],
    },
    {
      edit: "a fault was mended, and one of another rule was made",
      before: { "/": ["alt img main"] },
      after: { "/": ["label input main"] },
      expected: ["fixed alt img main", "new label input main"],
    },
    {
      edit: "an element was moved",
      before: { "/": ["alt img main", "alt logo nav"] },
      after: { "/": ["alt img aside", "alt logo nav"] },
      expected: ["persisting alt img aside", "persisting alt logo nav"],
    },
    {
      edit: "an element was edited",
      before: { "/": ["alt img main"] },
      after: { "/": ["alt photo main"] },
      expected: ["persisting alt photo main"],
    },
    {
      edit: "a page was renamed",
      before: { "/old": ["alt img main"], "/": [] },
      after: { "/new": ["alt img main"], "/": [] },
      expected: ["persisting alt img main"],
    },
    {
      edit: "a new page has the fault of another page that is still there",
      before: { "/": ["alt img main"] },
      after: { "/": ["alt img main"], "/new": ["alt img main"] },
      expected: ["new alt img main", "persisting alt img main"],
    },
    {
      edit: "a page responds with 404",
      before: { "/": [], "/b": ["alt img main"] },
      after: { "/": [], "/b": { failed: 404 } },
      expected: ["gone alt img main"],
    },
    {
      edit: "a page could not be checked",
      before: { "/": [], "/b": ["alt img main"] },
      after: { "/": [], "/b": { failed: 500 } },
      expected: ["unknown alt img main"],
    },
    {
      edit: "a page was not visited",
      before: { "/": [], "/b": ["alt img main"] },
      after: { "/": [] },
      expected: ["unknown alt img main"],
    },
    {
      edit: "a page is checked that could not be checked before",
      before: { "/": [], "/b": { failed: 500 } },
      after: { "/": [], "/b": ["alt img main"] },
      expected: ["unknown alt img main"],
    },
    {
      edit: "a page's address has a tracking parameter",
      before: { "/b?x=1": ["alt img main"] },
      after: { "/b?x=1&utm_source=mail": ["alt img main"] },
      expected: ["persisting alt img main"],
    },
  ];
  for (const { edit, before, after, expected } of table)
    it(`finds what changed when ${edit}`, async () => {
      await run(before);
      const id = await run(after, { at: later });
      expect(await states(id)).to.deep.equal(expected);
    });

  it("tells findings of a new rule of the engine from new faults", async () => {
    await run({ "/": ["alt img main"] });
    const id = await run({ "/": ["alt img main", "alt logo nav", "new-rule p main"] }, { at: later, version: "2" });
    expect(await states(id)).to.deep.equal(["new alt logo nav", "new_rule new-rule p main", "persisting alt img main"]);
  });

  it("remembers when the oldest finding of an unbroken chain was found", async () => {
    const days = [0, 1, 2, 3].map((day) => new Date(NOW.getTime() + day * 86_400_000));
    await run({ "/": ["alt img main", "label input main"] }, { at: days[0] ?? NOW });
    await run({ "/": ["alt img aside"] }, { at: days[1] ?? NOW });
    const id = await run({ "/": ["alt img aside", "label input main"] }, { at: days[2] ?? NOW });
    const { rows } = await sql<{ rule: string; at: Date }>`
      select f.rule, c.first_seen_at as at from reports r
      join compared_findings c on c.comparison_id = r.comparison_id join findings f on f.id = c.finding_id
      where r.id = ${id} order by 1`.execute(database.db);
    expect(rows).to.deep.equal([
      { rule: "alt", at: days[0] },
      { rule: "label", at: days[2] },
    ]);
  });

  it("counts what is not muted, by kind and state", async () => {
    const muting = { account_id: accountId, guest_token: null, url_match: "example.com", message: "label" };
    await database.db
      .insertInto("mutings")
      .values({ ...muting, comment: null })
      .execute();
    const base = await run({ "/": ["alt img main", "alt logo nav", "label a b"] });
    const id = await run({ "/": ["alt img main", "label a b", "label c d", "lang *"] }, { at: later });
    const compared = await compareReports(database.db, id, base);
    const { new: isNew, fixed, persisting } = stateTotals(compared?.counts ?? []);
    expect({ isNew, fixed, persisting }).to.deep.equal({
      isNew: { errors: 1, warnings: 0 },
      fixed: { errors: 1, warnings: 0 },
      persisting: { errors: 1, warnings: 0 },
    });
  });

  it("is counted anew when mutings change", async () => {
    const { db } = database;
    const base = await run({ "/": ["alt img main", "label a b"] });
    const id = await run({ "/": ["label a b", "label c d", "lang *"] }, { at: later });
    const counted = async () => {
      const { persisting, new: isNew, fixed } = stateTotals((await compareReports(db, id, base))?.counts ?? []);
      return [persisting.errors, isNew.errors, fixed.errors];
    };
    expect(await counted()).to.deep.equal([1, 2, 1]);
    const owner = { accountId, guestToken: null };
    const muting = await insertMuting(db, owner, { url_match: "example.com", message: "l", comment: null });
    const recountAll = async () => {
      for (const report of await listOutdatedReports(db)) await recountReport(db, report, new AbortController().signal);
    };
    await recountAll();
    expect(await counted()).to.deep.equal([0, 0, 0]);
    await deleteMuting(db, accountId, muting?.id ?? "");
    await recountAll();
    expect(await counted()).to.deep.equal([1, 2, 1]);
  });

  it("has the newest complete report before it with the same address and settings as its base", async () => {
    const first = await run({ "/": [] });
    const other = await run({ "/": [] }, { at: later, spec: { performA11yChecks: true } });
    const id = await run({ "/": [] }, { at: new Date(later.getTime() + 1_000) });
    expect(await findBase(database.db, id)).to.equal(first);
    expect(await findBase(database.db, other)).to.equal(undefined);
  });

  it("knows findings that an earlier version stored by their start tags", async () => {
    const { db } = database;
    const base = await run({ "/": ["alt img main", "label input main", "lang *"], "/b": ["alt img nav"] });
    await sql`delete from findings`.execute(db);
    await sql`update checks set identified_at = null`.execute(db);
    const id = await run({ "/": ["alt img main", "label p main", "lang *"], "/b": ["alt img nav"] }, { at: later });
    expect(await findUnidentified(db)).to.equal(undefined);
    const compared = await compareReports(db, id, base);
    expect(stateTotals(compared?.counts ?? [])).to.deep.include({
      persisting: { errors: 3, warnings: 0 },
      new: { errors: 1, warnings: 0 },
      fixed: { errors: 1, warnings: 0 },
    });
  });

  it("is made once, and leaves nothing behind when a report is deleted", async () => {
    const base = await run({ "/": ["alt img main"] });
    const id = await run({ "/": ["alt img main"] }, { at: later });
    const both = await Promise.all([1, 2].map(() => compareReports(database.db, id, base)));
    expect(both[0]?.id).to.equal(both[1]?.id);
    await sql`delete from reports where id = ${base}`.execute(database.db);
    expect(await purgeWorkingRows(database.db, new AbortController().signal)).to.equal(1);
    expect(await database.db.selectFrom("compared_findings").selectAll().execute()).to.deep.equal([]);
    expect((await database.db.selectFrom("reports").select("comparison_id").execute())[0]?.comparison_id).to.equal(
      null,
    );
  });

  it("pairs ten thousand alike findings of renamed pages in one pass", async () => {
    const site = (name: string): Site =>
      Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`/${name}${i}`, Array(100).fill("alt img main")]));
    await run(site("a"));
    const id = await run(site("b"), { at: later });
    expect(new Set(await states(id))).to.deep.equal(new Set(["persisting alt img main"]));
    expect(await states(id)).to.have.length(10_000);
  });
});

/** What digests stand for. */
const names = new Map<string, string>();
const named = (key: string, name: string): string => {
  names.set(key, name);
  return key;
};
const pathKey = (name: string): string => named(digest([name]), name);
const tagKey = (name: string): string =>
  named(elementKey({ name, attributes: [], ancestors: [] }, "https://example.com").tag, name);

function outcomeOf(page: Page, version: string): CheckOutcome {
  if ("failed" in page) return { kind: "html", failure: { code: "http_error", detail: "It responded with an error." } };
  const issues = page.map((finding): HtmlIssue => {
    const [rule = "", tag = "", path = ""] = finding.split(" ");
    const extract = `<${tag}>`;
    const element = tag === "*" ? null : { tag: tagKey(tag), path: pathKey(path) };
    return {
      ...{ issue_type: "error", issue_sub_type: rule, message: rule, help_url: null, tags: [] },
      html: [{ extract, coordinates: { ...coordinates, hilite_length: extract.length }, element }],
    };
  });
  const grouped = Map.groupBy(issues, ({ message }) => message);
  const merged = [...grouped.values()].map(
    (same): HtmlIssue => ({
      ...(same[0] as HtmlIssue),
      html: same.flatMap(({ html }) => html),
    }),
  );
  return { kind: "html", engine: { name: "conformance", version }, issues: merged };
}
