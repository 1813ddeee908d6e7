import type { Attributes, Resource } from "../../api/documents.ts";
import { type Html, html } from "../html.ts";
import { texts } from "../texts/en.ts";
import { engineText } from "./finding.ts";

const t = texts.consequences;

type Element = NonNullable<Attributes<"finding">["element"]>;

/** The change that was tried in a copy of the page, and what goes with it. */
export function fixLine(fix: Element["fix"] | undefined): Html {
  return fix ? html`<p class="fix">${t.fix(fix.title, fix.removes)}</p>` : null;
}

/** From which finding of its page one only follows. */
export function followsFrom(cause: Element["caused_by"] | undefined): Html {
  return cause ? html`<p class="quiet">${t.follows(cause.rule, cause.first_line)}</p>` : null;
}

/** What only follows from a finding, folded under it. */
export function foldedConsequences(consequences: readonly Resource<"finding">[]): Html {
  if (consequences.length === 0) return null;
  const number = consequences.reduce((sum, { attributes }) => sum + attributes.how_many, 0);
  return html`<details>
    <summary>${t.folded(number)}</summary>
    <ul class="rows">
      ${consequences.map(({ attributes: finding }) => {
        const place = finding.element?.coordinates;
        return html`<li>
          ${finding.title} ${engineText(finding)}
          ${place && html`<span class="small quiet">${texts.issue.line(place.first_line, place.first_column)}</span>`}
        </li>`;
      })}
    </ul>
  </details>`;
}
