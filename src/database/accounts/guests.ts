import { type Kysely, type RawBuilder, type Selectable, sql } from "kysely";
import { monthOf } from "../../domain/accounts/credits.ts";
import { nameIn, type Origin } from "../../domain/audit/entry.ts";
import { annotations } from "../../schema/resources.ts";
import { insertEntry } from "../audit/entries.ts";
import type { Page, Paginated } from "../lists.ts";
import { notify } from "../notifications.ts";
import { newSecret } from "../secrets.ts";
import type { Database } from "../tables.ts";
import { createToken } from "./tokens.ts";

/** A guest account with the credits that it was charged this month. */
export type GuestRow = Selectable<Database["guest_accounts"]> & { current_usage: number };

/** All guests of an account, or one guest. With scope `read`, open invitations are hidden: their tokens are secrets. */
export type GuestScope = { accountId: string; guestToken: string | null; scope: "read" | "write" };

/** 192 random bits: the token is part of the invitation's address and its only protection. */
function generateGuestToken(): string {
  return newSecret("svg");
}

function guestsOf(db: Kysely<Database>, { accountId, guestToken, scope }: GuestScope) {
  let found = db.selectFrom("guest_accounts").where("account_id", "=", accountId).where("deleted_at", "is", null);
  if (scope === "read") found = found.where("invitation_open", "=", false);
  return guestToken === null ? found : found.where("token", "=", guestToken);
}

function usageIn(now: Date) {
  return sql<number>`coalesce((
    select charged from credit_usage u
    where u.account_id = guest_accounts.account_id and u.guest_token = guest_accounts.token and u.month = ${monthOf(now)}::date
  ), 0)`.as("current_usage");
}

/** Guest accounts, oldest first. */
export async function listGuests(
  db: Kysely<Database>,
  scope: GuestScope,
  page: Page,
  now: Date,
): Promise<Paginated<GuestRow>> {
  const found = guestsOf(db, scope);
  const { total } = await found.select((eb) => eb.fn.countAll<string>().as("total")).executeTakeFirstOrThrow();
  const rows = await found
    .selectAll()
    .select(usageIn(now))
    .orderBy("inserted_at")
    .orderBy("token")
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  return { rows, total: Number(total) };
}

/** One guest account that is not deleted. */
export function findGuest(
  db: Kysely<Database>,
  scope: GuestScope,
  token: string,
  now: Date,
): Promise<GuestRow | undefined> {
  return guestsOf(db, scope).selectAll().select(usageIn(now)).where("token", "=", token).executeTakeFirst();
}

/** Creates a guest account with an open invitation. @returns its token */
export async function insertGuest(db: Kysely<Database>, accountId: string, maxUsage: number): Promise<string> {
  const token = generateGuestToken();
  await db.insertInto("guest_accounts").values({ token, account_id: accountId, max_usage: maxUsage }).execute();
  return token;
}

/** Changes a guest's limit and its charges of this month; the account's charges do not change. */
export async function changeGuest(
  db: Kysely<Database>,
  { accountId, token }: { accountId: string; token: string },
  change: { maxUsage?: number | undefined; currentUsage?: number | undefined },
  now: Date,
): Promise<void> {
  const { maxUsage, currentUsage } = change;
  await db.transaction().execute(async (trx) => {
    if (currentUsage !== undefined)
      await trx
        .insertInto("credit_usage")
        .values({ account_id: accountId, guest_token: token, month: monthOf(now), charged: currentUsage })
        .onConflict((conflict) =>
          conflict.columns(["account_id", "guest_token", "month"]).doUpdateSet({ charged: currentUsage }),
        )
        .execute();
    await trx
      .updateTable("guest_accounts")
      .set({ ...(maxUsage !== undefined && { max_usage: maxUsage }), updated_at: now })
      .where("token", "=", token)
      .execute();
  });
}

/**
 * Deletes a guest account: its tokens are deleted and its schedules stop at once, but its
 * reports stay with the host. (The controller updates the schedules' resources.)
 */
