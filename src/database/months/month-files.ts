import { gunzipSync, gzipSync } from "node:zlib";
import { type Kysely, type Selectable, sql } from "kysely";
import type { Month } from "../../domain/months/calendar.ts";
import { KEPT_DAYS, MAX_FILES, MAX_HTML_BYTES } from "../../domain/months/month-file.ts";
import { MONTH_FILES_WAITING, notify } from "../notifications.ts";
import type { SiteScope } from "../reports/sites.ts";
import type { Database } from "../tables.ts";

type Stored = Selectable<Database["month_files"]>;
/** A file of a month, without what is in it. */
export type MonthFile = Pick<Stored, "id" | "month" | "state" | "failure" | "asked_at" | "ended_at"> & {
  bytes: number | null;
};

const isOwn = ({ accountId, guestToken }: SiteScope) =>
  sql<boolean>`account_id = ${accountId} and guest_token is not distinct from ${guestToken}`;

/**
 * Asks for a month's file: what it is made from replaces what was made before.
 *
 * @returns false when one is being made
 */
export async function askMonthFile(
  db: Kysely<Database>,
  scope: SiteScope,
  month: Month,
  { html, now }: { html: string; now: Date },
): Promise<boolean> {
  const { accountId, guestToken } = scope;
  return db.transaction().execute(async (trx) => {
    const { rows } = await sql`
      insert into month_files as f (account_id, guest_token, month, html, asked_at)
      values (${accountId}, ${guestToken}, ${month}, ${gzipSync(html)}, ${now})
      on conflict (account_id, (coalesce(guest_token, '')), month) do update set id = gen_random_uuid(), html = excluded.html,
        pdf = null, state = 'waiting', failure = null, asked_at = excluded.asked_at, ended_at = null
      where f.state in ('ready', 'failed') and not f.has_job returning id`.execute(trx);
    await sql`
      delete from month_files where id = any(array(
        select id from month_files where ${isOwn(scope)} and state in ('ready', 'failed') and not has_job
        order by asked_at desc offset ${MAX_FILES}
      ))`.execute(trx);
    await notify(trx, MONTH_FILES_WAITING);
    return rows.length > 0;
  });
}

/** A month's file as it is now. */
export async function findMonthFile(
  db: Kysely<Database>,
  scope: SiteScope,
  month: Month,
): Promise<MonthFile | undefined> {
  return db
    .selectFrom("month_files")
    .select(["id", "month", "state", "failure", "asked_at", "ended_at", sql<number | null>`length(pdf)`.as("bytes")])
    .where(isOwn(scope))
    .where("month", "=", month)
    .executeTakeFirst();
}

/** The PDF of a month; undefined while there is none. */
export async function readMonthPdf(db: Kysely<Database>, scope: SiteScope, month: Month): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom("month_files")
    .select("pdf")
    .where(isOwn(scope))
    .where("month", "=", month)
    .where("state", "=", "ready")
    .executeTakeFirst();
  return row?.pdf ?? undefined;
}

/** What a Job makes a file from. @returns undefined when there is no such file to be made, or the Job may not see it */
export async function readMonthHtml(db: Kysely<Database>, id: string): Promise<string | undefined> {
  const row = await db
    .selectFrom("month_files")
    .select("html")
    .where("id", "=", id)
    .where("state", "in", ["waiting", "making"])
    .executeTakeFirst();
  return row && gunzipSync(row.html, { maxOutputLength: MAX_HTML_BYTES }).toString();
}

/** A Job has made a file, or cannot. */
export async function endMonthFile(
  db: Kysely<Database>,
  id: string,
  made: { pdf: Uint8Array } | { failure: string },
): Promise<void> {
  await db
    .updateTable("month_files")
    .set({
      ...("pdf" in made
        ? { state: "ready" as const, pdf: Buffer.from(made.pdf) }
        : { state: "failed" as const, failure: made.failure.slice(0, 300) }),
      ended_at: sql<Date>`now()`,
    })
    .where("id", "=", id)
    .where("state", "in", ["waiting", "making"])
    .execute();
  await notify(db, MONTH_FILES_WAITING);
}

/** A file that needs a Job, or whose Job has to be looked after. */
export type OpenMonthFile = Pick<Stored, "id" | "state" | "has_job" | "asked_at">;

/** Files that wait or are being made, and those whose Jobs are still there, the oldest first. */
export async function listOpenMonthFiles(db: Kysely<Database>, limit: number): Promise<OpenMonthFile[]> {
  return db
    .selectFrom("month_files")
    .select(["id", "state", "has_job", "asked_at"])
    .where(sql<boolean>`state in ('waiting', 'making') or has_job`)
    .orderBy("asked_at")
    .limit(limit)
    .execute();
}

/** Notes that a file has a Job, or that this is gone. */
export async function setMonthFileJob(db: Kysely<Database>, id: string, hasJob: boolean): Promise<void> {
  await sql`
    update month_files set has_job = ${hasJob}, state = case when ${hasJob} and state = 'waiting' then 'making' else state end
    where id = ${id}`.execute(db);
}

/** Deletes files that nobody asked for in the time for which they are kept. */
export async function deleteOldMonthFiles(db: Kysely<Database>, now: Date): Promise<void> {
  await sql`
    delete from month_files where state in ('ready', 'failed') and not has_job
      and asked_at < ${now}::timestamptz - make_interval(days => ${KEPT_DAYS})`.execute(db);
}
