import type { Kysely } from "kysely";
import { insertEntry } from "../database/audit/entries.ts";
import { listPageIds } from "../database/reports/purge.ts";
import { lockKept, markDeleted, type ResourceOfRow, readDefinition } from "../database/reports/reports.ts";
import {
  addBytes,
  type Item,
  type ItemOutcome,
  insertDeletion,
  readChosen,
  setOutcome,
} from "../database/retention/deletions.ts";
import { readKnownReports, readPartBytes, readWanted, type StoredReport } from "../database/retention/known-reports.ts";
import { lockDue, setLooked } from "../database/retention/limits.ts";
import { keepNumbers } from "../database/retention/past-runs.ts";
import { deletePart, lockChecks } from "../database/retention/stored-parts.ts";
import type { Database } from "../database/tables.ts";
import { OURSELVES, ownEntry } from "../domain/audit/entry.ts";
import { screenshotKind } from "../domain/findings/screenshots.ts";
import { type Part, type Stays, whatIsKeptNoLonger, whatStays } from "../domain/retention/decide.ts";
import { effectiveLimits, type Limits } from "../domain/retention/limits.ts";

/** What a row of a preview would delete: the reports, and the bytes. */
export type Going = { ids: string[]; bytes: number };

/** What limits would delete now, and what stays although it is old enough. */
export type RetentionPreview = {
  goes: Record<"age" | "runs" | "pictures" | "raw", Going>;
  stays: Map<string, Stays>;
  reports: StoredReport[];
  /** The bytes that each report would have less. */
  less: Map<string, number>;
};

/** Looks what limits would delete now. Nothing is changed: the same decision deletes. */
export async function previewRetention(
  db: Kysely<Database>,
  accountId: string,
  limits: Limits,
  now: Date,
): Promise<RetentionPreview> {
  const reports = await readKnownReports(db, accountId);
  const { goes, stays } = whatIsKeptNoLonger(reports, await readWanted(db, accountId), limits, now);
  const whole = new Map(reports.map(({ id, bytes }) => [id, bytes]));
  const pictures = await readPartBytes(db, "pictures", goes.pictures);
  const raw = await readPartBytes(db, "raw", goes.raw);
  const less = new Map<string, number>();
  const going = (ids: readonly string[], bytesOf: ReadonlyMap<string, number>): Going => {
    const found = ids.filter((id) => bytesOf.has(id));
    for (const id of found) less.set(id, (less.get(id) ?? 0) + (bytesOf.get(id) ?? 0));
    return { ids: found, bytes: found.reduce((sum, id) => sum + (bytesOf.get(id) ?? 0), 0) };
  };
  const rows = {
    ...{ age: going(goes.age, whole), runs: going(goes.runs, whole) },
    ...{ pictures: going(goes.pictures, pictures), raw: going(goes.raw, raw) },
  };
  return { goes: rows, stays, reports, less };
}

/**
 * Begins the deletion of what an account keeps no longer, if it is due and there is something.
 *
 * @returns how much there is
 */
export async function beginNight(
  db: Kysely<Database>,
  accountId: string,
  operator: Limits,
  now: Date,
): Promise<number> {
  return db.transaction().execute(async (trx) => {
    const own = await lockDue(trx, accountId, now);
    if (!own) return 0;
    const { goes, stays } = await previewRetention(trx, accountId, effectiveLimits(own, operator), now);
    const items = [
      ...[...goes.age.ids, ...goes.runs.ids].map((reportId): Item => ({ reportId, part: "report" })),
      ...goes.pictures.ids.map((reportId): Item => ({ reportId, part: "pictures" })),
      ...goes.raw.ids.map((reportId): Item => ({ reportId, part: "raw" })),
    ];
    if (items.length > 0) {
      // What stays is named, too: what is decided again before each report has to know what was decided by.
      const staying = [...stays.keys()].map((reportId): Item => ({ reportId, part: "report" }));
      const id = await insertDeletion(trx, accountId, { items: [...items, ...staying], stays, tokenId: null, now });
      await insertEntry(trx, nightEntry({ accountId, id, items, now }));
    }
    await setLooked(trx, accountId, now);
    return items.length;
  });
}