export async function deleteGuest(db: Kysely<Database>, token: string, now: Date): Promise<void> {
  await db.transaction().execute(async (trx) => {
    // First, because it locks the row: an invitation accepted at this moment either has its token already or gets none.
    await trx
      .updateTable("guest_accounts")
      .set({ deleted_at: now, invitation_open: false, updated_at: now })
      .where("token", "=", token)
      .where("deleted_at", "is", null)
      .execute();
    await trx.deleteFrom("api_tokens").where("guest_token", "=", token).execute();
    const stopped = await trx
      .updateTable("schedules")
      .set({ active: false, next_run_at: null, hook_report_id: null, updated_at: now })
      .where("guest_token", "=", token)
      .where("deleted_at", "is", null)
      .returning("id")
      .execute();
    for (const { id } of stopped) await notify(trx, id);
  });
}

/** True for a guest account that has been deleted. */
export async function isGuestDeleted(db: Kysely<Database>, token: string): Promise<boolean> {
  const row = await db.selectFrom("guest_accounts").select("deleted_at").where("token", "=", token).executeTakeFirst();
  return row !== undefined && row.deleted_at !== null;
}

/** The state of an invitation. */
export type Invitation = "open" | "accepted" | "none";

export async function readInvitation(db: Kysely<Database>, token: string): Promise<Invitation> {
  const row = await db
    .selectFrom("guest_accounts")
    .select("invitation_open")
    .where("token", "=", token)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  if (!row) return "none";
  return row.invitation_open ? "open" : "accepted";
}

/** What the log says of it, in the API and on its page. */
export const invitationAudit = { verb: "accepted an invitation", area: "people" } as const;

/**
 * Accepts an invitation. This works only once: of several concurrent calls, one gets the token.
 *
 * @returns the guest's API token, which cannot be read again; undefined when the invitation is not open
 */
export async function acceptInvitation(
  db: Kysely<Database>,
  guestToken: string,
  guest: { name: string; email: string },
  { now, origin, requestId }: { now: Date; origin: Origin; requestId: string },
): Promise<{ id: string; token: string } | undefined> {
  return db.transaction().execute(async (trx) => {
    const accepted = await trx
      .updateTable("guest_accounts")
      .set({ ...guest, invitation_open: false, accepted_at: now, updated_at: now })
      .where("token", "=", guestToken)
      .where("invitation_open", "=", true)
      .where("deleted_at", "is", null)
      .returning("account_id")
      .executeTakeFirst();
    if (!accepted) return undefined;
    const { account_id: accountId } = accepted;
    const made = await createToken(trx, { accountId, name: "invitation", scope: "write", guestToken });
    await insertEntry(trx, {
      ...{ ...origin, accountId, at: now, who: "guest", whoId: made.id, whoName: nameIn(guest.name), requestId },
      ...{ operation: "acceptInvitation", ...invitationAudit, outcome: "done", target: null, changes: [] },
    });
    return made;
  });
}

/**
 * Whether the guest account of a row still exists, as the column `guest_known`. A subquery with `limit 1`, one lookup
 * per row: with `exists` PostgreSQL might read all guests.
 *
 * @param table which has a column guest_token
 */
export function guestKnown(table: "reports" | "mutings" | "basic_auths") {
  return sql<boolean>`coalesce((
    select true from guest_accounts g where g.token = ${sql.ref(`${table}.guest_token`)} and g.deleted_at is null limit 1
  ), false)`.as("guest_known");
}

const GUEST_TOKEN = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * The guest that a resource's annotation names; null unless it is a guest of this account.
 * Everybody who may write resources chooses their annotations.
 */
export function annotatedGuest(
  { annotations: given }: { annotations?: Record<string, string> },
  accountId: string,
): RawBuilder<string | null> {
  const token = given?.[annotations.guest] ?? "";
  if (!GUEST_TOKEN.test(token)) return sql`null`;
  return sql`(select token from guest_accounts where token = ${token} and account_id = ${accountId})`;
}
