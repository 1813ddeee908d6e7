import { type Kysely, sql } from "kysely";
import type { FoundOfCriterion } from "../../domain/findings/judged-criteria.ts";
import { criterionOfTag, successCriteriaOf } from "../../domain/findings/success-criteria.ts";
import type { Database } from "../tables.ts";

/** What was found of each success criterion in a report, without muted elements and what is outside of its standard. */
export async function readCriteria(db: Kysely<Database>, reportId: string): Promise<FoundOfCriterion[]> {
  const { rows } = await sql<{ tag: string; errors: number; warnings: number }>`
    select tag, coalesce(sum(how_many) filter (where issue_type = 'error'), 0)::integer as errors,
      coalesce(sum(how_many) filter (where issue_type = 'warning'), 0)::integer as warnings
    from common_issues c, unnest(c.tags) as tag
    where c.report_id = ${reportId} and c.how_many > 0 and not c.outside_standard and tag like 'wcag%'
    group by tag`.execute(db);
  return rows.flatMap(({ tag, ...found }) => {
    const criterion = criterionOfTag(tag);
    return criterion ? [{ number: criterion.number, ...found }] : [];
  });
}

/** The numbers of the criteria that errors of each rule of a report are about, by kind and rule: `a11y image-alt`. */
export async function criteriaOfRules(db: Kysely<Database>, reportId: string): Promise<Map<string, string[]>> {
  const { rows } = await sql<{ rule: string; tags: string[] }>`
    select c.kind || ' ' || c.rule as rule, array_agg(distinct tag) as tags from common_issues c, unnest(c.tags) as tag
    where c.report_id = ${reportId} and c.issue_type = 'error' and not c.outside_standard and c.rule is not null and tag like 'wcag%'
    group by 1`.execute(db);
  return new Map(rows.map(({ rule, tags }) => [rule, successCriteriaOf(tags).map(({ number }) => number)]));
}
