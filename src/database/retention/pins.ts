import type { Kysely, Selectable } from "kysely";
import type { Whose } from "../../domain/accounts/principal.ts";
import { MAX_PINS } from "../../domain/retention/limits.ts";
import { isOnSites } from "../accounts/site-roles.ts";
import { nameOfToken } from "../accounts/tokens.ts";
import { type Page, type Paginated, readPage } from "../lists.ts";
import type { Database } from "../tables.ts";

export type PinRow = Selectable<Database["pins"]>;

/** Whose pins: of all reports of an account, or of those of some sites. */
type PinScope = Omit<Whose, "guestToken">;

function pinsOf(db: Kysely<Database>, scope: PinScope) {
  return db
    .selectFrom("pins")
    .innerJoin("reports", "reports.id", "pins.report_id")
    .where("pins.account_id", "=", scope.accountId)
    .where("reports.deleted_at", "is", null)
    .where(isOnSites("reports", scope));
}

/** The pins of an account, the newest first. */
export function listPins(db: Kysely<Database>, scope: PinScope, page: Page): Promise<Paginated<PinRow>> {
  const rows = pinsOf(db, scope).selectAll("pins").orderBy("pins.inserted_at", "desc").orderBy("pins.report_id");
  return readPage(pinsOf(db, scope), rows, page);
}

export function findPin(db: Kysely<Database>, scope: PinScope, reportId: string): Promise<PinRow | undefined> {
  return pinsOf(db, scope).selectAll("pins").where("pins.report_id", "=", reportId).executeTakeFirst();
}

export async function countPins(db: Kysely<Database>, accountId: string): Promise<number> {
  const row = await pinsOf(db, { accountId, sites: null })
    .select(({ fn }) => fn.countAll<string>().as("number"))
    .executeTakeFirstOrThrow();
  return Number(row.number);
}

/**
 * Pins a report, or gives another reason. Whatever deletes reports locks them first, so that none is lost between.
 *
 * @returns why not: it is gone or not the account's, it runs, or the account has as many as it may have
 */
export async function pinReport(
  db: Kysely<Database>,
  { tokenId, sites, ...pin }: Omit<PinRow, "pinned_by"> & { tokenId: string } & Pick<Whose, "sites">,
): Promise<"pinned" | "unknown" | "running" | "too many"> {
  return db.transaction().execute(async (trx) => {
    // One after the other, for the number of pins.
    await trx.selectFrom("accounts").select("id").where("id", "=", pin.account_id).forNoKeyUpdate().execute();
    const report = await trx
      .selectFrom("reports")
      .select("phase")
      .where("id", "=", pin.report_id)
      .where("account_id", "=", pin.account_id)
      .where("deleted_at", "is", null)
      .where(isOnSites("reports", { sites }))
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (!report) return "unknown";
    if (report.phase !== "Complete" && report.phase !== "Failed") return "running";
    const known = await findPin(trx, { accountId: pin.account_id, sites: null }, pin.report_id);
    if (!known && (await countPins(trx, pin.account_id)) >= MAX_PINS) return "too many";
    await trx
      .insertInto("pins")
      .values({ ...pin, pinned_by: nameOfToken(tokenId) })
      .onConflict((conflict) => conflict.column("report_id").doUpdateSet({ ...pin, pinned_by: nameOfToken(tokenId) }))
      .execute();
    return "pinned";
  });
}

/** @returns false when it was not pinned */
export async function unpinReport(db: Kysely<Database>, accountId: string, reportId: string): Promise<boolean> {
  const gone = await db
    .deleteFrom("pins")
    .where("account_id", "=", accountId)
    .where("report_id", "=", reportId)
    .executeTakeFirst();
  return gone.numDeletedRows > 0n;
}
