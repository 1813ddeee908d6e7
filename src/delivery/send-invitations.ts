import type { Kysely } from "kysely";
import {
  type DueInvitation,
  nextInvitation,
  recordInvitation,
  storeInvitationSecret,
} from "../database/accounts/invitation-mails.ts";
import { insertEntry } from "../database/audit/entries.ts";
import { newSecret } from "../database/secrets.ts";
import type { Database } from "../database/tables.ts";
import { invitationMail } from "../domain/accounts/invitation-mail.ts";
import { nameIn, OURSELVES, ownEntry } from "../domain/audit/entry.ts";
import { nextAttempt } from "../domain/notifications/receivers.ts";
import { type MailSettings, sendOne } from "./send-mail.ts";

/**
 * Sends the invitations that are due, one after the other. Each attempt has a link of its own, of which the digest alone is
 * stored: a mail that was sent and not recorded is sent again, as another one, and the newer link works. A server that
 * refuses an address for good is not asked again; one that refuses the service's password or sender is.
 */
export async function sendInvitations(
  db: Kysely<Database>,
  { mail, baseUrl }: { mail: MailSettings; baseUrl: string },
  { now, signal }: { now: () => Date; signal: AbortSignal },
): Promise<void> {
  for (let due = await nextInvitation(db, now()); due && !signal.aborted; due = await nextInvitation(db, now())) {
    const secret = newSecret("svi");
    await storeInvitationSecret(db, due.id, secret);
    const { invited_by, invitation_ends_at: endsAt } = due;
    const written = invitationMail({ baseUrl, secret, by: invited_by ?? "", endsAt });
    await record(db, due, await sendOne(mail, { to: due.mail, mail: written }), now());
  }
}

type Sent = Awaited<ReturnType<typeof sendOne>>;

async function record(db: Kysely<Database>, due: DueInvitation, outcome: Sent, now: Date): Promise<void> {
  const next = outcome.delivered || outcome.isRefused ? undefined : nextAttempt(due.tries + 1, now);
  await db.transaction().execute(async (trx) => {
    await recordInvitation(trx, due, outcome, next);
    if (next) return;
    const { person_id: id, account_id: accountId, name } = due;
    const target = { type: "person", id, name: nameIn(name), path: `/people/${id}`, siteUrl: null };
    const verb = outcome.delivered ? "sent an invitation by mail" : "could not send an invitation by mail";
    const did = { operation: "sendInvitation", verb, area: "people" } as const;
    await insertEntry(trx, ownEntry({ by: OURSELVES, ...did }, { accountId, at: now, target }));
  });
}
