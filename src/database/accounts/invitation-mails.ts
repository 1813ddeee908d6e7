import { type Kysely, type Selectable, sql } from "kysely";
import { INVITATION_MAILS_MS, MAX_INVITATION_MAILS } from "../../domain/accounts/invitation-mail.ts";
import { DELIVERIES_WAITING, notify } from "../notifications.ts";
import { secretDigest } from "../secrets.ts";
import type { Database } from "../tables.ts";

type Stored = Selectable<Database["invitation_mails"]>;
/** What became of an invitation that is sent by mail. */
export type InvitationMail = Pick<Stored, "state" | "answer" | "asked_at">;

/** Has an invitation sent, in the transaction that makes it. @returns false when as many were asked for in a day as may */
export async function askInvitationMail(
  trx: Kysely<Database>,
  { accountId, personId, mail }: { accountId: string; personId: string; mail: string },
  now: Date,
): Promise<boolean> {
  // All accounts together have a number of mails to one address.
  await sql`select pg_advisory_xact_lock(hashtext('site-validator invitation mails'), hashtext(${mail}))`.execute(trx);
  const since = new Date(now.getTime() - INVITATION_MAILS_MS);
  const { rows } = await sql<{ by_account: number; to_address: number }>`
    select (select count(*)::integer from invitation_mails where account_id = ${accountId} and asked_at > ${since}) as by_account,
      (select count(*)::integer from invitation_mails where mail = ${mail} and asked_at > ${since}) as to_address`.execute(
    trx,
  );
  const { by_account = 0, to_address = 0 } = rows[0] ?? {};
  if (by_account >= MAX_INVITATION_MAILS.account || to_address >= MAX_INVITATION_MAILS.address) return false;
  await trx
    .insertInto("invitation_mails")
    .values({ account_id: accountId, person_id: personId, mail, next_at: now, asked_at: now })
    .execute();
  await notify(trx, DELIVERIES_WAITING);
  return true;
}

/** An invitation that is to be sent. */
export type DueInvitation = Pick<Stored, "id" | "account_id" | "mail" | "tries"> & {
  person_id: string;
  name: string;
  invited_by: string | null;
  invitation_ends_at: Date;
};

/** The next invitation that is due and can be accepted still. */
export function nextInvitation(db: Kysely<Database>, now: Date): Promise<DueInvitation | undefined> {
  return db
    .selectFrom("invitation_mails as m")
    .innerJoin("people as p", "p.id", "m.person_id")
    .innerJoin("api_tokens as t", "t.id", "p.id")
    .select(["m.id", "m.account_id", "m.mail", "m.tries", "p.id as person_id", "t.name", "p.invited_by"])
    .select(sql<Date>`p.invitation_ends_at`.as("invitation_ends_at"))
    .where("m.state", "=", "waiting")
    .where("m.next_at", "<=", now)
    .where("p.invitation_ends_at", ">", now)
    .orderBy("m.next_at")
    .limit(1)
    .executeTakeFirst();
}

/** The secret of the link that is about to be sent, in place of that of an earlier attempt. */
export async function storeInvitationSecret(db: Kysely<Database>, id: string, secret: string): Promise<void> {
  await db
    .updateTable("invitation_mails")
    .set({ secret_hash: secretDigest(secret) })
    .where("id", "=", id)
    .execute();
}

/** What became of an attempt. @param next when the next one is made; undefined for none */
export async function recordInvitation(
  trx: Kysely<Database>,
  { id, tries }: Pick<DueInvitation, "id" | "tries">,
  { delivered, answer }: { delivered: boolean; answer: string },
  next: Date | undefined,
): Promise<void> {
  const state = delivered ? "sent" : next ? "waiting" : "refused";
  await trx
    .updateTable("invitation_mails")
    .set({ state, answer, tries: tries + 1, ...(next && { next_at: next }) })
    .where("id", "=", id)
    .execute();
}

/** Of some people, what became of their invitations by mail. */
export async function invitationMailsOf(
  db: Kysely<Database>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, InvitationMail>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("invitation_mails")
    .select(["person_id", "state", "answer", "asked_at"])
    .where("person_id", "in", ids)
    .execute();
  return new Map(rows.flatMap(({ person_id, ...mail }) => (person_id === null ? [] : [[person_id, mail] as const])));
}

/** Forgets mails to people who are removed, as soon as they count no more. */
export async function deleteOldInvitationMails(db: Kysely<Database>, now: Date): Promise<void> {
  const since = new Date(now.getTime() - INVITATION_MAILS_MS);
  await db.deleteFrom("invitation_mails").where("person_id", "is", null).where("asked_at", "<", since).execute();
}
