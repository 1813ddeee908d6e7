import type { Resource } from "../../api/documents.ts";
import { type Html, html } from "../html.ts";
import type { PageContext } from "../page.ts";
import { texts } from "../texts/en.ts";
import { mayWrite } from "./access.ts";
import { engineText, thumbnail, typeBadge } from "./finding.ts";
import { icon } from "./icon.ts";
import { reportPath } from "./report.ts";
import { roleName } from "./report-cards.ts";
import { wayBack } from "./way-back.ts";

/** How a component stands in a list of them. */
type Shown = {
  /** The picture of its element, if there is one. */
  crop: Html;
  /** The reader may mute it. */
  owned: boolean;
  number?: number;
  /** Beside its numbers. */
  share?: Html;
};

/** An element with a fault: its picture or source, what is wrong, and on how many pages. The title leads to all of them. */
export function componentItem(
  context: PageContext,
  { id, attributes }: Resource<"component">,
  { crop, owned, number, share }: Shown,
): Html {
  const {
    title,
    impact,
    success_criteria,
    element,
    how_many,
    num_pages,
    role,
    rule,
    url,
    issue_type,
    outside_standard,
  } = attributes;
  const isError = issue_type === "error" && !outside_standard;
  const where = element?.target ?? element?.selector;
  const muted = context.query.has("muted") ? "true" : undefined;
  const to = context.href(reportPath(context, `/components/${id}`), { muted, ...wayBack(context) });
  const mute = {
    component: id,
    url_match: `//${new URL(url).host}/`,
    report_id: context.params.report_id,
    next: context.path,
  };
  return html`<li>
    <div>${crop ?? (element && thumbnail(element))}</div>
    <div class="grid close">
      <h3><a href=${to}>${number !== undefined && `${number}. `}${title}</a>${engineText(attributes)}</h3>
      <p class="line near">
        ${role && html`<span class="tag">${roleName(role)}</span>`}
        ${impact ? html`<span>${icon(impact)} ${texts.impacts[impact]}</span>` : html`<span>${icon("markup")} ${rule}</span>`}
        ${(outside_standard || issue_type === "warning") && typeBadge(issue_type, outside_standard)}
        ${success_criteria.map((criterion) => html`<span>${criterion.number}</span>`)}
      </p>
      ${where && html`<p class="quiet"><code>${where}</code></p>`} ${crop && element && html`<p class="quiet"><code>${element.extract.slice(0, 120)}</code></p>`}
    </div>
    <div class="grid close amount">
      ${share}
      <p class="quiet">${isError ? texts.count.errors(how_many) : texts.count.findings(how_many)}, ${texts.count.pages(num_pages)}</p>
      ${
        owned &&
        !muted &&
        mayWrite(context, "common") &&
        html`<p class="screen"><a class="quiet" href=${context.href("/mutings/new", mute)} aria-label=${`${texts.issue.mute}: ${title}`}>${icon("mute")} ${texts.issue.mute}</a></p>`
      }
    </div>
  </li>`;
}
