import { dayOf } from "../calendar-day.ts";
import { cutTo } from "../cut-to.ts";
import { composeMail, type Mail } from "../notifications/mail.ts";

/** So many invitations of an account go out by mail in a day, and so many to one address by all accounts together. */
export const MAX_INVITATION_MAILS = { account: 20, address: 3 } as const;
/** The time in which they are counted, in milliseconds. */
export const INVITATION_MAILS_MS = 86_400_000;

/** Bytes of a name in HTML: who writes names decides what strangers read. */
const MAX_NAME = 60;

/**
 * An invitation as a mail: who invites, where to, until when, and what to do if nobody knows why.
 *
 * @param baseUrl the service's address
 * @param by the name of who invites; not that of whom it goes to, which others have typed
 */
export function invitationMail({
  baseUrl,
  secret,
  by,
  endsAt,
}: {
  baseUrl: string;
  secret: string;
  by: string;
  endsAt: Date;
}): Mail {
  const host = new URL(baseUrl).host;
  const until = dayOf(endsAt);
  const lines = [
    `${by === "" ? "Somebody" : cutTo(by, MAX_NAME)} invites you to Site Validator at ${host}, which checks web sites.`,
    `The link works once, until ${until}. Whoever opens it can join, so do not pass it on.`,
  ];
  const reason = `You get this because an owner there has entered your address. If you do not know why, do nothing: you join nothing, and the link ends by itself.`;
  const part = { title: "Accept the invitation", lines, items: [], url: `${baseUrl}/join/${secret}` };
  return composeMail(`You are invited to Site Validator at ${host}`, [part], { reason, end: undefined });
}
