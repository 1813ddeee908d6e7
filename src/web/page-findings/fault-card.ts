import type { Guides } from "../../domain/guides/guides.ts";
import { type Html, html } from "../html.ts";
import type { PageContext } from "../page.ts";
import { fixLine, foldedConsequences } from "../parts/consequence.ts";
import { crop } from "../parts/crop.ts";
import { engineText, typeBadge } from "../parts/finding.ts";
import { guideText } from "../parts/guide-text.ts";
import { icon } from "../parts/icon.ts";
import { texts } from "../texts/en.ts";
import { elementOf, guideOf } from "./details.ts";
import { type Fault, firstOf } from "./faults.ts";

const t = texts.editors;

/**
 * A fault for those who edit the page: its picture, what is wrong, who is affected and what to do. Its source is folded.
 *
 * @param guides without them, only the engine's words are shown
 */
export function faultCard(
  context: Pick<PageContext, "params" | "path" | "href" | "picture">,
  guides: Guides,
  fault: Fault,
): Html {
  const { attributes: finding } = fault.findings[0];
  const found = guideOf(guides, fault);
  const picture = fault.findings.map((one) => crop(context, one)).find(Boolean);
  const impact = firstOf(fault, (one) => one.impact);
  const judged = firstOf(fault, (one) => (one.success_criteria.length > 0 ? one.success_criteria : undefined)) ?? [];
  const summary = firstOf(fault, (one) => one.element?.failure_summary);
  const source = elementOf(fault);
  return html`<li class="card grid pair">
    <div class="grid close">
      ${picture} ${source && (picture ? html`<details><summary>${t.source}</summary>${source}</details>` : source)}
    </div>
    <div class="grid close">
      <h3><span class=${`no ${fault.shape}`}>${fault.number}</span> ${finding.title}</h3> ${engineText(finding)}
      ${found ? found.parts.map(({ heading, html: text }) => html`<h4 class="quiet">${heading}</h4>${guideText(text)}`) : summary && html`<p class="fix">${summary}</p>`}
      ${fixLine(firstOf(fault, (one) => one.element?.fix))} ${foldedConsequences(fault.consequences)}
      <p class="line near small">
        ${impact && html`<span>${icon(impact)} ${texts.impacts[impact]}</span>`}
        ${finding.issue_type === "warning" && typeBadge("warning")}
        ${judged.length > 0 && html`<span class="quiet">WCAG ${judged.map(({ number }) => number).join(", ")}</span>`}
        ${finding.how_many > 1 && html`<span class="quiet">${texts.count.elements(finding.how_many)}</span>`}
      </p>
    </div>
  </li>`;
}
