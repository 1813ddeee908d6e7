import { type Kysely, type RawBuilder, sql } from "kysely";
import { validate as isUuid } from "uuid";
import { requestIdOf } from "../../domain/request-id.ts";
import { type MutableReportSpec, mutableReportFields, type ReportSpec } from "../../schema/report.ts";
import { labels, type ReportResource } from "../../schema/resources.ts";
import { annotatedGuest } from "../accounts/guests.ts";
import { endRolesOnSiteOf } from "../accounts/site-roles.ts";
import { executePrepared } from "../connection/statements.ts";
import { CHANNEL } from "../notifications.ts";
import { forgetNumbers } from "../retention/past-runs.ts";
import type { Database } from "../tables.ts";
import { insertCounts } from "./check-counts.ts";
import { type ReportRow, relatedRows, reportsWithRelated } from "./read-reports.ts";

/** Only a schedule of the same account counts: everybody who may write a Report chooses its labels. */
function scheduleOf({ metadata }: ReportResource, accountId: string): RawBuilder<string | null> {
  const id = metadata.labels?.[labels.schedule] ?? "";
  if (!isUuid(id)) return sql`null`;
  return sql`(select id from schedules where id = ${id} and account_id = ${accountId})`;
}

/** What a row follows: which resource, of which generation, and what of its definition may change. */
type Following = { uid: string; generation: number } & MutableReportSpec;

/** The columns that follow, besides `spec`. */
function following({ uid, generation, tags, shared }: Following) {
  return { uid, generation, tags: [...tags], shared };
}

/**
 * The only statement that changes projected columns of a row that is there. What may not change of a definition stays as
 * it was when the report was admitted, whatever its resource says by now.
 *
 * @param of the row, and the uid of the resource that it belongs to
 */
function follow(db: Kysely<Database>, of: { id: string; uid: string }, to: Following) {
  const change = Object.fromEntries(mutableReportFields.map((name) => [name, to[name]]));
  return db
    .updateTable("reports")
    .set({
      ...following(to),
      spec: sql`reports.spec || ${JSON.stringify(change)}::jsonb`,
      updated_at: sql`now()`,
    })
    .where("id", "=", of.id)
    .where("uid", "=", of.uid);
}

/**
 * Makes the row of a Report resource, or lets it follow a newer generation. The API or the controller calls this,
 * whichever sees the resource first; repeating it has no effect.
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
  const to = { ...spec, uid: metadata.uid, generation };
  const ownRow = reportsWithRelated(db)
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
          starting_url: spec.startingUrl,
          domain: new URL(spec.startingUrl).hostname,
          ...following(to),
          spec: JSON.stringify(spec),
          request_id: requestIdOf(metadata) ?? null,
          muting_revision: sql`coalesce((select muting_revision from accounts where id = ${accountId}), 0)`,
          inserted_at: metadata.creationTimestamp,
        })
        // The same id or the same uid. With the id alone named here, two of them could block each other by the uid.
        .onConflict((conflict) => conflict.doNothing())
        .returningAll(),
    )
    .with("updated", () =>
      follow(db, { id, uid: metadata.uid }, to)
        .where("account_id", "=", accountId)
        .where("namespace", "=", metadata.namespace)
        .where("name", "=", metadata.name)
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
    const row = await ownRow.executeTakeFirst();
    // Otherwise the row came after this statement had begun.
    if (!row || Number(row.generation) >= generation) return row;
  }
}

/**
 * Gives the row of a report to a resource that was restored under the same name, with another uid. The results stay
 * what they are, and so does who may read them. A report that was deleted is there again.
 *
 * @param deletedSince the row of a report that was deleted before may be incomplete by now
 * @returns false when the row has gone or changed, or was given to another resource meanwhile
 */
export async function adoptReport(
  db: Kysely<Database>,
  row: { id: string; uid: string; shared: boolean },
  { metadata, spec }: ReportResource,
  deletedSince: Date,
): Promise<boolean> {
  const { shared } = row;
  await forgetNumbers(db, row.id);
  const { numUpdatedRows } = await follow(db, row, { ...metadata, ...spec, shared })
    .set({ deleted_at: null })
    .where("shared", "=", shared)
    .where((eb) => eb.or([eb("deleted_at", "is", null), eb("deleted_at", ">=", deletedSince)]))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * Shares a report or stops sharing it, at once: also while its resource is out of reach, or gone. The resource's value
 * counts again from its next generation on.
 */
export async function setReportShared(db: Kysely<Database>, id: string, shared: boolean): Promise<void> {
  for (;;) {
    const row = await db.selectFrom("reports").selectAll().where("id", "=", id).executeTakeFirst();
    if (!row || row.shared === shared) return;
    const written = await follow(db, row, { ...row.spec, uid: row.uid, generation: Number(row.generation), shared })
      .where("generation", "=", row.generation)
      .returning(sql`pg_notify(${CHANNEL}, id::text)`.as("notified"))
      .executeTakeFirst();
    if (written) return;
  }
}

/**
 * Marks a report deleted at once; its rows are purged later. One that is pinned stays.
 *
 * @returns false when it is not there, or stays
 */
export async function markReportDeleted(db: Kysely<Database>, id: string, now: Date): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    if (!(await lockKept(trx, id))) return false;
    // A statement of its own: one that waited for the lock does not see who was pinned meanwhile.
    const pin = await trx.selectFrom("pins").select("report_id").where("report_id", "=", id).executeTakeFirst();
    if (!pin) await markDeleted(trx, id, now);
    return !pin;
  });
}

/** Marks a report deleted that is locked, whether it is pinned or not. */
export async function markDeleted(trx: Kysely<Database>, id: string, now: Date): Promise<void> {
  const report = await trx
    .updateTable("reports")
    .set({ deleted_at: now, updated_at: now })
    .where("id", "=", id)
    .returning(["account_id", "starting_url", sql`pg_notify(${CHANNEL}, id::text)`.as("notified")])
    .executeTakeFirst();
  if (report) await endRolesOnSiteOf(trx, report);
}

/** What identifies the resource of a row: the row may outlive it, and another one may have its name. */
export type ResourceOfRow = { namespace: string; name: string; uid: string };

/** Locks a report that is not deleted. Pins are set under the same lock. */
export function lockKept(
  trx: Kysely<Database>,
  id: string,
): Promise<(ResourceOfRow & { account_id: string; stored_bytes: string }) | undefined> {
  return trx
    .selectFrom("reports")
    .select(["namespace", "name", "uid", "account_id", "stored_bytes"])
    .where("id", "=", id)
    .where("deleted_at", "is", null)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/** What is asked for with a report, and whether a guest asks; undefined when there is no report with that id. */
export async function readDefinition(
  db: Kysely<Database>,
  id: string,
): Promise<{ spec: ReportSpec; ofGuest: boolean } | undefined> {
  const query = db.selectFrom("reports").select(["spec", "guest_token"]).where("id", "=", id);
  const row = await query.executeTakeFirst();
  return row && { spec: row.spec, ofGuest: row.guest_token !== null };
}
