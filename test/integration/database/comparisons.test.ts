import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { sql } from "kysely";
import { findBase } from "../../../src/database/findings/comparisons.ts";
import { readProgress } from "../../../src/database/reports/progress.ts";
import { type FindingState, stateTotals } from "../../../src/domain/findings/finding-state.ts";
import type { ReportSpec } from "../../../src/schema/report.ts";
import { deleteMuting } from "../../../src/transactions/change-mutings.ts";
import { compareReports } from "../../../src/transactions/compare.ts";
import { purgeWorkingRows } from "../../../src/transactions/purge.ts";
import { insertAccount } from "../../support/builders.ts";
import { NOW, names, type Run, runReport, type Site } from "../../support/compared-sites.ts";
import { createTestDatabase, emptyDatabase, type TestDatabase } from "../../support/database.ts";
import { addMuting, mutingOf, recountAll } from "../../support/mutings.ts";

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

  const run = (site: Site, options: Run = {}) => runReport(database.db, accountId, site, options);

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
      edit: "pages were renamed whose template has a fault, and one of them was mended",
      before: {
        "/old-1": ["alt logo nav", "alt one main", "label input main"],
        "/old-2": ["alt logo nav", "alt two main"],
      },
      after: {
        "/new-0": ["alt logo nav"],
        "/new-1": ["alt logo nav", "alt one main"],
        "/new-2": ["alt logo nav", "alt two main"],
      },
      expected: [
        "fixed label input main",
        "new alt logo nav",
        ...["persisting alt logo nav", "persisting alt logo nav", "persisting alt one main", "persisting alt two main"],
      ],
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

  /** Two runs of a schedule whose settings changed between them, and nothing on its site but what is said. */
  const changes: {
    change: string;
    before: Run & { html?: Site };
    after: Run & { html?: Site };
    expected: string[];
  }[] = [
    {
      change: "turns accessibility checks on",
      before: {},
      after: { spec: { performA11yChecks: true }, a11y: { "/": ["image-alt img main", "label input main"] } },
      expected: ["new_rule image-alt img main", "new_rule label input main", "persisting alt img main"],
    },
    {
      change: "turns accessibility checks off",
      before: { spec: { performA11yChecks: true }, a11y: { "/": ["image-alt img main"] } },
      after: {},
      expected: ["persisting alt img main", "unknown image-alt img main"],
    },
    {
      change: "turns HTML checks on",
      before: { spec: { performHtmlChecks: false, performA11yChecks: true }, a11y: { "/": ["image-alt img main"] } },
      after: { spec: { performA11yChecks: true }, a11y: { "/": ["image-alt img main"] } },
      expected: ["new_rule alt img main", "persisting image-alt img main"],
    },
    {
      change: "names another HTML engine, whose rules have other names",
      before: { spec: { htmlEngine: "conformance" } },
      after: { spec: { htmlEngine: "html-validate" }, html: { "/": ["wcag/h37 img main"] } },
      expected: ["new_rule wcag/h37 img main", "unknown alt img main"],
    },
    {
      change: "names another HTML engine, with a rule of the same name that judges otherwise",
      before: { spec: { htmlEngine: "conformance" }, html: { "/": ["alt img main", "alt svg nav", "id p main"] } },
      after: { spec: { htmlEngine: "nu" }, html: { "/": ["alt img main", "id b nav", "id i aside"] } },
      expected: [
        "new_rule id b nav",
        "new_rule id i aside",
        "persisting alt img main",
        "unknown alt svg nav",
        "unknown id p main",
      ],
    },
  ];
  for (const { change, before, after, expected } of changes)
    it(`has nothing new and nothing fixed when a schedule ${change}, and compares that only on request`, async () => {
      const scheduleId = randomUUID();
      const html: Site = { "/": ["alt img main"] };
      const first = await run(before.html ?? html, { ...before, scheduleId });
      const gate = { maxNewErrors: 0, maxNewWarnings: 0 };
      const alone = await run(after.html ?? html, { ...after, scheduleId, at: later });
      expect(await findBase(database.db, alone)).to.equal(undefined);
      const spec = { ...after.spec, gate, baseId: first };
      const second = await run(after.html ?? html, { ...after, scheduleId, at: later, spec });
      expect(await findBase(database.db, second)).to.equal(first);
      expect(await states(second)).to.deep.equal(expected);
      expect((await readProgress(database.db, second))?.gate?.passed).to.equal(true);
    });

  it("says of what only acting finds that it is fixed only where acting did not end early", async () => {
    const spec = { performHtmlChecks: false, performA11yChecks: true, a11yDepth: "acting" } as const;
    const site: Site = { "/": [], "/shop": [] };
    const found = ["sv-keyboard-trap input main", "image-alt img main"];
    await run(site, { spec, a11y: { "/": found, "/shop": found } });
    const id = await run(site, { spec, a11y: { "/": ["not_acted"], "/shop": [] }, at: later });
    expect(await states(id)).to.deep.equal([
      ...["fixed image-alt img main", "fixed image-alt img main"],
      ...["fixed sv-keyboard-trap input main", "unknown sv-keyboard-trap input main"],
    ]);
  });

  it("says of what only acting finds that it is unknown on pages that acting left out, in either report", async () => {
    const spec = { performHtmlChecks: false, performA11yChecks: true, a11yDepth: "acting" } as const;
    const site: Site = { "/": [], "/shop": [], "/prices": [] };
    const found = ["sv-keyboard-trap input main", "image-alt img main"];
    await run(site, { spec, a11y: { "/": found, "/shop": found, "/prices": ["like_others"] } });
    const id = await run(site, { spec, a11y: { "/": [], "/shop": ["like_others"], "/prices": found }, at: later });
    expect(await states(id)).to.deep.equal([
      ...["fixed image-alt img main", "fixed image-alt img main"],
      "fixed sv-keyboard-trap input main",
      "new image-alt img main",
      ...["unknown sv-keyboard-trap input main", "unknown sv-keyboard-trap input main"],
    ]);
  });

  it("says of what a page is read for that it is fixed only where everything was read", async () => {
    const spec = { performHtmlChecks: false, performA11yChecks: true, a11yDepth: "acting" } as const;
    const site: Site = { "/": [], "/shop": [], "/prices": [] };
    const found = ["sv-link-purpose a main"];
    await run(site, { spec, a11y: { "/": found, "/shop": found, "/prices": ["acted_in_part"] } });
    const id = await run(site, { spec, a11y: { "/": ["acted_in_part"], "/shop": [], "/prices": found }, at: later });
    expect(await states(id)).to.deep.equal([
      ...["fixed sv-link-purpose a main", "unknown sv-link-purpose a main", "unknown sv-link-purpose a main"],
    ]);
  });

  it("says of what comparing pages finds that it is fixed only where the page was compared, and all ways to it known", async () => {
    const spec = { performHtmlChecks: false, performA11yChecks: true, a11yDepth: "acting" } as const;
    const site: Site = { "/": [], "/shop": [], "/prices": [] };
    const found = ["sv-same-title *", "sv-one-way *"];
    await run(site, { spec, a11y: { "/": found, "/shop": found, "/prices": found } });
    const now = { "/": ["compared", "ways_compared"], "/shop": ["compared"], "/prices": [] };
    expect(await states(await run(site, { spec, a11y: now, at: later }))).to.deep.equal([
      ...["fixed sv-one-way *", "fixed sv-same-title *", "fixed sv-same-title *"],
      ...["unknown sv-one-way *", "unknown sv-one-way *", "unknown sv-same-title *"],
    ]);
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
    const criteria = JSON.stringify({ url_match: "example.com", message: "label" });
    await database.db.insertInto("mutings").values({ account_id: accountId, criteria }).execute();
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
    const muting = await addMuting(db, owner, mutingOf({ url_match: "example.com", message: "l" }));
    await recountAll(db);
    expect(await counted()).to.deep.equal([0, 0, 0]);
    await deleteMuting(db, accountId, muting);
    await recountAll(db);
    expect(await counted()).to.deep.equal([1, 2, 1]);
  });

  it("has the newest complete report before it with the same address and settings as its base", async () => {
    const first = await run({ "/": [] });
    const other = await run({ "/": [] }, { at: later, spec: { performA11yChecks: true } });
    const id = await run({ "/": [] }, { at: new Date(later.getTime() + 1_000) });
    expect(await findBase(database.db, id)).to.equal(first);
    expect(await findBase(database.db, other)).to.equal(undefined);
    const named = await run({ "/": [] }, { at: new Date(later.getTime() + 2_000), spec: { userAgent: "MyBot" } });
    expect(await findBase(database.db, named)).to.equal(undefined);
  });

  it("has the base that its definition names, if that is complete and its creator may see it", async () => {
    const { db } = database;
    const named = await run({ "/": [] }, { spec: { performA11yChecks: true } });
    await run({ "/": [] }, { at: later });
    const at = new Date(later.getTime() + 1_000);
    const id = await run({ "/": [] }, { at, spec: { baseId: named } });
    expect(await findBase(db, id)).to.equal(named);
    const again = await run({ "/": [] }, { at, spec: { baseId: id } });
    expect(await findBase(db, again)).to.equal(id);
    await sql`update reports set phase = 'Failed' where id = ${named}`.execute(db);
    expect(await findBase(db, id)).to.equal(undefined);
    await sql`update reports set phase = 'Complete' where id = ${named}`.execute(db);
    await sql`update reports set guest_token = 'one' where id = ${id}`.execute(db);
    expect(await findBase(db, id), "a guest's report, with a base of the host").to.equal(undefined);
    await sql`update reports set account_id = ${await insertAccount(db)}, guest_token = null where id = ${named}`.execute(
      db,
    );
    expect(await findBase(db, id), "a base of another account").to.equal(undefined);
  });

  it("has no base that was cut short or cancelled: what its crawl did not reach is not new", async () => {
    const { db } = database;
    const first = await run({ "/": ["alt img main"], "/b": ["alt img nav"] });
    const short = await run({ "/": ["alt img main"] }, { at: new Date(NOW.getTime() + 1_000) });
    await sql`update reports set failure_code = 'deadline_exceeded' where id = ${short}`.execute(db);
    const early = new Date(NOW.getTime() + 2_000);
    await run({ "/": ["alt img main"], "/b": [] }, { at: early, spec: { cancelled: true } });
    const id = await run({ "/": ["alt img main"], "/b": ["alt img nav"] }, { at: later });
    expect(await findBase(db, id)).to.equal(first);
    expect(await states(id)).to.deep.equal(["persisting alt img main", "persisting alt img nav"]);
  });

  it("is made once, and leaves nothing behind when a report is deleted", async () => {
    const base = await run({ "/": ["alt img main"] });
    const id = await run({ "/": ["alt img main"] }, { at: later });
    const both = await Promise.all([1, 2].map(() => compareReports(database.db, id, base)));
    expect(both[0]?.id).to.equal(both[1]?.id);
    await sql`delete from reports where id = ${base}`.execute(database.db);
    expect(await purgeWorkingRows(database.db, new AbortController().signal)).to.equal(1);
    for (const table of ["compared_findings", "compared_issues"] as const)
      expect(await database.db.selectFrom(table).selectAll().execute()).to.deep.equal([]);
    expect((await database.db.selectFrom("reports").select("comparison_id").execute())[0]?.comparison_id).to.equal(
      null,
    );
  });

  /** The bases of all comparisons of a report. */
  const basesOf = async (id: string): Promise<string[]> => {
    const found = database.db.selectFrom("comparisons").select("base_id").where("report_id", "=", id);
    return (await found.orderBy("id").execute()).map(({ base_id }) => base_id);
  };

  it("is kept with its report; of those made on request only the newest are", async () => {
    const bases: string[] = [];
    for (let day = 0; day < 7; day += 1)
      bases.push(await run({ "/": ["alt img main"] }, { at: new Date(NOW.getTime() + day * 1_000) }));
    const id = await run({ "/": ["alt img main"] }, { at: later });
    const [own = "", ...others] = bases.reverse();
    for (const base of others) expect(await compareReports(database.db, id, base)).to.not.equal(undefined);
    expect(await basesOf(id)).to.deep.equal([own, ...others.slice(-3)]);
    expect(await states(id)).to.deep.equal(["persisting alt img main"]);
  });

  it("stays the report's own when it is made anew, since a page of its base was checked again", async () => {
    const { db } = database;
    const base = await run({ "/": ["alt img main", "alt img nav"] });
    const gate = { maxNewErrors: 0 };
    const id = await run({ "/": ["alt img main", "alt img nav"] }, { at: later, spec: { gate } });
    const judged = () => db.selectFrom("reports").select("passed").where("id", "=", id).executeTakeFirstOrThrow();
    expect(await judged()).to.deep.equal({ passed: true });
    await sql`update reports set last_checked_at = last_checked_at + interval '1 hour' where id = ${base}`.execute(db);
    await sql`delete from findings where report_id = ${base} and path = decode(${[...names].find(([, name]) => name === "nav")?.[0] ?? ""}, 'hex')`.execute(
      db,
    );
    await compareReports(db, id, base);
    expect(await states(id)).to.deep.equal(["new alt img nav", "persisting alt img main"]);
    expect(await judged()).to.deep.equal({ passed: false });
  });

  it("is discarded when mutings change, if it was made on request", async () => {
    const first = await run({ "/": ["alt img main"] });
    const second = await run({ "/": ["alt img main"] }, { at: new Date(NOW.getTime() + 1_000) });
    const id = await run({ "/": ["alt img main"] }, { at: later });
    await compareReports(database.db, id, first);
    expect(await basesOf(id)).to.deep.equal([second, first]);
    await addMuting(database.db, { accountId, guestToken: null }, mutingOf({ rule: "alt" }));
    await recountAll(database.db);
    expect(await basesOf(id)).to.deep.equal([second]);
  });

  it("does not wait for whoever maintains the table of states", async () => {
    const { db } = database;
    const base = await run({ "/": ["alt img main"] });
    const id = await run({ "/": ["alt img main"] }, { at: later });
    await sql`delete from comparisons`.execute(db);
    await db.transaction().execute(async (trx) => {
      // As VACUUM, CREATE INDEX CONCURRENTLY, and another comparison hold it.
      await sql`lock table compared_findings in share update exclusive mode`.execute(trx);
      expect(await compareReports(db, id, base)).to.not.equal(undefined);
    });
  });

  it("pairs ten thousand alike findings of renamed pages in one pass", async () => {
    const site = (name: string): Site =>
      Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`/${name}${i}`, Array(100).fill("alt img main")]));
    await run(site("a"));
    const id = await run(site("b"), { at: later });
    expect(new Set(await states(id))).to.deep.equal(new Set(["persisting alt img main"]));
    expect(await states(id)).to.have.length(10_000);
  });

  it("finds the same in a report and itself, also what nothing tells apart", async () => {
    const id = await run({ "/": ["alt img main", "alt img main", "lang *"], "/b": ["alt img main"] });
    const { persisting, ...others } = stateTotals((await compareReports(database.db, id, id))?.counts ?? []);
    expect(persisting.errors).to.equal(4);
    for (const totals of Object.values(others)) expect(totals).to.deep.equal({ errors: 0, warnings: 0 });
  });

  it("compares forty thousand findings that the planner has not counted yet", async () => {
    const { db } = database;
    for (const table of ["findings", "web_pages", "checks"])
      await sql`alter table ${sql.table(table)} set (autovacuum_enabled = false)`.execute(db);
    const page = Array.from({ length: 400 }, (_, i) => `alt img-${i} main`);
    const site = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`/${i}`, page]));
    const base = await run(site);
    const id = await run(site, { at: later });
    const counts = (await compareReports(db, id, base))?.counts ?? [];
    expect(stateTotals(counts).persisting.errors).to.equal(40_000);
  });
});
