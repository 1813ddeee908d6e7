import { type Kysely, type Selectable, sql } from "kysely";
import { encryptedValues } from "../../domain/accounts/encrypted-values.ts";
import type { Encryptor } from "../../domain/accounts/encryption.ts";
import type { Whose } from "../../domain/accounts/principal.ts";
import type { ScheduleChange } from "../../domain/schedules/follow-resource.ts";
import type { ScheduleResource } from "../../schema/resources.ts";
import { annotatedGuest } from "../accounts/guests.ts";
import { isOnSites } from "../accounts/site-roles.ts";
import { type BatchSizes, inBatches } from "../batches.ts";
import { contains, hasTags, type Page, type Paginated, readPage, type TagFilter } from "../lists.ts";
import { newSecret, secretDigest } from "../secrets.ts";
import type { Database } from "../tables.ts";

export type ScheduleRow = Selectable<Database["schedules"]>;

/** The columns that a schedule's row has from its resource. */
function projectionOf({ metadata, spec }: ScheduleResource) {
  return {
    uid: metadata.uid,
    generation: metadata.generation,
    spec: JSON.stringify(spec),
    starting_url: spec.startingUrl,
    tags: [...spec.tags],
    active: spec.active,
  };
}

/** Makes the row of a Schedule resource. @returns false when there is one with this id or uid */
export async function insertSchedule(
  trx: Kysely<Database>,
  resource: ScheduleResource,
  { id, accountId, nextRunAt }: { id: string; accountId: string; nextRunAt: Date | null },
): Promise<boolean> {
  const { metadata } = resource;
  const created = new Date(metadata.creationTimestamp);
  const inserted = await trx
    .insertInto("schedules")
    .values({
      id,
      account_id: accountId,
      guest_token: annotatedGuest(metadata, accountId),
      namespace: metadata.namespace,
      name: metadata.name,
      ...projectionOf(resource),
      next_run_at: nextRunAt,
      inserted_at: created,
      updated_at: created,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning("id")
    .executeTakeFirst();
  return inserted !== undefined;
}

/** Lets the row of a schedule follow its resource. */
export async function updateSchedule(
  trx: Kysely<Database>,
  id: string,
  resource: ScheduleResource,
  { isRestored, nextRunAt }: ScheduleChange,
  now: Date,
): Promise<void> {
  await trx
    .updateTable("schedules")
    .set({
      ...projectionOf(resource),
      ...(nextRunAt !== undefined && { next_run_at: nextRunAt }),
      ...(!resource.spec.active && { hook_report_id: null }),
      ...(isRestored && { deleted_at: null }),
      updated_at: now,
    })
    .where("id", "=", id)
    .execute();
}

/** Locks a schedule's row, also when it is deleted: every decision about its definition and its runs is made under this lock. */
export function lockSchedule(trx: Kysely<Database>, id: string): Promise<ScheduleRow | undefined> {
  return trx.selectFrom("schedules").selectAll().where("id", "=", id).forUpdate().executeTakeFirst();
}

/** A schedule's row as it is now, also when it is deleted; by its id, or by the uid of its resource. */
export function readSchedule(db: Kysely<Database>, by: string | { uid: string }): Promise<ScheduleRow | undefined> {
  const found = db.selectFrom("schedules").selectAll();
  return (typeof by === "string" ? found.where("id", "=", by) : found.where("uid", "=", by.uid)).executeTakeFirst();
}

/** Whether reports of another account name this id as their schedule's: then no new schedule gets it. */
export async function isScheduleOfOthers(db: Kysely<Database>, id: string, accountId: string): Promise<boolean> {
  const found = db
    .selectFrom("reports")
    .select("id")
    .where("schedule_id", "=", id)
    .where("account_id", "!=", accountId);
  return (await found.limit(1).executeTakeFirst()) !== undefined;
}

/** An account's schedules: all of them, those of some sites, or those of one guest. */
export type ScheduleOwner = Whose;

/** A schedule of this owner that is not deleted. */
export function findSchedule(db: Kysely<Database>, owner: ScheduleOwner, id: string): Promise<ScheduleRow | undefined> {
  return undeleted(db, owner).where("id", "=", id).selectAll().executeTakeFirst();
}

/** This owner's schedule by the name of its resource, the newest one, even if it is deleted. */
export function findScheduleNamed(
  db: Kysely<Database>,
  owner: ScheduleOwner,
  { namespace, name }: { namespace: string; name: string },
): Promise<ScheduleRow | undefined> {
  const found = ownedBy(db, owner).where("namespace", "=", namespace).where("name", "=", name);
  return found.selectAll().orderBy("inserted_at", "desc").executeTakeFirst();
}

export type ScheduleQuery = ScheduleOwner & { url?: string; tags?: TagFilter; page: Page };

/** An owner's schedules, the newest first. */
export async function listSchedules(db: Kysely<Database>, query: ScheduleQuery): Promise<Paginated<ScheduleRow>> {
  const { url, tags, page } = query;
  let found = undeleted(db, query);
  if (url !== undefined) found = found.where(contains("starting_url", url));
  if (tags) found = found.where(hasTags("tags", tags));
  return readPage(found, found.selectAll().orderBy("inserted_at", "desc").orderBy("id"), page, sql.ref("spec_bytes"));
}

function ownedBy(db: Kysely<Database>, owner: ScheduleOwner) {
  const { accountId, guestToken } = owner;
  const ofAccount = db.selectFrom("schedules").where("account_id", "=", accountId).where(isOnSites("schedules", owner));
  return guestToken === null ? ofAccount : ofAccount.where("guest_token", "=", guestToken);
}

function undeleted(db: Kysely<Database>, owner: ScheduleOwner) {
  return ownedBy(db, owner).where("deleted_at", "is", null);
}

/** Marks a schedule deleted, if its row belongs to the resource with this uid. */
export async function markScheduleDeleted(db: Kysely<Database>, id: string, uid: string, now: Date): Promise<void> {
  await db
    .updateTable("schedules")
    .set({ deleted_at: now, updated_at: now, next_run_at: null, hook_report_id: null })
    .where("id", "=", id)
    .where("uid", "=", uid)
    .where("deleted_at", "is", null)
    .execute();
}

/** Marks the rows of a name as deleted if their resource is gone, or was replaced by the one with `uid`. @returns them */
export async function markGoneSchedules(
  db: Kysely<Database>,
  place: { namespace: string; name: string; uid?: string },
  now: Date,
): Promise<Pick<ScheduleRow, "id" | "account_id" | "starting_url">[]> {
  const { namespace, name, uid } = place;
  return db
    .updateTable("schedules")
    .set({ deleted_at: now, updated_at: now, next_run_at: null, hook_report_id: null })
    .where("namespace", "=", namespace)
    .where("name", "=", name)
    .where((eb) => (uid === undefined ? eb.lit(true) : eb("uid", "!=", uid)))
    .where("deleted_at", "is", null)
    .returning(["id", "account_id", "starting_url"])
    .execute();
}

/** Namespaces and names of all schedules that are not deleted. */
export function listScheduleNames(db: Kysely<Database>): Promise<{ namespace: string; name: string }[]> {
  return db.selectFrom("schedules").select(["namespace", "name"]).where("deleted_at", "is", null).execute();
}

/** Schedules that one statement deletes, each with a row for every run that it had. */
const withSlots: BatchSizes = { first: 10, most: 1_000 };

/**
 * Deletes the rows of schedules that were marked deleted before `before`. Their reports are kept.
 *
 * @param watched the namespaces whose resources the controller deletes, all when undefined. In others the row stays: a
 *   resource that the API could not delete must not begin anew when its namespace is watched again.
 */
export async function purgeDeletedSchedules(
  db: Kysely<Database>,
  before: Date,
  watched?: readonly string[],
): Promise<void> {
  let gone = db.selectFrom("schedules").select("id").where("deleted_at", "<", before);
  if (watched) gone = gone.where("namespace", "in", watched);
  await inBatches(withSlots, async (size) => {
    const deleted = db.deleteFrom("schedules").where("id", "in", gone.limit(size));
    return Number((await deleted.executeTakeFirst()).numDeletedRows);
  });
}

const { hook_encrypted: purpose } = encryptedValues.schedules;

/**
 * Gives a schedule a new secret for its deploy hook. The old secret stops working.
 *
 * @param ifMissing keeps an existing secret
 */
export async function setHookSecret(
  db: Kysely<Database>,
  encryptor: Encryptor,
  scheduleId: string,
  options: { ifMissing: boolean },
): Promise<void> {
  const secret = newSecret("svh");
  await db
    .updateTable("schedules")
    .set({ hook_hash: secretDigest(secret), hook_encrypted: encryptor.encrypt(secret, purpose(scheduleId)) })
    .where("id", "=", scheduleId)
    .where((eb) => (options.ifMissing ? eb("hook_hash", "is", null) : eb.lit(true)))
    .execute();
}

/** The secret to show to the owner; undefined when there is none, or it was encrypted with another key. */
export function hookSecret(encryptor: Encryptor, row: Pick<ScheduleRow, "id" | "hook_encrypted">): string | undefined {
  return row.hook_encrypted ? encryptor.decrypt(row.hook_encrypted, purpose(row.id)) : undefined;
}

/** The schedule with this deploy hook's secret, unless it is deleted. */
export function findScheduleOfHook(db: Kysely<Database>, secret: string): Promise<ScheduleRow | undefined> {
  return db
    .selectFrom("schedules")
    .selectAll()
    .where("hook_hash", "=", secretDigest(secret))
    .where("deleted_at", "is", null)
    .executeTakeFirst();
}
