import { type Kysely, type RawBuilder, sql } from "kysely";
import { causeOf } from "../../domain/causes/cause.ts";
import {
  type CountedCause,
  causeOfReport,
  inOrder,
  MAX_CAUSES,
  type ReportCauses,
} from "../../domain/causes/causes.ts";
import { markupOf } from "../../domain/findings/markup.ts";
import type { Database } from "../tables.ts";
import { isUpToDate } from "./components.ts";
import { largeSections } from "./element-counts.ts";
import { type FindingDetails, type FindingFilter, findingsWhere, readFindings } from "./findings.ts";

/** Of a finding `f`. */
export const causeOfFinding = sql<Buffer>`coalesce(f.cause, f.component)`;

/** What a finding says that decides what is changed. */
export function causeOfDetails({ kind, rule, message, element }: FindingDetails) {
  const selector = element?.selector ?? null;
  const markup = element && { extract: markupOf(element), contrast: element.contrast ?? null };
  return causeOf({ kind, rule, message, selector, element: markup });
}

/** The causes of a report's errors, without muted ones: as they are stored, or from its findings. */
export async function readCauses(
  db: Kysely<Database>,
  reportId: string,
  folder?: FindingFilter["folder"],
): Promise<ReportCauses> {
  return (await storedCauses(db, reportId, folder)) ?? groupCauses(db, reportId, folder);
}

async function storedCauses(
  db: Kysely<Database>,
  reportId: string,
  folder: FindingFilter["folder"],
): Promise<ReportCauses | undefined> {
  if (folder && folder.path !== folder.section) return undefined;
  const ofSection = sql`(select s.causes from section_causes s where s.report_id = r.id and s.section = ${folder?.section})`;
  const { rows } = await sql<{ causes: ReportCauses | null }>`
    select ${folder ? ofSection : sql`l.causes`} as causes from component_lists l join reports r on r.id = l.report_id
    where l.report_id = ${reportId} and ${isUpToDate}`.execute(db);
  return rows[0]?.causes ?? undefined;
}

/** Stores the causes of each large section of a report, beside those of all pages. */
export async function storeSectionCauses(trx: Kysely<Database>, reportId: string): Promise<void> {
  const { rows } = await sql<{ section: string }>`${largeSections(reportId)}`.execute(trx);
  for (const { section } of rows) {
    const causes = await groupCauses(trx, reportId, { path: section, section });
    await sql`insert into section_causes (report_id, section, causes)
      values (${reportId}, ${section}, ${JSON.stringify(causes)}::jsonb)`.execute(trx);
  }
}

export async function deleteSectionCauses(trx: Kysely<Database>, reportId: string): Promise<void> {
  await trx.deleteFrom("section_causes").where("report_id", "=", reportId).execute();
}

/** Groups the errors of a report, or those on pages in a folder. */
export async function groupCauses(
  db: Kysely<Database>,
  reportId: string,
  folder?: FindingFilter["folder"],
): Promise<ReportCauses> {
  const errors = findingsWhere(reportId, {
    comparisonId: null,
    issueType: "error",
    muted: false,
    ...(folder && { folder }),
  });
  const { rows } = await sql<CountedCause & { total: number; all: number }>`
    with ${grouped(reportId, errors)}
    select *, (select count(*)::integer from causes) as total, (select coalesce(sum(how_many), 0)::integer from causes) as "all"
    from causes order by how_many desc, num_pages desc, id limit ${MAX_CAUSES}`.execute(db);
  const examples = new Map<string, FindingDetails>();
  const ids = rows.map(({ finding_id }) => finding_id);
  for (const finding of await readFindings(db, ids, null)) examples.set(finding.id, finding);
  const kept = rows.map(({ total, all, ...counted }) => {
    const example = examples.get(counted.finding_id);
    return causeOfReport(counted, example ? causeOfDetails(example).place : "");
  });
  const [first] = rows;
  const howMany = kept.reduce((sum, { how_many }) => sum + how_many, 0);
  return {
    causes: inOrder(kept),
    left_out: { causes: (first?.total ?? 0) - kept.length, how_many: (first?.all ?? 0) - howMany },
  };
}

/**
 * What only follows from another finding goes with it, but says nothing about what is changed.
 *
 * @param errors a FROM clause, whose findings are `f` of this report, with conditions
 */
function grouped(reportId: string, errors: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    of_rules as (
      select ${causeOfFinding} as cause, f.component, f.web_page_id, f.kind || ' ' || f.rule as rule, min(f.id) as finding_id,
        sum(f.how_many) as how_many, sum(f.repaired) as verified, max(coalesce(f.impact_order, 0)) as impact_order,
        bool_and(f.consequences = f.how_many) as follows
      from ${errors} and not f.outside_standard group by 1, 2, 3, 4
    ), of_components as (
      select cause, component, rule, count(*) as num_pages, sum(how_many) as how_many, sum(verified) as verified,
        max(impact_order) as impact_order, min(finding_id) as finding_id, bool_and(follows) as follows
      from of_rules group by 1, 2, 3
    ), pages as (
      select r.cause, count(distinct r.web_page_id)::integer as num_pages,
        case when min(p.section) = max(p.section) then min(p.section) end as section
      from of_rules r join web_pages p on p.id = r.web_page_id and p.report_id = ${reportId}::uuid group by 1
    ), of_causes as (
      select cause, sum(how_many)::integer as how_many, sum(verified)::integer as verified,
        coalesce(max(num_pages) filter (where not follows), max(num_pages))::integer as most_pages,
        max(impact_order) as impact_order,
        coalesce(array_agg(distinct rule) filter (where not follows), array_agg(distinct rule)) as rules,
        (array_agg(finding_id order by follows, impact_order desc, num_pages desc, finding_id))[1] as finding_id
      from of_components group by 1
    ), by_rule as (
      select cause, coalesce(max(num_elements) filter (where not follows), max(num_elements))::integer as num_elements from (
        select cause, rule, sum(how_many) as num_elements, bool_and(follows) as follows from of_components group by 1, 2
      ) rules group by 1
    ), causes as (
      select encode(c.cause, 'hex') as id, c.finding_id::text, c.how_many, c.verified, p.num_pages, p.section, e.num_elements,
        c.most_pages, c.rules, nullif(c.impact_order, 0) as impact_order
      from of_causes c join pages p using (cause) join by_rule e using (cause)
    )`;
}
