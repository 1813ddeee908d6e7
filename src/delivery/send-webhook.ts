import { Webhook } from "standardwebhooks";
import type { Destination } from "../database/receivers/receivers.ts";
import { shownText } from "../domain/addresses/shown-address.ts";
import { OWN_USER_AGENT } from "../domain/headers/user-agent.ts";
import { type Links, type Message, slackBody, teamsBody, webhookBody } from "../domain/notifications/messages.ts";
import type { Outcome, ReceiverKind, SentRequest } from "../domain/notifications/receivers.ts";
import type { GuardedAgent } from "../net/guarded-agent.ts";
import { networkFailure } from "../net/network-failure.ts";
import { request } from "../net/request.ts";

/** So long an answer is waited for, in ms. */
export const ANSWER_MS = 15_000;
/** So much of an answer is read, in bytes, and kept, in characters. */
const MAX_ANSWER_BYTES = 4_000;
export const MAX_ANSWER = 1_000;

/** What is sent to one address. */
export type OutgoingMessage = {
  /** The same for all attempts: a receiver can tell by it that it has the message already. */
  id: string;
  kind: Exclude<ReceiverKind, "mail">;
  destination: Destination & { url: string };
  message: Message;
};

/**
 * Sends a message to a webhook, or to a channel of Slack or Teams. Redirects are not followed: they would lead a message
 * to where nobody wanted it.
 *
 * @param agent reaches allowed addresses only
 */
export async function sendWebhook(
  agent: GuardedAgent,
  { id, kind, destination: { url, secrets }, message }: OutgoingMessage,
  { links, now, signal }: { links: Links; now: Date; signal: AbortSignal },
): Promise<Outcome & { sent: SentRequest }> {
  const forms = { webhook: webhookBody, slack: slackBody, teams: teamsBody };
  const body = JSON.stringify(forms[kind](message, links));
  const headers = {
    "content-type": "application/json",
    "user-agent": OWN_USER_AGENT,
    ...(kind === "webhook" && signed(id, body, secrets, now)),
  };
  const sent = { headers: shown(headers), body };
  try {
    const target = new URL(url);
    const response = await request(await agent.routeOf(target), target, {
      method: "POST",
      headers,
      body,
      signal,
      budget: ANSWER_MS,
      maxBytes: () => MAX_ANSWER_BYTES,
      cutsBody: () => true,
    });
    const { status } = response;
    const answer = response.body?.toString("utf8").slice(0, MAX_ANSWER) ?? "";
    const isRedirect = status >= 300 && status < 400;
    return {
      status,
      answer: isRedirect
        ? `Redirects are not followed: give the address itself. ${answer}`.slice(0, MAX_ANSWER)
        : answer,
      delivered: status >= 200 && status < 300,
      sent,
    };
  } catch (error) {
    if (signal.aborted) throw error;
    const { message: text } = networkFailure(error, "The address");
    // The address can be a secret.
    const answer = text.replaceAll(shownText(url), "The address").slice(0, MAX_ANSWER);
    return { status: null, answer, delivered: false, sent };
  }
}

/** The headers of Standard Webhooks: a signature by each secret that is valid. */
function signed(id: string, body: string, secrets: readonly string[], now: Date): Record<string, string> {
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(now.getTime() / 1_000)),
    "webhook-signature": secrets.map((secret) => new Webhook(secret).sign(id, now, body)).join(" "),
  };
}

function shown({ ...headers }: Record<string, string>): Record<string, string> {
  const signature = headers["webhook-signature"];
  if (signature !== undefined) headers["webhook-signature"] = signature.replace(/(v1,.{5})\S*(\S{3})/g, "$1…$2");
  return headers;
}
