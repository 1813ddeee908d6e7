import { expect } from "chai";
import { type Kysely, sql } from "kysely";
import type { Database } from "../../src/database/tables.ts";
import { findingLimits } from "../../src/domain/findings/bound-findings.ts";
import type { CountField } from "../../src/domain/findings/check-counts.ts";
import { checkKinds } from "../../src/domain/findings/findings.ts";
import { readReport } from "./check-counts.ts";

/** Numbers that the same report gives in different places. */
type Sums = Record<string, number>;

/**
 * Everything that counts a report's results agrees: its counters, the sums
 * over its pages' checks, over its issues and over its common issues; muted ones left
 * out. The account's reserved credits are those of its leased checks.
 */
export async function expectConsistent(db: Kysely<Database>, reportId: string): Promise<void> {
  // In one snapshot, since others may be writing.
  await db
    .transaction()
    .setIsolationLevel("repeatable read")
    .execute((trx) => compare(trx, reportId));
}

async function compare(db: Kysely<Database>, reportId: string): Promise<void> {
  const report = await readReport(db, reportId);
  const one = async (query: ReturnType<typeof sql<Sums>>): Promise<Sums> => (await query.execute(db)).rows[0] ?? {};
  const pages = await one(sql`select count(*)::integer as pages from web_pages where report_id = ${reportId}`);
  expect(pages.pages, "number of pages").to.equal(report.num_pages);

  for (const kind of checkKinds) {
    const checks = await one(sql`
      select count(*) filter (where status in ('queued', 'leased'))::integer as pending,
        count(*) filter (where status = 'checked')::integer as checked,
        count(*) filter (where status = 'failed')::integer as failed, count(*) filter (where reused)::integer as reused,
        coalesce(sum(errors), 0)::integer as errors, coalesce(sum(warnings), 0)::integer as warnings,
        coalesce(sum(minor), 0)::integer as minor, coalesce(sum(moderate), 0)::integer as moderate,
        coalesce(sum(serious), 0)::integer as serious, coalesce(sum(critical), 0)::integer as critical,
        coalesce(sum(outside_standard), 0)::integer as outside_standard,
        coalesce(sum(muted_errors), 0)::integer as muted_errors, coalesce(sum(muted_warnings), 0)::integer as muted_warnings
      from checks where report_id = ${reportId} and kind = ${kind}`);
    const counters = Object.fromEntries(
      Object.keys(checks).map((name) => [name, report[`${kind}_${name as CountField}`]]),
    );
    expect(checks, `${kind}: sums over checks against the report's counters`).to.deep.equal(counters);
    if (kind === "a11y") {
      const severities = (checks.minor ?? 0) + (checks.moderate ?? 0) + (checks.serious ?? 0) + (checks.critical ?? 0);
      expect(severities, "sum of severities").to.equal((checks.errors ?? 0) + (checks.warnings ?? 0));
    }

    const totals = (table: string, where: ReturnType<typeof sql>) =>
      one(sql`
        select coalesce(sum(how_many) filter (where not outside_standard and issue_type = 'error'), 0)::integer as errors,
          coalesce(sum(how_many) filter (where not outside_standard and issue_type <> 'error'), 0)::integer as warnings,
          coalesce(sum(how_many) filter (where outside_standard), 0)::integer as outside_standard
        from ${sql.table(table)} where report_id = ${reportId} and kind = ${kind} and ${where}`);
    const { errors, warnings, outside_standard } = counters;
    const expected = { errors, warnings, outside_standard };
    expect(await totals("issues", sql`muting_id is null`), `${kind} issues`).to.deep.equal(expected);
    expect(await totals("common_issues", sql`true`), `common ${kind} issues`).to.deep.equal(expected);

    const { muted_errors, muted_warnings } = counters;
    const muted = sql`case when muting_id is null then muted_count else how_many end`;
    expect(
      await one(sql`
        select coalesce(sum(${muted}) filter (where issue_type = 'error'), 0)::integer as muted_errors,
          coalesce(sum(${muted}) filter (where issue_type <> 'error'), 0)::integer as muted_warnings
        from issues where report_id = ${reportId} and kind = ${kind} and not outside_standard`),
      `muted ${kind} issues`,
    ).to.deep.equal({ muted_errors, muted_warnings });

    const wrong = async (query: ReturnType<typeof sql>): Promise<unknown[]> => (await query.execute(db)).rows;
    const issues = sql`(select * from issues where kind = ${kind})`;
    expect(
      await wrong(sql`select id from ${issues} i where report_id = ${reportId}
        and how_many + muted_count <> jsonb_array_length(html)
        and (how_many + muted_count < jsonb_array_length(html) or jsonb_array_length(html) < ${findingLimits.elements}
          and (select sum(octet_length(o.html::text)) from ${issues} o where o.web_page_id = i.web_page_id)
            < ${findingLimits.page / 2})`),
      `${kind} issues whose how_many is not the number of elements, within the limits`,
    ).to.deep.equal([]);
    expect(
      await wrong(sql`
        select c.id, c.how_many, sum(i.how_many) from common_issues c
        left join ${issues} i on i.common_id = c.id and i.muting_id is null
        where c.report_id = ${reportId} and c.kind = ${kind} group by c.id having c.how_many <> coalesce(sum(i.how_many), 0)`),
      `common ${kind} issues that do not sum up their issues`,
    ).to.deep.equal([]);
    expect(
      await wrong(sql`
        select i.id, i.muting_id, i.how_many, i.muted_count from ${issues} i
        join findings f on f.issue_id = i.id
        where i.report_id = ${reportId} group by i.id, i.muting_id, i.how_many, i.muted_count
        having sum(f.how_many) <> i.how_many + i.muted_count
          or coalesce(sum(f.how_many) filter (where f.muting_id is not null), 0)
            <> case when i.muting_id is null then i.muted_count else i.how_many end`),
      `${kind} issues that do not sum up their findings`,
    ).to.deep.equal([]);
    expect(
      await wrong(sql`
        select c.id from checks c
        left join ${issues} i on i.web_page_id = c.web_page_id and i.muting_id is null
        where c.report_id = ${reportId} and c.kind = ${kind}
        group by c.id having c.errors + c.warnings + c.outside_standard <> coalesce(sum(i.how_many), 0)`),
      `${kind} checks that do not sum up their page's issues`,
    ).to.deep.equal([]);
  }

  const { rows: uncounted } = await sql`
    select s.web_page_id from page_sources s join web_pages w on w.id = s.web_page_id
    left join checks c on c.web_page_id = w.id and c.keeps_source
    where w.report_id = ${reportId} and s.kept and coalesce(c.stored_bytes, 0) < octet_length(s.body)`.execute(db);
  expect(uncounted, "kept sources that are not in the bytes of a check that keeps them").to.deep.equal([]);

  const credits = await one(sql`
    select coalesce(sum(reserved), 0)::integer as reserved
    from credit_usage where account_id = ${report.account_id} and guest_token = ''`);
  const owed = await one(sql`
    select count(*) filter (where c.reserved_month is not null)::integer as reserved
    from checks c join reports r on r.id = c.report_id where r.account_id = ${report.account_id}`);
  expect(credits.reserved, "reserved credits").to.equal(owed.reserved);
}
