import { escaped } from "../escaped-html.ts";
import type { MonthTold } from "../months/told.ts";
import { details, headline, type Links, linkOf, type Message, newErrors, subjectOf } from "./messages.ts";
import { monthMail } from "./month-mail.ts";
import { wrapped } from "./wrapped.ts";

/** A mail to one address. */
export type Mail = { subject: string; text: string; html: string };

/**
 * A message as a mail: in text, and in HTML that loads nothing.
 *
 * @param reason why the address gets it
 * @param unsubscribe where its mails are ended; undefined without an address of the service
 */
export function mailOf(
  message: Message,
  links: Links,
  { reason, unsubscribe }: { reason: string; unsubscribe: string | undefined },
): Mail {
  const [only] = message.events;
  if (message.type === "month.ended" && only) return monthMail(only.data as MonthTold, links, { reason, unsubscribe });
  const parts = message.events.map((event) => ({
    title: headline(event),
    lines: details(event),
    items: newErrors(event),
    url: linkOf(event.data, links),
  }));
  return composeMail(subjectOf(message), parts, {
    reason,
    end:
      unsubscribe === undefined
        ? { text: "Who runs the service can end these mails.", html: "" }
        : {
            text: `End these mails: ${unsubscribe}`,
            html: ` <a href="${escaped(unsubscribe)}" style="color:#0b4f9e">End these mails</a>`,
          },
  });
}

/** A mail of some parts. @param end how its mails are ended; undefined for one that comes once */
export function composeMail(
  subject: string,
  parts: readonly Part[],
  { reason, end }: { reason: string; end: { text: string; html: string } | undefined },
): Mail {
  const text = [
    ...parts.map(({ title, lines, items, url }) => {
      const shown = items.flatMap(({ value, name, below }) => [`${value}  ${name}`, `  ${below}`]);
      const found = shown.length === 0 ? [] : ["", NEW_ERRORS.toUpperCase(), "", ...shown];
      return [title.toUpperCase(), ...lines, ...found, ...(url === undefined ? [] : ["", url])]
        .flatMap(wrapped)
        .join("\n");
    }),
    ["--", reason, ...(end ? [end.text] : [])].flatMap(wrapped).join("\n"),
  ].join("\n\n");
  return { subject, text: `${text}\n`, html: page(subject, parts, `${escaped(reason)}${end?.html ?? ""}`) };
}

const NEW_ERRORS = "New errors";

type Part = { title: string; lines: string[]; items: ReturnType<typeof newErrors>; url: string | undefined };

/** What is new by cause; each leads to its page where the service knows its address. @param url of the report */
function list(items: Part["items"], url: string | undefined): string {
  if (items.length === 0) return "";
  const shown = items.map(({ value, name, below, causeId }) => {
    const what =
      url === undefined
        ? escaped(name)
        : `<a href="${escaped(`${url}/causes/${causeId}`)}" style="color:#0b4f9e">${escaped(name)}</a>`;
    return `<li style="margin:0;padding:6px 0"><b style="float:right;margin-left:12px">${escaped(value)}</b>${what}<br><small>${escaped(below)}</small></li>`;
  });
  return `\n<h3 style="font-size:16px;margin:16px 0 4px">${NEW_ERRORS}</h3>\n<ul style="margin:0;padding:0;list-style:none">${shown.join("\n")}</ul>`;
}

/** @param foot HTML */
function page(subject: string, parts: readonly Part[], foot: string): string {
  const sections = parts.map(({ title, lines, items, url }) => {
    const head =
      url === undefined ? escaped(title) : `<a href="${escaped(url)}" style="color:#0b4f9e">${escaped(title)}</a>`;
    return `<h2 style="font-size:18px;margin:24px 0 8px">${head}</h2>\n${lines.map((line) => `<p style="margin:0 0 8px">${escaped(line)}</p>`).join("\n")}${list(items, url)}`;
  });
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(subject)}</title>
<style>@media (prefers-color-scheme: dark) { body { background-color: #14171a !important; color: #e8eaed !important } a { color: #8ab8ff !important } }</style>
</head>
<body style="margin:0;padding:16px;background-color:#ffffff;color:#1c2126;font:16px/1.5 sans-serif">
<main style="max-width:600px;margin:0 auto">
<h1 style="font-size:22px;margin:0">${escaped(subject)}</h1>
${sections.join("\n")}
<p style="margin:24px 0 0;font-size:14px">${foot}</p>
</main>
</body>
</html>
`;
}
