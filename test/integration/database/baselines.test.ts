import { expect } from "chai";
import { readBaseline } from "../../../src/database/findings/baselines.ts";
import { type Baseline, formatBaseline, parseBaseline } from "../../../src/domain/findings/baseline.ts";
import { stateTotals } from "../../../src/domain/findings/finding-state.ts";
import { storeBaseline } from "../../../src/transactions/baselines.ts";
import { compareReports } from "../../../src/transactions/compare.ts";
import { endReport } from "../../../src/transactions/end-report.ts";
import { insertAccount, reportSpec } from "../../support/builders.ts";
import { NOW, runReport, type Site } from "../../support/compared-sites.ts";
import { createTestDatabase, emptyDatabase, type TestDatabase } from "../../support/database.ts";

const later = new Date(NOW.getTime() + 86_400_000);

describe("a baseline", () => {
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

  const takenFrom = async (site: Site): Promise<Baseline> => {
    const id = await runReport(database.db, accountId, site);
    return parseBaseline(formatBaseline(await readBaseline(database.db, id)));
  };
  const store = (baseline: Baseline, at = NOW) =>
    storeBaseline(database.db, accountId, { baseline, spec: reportSpec() }, at);
  const comparedWith = async (base: string, site: Site) => {
    const { db } = database;
    const id = await runReport(db, accountId, site, { at: later, spec: { baseId: base } });
    const { counts = [], id: comparison } = (await compareReports(db, id, base)) ?? {};
    await endReport(db, id, "Complete", later, comparison);
    return { id, states: stateTotals(counts) };
  };
  const site: Site = { "/": ["alt img main", "alt img main", "lang *"], "/b?c=d": ["label input main"], "/c": [] };

  it("finds every finding again in the same site, in another database", async () => {
    const base = await store(await takenFrom(site));
    const { states } = await comparedWith(base, site);
    const { persisting, ...others } = states;
    expect(persisting).to.deep.equal({ errors: 4, warnings: 0 });
    for (const totals of Object.values(others)) expect(totals).to.deep.equal({ errors: 0, warnings: 0 });
  });

  it("tells what is new and what is fixed, also of elements that nothing tells apart", async () => {
    const base = await store(await takenFrom(site));
    const { states } = await comparedWith(base, {
      "/": ["alt img main", "lang *"],
      "/b?c=d": ["label input main", "label input main"],
      "/c": ["alt logo nav"],
    });
    expect(states).to.deep.include({
      persisting: { errors: 3, warnings: 0 },
      new: { errors: 2, warnings: 0 },
      fixed: { errors: 1, warnings: 0 },
    });
  });

  it("of a site without findings makes all of them new", async () => {
    const base = await store(await takenFrom({ "/": [] }));
    expect((await comparedWith(base, site)).states.new).to.deep.equal({ errors: 4, warnings: 0 });
  });

  it("of an earlier engine tells findings of its new rules from new faults", async () => {
    const { engines, ...known } = await takenFrom(site);
    const base = await store({ ...known, engines: { html: { name: engines.html?.name ?? "", version: "0" } } });
    const { states } = await comparedWith(base, { ...site, "/c": ["alt logo nav", "brand-new p main"] });
    expect(states).to.deep.include({ new: { errors: 1, warnings: 0 }, new_rule: { errors: 1, warnings: 0 } });
  });

  it("keeps what may be there still when it is written anew: pages that were not visited, or failed", async () => {
    const base = await store(await takenFrom(site));
    const { id } = await comparedWith(base, { "/": ["lang *"], "/c": { failed: 500 } });
    const updated = await readBaseline(database.db, id);
    const kept = updated.findings.map(({ page, rule }) => `${page} ${rule}`);
    expect(kept.sort()).to.deep.equal(["/ lang", "/b?c=d label"]);
    expect(updated.failures).to.deep.equal([{ page: "/c", failure: "http_error" }]);
  });

  it("has accessibility findings with their impact, and those outside of the standard", async () => {
    const tag = "a".repeat(20);
    const element = { page: "/", check: "a11y" as const, type: "error" as const, how_many: 1, tag, path: tag };
    const baseline: Baseline = {
      engines: { a11y: { name: "axe-core", version: "4" } },
      findings: [
        { ...element, rule: "image-alt", impact: "critical" },
        { ...element, rule: "region", impact: "moderate", outside_standard: true },
      ],
      failures: [],
    };
    const { findings } = await readBaseline(database.db, await store(baseline));
    expect(findings.map(({ rule, impact, outside_standard }) => [rule, impact, outside_standard])).to.deep.equal([
      ["image-alt", "critical", undefined],
      ["region", "moderate", true],
    ]);
  });
});
