import { type Kysely, type Selectable, sql, type Updateable } from "kysely";
import { selectCounts } from "../../src/database/reports/check-counts.ts";
import type { Database } from "../../src/database/tables.ts";
import { type CountField, countFields } from "../../src/domain/findings/check-counts.ts";
import { type CheckKind, checkKinds } from "../../src/domain/findings/findings.ts";

/** A report's counters by their names in the API's sort keys, such as `html_errors`. */
export type NamedCounts = Record<`${CheckKind}_${CountField}`, number>;

const named = checkKinds.flatMap((kind) =>
  countFields.map((field) => ({ name: `${kind}_${field}` as const, kind, field })),
);

/** A report's row with its counters. */
export async function readReport(
  db: Kysely<Database>,
  id: string,
): Promise<Selectable<Database["reports"]> & NamedCounts> {
  const { counts, ...row } = await db
    .selectFrom("reports")
    .selectAll()
    .select(selectCounts("reports.id").as("counts"))
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  const values = named.map(({ name, kind, field }) => [name, counts[kind][field]]);
  return { ...row, ...(Object.fromEntries(values) as NamedCounts) };
}

/** Sets some of a report's columns and counters. */
export async function setReport(
  db: Kysely<Database>,
  id: string,
  values: Updateable<Database["reports"]> & Partial<NamedCounts>,
): Promise<void> {
  const columns = { ...values };
  for (const { name, kind, field } of named) {
    const value = columns[name];
    if (value === undefined) continue;
    delete columns[name];
    await sql`
      update check_counts set ${sql.ref(field)} = ${value} where report_id = ${id} and kind = ${kind}`.execute(db);
  }
  if (Object.keys(columns).length > 0) await db.updateTable("reports").set(columns).where("id", "=", id).execute();
}
