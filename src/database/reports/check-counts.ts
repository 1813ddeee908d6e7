import { type Kysely, type RawBuilder, sql } from "kysely";
import {
  type CheckCounts,
  type CountChanges,
  type CountsByKind,
  countFields,
} from "../../domain/findings/check-counts.ts";
import { checkKinds } from "../../domain/findings/findings.ts";
import type { Database } from "../tables.ts";

/**
 * The counters of a report, a row for each kind of check. All rows are made with the report's row, also those of kinds
 * that it does not perform, so that lists in the order of a counter have every report. Readers take a missing row for zeros.
 *
 * A report's row is locked before its counters, and by every process that changes them: the process that holds the lock may read them
 * in the next statement and be sure that they stay.
 */

const counters = sql`check_counts k`;

/** All counts of a report, for a query whose rows have its id, such as `reports.id`. */
export function selectCounts(reportId: string): RawBuilder<CountsByKind> {
  const fields = countFields.map((field) => sql`${sql.lit(field)}, coalesce(${sql.ref(`k.${field}`)}, 0)`);
  return sql<CountsByKind>`(
    select json_object_agg(kinds.kind, json_build_object(${sql.join(fields)}))
    from unnest(${literals(checkKinds)}) as kinds (kind)
    left join ${counters} on k.report_id = ${sql.ref(reportId)} and k.kind = kinds.kind
  )`;
}

/** All counts of a report. */
export async function readCounts(db: Kysely<Database>, id: string): Promise<CountsByKind> {
  const report = sql<{ id: string }>`(select ${id}::uuid as id)`.as<"report">(sql.ref("report"));
  const { counts } = await db
    .selectFrom(report)
    .select(selectCounts("report.id").as("counts"))
    .executeTakeFirstOrThrow();
  return counts;
}

/** One count of a report, added up over all kinds. */
export function sumOfCounts(reportId: string, field: keyof CheckCounts): RawBuilder<number> {
  return sql<number>`(
    select coalesce(sum(${sql.ref(`k.${field}`)}), 0)::integer from ${counters} where k.report_id = ${sql.ref(reportId)}
  )`;
}

/** True while a check of the report waits or runs. */
export function hasPending(reportId: string): RawBuilder<boolean> {
  return sql<boolean>`exists (select from ${counters} where k.report_id = ${sql.ref(reportId)} and k.pending > 0)`;
}

/** The counters of new reports, which the rows of `from` are. */
export function insertCounts(from: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    insert into check_counts (report_id, account_id, kind)
    select new.id, new.account_id, kinds.kind from ${from} new, unnest(${literals(checkKinds)}) as kinds (kind)`;
}

/**
 * Adds to a report's counts: the update of the counters in a statement whose common table expression `report` updates
 * the report's row, and returns its id. So the row is locked first, and nothing is counted where there is none.
 */
export function addCounts(changes: CountChanges): RawBuilder<unknown> {
  const changed = Object.entries(changes)
    .map(([kind, change]) => ({ kind, ...noChange, ...change }))
    .filter((change) => countFields.some((field) => change[field] !== 0));
  const set = countFields.map((field) => sql`${sql.ref(field)} = k.${sql.ref(field)} + change.${sql.ref(field)}`);
  const types = countFields.map((field) => sql`${sql.ref(field)} integer`);
  return sql`
    update check_counts k set ${sql.join(set)}
    from report, json_to_recordset(${JSON.stringify(changed)}::json) as change(kind text, ${sql.join(types)})
    where k.report_id = report.id and k.kind = change.kind`;
}

const noChange = Object.fromEntries(countFields.map((field) => [field, 0])) as CheckCounts;

function literals(texts: readonly string[]): RawBuilder<unknown> {
  return sql`array[${sql.join(texts.map((text) => sql.lit(text)))}]::text[]`;
}
