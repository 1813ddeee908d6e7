import { createHash } from "node:crypto";
import { createTransport } from "nodemailer";
import { errorText } from "../domain/error-text.ts";
import { type Mail, mailOf } from "../domain/notifications/mail.ts";
import type { Links, Message } from "../domain/notifications/messages.ts";
import type { Outcome, SentRequest } from "../domain/notifications/receivers.ts";
import { type TlsTrust, tlsOptions } from "../net/tls-trust.ts";
import { ANSWER_MS, MAX_ANSWER } from "./send-webhook.ts";

/** The operator's mail server, as `smtps://user:password@mail.example.com`, whom to trust for it, and who mails are from. */
export type MailSettings = { url: string; from: string; tls?: TlsTrust | undefined };

export type OutgoingMail = {
  id: string;
  message: Message;
  /** Who gets it; those who have it already are left out. */
  to: readonly string[];
  /** Why they get it. */
  reason: string;
  unsubscribeUrl: (address: string) => string | undefined;
};

/** What stands in the log for what gives access. */
const HIDDEN = "••••••";

function transportOf({ url, tls }: MailSettings) {
  const limits = { connectionTimeout: ANSWER_MS, greetingTimeout: ANSWER_MS, socketTimeout: ANSWER_MS };
  const { hostname, port } = new URL(url);
  return createTransport({ url, ...limits, tls: tlsOptions(tls, hostname, Number(port) || 465) });
}

/** The same for all attempts at a message, so that it comes once, and another for each address. */
function messageIdOf(id: string, address: string, host: string): string {
  return `<${id}.${createHash("sha256").update(address).digest("hex").slice(0, 16)}@${host}>`;
}

/** One address, whatever is in it: a text would be read as a header, which may name several. */
const recipient = (address: string) => ({ name: "", address });

/**
 * Sends one mail to one address. Each call is another mail: what it says may have replaced what an earlier one said.
 *
 * @returns also whether the server refused the address for good, and not the service or what it sends
 */
export async function sendOne(
  settings: MailSettings,
  { to, mail }: { to: string; mail: Mail },
): Promise<Outcome & { isRefused: boolean }> {
  const transport = transportOf(settings);
  try {
    const { response } = await transport.sendMail({ from: settings.from, to: recipient(to), ...mail });
    return { status: 250, answer: response.slice(0, MAX_ANSWER), delivered: true, isRefused: false };
  } catch (error) {
    const { responseCode = null, rejected = [] } = error as { responseCode?: number; rejected?: unknown[] };
    const isRefused = rejected.length > 0 && (responseCode ?? 0) >= 500;
    return { status: responseCode, answer: errorText(error).slice(0, MAX_ANSWER), delivered: false, isRefused };
  } finally {
    transport.close();
  }
}

/** Sends a mail to each address on its own, because each has its own way to end them. @returns also who has it */
export async function sendMail(
  settings: MailSettings,
  { id, message, to, reason, unsubscribeUrl }: OutgoingMail,
  links: Links,
): Promise<Outcome & { sent: SentRequest; accepted: string[] }> {
  const { url, from } = settings;
  const transport = transportOf(settings);
  const host = new URL(url).hostname;
  const accepted: string[] = [];
  let failure: { status: number | null; answer: string } | undefined;
  let answer = "";
  for (const address of to) {
    const unsubscribe = unsubscribeUrl(address);
    const mail = mailOf(message, links, { reason, unsubscribe });
    try {
      const { response } = await transport.sendMail({
        from,
        to: recipient(address),
        ...mail,
        messageId: messageIdOf(id, address, host),
        ...(unsubscribe !== undefined && {
          headers: { "List-Unsubscribe": `<${unsubscribe}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" },
        }),
      });
      accepted.push(address);
      answer = response;
    } catch (error) {
      const { responseCode } = error as { responseCode?: number };
      failure ??= { status: responseCode ?? null, answer: errorText(error) };
    }
  }
  transport.close();
  // Whoever reads the log must not be able to end the mails of others.
  const unsubscribe = unsubscribeUrl(to[0] ?? "")?.replace(/[^/]+$/, HIDDEN);
  const { subject, text } = mailOf(message, links, { reason, unsubscribe });
  const sent = { headers: { from, to: to.join(", "), subject }, body: text };
  if (failure) {
    const who = accepted.length > 0 ? `Accepted for ${accepted.length} of ${to.length}. ` : "";
    return {
      status: failure.status,
      answer: `${who}${failure.answer}`.slice(0, MAX_ANSWER),
      delivered: false,
      sent,
      accepted,
    };
  }
  return { status: 250, answer: answer.slice(0, MAX_ANSWER), delivered: true, sent, accepted };
}
