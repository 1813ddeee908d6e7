import type { Resource } from "../../api/documents.ts";
import { type Html, html } from "../html.ts";
import type { PageContext } from "../page.ts";
import type { Fault } from "../page-findings/faults.ts";
import { reportPath } from "../parts/report.ts";
import { formatNumber, texts } from "../texts/en.ts";
import { type Excerpt, excerptsOf, type Place } from "./excerpts.ts";

const t = texts.source;

type Marked = {
  /** Where the faults are in the source, with their numbers. */
  places: readonly Place[];
  shapeOf: (number: number) => Fault["shape"];
  selected: number;
  /** The address that selects a fault. */
  link: (number: number) => string;
  /** The change that mends the selected one, if one was tried. */
  fix?: Html;
};

/** Reads the source of a page, and shows the lines that have faults; null where no fault has a place in it. */
export async function sourcePane(context: PageContext, page: Resource<"web_page">, marked: Marked): Promise<Html> {
  if (marked.places.length === 0) return null;
  if (!page.relationships?.source) return pane(html`<p class="tools quiet">${t.notStored}</p>`);
  const source = await context.api.file(`/reports/${context.params.report_id}/web_pages/${page.id}/source`, "utf8");
  const { excerpts, left } = excerptsOf(source, marked.places);
  const whole = context.href(reportPath(context, `/pages/${page.id}/source`));
  return pane(
    html`<div class="view" tabindex="0" role="group" aria-labelledby="source">
        ${excerpts.map((lines, index) => listed(lines, { ...marked, before: (excerpts[index - 1]?.at(-1)?.line ?? 0) + 1 }))}
      </div>
      ${marked.fix}
      ${left > 0 && html`<p class="tools quiet">${t.left(left)}</p>`}`,
    html`<span class="small quiet">${(["a", "h", "ah"] as const).map((shape) => html`<span class=${`no ${shape}`} aria-hidden="true"></span> ${t.shapes[shape]} `)}</span>
      <a class="push small" href=${whole}>${t.whole}</a>`,
  );
}

function pane(content: Html, beside: Html = null): Html {
  return html`<section class="pane" aria-labelledby="source">
    <div class="line near">
      <h3 id="source">${t.title}</h3>
      ${beside}
    </div>
    ${content}
  </section>`;
}

/** Lines of a hostile page, always shown as text. @param marked.before the line after the one that was shown last */
function listed(lines: Excerpt, { shapeOf, selected, link, before }: Marked & { before: number }): Html {
  const first = lines[0]?.line ?? before;
  return html`${first > before && html`<p class="gap quiet">${t.without(first - before)}</p>`}
    <ol class="code">
      ${lines.map(
        ({ line, parts, numbers }) =>
          html`<li id=${numbers.length > 0 ? `line-${line}` : undefined} class=${numbers.includes(selected) ? "now" : undefined} tabindex=${numbers.length > 0 ? "-1" : undefined}>
            <span class="n small quiet">${formatNumber(line)}</span>
            <code>${parts.map(({ kind, text }) => (kind === "marked" ? html`<mark>${text}</mark>` : text))}</code>
            <span>${numbers.map(
              (number) =>
                html`<a class=${`no ${shapeOf(number)}`} href=${link(number)} aria-label=${texts.page.box(number)} aria-current=${number === selected ? "true" : undefined}>${number}</a>`,
            )}</span>
          </li>`,
      )}
    </ol>`;
}
