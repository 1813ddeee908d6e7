import type { Resource } from "../../api/documents.ts";
import type { Coordinates } from "../../domain/findings/findings.ts";
import { type Html, html } from "../html.ts";
import type { PageContext } from "../page.ts";
import { reportPath } from "../parts/report.ts";
import { texts } from "../texts/en.ts";
import { type Excerpt, excerptsOf, type Place } from "./excerpts.ts";

const t = texts.source;

/** The source of a page with its findings. */
export type ShownSource = {
  section: Html;
  /** The address of a finding's line in the section, if it is there. */
  linkTo: (coordinates: Coordinates) => string | undefined;
};

/**
 * Reads the source of a page, and shows the lines that have findings.
 *
 * @param elements the findings of the page that have a place in the source, with their numbers
 */
export async function readSource(
  context: PageContext,
  page: Resource<"web_page">,
  elements: readonly { number: number; element: object }[],
): Promise<ShownSource | undefined> {
  const places = elements.flatMap(({ number, element }): Place[] => {
    const coordinates = (element as { coordinates?: Coordinates }).coordinates;
    return coordinates ? [{ number, ...coordinates }] : [];
  });
  if (places.length === 0) return undefined;
  if (!page.relationships?.source)
    return { section: section(html`<p class="quiet">${t.notStored}</p>`), linkTo: () => undefined };
  const source = await context.api.text(`/reports/${context.params.report_id}/web_pages/${page.id}/source`);
  const { excerpts, left } = excerptsOf(source, places);
  const lines = new Set(
    excerpts.flatMap((lines) => lines.flatMap(({ line, numbers }) => (numbers.length ? line : []))),
  );
  const whole = context.href(reportPath(context, `/pages/${page.id}/source`));
  const content = html`<p>
      ${excerpts.length > 0 && html`<span class="quiet">${t.what} </span>`}<a href=${whole}>${t.whole}</a>
    </p>
    ${
      excerpts.length > 0 &&
      html`<div class="lines" role="group" tabindex="0" aria-labelledby="source">${excerpts.map(listed)}</div>`
    }
    ${left > 0 && html`<p class="quiet">${t.left(left)}</p>`}`;
  return {
    section: section(content),
    linkTo: (coordinates) => {
      const line = coordinates?.first_line;
      return line !== undefined && lines.has(line) ? `#line-${line}` : undefined;
    },
  };
}

function section(content: Html): Html {
  return html`<section class="card grid" aria-labelledby="source">
    <h2 id="source">${t.title}</h2>
    ${content}
  </section>`;
}

/** Lines of a hostile page, always shown as text. */
function listed(lines: Excerpt): Html {
  return html`<ol start=${lines[0]?.line}>
    ${lines.map(
      ({ line, parts, numbers }) =>
        html`<li id=${numbers.length > 0 ? `line-${line}` : undefined} tabindex=${numbers.length > 0 ? "-1" : undefined}>
          <code>${parts.map(({ kind, text }) => (kind === "marked" ? html`<mark>${text}</mark>` : text))}</code>${numbers.map(
            (number) =>
              html` <a class="finding-number" href=${`#finding-${number}`} aria-label=${texts.page.box(number)}>${number}</a>`,
          )}
        </li>`,
    )}
  </ol>`;
}
