import type { Kysely } from "kysely";
import { nextTokenEnds, recordTokenEnds } from "../database/accounts/token-end-mails.ts";
import type { Database } from "../database/tables.ts";
import { tokenEndMail } from "../domain/accounts/token-end-mail.ts";
import { nextAttempt } from "../domain/notifications/receivers.ts";
import { type MailSettings, sendOne } from "./send-mail.ts";

/**
 * Tells people whose tokens end soon, one after the other. What could not be sent is tried again, as messages are; a mail that
 * was sent and not recorded is sent twice. A token that is revoked, or has another end by then, is not in it.
 */
export async function sendTokenEnds(
  db: Kysely<Database>,
  { mail, baseUrl }: { mail: MailSettings; baseUrl: string },
  { now, signal }: { now: () => Date; signal: AbortSignal },
): Promise<void> {
  for (let due = await nextTokenEnds(db, now()); due && !signal.aborted; due = await nextTokenEnds(db, now())) {
    const outcome = await sendOne(mail, { to: due.mail, mail: tokenEndMail({ baseUrl, tokens: due.tokens }) });
    const isOver = outcome.delivered || outcome.isRefused;
    await recordTokenEnds(db, due, {
      sentAt: outcome.delivered ? now() : null,
      next: isOver ? null : (nextAttempt(due.tries + 1, now()) ?? null),
    });
  }
}
