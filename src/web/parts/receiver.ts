import type { Attributes } from "../../api/documents.ts";
import { eventTypes, type MessageType } from "../../domain/notifications/events.ts";
import { DISABLED_AFTER_MS, type ReceiverKind } from "../../domain/notifications/receivers.ts";
import { type Html, html } from "../html.ts";
import { texts } from "../texts/en.ts";
import { icon } from "./icon.ts";
import { milliseconds } from "./text.ts";

const t = texts.receivers;
const kindIcons = { webhook: "webhook", slack: "channel", teams: "channel", mail: "mail" } as const satisfies Record<
  ReceiverKind,
  Parameters<typeof icon>[0]
>;

/** The drawing of a kind of receivers. */
export const kindIcon = (kind: ReceiverKind): Html => icon(kindIcons[kind]);

/** Of which kind a receiver is, and what of its address may be shown. */
export function addressed({ kind, url, mail_addresses: mails }: Attributes<"receiver">): Html {
  const where = url ?? t.mailTo(mails[0] ?? "", mails.length - 1);
  return html`${kindIcon(kind)} ${t.kinds[kind]}, <span class="url">${where}</span>`;
}

/** What a message is about, in the words in which a receiver is told. */
export function messageTitle(type: MessageType): string {
  return type === "digest" || type === "test" ? texts.deliveries.types[type] : eventTypes[type].title;
}

/** The answer to a message: "204", "accepted" by a mail server, or that there was none. */
export function answerText(status: number | null, kind?: ReceiverKind): string {
  if (status === null) return texts.deliveries.noAnswer;
  return kind === "mail" && status === 250 ? t.accepted : String(status);
}

/** "204 in 112 ms". */
export function answerIn(status: number | null, tookMs: number | null, kind: ReceiverKind): string {
  const answer = answerText(status, kind);
  return tookMs === null ? answer : t.took(answer, milliseconds(tookMs));
}

/** When a receiver that has failed since a time of the API is disabled. */
export function disabledAt(since: string): string {
  return new Date(new Date(`${since}Z`).getTime() + DISABLED_AFTER_MS).toISOString().slice(0, -1);
}
