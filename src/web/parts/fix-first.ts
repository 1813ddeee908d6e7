import type { Attributes, List, Resource } from "../../api/documents.ts";
import { type Html, html } from "../html.ts";
import type { PageContext } from "../page.ts";
import { textAt } from "../plot/frame.ts";
import { formatNumber, texts } from "../texts/en.ts";
import { bar } from "./chart.ts";
import { componentItem } from "./component-item.ts";
import { crop } from "./crop.ts";
import { isOwned, reportPath, totalsOf } from "./report.ts";

const t = texts.report.fixFirst;
const MOST = 5;
/** Some of the components with the most elements may be outside of the standard, and count as no errors. */
const READ = 25;

/** The changes that remove the most errors, with a bar that shows how much of all they are. */
export async function fixFirst(context: PageContext, report: Attributes<"report">): Promise<Html> {
  const { errors } = totalsOf(report);
  if (errors === 0) return null;
  const path = `/reports/${context.params.report_id}/components`;
  const query = { "filter[issue_type]": "error", sort: "how_many-desc", "page[size]": String(READ) };
  const { data } = await context.api.get<List<"component">>(path, query);
  const first = data.filter(({ attributes }) => !attributes.outside_standard).slice(0, MOST);
  if (first.length === 0) return null;
  const removed = first.reduce((sum, { attributes }) => sum + attributes.how_many, 0);
  const most = Math.max(...first.map(({ attributes }) => attributes.how_many));
  const item = (component: Resource<"component">, index: number) => {
    const { how_many, impact } = component.attributes;
    const part = html`<p>${t.ofAll(how_many, errors)}</p>
      ${bar({ value: how_many, kind: impact ?? "markup" }, most)}`;
    const owned = isOwned(context, report);
    return componentItem(context, component, { crop: crop(context, component), owned, number: index + 1, share: part });
  };
  return html`<section class="card grid" aria-labelledby="fix-first">
    <div class="line">
      <h2 id="fix-first">${t.title}</h2>
      <p class="push"><a href=${context.href(reportPath(context, "/issues"))}>${t.all}</a></p>
    </div>
    <p>${t.sum(first.length)} <b>${t.removed(removed, errors)}</b></p>
    ${parts(
      first.map(({ attributes }) => attributes.how_many),
      errors,
    )}
    <ol class="fixes">${first.map(item)}</ol>
  </section>`;
}

/** How much of all errors each change removes, in their order. */
function parts(amounts: readonly number[], all: number): Html {
  let at = 0;
  return html`<svg class="parts" height="20" aria-hidden="true">
    <rect class="rest" width="100%" height="20" />
    ${amounts.map((amount, index) => {
      const [x, width] = [(at / all) * 100, (amount / all) * 100];
      at += amount;
      return html`<rect x=${`${x}%`} width=${`${Math.max(0.2, width - 0.25)}%`} height="20" />
        ${width > 3 && textAt(`${x + width / 2}%`, 2, formatNumber(index + 1))}`;
    })}
  </svg>`;
}
