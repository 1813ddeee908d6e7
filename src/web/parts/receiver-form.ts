import type { Attributes } from "../../api/documents.ts";
import { eventNames, eventTypes } from "../../domain/notifications/events.ts";
import { type Digest, digests, type ReceiverKind, receiverKinds } from "../../domain/notifications/receivers.ts";
import { given, textIn } from "../fields.ts";
import { type Html, html } from "../html.ts";
import type { Attempt, Fields } from "../page.ts";
import { texts } from "../texts/en.ts";
import { checkboxes, input, radios, select } from "./form.ts";
import { kindIcon } from "./receiver.ts";

const t = texts.receivers;

/** The fields of the forms of a receiver, in their order. */
export const receiverNames = [
  ...["kind", "name", "url", "mail_addresses", "events", "site_urls", "tags", "digest", "time_zone"],
];

/**
 * The fields of a receiver. Its address is not shown again, and stays where none is typed.
 *
 * @param kind of one that exists; undefined for a new one, whose kind is chosen
 */
export function receiverFields(
  values: Partial<Attributes<"receiver">>,
  attempt: Attempt | undefined,
  kind?: ReceiverKind,
): Html {
  const lines = (list: readonly string[] = []) => list.join("\n");
  const kinds = (Object.keys(receiverKinds) as ReceiverKind[]).map((value) => ({
    ...{ value, label: html`${kindIcon(value)} ${t.kinds[value]}`, what: t.kindsWhat[value] },
  }));
  const address = {
    ...{ name: "url", label: t.url, attempt, type: "url" as const },
    ...(kind === undefined
      ? // Its kind says whether there is one: then it is required.
        { help: t.urlHelp, value: values.url ?? "", bare: true }
      : { help: `${t.urlKeep} ${t.urlHelp}`, value: "" }),
  };
  return html`${kind === undefined && radios({ name: "kind", label: t.kind, value: values.kind ?? "mail", attempt, options: kinds })}
    <div class="grid pair">
      ${input({ name: "name", label: t.name, value: values.name ?? "", required: true, attempt })}
      ${kind !== "mail" && html`<div class="for-address">${input(address)}</div>`}
      ${
        (kind ?? "mail") === "mail" &&
        html`<div class="for-mail">${input({ name: "mail_addresses", label: t.mails, help: t.mailsHelp, value: lines(values.mail_addresses), rows: 3, bare: true, attempt })}</div>`
      }
    </div>
    <div class="grid pair">
      ${checkboxes({
        name: "events",
        label: t.events,
        value: (values.events ?? []).join(","),
        attempt,
        options: eventNames.map((value) => ({
          value,
          label: eventTypes[value].title,
          what: html`${eventTypes[value].when} <code>${value}</code>`,
        })),
      })}
      <div class="grid">
        ${input({ name: "tags", label: t.tags, help: t.tagsHelp, value: (values.tags ?? []).join(", "), attempt })}
        ${input({ name: "site_urls", label: t.siteUrls, help: t.siteUrlsHelp, value: lines(values.site_urls), rows: 2, attempt })}
        ${select({
          ...{ name: "digest", label: t.digest, help: t.digestHelp, value: values.digest ?? "none", attempt },
          options: (Object.keys(digests) as Digest[]).map((value) => ({ value, label: digests[value] })),
        })}
        ${input({ name: "time_zone", label: t.timeZone, help: t.timeZoneHelp, value: values.time_zone ?? "", attempt })}
      </div>
    </div>`;
}

/** The API's attributes for what was filled in. @param kind of one that exists */
export function receiverAttributes(fields: Fields, kind?: ReceiverKind): Record<string, unknown> {
  const list = (name: string, separator: RegExp) =>
    (textIn(fields, name) ?? "")
      .split(separator)
      .map((one) => one.trim())
      .filter((one) => one !== "");
  const address = textIn(fields, "url");
  return given({
    kind: kind === undefined ? textIn(fields, "kind") : undefined,
    name: textIn(fields, "name"),
    url: address === "" ? undefined : address,
    mail_addresses: fields.has("mail_addresses") ? list("mail_addresses", /[\n,;]/) : undefined,
    events: fields.getAll("events"),
    site_urls: list("site_urls", /\s+/),
    tags: list("tags", /,/),
    digest: textIn(fields, "digest"),
    time_zone: textIn(fields, "time_zone") || "UTC",
  });
}
