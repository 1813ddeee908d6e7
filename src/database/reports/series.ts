import { type RawBuilder, sql } from "kysely";
import { settingsOfSeries } from "../../domain/findings/comparing.ts";

const names = sql`array[${sql.join(settingsOfSeries.map((name) => sql.lit(name)))}]::text[]`;

/** A digest of the settings of a report's series: the same for reports that can be compared, and different for others. */
export function seriesOf(spec: RawBuilder<unknown>): RawBuilder<string> {
  return sql<string>`md5((
    select jsonb_object_agg(setting.key, setting.value) from jsonb_each(${spec}) setting where setting.key = any(${names})
  )::text)`;
}

/** The names of the settings of a series in which two reports differ. */
export function settingsThatDiffer(spec: RawBuilder<unknown>, other: RawBuilder<unknown>): RawBuilder<string[]> {
  return sql<string[]>`array(
    select name from unnest(${names}) with ordinality as settings (name, place)
    where ${spec} -> name is distinct from ${other} -> name order by place
  )`;
}

/** The report is complete, and was neither cut short nor cancelled. */
export function isUncut(report: string): RawBuilder<boolean> {
  const column = (name: string) => sql.ref(`${report}.${name}`);
  return sql<boolean>`(${column("phase")} = 'Complete' and ${column("failure_code")} is null
    and not (${column("spec")} ->> 'cancelled')::boolean)`;
}

/** And something could be checked: the report has the results of its whole site. */
export function isWhole(report: string): RawBuilder<boolean> {
  return sql<boolean>`(${isUncut(report)}
    and exists (select from check_counts k where k.report_id = ${sql.ref(`${report}.id`)} and k.checked > 0))`;
}
