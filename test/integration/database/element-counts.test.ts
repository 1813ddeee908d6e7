import { expect } from "chai";
import { sql } from "kysely";
import { groupCauses, readCauses } from "../../../src/database/findings/causes.ts";
import { listComponents } from "../../../src/database/findings/list-components.ts";
import {
  countByRule,
  listRules,
  type RuleFilter,
  type RulesOf,
  ruleGroups,
  ruleSortKeys,
} from "../../../src/database/findings/rules.ts";
import { listWebPages } from "../../../src/database/reports/web-pages.ts";
import { readFolder } from "../../../src/domain/addresses/section.ts";
import { ownStates } from "../../../src/domain/findings/finding-state.ts";
import { storeComponents } from "../../../src/transactions/store-components.ts";
import { insertAccount, insertReport } from "../../support/builders.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

// Takes some 15 s of processor time: a hundred lists of a large report are each read twice, in two ways.

/** Of these, 120 are in one folder, which is counted by itself, and the others in a smaller one. */
const PAGES = 150;

describe("what is counted of a large report for lists of rules", () => {
  let database: TestDatabase;
  let of: RulesOf;

  before(async () => {
    database = await createTestDatabase();
    const accountId = await insertAccount(database.db);
    const reportId = await insertReport(database.db, { accountId });
    of = { reportId, comparisonId: await insertFindings(reportId) };
  });
  after(() => database.drop());

  /** Rules of one topic in two engines and of none, one with four messages; elements of all roles and states, some muted. */
  async function insertFindings(reportId: string): Promise<string> {
    const { db } = database;
    await sql`insert into web_pages (report_id, url, section)
      select ${reportId}::uuid, 'https://example.com' || section || n, section
      from generate_series(1, ${PAGES}::int) n, lateral (select case when n % 5 = 0 then '/news/' else '/docs/' end as section) s`.execute(
      db,
    );
    await sql`insert into common_issues (report_id, kind, key, issue_type, rule, message, impact_order, tags, outside_standard)
      select ${reportId}::uuid, kind, (coalesce(rule, '-') || n)::bytea, issue_type, rule, coalesce(rule, 'none') || ' of ' || n, impact, tags, outside from (values
        ('html', 'img/alt', 'error', 1, null, array['wcag111'], false), ('a11y', 'image-alt', 'error', 1, 4, array['wcag111'], false),
        ('a11y', 'svg-img-alt', 'error', 1, 3, array['wcag111'], false), ('html', 'bad-value/src', 'error', 4, null, '{}', false),
        ('a11y', 'color-contrast', 'error', 2, 3, array['wcag143'], false), ('a11y', 'region', 'warning', 1, 2, '{}', true),
        ('html', 'empty-heading', 'warning', 1, null, '{}', false), ('html', null, 'error', 3, null, '{}', false)
      ) as rules (kind, rule, issue_type, messages, impact, tags, outside), generate_series(1, messages) n`.execute(db);
    await sql`insert into issues (report_id, kind, web_page_id, common_id, issue_type, rule, message, html, how_many)
      select c.report_id, c.kind, w.id, c.id, c.issue_type, c.rule, c.message, '[]', 4 from common_issues c
      join web_pages w on w.report_id = c.report_id and (w.id * 7 + c.id) % 4 <> 0 where c.report_id = ${reportId}`.execute(
      db,
    );
    await sql`insert into findings (report_id, web_page_id, kind, issue_id, rule, issue_type, impact_order, outside_standard, fingerprint,
        component, how_many, muting_id, found_at)
      select i.report_id, i.web_page_id, i.kind, i.id, coalesce(i.rule, ''), i.issue_type, c.impact_order, c.outside_standard,
        substr(sha256((i.id || '-' || n)::bytea), 1, 10),
        substr(sha256((coalesce(i.rule, '-') || case when n % 2 = 0 then n::text else i.id || '-' || n end)::bytea), 1, 10), 1 + n % 2,
        case when (i.id + n) % 9 = 0 then 1 end, now()
      from issues i join common_issues c on c.id = i.common_id, generate_series(1, 4) n
      where i.report_id = ${reportId}`.execute(db);
    await sql`update issues i set muted_count = f.muted, how_many = f.how_many from (
        select issue_id, coalesce(sum(how_many) filter (where muting_id is null), 0) as how_many,
          coalesce(sum(how_many) filter (where muting_id is not null), 0) as muted from findings group by 1
      ) f where f.issue_id = i.id`.execute(db);
    await sql`update common_issues c set how_many = (
        select coalesce(sum(i.how_many), 0) from issues i where i.common_id = c.id
      ) where c.report_id = ${reportId}`.execute(db);
    const base = await insertReport(db, { accountId: await insertAccount(db) });
    const { rows } = await sql<{ id: string }>`
      insert into comparisons (report_id, base_id, report_checked_at, base_checked_at)
      values (${reportId}, ${base}, now(), now()) returning id`.execute(db);
    const comparisonId = rows[0]?.id ?? "";
    // An element of two is in two states.
    await sql`insert into compared_findings (comparison_id, finding_id, state, how_many, first_seen_at)
      select ${comparisonId}::bigint, f.id, s.state, s.how_many, now() from findings f, lateral (values
        (case f.id % 3 when 0 then 'new' when 1 then 'persisting' else 'new_rule' end, 1), ('unknown', f.how_many - 1)
      ) as s (state, how_many) where f.report_id = ${reportId} and s.how_many > 0`.execute(db);
    await sql`insert into compared_issues (comparison_id, common_id, is_muted, state, how_many, first_seen_at)
      select ${comparisonId}::bigint, i.common_id, f.muting_id is not null, s.state, sum(s.how_many), min(s.first_seen_at)
      from findings f join issues i on i.id = f.issue_id join compared_findings s on s.finding_id = f.id group by 2, 3, 4`.execute(
      db,
    );
    await sql`update reports set comparison_id = ${comparisonId}::bigint where id = ${reportId}`.execute(db);
    await sql`analyze`.execute(db);
    return comparisonId;
  }

  const folder = (path: string) => ({ folder: readFolder(path) as NonNullable<RuleFilter["folder"]> });
  const places: [string, Partial<RuleFilter>][] = [
    ["of all pages", {}],
    ["of a large folder", folder("/docs/")],
    ["of a small one", folder("/news/")],
    ["of one in another", folder("/docs/1/")],
  ];
  const elements: Partial<RuleFilter>[] = [
    {},
    { muted: true },
    ...ownStates.map((state) => ({ state })),
    ...(["content", "template", "design"] as const).map((role) => ({ role })),
    { role: "template", state: "new" },
    { role: "content", state: "unknown", muted: true },
  ];
  const issues: Partial<RuleFilter>[] = [
    {},
    { kind: "a11y" },
    { impact: "serious" },
    { text: "of 1" },
    { tags: { mode: "any", list: ["wcag111"] } },
    { outsideStandard: true },
  ];

  /** All lists and counts, by their filters. */
  async function readAll(place: Partial<RuleFilter>): Promise<Record<string, unknown>> {
    const read: Record<string, unknown> = {};
    for (const [row, some] of elements.entries())
      for (const [at, which] of issues.entries()) {
        // Each with each other one, in two places of the four.
        if ((row + at + places.findIndex(([, other]) => other === place)) % 2 === 0) continue;
        const filter: RuleFilter = { outsideStandard: false, muted: false, ...place, ...some, ...which };
        const name = JSON.stringify({ ...some, ...which });
        read[name] = await countByRule(database.db, of, filter);
        const group = ruleGroups[at % 2] ?? "rule";
        const key = ruleSortKeys[at % 3] ?? "how_many";
        const page = { limit: 50, offset: 0 };
        const { rows, total } = await listRules(database.db, of, filter, { key, direction: "desc" }, page, group);
        // Said of whole lists only, from what is stored apart.
        read[`${name} ${group}`] = { total, rows: rows.map(({ roles: _, ...row }) => row) };
      }
    return read;
  }

  for (const [name, place] of places)
    it(`is what its findings say, ${name}`, async () => {
      await storeComponents(database.db, of.reportId, of.comparisonId);
      const stored = await readAll(place);
      await sql`update component_lists set counts_version = null`.execute(database.db);
      const counted = await readAll(place);
      for (const [which, list] of Object.entries(counted)) expect(stored[which], which).to.deep.equal(list);
    });

  it("is not read where a page was checked since", async () => {
    await storeComponents(database.db, of.reportId, of.comparisonId);
    const filter: RuleFilter = { outsideStandard: false, muted: false, state: "new", role: "template" };
    const { howMany } = await countByRule(database.db, of, filter);
    await database.db.updateTable("element_counts").set({ how_many: 1_000_000 }).execute();
    expect((await countByRule(database.db, of, filter)).howMany).to.be.greaterThan(howMany);
    await sql`update reports set last_checked_at = now() where id = ${of.reportId}`.execute(database.db);
    expect((await countByRule(database.db, of, filter)).howMany).to.equal(howMany);
  });

  it("has what is found on each page, the same as what its findings say", async () => {
    await storeComponents(database.db, of.reportId, of.comparisonId);
    const query = { sort: { key: "errors", direction: "desc" }, page: { limit: PAGES, offset: 0 } } as const;
    const read = async () =>
      (await listWebPages(database.db, of.reportId, query)).rows.map(({ id, roles, faults, num_faults }) => ({
        ...{ id, roles, faults, num_faults },
      }));
    const stored = await read();
    await sql`update component_lists set sums_version = null`.execute(database.db);
    expect(stored).to.deep.equal(await read());
    expect(stored[0]?.num_faults).to.be.greaterThan(1);
  });

  it("has the causes of a large folder, the same as those that are grouped", async () => {
    await storeComponents(database.db, of.reportId, of.comparisonId);
    const { folder: docs } = folder("/docs/");
    const stored = await readCauses(database.db, of.reportId, docs);
    expect(await groupCauses(database.db, of.reportId, docs)).to.deep.equal(stored);
    await sql`update section_causes set causes = '{"causes": [], "left_out": {}}'`.execute(database.db);
    expect((await readCauses(database.db, of.reportId, docs)).causes).to.deep.equal([]);
    await sql`update reports set last_checked_at = now() where id = ${of.reportId}`.execute(database.db);
    expect(await readCauses(database.db, of.reportId, docs)).to.deep.equal(stored);
  });

  it("has the components of a large folder, the same as those that are grouped", async () => {
    await storeComponents(database.db, of.reportId, of.comparisonId);
    const filter = { ...of, ...folder("/docs/"), muted: false };
    const read = (more: object) =>
      listComponents(
        database.db,
        of.reportId,
        { ...filter, ...more },
        { key: "pages", direction: "desc" },
        {
          ...{ limit: 100, offset: 0 },
        },
      );
    const stored = [await read({}), await read({ state: "new" }), await read({ role: "template", kind: "html" })];
    await sql`update component_lists set all_version = null`.execute(database.db);
    const grouped = [await read({}), await read({ state: "new" }), await read({ role: "template", kind: "html" })];
    expect(stored).to.deep.equal(grouped);
    expect(stored[0]?.total).to.be.greaterThan(10);
  });
});