/** What the log says of a night: how much of what is deleted. */
function nightEntry({ accountId, id, items, now }: { accountId: string; id: string; items: Item[]; now: Date }) {
  const byPart = Map.groupBy(items, ({ part }) => part);
  const changes = [...byPart].map(([part, { length }]) => ({
    ...{ field: part === "report" ? "reports" : part, before: String(length), after: null, hidden: false },
  }));
  const target = { type: "deletion", id, name: null, path: `/deletions/${id}`, siteUrl: null };
  const did = { operation: "deleteOldReports", verb: "deleted what is kept no longer", area: "deleted" } as const;
  return ownEntry({ by: OURSELVES, ...did }, { accountId, at: now, target, changes });
}

/**
 * Begins the deletion of reports that somebody has chosen, as a whole or of a part of them.
 *
 * @param ids of reports of the account
 * @param tokenId who
 * @returns the deletion's id
 */
export async function beginDeletion(
  db: Kysely<Database>,
  accountId: string,
  { ids, part, tokenId, now }: { ids: readonly string[]; part: Part; tokenId: string; now: Date },
): Promise<string> {
  return db.transaction().execute(async (trx) => {
    const reports = await readKnownReports(trx, accountId, part === "report" ? { near: ids } : { only: ids });
    const stays =
      part === "report" ? whatStays(reports, await readWanted(trx, accountId), new Set(ids)) : partStays(reports);
    const items = ids.map((reportId) => ({ reportId, part }));
    return insertDeletion(trx, accountId, { items, stays, tokenId, now });
  });
}

/** Which reports keep their parts. */
function partStays(reports: readonly StoredReport[]): Map<string, Stays> {
  return new Map(
    reports.flatMap(({ id, isPinned, endedAt }): [string, Stays][] =>
      endedAt === null ? [[id, "running"]] : isPinned ? [[id, "pinned"]] : [],
    ),
  );
}

/** Pages that lose a part in one transaction. */
const PAGES_AT_ONCE = 100;

/**
 * Deletes what is next of a deletion, if nothing has come up since it was decided: a report that was pinned, that runs again or
 * that another is compared with by now stays.
 *
 * @returns the resource of a report that is deleted, which has to go, too
 */
export async function deleteItem(
  db: Kysely<Database>,
  deletion: { id: string; accountId: string },
  item: Item,
  { now, signal }: { now: Date; signal: AbortSignal },
): Promise<ResourceOfRow | undefined> {
  const { reportId, part } = item;
  if (part !== "report") {
    await deleteParts(db, deletion, { reportId, part }, signal);
    return undefined;
  }
  return db.transaction().execute(async (trx) => {
    const row = await lockKept(trx, reportId);
    if (row?.account_id !== deletion.accountId) {
      await setOutcome(trx, deletion.id, item, { outcome: "gone", bytes: 0 });
      return undefined;
    }
    const reports = await readKnownReports(trx, deletion.accountId, { near: [reportId] });
    const chosen = await readChosen(
      trx,
      deletion.id,
      reports.map(({ id }) => id),
    );
    const stays = whatStays(reports, await readWanted(trx, deletion.accountId), chosen).get(reportId);
    if (!stays) {
      await keepNumbers(trx, reportId);
      await markDeleted(trx, reportId, now);
    }
    const bytes = stays ? 0 : Number(row.stored_bytes);
    await setOutcome(trx, deletion.id, item, { outcome: stays ?? "deleted", bytes });
    return stays ? undefined : row;
  });
}

/** Deletes a part of a report, some pages at a time. */
async function deleteParts(
  db: Kysely<Database>,
  deletion: { id: string; accountId: string },
  item: { reportId: string; part: Exclude<Part, "report"> },
  signal: AbortSignal,
): Promise<void> {
  const { reportId, part } = item;
  const definition = await readDefinition(db, reportId);
  const pictureKind = definition && screenshotKind(definition.spec);
  const isDone = (outcome: ItemOutcome) => setOutcome(db, deletion.id, item, { outcome, bytes: 0 });
  for (let last = "0"; !signal.aborted; ) {
    const pages = await listPageIds(db, reportId, last, PAGES_AT_ONCE);
    const end = pages.at(-1);
    const stays = await db.transaction().execute(async (trx): Promise<ItemOutcome | undefined> => {
      await lockChecks(trx, pages);
      const row = await lockKept(trx, reportId);
      if (row?.account_id !== deletion.accountId) return "gone";
      const why = partStays(await readKnownReports(trx, deletion.accountId, { only: [reportId] })).get(reportId);
      if (why) return why;
      await addBytes(trx, deletion.id, await deletePart(trx, { reportId, part, pages, pictureKind }));
      return undefined;
    });
    if (stays) return isDone(stays);
    if (end === undefined) return isDone("deleted");
    last = end;
  }
}
