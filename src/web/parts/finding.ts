import type { Attributes } from "../../api/documents.ts";
import type { CheckKind, Impact } from "../../domain/findings/findings.ts";
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
  return html`<pre class="source"><code>${cut.slice(0, hilite.start)}<mark>${cut.slice(hilite.start, end)}</mark>${cut.slice(end)}</code></pre>`;
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
    coordinates ? html`<p class="hint">${texts.issue.line(coordinates.first_line, coordinates.first_column)}</p>` : null
  }
  ${where && html`<p class="hint"><code>${where}</code></p>`}
  ${snippet(extract, coordinates ? { start: coordinates.hilite_start, length: coordinates.hilite_length } : undefined)}`;
}

/** Whether it counts as an error or a warning, or as neither. */
export function typeBadge(type: "error" | "warning", isOutside = false): Html {
  if (isOutside) return badge(texts.report.outside, "plain");
  return badge(texts.types[type], type === "error" ? "bad" : "warn");
}

export function impactText(impact: Impact | null): string {
  return impact === null ? "–" : texts.impacts[impact];
}

/** Success criteria with links to their explanations. */
export function criteria(list: readonly SuccessCriterion[]): Html {
  return list.map((criterion, index) => {
    const { number, title, level } = criterion;
    return html`${index > 0 && ", "}${externalLink(understandingUrl(criterion), `${number} ${title} (${level})`)}`;
  });
}

/** The rule of an issue on one page or on all pages, for both engines. */
export type Rule = {
  kind: CheckKind;
  title: string;
  /** The engine's name for it, if any. */
  rule: string | null;
  type: "error" | "warning";
  impact: Impact | null;
  outside: boolean;
  criteria: readonly SuccessCriterion[];
};

type OfHtml = Pick<Attributes<"common_html_issue">, "message" | "rule" | "issue_type">;
type OfA11y = Pick<
  Attributes<"common_a11y_issue">,
  "help" | "rule" | "review" | "impact" | "outside_standard" | "success_criteria"
>;

export function ruleOf(issue: OfHtml | OfA11y): Rule {
  const { rule } = issue;
  if (!("help" in issue))
    return {
      kind: "html",
      title: issue.message,
      rule,
      type: issue.issue_type,
      impact: null,
      outside: false,
      criteria: [],
    };
  const { help, review, impact, outside_standard, success_criteria } = issue;
  return {
    kind: "a11y",
    title: help,
    rule,
    type: review ? "warning" : "error",
    impact,
    outside: outside_standard,
    criteria: success_criteria,
  };
}
