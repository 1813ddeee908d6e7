import { type Kysely, type RawBuilder, sql } from "kysely";
import { validate as isUuid } from "uuid";
import { requestIdOf } from "../../domain/request-id.ts";
import type { ReportSpec } from "../../schema/report.ts";
import { labels, type ReportResource } from "../../schema/resources.ts";
import { annotatedGuest } from "../accounts/guests.ts";
import { executePrepared } from "../connection/statements.ts";
import type { Database } from "../tables.ts";
import { insertCounts } from "./check-counts.ts";
import { type ReportRow, relatedRows, reportsWithRelated } from "./read-reports.ts";

/** Only a schedule of the same account counts: everybody who may write a Report chooses its labels. */
function scheduleOf({ metadata }: ReportResource, accountId: string): RawBuilder<string | null> {
  const id = metadata.labels?.[labels.schedule] ?? "";
  if (!isUuid(id)) return sql`null`;
  return sql`(select id from schedules where id = ${id} and account_id = ${accountId})`;
}

/**
 * Creates the row of a Report resource, or updates it to a newer generation. The API or the
 * controller calls this, whichever sees the resource first; repeating it has no effect.
 * `shared` has two writers (the API's PATCH writes the row at once), so the resource's value
 * counts only for a generation newer than the row's.
 *
 * @param id the report's id: it belongs to the resource's uid, and no annotation changes it (docs/adr/0070). The report of a
 *   schedule's run has an id that was decided before
 * @returns the row, which may have been deleted; undefined when the one with that id belongs to another resource or
 *   account, or the resource to another row: refuse the resource
 */
export async function upsertReport(
  db: Kysely<Database>,
  resource: ReportResource,
  accountId: string,
  id: string = resource.metadata.uid,
): Promise<ReportRow | undefined> {
  const { metadata, spec } = resource;
  const { generation } = metadata;
  const ownRow = () =>
    reportsWithRelated(db)
      .where("id", "=", id)
      .where("uid", "=", metadata.uid)
      .where("account_id", "=", accountId)
      .where("namespace", "=", metadata.namespace)
      .where("name", "=", metadata.name);
  // One statement, which needs no transaction around it: a client waits for each.
  const statement = db
    .with("inserted", (cte) =>
      cte
        .insertInto("reports")
        .values({
          id,
          account_id: accountId,
          guest_token: annotatedGuest(metadata, accountId),
          schedule_id: scheduleOf(resource, accountId),
          namespace: metadata.namespace,
          name: metadata.name,
          uid: metadata.uid,
          generation,
          spec: JSON.stringify(spec),
          starting_url: spec.startingUrl,
          domain: new URL(spec.startingUrl).hostname,
          tags: [...spec.tags],
          shared: spec.shared,
          request_id: requestIdOf(metadata) ?? null,
          muting_revision: sql`coalesce((select muting_revision from accounts where id = ${accountId}), 0)`,
          inserted_at: metadata.creationTimestamp,
        })
        // The same id or the same uid. With the id alone named here, two of them could block each other by the uid.
        .onConflict((conflict) => conflict.doNothing())
        .returningAll(),
    )
    .with("updated", (cte) =>
      cte
        .updateTable("reports")
        .set({
          generation,
          spec: JSON.stringify(spec),
          tags: [...spec.tags],
          shared: spec.shared,
          updated_at: sql`now()`,
        })
        .where("id", "in", ownRow().clearSelect().select("id"))
        .where("generation", "<", String(generation))
        .returningAll(),
    )
    .with("counted", () => sql<object>`(${insertCounts(sql`inserted`)})`)
    .with("limited", (cte) =>
      cte
        .insertInto("rate_limits")
        .columns(["report_id"])
        .expression((from) => from.selectFrom("inserted").select("id as report_id"))
        .onConflict((conflict) => conflict.doNothing()),
    )
    .selectFrom((from) =>
      from.selectFrom("inserted").selectAll().unionAll(from.selectFrom("updated").selectAll()).as("reports"),
    )
    .selectAll()
    .select(relatedRows);
  for (;;) {
    const [written] = (await executePrepared(db, statement)).rows;
    if (written) return written;
    // No row was written: it has this generation already, or id or uid belongs to another resource.
    const row = await ownRow().executeTakeFirst();
    // Otherwise the row came after this statement had begun.
    if (!row || Number(row.generation) >= generation) return row;
  }
}

/**
 * Gives the row of a report to a resource that was restored under the same name, with another uid. The results stay
 * what they are, and so does who may read them. A report that was deleted is there again.
 *
 * @param spec the resource's spec, whose fields that may change the row follows
 * @param deletedSince the row of a report that was deleted before may be incomplete by now
 * @returns false when the row has gone, or was given to another resource meanwhile
 */
export async function adoptReport(
  db: Kysely<Database>,
  row: { id: string; uid: string },
  { metadata, spec }: ReportResource,
  deletedSince: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("reports")
    .set({
      uid: metadata.uid,
      generation: metadata.generation,
      spec: sql`${JSON.stringify(spec)}::jsonb || jsonb_build_object('shared', shared)`,
      tags: [...spec.tags],
      deleted_at: null,
      updated_at: sql`now()`,
    })
    .where("id", "=", row.id)
    .where("uid", "=", row.uid)
    .where((eb) => eb.or([eb("deleted_at", "is", null), eb("deleted_at", ">=", deletedSince)]))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** The spec of a report; undefined when there is no report with that id. */
export async function readSpec(db: Kysely<Database>, id: string): Promise<ReportSpec | undefined> {
  return (await db.selectFrom("reports").select("spec").where("id", "=", id).executeTakeFirst())?.spec;
}

/** Whether a report is a guest's. */
export async function isOfGuest(db: Kysely<Database>, id: string): Promise<boolean> {
  const row = await db.selectFrom("reports").select("guest_token").where("id", "=", id).executeTakeFirst();
  return row !== undefined && row.guest_token !== null;
}
