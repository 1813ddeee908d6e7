import type { Attributes } from "../../api/documents.ts";
import { type CheckKind, manifestOf, type Noun } from "../../checks/kinds.ts";
import type { ActRule } from "../../domain/findings/act-rules.ts";
import { type SuccessCriterion, understandingUrl } from "../../domain/findings/success-criteria.ts";
import { type Html, html } from "../html.ts";
import { texts } from "../texts/en.ts";
import { badge, externalLink } from "./text.ts";

const MAX_EXTRACT = 600;

/** Source of a page, always shown as text. The part that the finding is about is marked, if known. */
export function snippet(extract: string, hilite?: { start: number; length: number }): Html {
  const cut = extract.length > MAX_EXTRACT ? `${extract.slice(0, MAX_EXTRACT)}…` : extract;
  if (!hilite || hilite.length <= 0 || hilite.start + hilite.length > cut.length)
    return html`<pre class="source"><code>${cut}</code></pre>`;
  const end = hilite.start + hilite.length;
  // What is around it begins where a tag begins, and ends where one ends: it is cut anywhere.
  const before = cut.slice(0, hilite.start);
  const from = Math.max(0, before.indexOf("<"));
  const after = cut.slice(end).replace(/<[^<>]*$/, "");
  const start = before.includes("<") ? before.slice(from) : "";
  return html`<pre class="source"><code>${start}<mark>${cut.slice(hilite.start, end)}</mark>${after.trimEnd()}</code></pre>`;
}

const MAX_THUMBNAIL = 120;

/** The source of an element where its picture would be: from its tag on. */
export function thumbnail({ extract, coordinates }: NonNullable<Attributes<"finding">["element"]>): Html {
  const start = coordinates?.hilite_start ?? 0;
  return snippet(extract.slice(start, start + MAX_THUMBNAIL));
}

/** An element of a finding: its source and its place. */
export function element({
  extract,
  coordinates,
  target,
  selector,
}: NonNullable<Attributes<"finding">["element"]>): Html {
  const where = target ?? selector;
  return html`${
    coordinates
      ? html`<p class="quiet">${texts.issue.line(coordinates.first_line, coordinates.first_column)}</p>`
      : null
  }
  ${where && html`<p class="quiet"><code>${where}</code></p>`}
  ${snippet(extract, coordinates ? { start: coordinates.hilite_start, length: coordinates.hilite_length } : undefined)}`;
}

/** Whether it counts as an error or a warning, or as neither. */
export function typeBadge(type: "error" | "warning", isOutside = false): Html {
  if (isOutside) return badge(texts.report.outside, "plain");
  return badge(texts.types[type], type === "error" ? "bad" : "warn");
}

/** Success criteria with links to their explanations. */
export function criteria(list: readonly SuccessCriterion[]): Html {
  return list.map((criterion, index) => {
    const { number, title, level } = criterion;
    return html`${index > 0 && ", "}${externalLink(understandingUrl(criterion), `${number} ${title} (${level})`)}`;
  });
}

/** ACT rules with links to them. */
export function actRules(list: readonly ActRule[]): Html {
  return list.map(({ id, url }, index) => html`${index > 0 && ", "}${externalLink(url, id)}`);
}

/** The types of resources that are issues of one page, and of all pages. */
export type PageIssueType = `${Noun}_issue`;
export type CommonIssueType = `common_${Noun}_issue`;

/** What the engine says, below the title of the rule; nothing where it says the same. */
export function engineText({ title, message }: { title: string; message: string | null }): Html {
  return message !== null && message !== title && html`<span class="small quiet block">${message}</span>`;
}

/** The order in which issues of a kind are listed: the worst first. */
export function sortOf(kind: CheckKind): string {
  return manifestOf(kind).hasImpact ? "impact-desc" : "how_many-desc";
}

/** The name of a kind as a title. */
export function titleOf(kind: CheckKind): string {
  return manifestOf(kind).texts.title;
}
