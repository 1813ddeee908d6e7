import { urlText } from "../../domain/addresses/page-variant.ts";
import { type Html, html } from "../html.ts";
import { formatNumber, texts } from "../texts/en.ts";
import { short, type shortTimes, utc } from "./dates.ts";

/** A time of the API. The script shows it in the reader's zone and keeps UTC in the title. */
export function time(value: string | null): Html {
  if (value === null) return "–";
  const text = utc(value);
  return html`<time datetime=${`${value}Z`} title=${text}>${text}</time>`;
}

/** How long ago something was, "5 h ago", with the time in the title. */
export function ago(value: string, now: Date): Html {
  const minutes = Math.floor((now.getTime() - new Date(`${value}Z`).getTime()) / 60_000);
  return html`<time datetime=${`${value}Z`} title=${utc(value)} data-as="ago">${texts.ago(minutes)}</time>`;
}

/** A time in a short form, such as "29 Nov", with all of it in the title. */
export function shortTime(value: string, as: keyof typeof shortTimes): Html {
  return html`<time datetime=${`${value}Z`} title=${utc(value)} data-as=${as}>${short(value, as)}</time>`;
}

/** A number, coloured by whether it is good or bad unless it is 0. */
export function amount(value: number, kind: "error" | "warning" | "good" | "plain" = "plain"): Html {
  return html`<span class=${value > 0 && kind !== "plain" ? `amount ${kind}` : "amount"}>${formatNumber(value)}</span>`;
}

/** A URL as people read it, in which a line may break anywhere. */
export function address(url: string, to?: string): Html {
  const text = html`<span class="url">${urlText(url)}</span>`;
  return to === undefined ? text : html`<a href=${to}>${text}</a>`;
}

/** A link to another site, which does not learn where it comes from. Only URLs with http or https become links. */
export function externalLink(url: string, text: Html = address(url)): Html {
  return /^https?:\/\//i.test(url) ? html`<a href=${url} rel="noreferrer noopener">${text}</a>` : text;
}

export function badge(text: string, kind: "good" | "bad" | "warn" | "busy" | "plain"): Html {
  return html`<span class=${`tag ${kind}`}>${text}</span>`;
}

/** About how long something takes, in one unit. */
export function duration(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1_000));
  if (seconds < 90) return texts.duration.seconds(seconds);
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? texts.duration.minutes(minutes) : texts.duration.hours(Math.round(minutes / 60));
}

/** How long something took, exactly. */
export function milliseconds(ms: number): string {
  return texts.duration.milliseconds(ms);
}

/** A heading and a sentence in place of an empty list. */
export function empty(title: string, what: Html = null, more: Html = null): Html {
  return html`<div class="card grid close"><h2>${title}</h2>${what && html`<p>${what}</p>`}${more}</div>`;
}
