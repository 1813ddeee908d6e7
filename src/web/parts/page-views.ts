import type { Attributes, List } from "../../api/documents.ts";
import { type Html, html } from "../html.ts";
import type { Attempt, PageContext } from "../page.ts";
import { formatCompact, formatNumber, texts } from "../texts/en.ts";
import { bar } from "./chart.ts";
import { calendarDay } from "./dates.ts";
import { actionForm, fileInput, hiddenFields, problems, select } from "./form.ts";
import { errorsOf } from "./page-checks.ts";
import { pathOnSite } from "./page-name.ts";
import { shortTime } from "./text.ts";

const t = texts.site;

type Views = Attributes<"page_views">;

/** The pages with the most errors in the newest report of the whole site, weighted by how often they are viewed where that is known. */
export async function affectedPages(
  { api, href, query, params }: PageContext,
  { starting_url }: Attributes<"site">,
  report: string,
  views: Views,
): Promise<Html> {
  const isKnown = views.format !== null;
  const weight = isKnown && query.get("weigh") !== "errors" ? "met" : "errors";
  const sort = `${weight}-desc`;
  const asked = { sort, "page[size]": "6" };
  const { data } = await api.get<List<"web_page">>(`/reports/${report}/web_pages`, asked);
  const weightOf = (page: Attributes<"web_page">) => (weight === "met" ? (page.met ?? 0) : errorsOf(page));
  const rows = data.filter(({ attributes }) => errorsOf(attributes) > 0);
  const most = Math.max(1, ...rows.map(({ attributes }) => weightOf(attributes)));
  const shown = (page: Attributes<"web_page">) => {
    if (weight === "errors") return formatNumber(errorsOf(page));
    return page.met === null ? "–" : html`<span title=${formatNumber(page.met)}>${formatCompact(page.met)}</span>`;
  };
  return (
    rows.length > 0 &&
    html`<section class="card flush" aria-labelledby="affected">
      <div class="tools grid close">
        <div class="line"><h2 id="affected">${t.affected}</h2><p class="push"><a href=${href(`/reports/${report}/pages`, { sort })}>${t.all}</a></p></div>
        ${
          isKnown &&
          html`<form class="filters screen" method="get" action=${href(`/sites/${params.site_id}`)}>
            ${query.get("days") && html`<input type="hidden" name="days" value=${query.get("days")} />`}
            ${select({ name: "weigh", label: t.weigh, value: weight, options: Object.entries(t.weights).map(([value, label]) => ({ value, label })) })}
            <button class="quiet">${texts.issues.apply}</button>
          </form>`
        }
        ${weight === "met" && html`<p class="small quiet">${t.weight}</p>`}
      </div>
      <ol class="tree">
        ${rows.map(({ id, attributes }) => {
          const viewed = weight === "met" && attributes.views !== null;
          return html`<li><a class="tools" href=${href(`/reports/${report}/pages/${id}`)}>
          <span>${attributes.title !== null && html`<span class="block">${attributes.title}</span>`}<span class=${attributes.title === null ? "url" : "small quiet url"}>${pathOnSite(starting_url, attributes.url)}</span>${viewed && html` <span class="small quiet block">${t.viewed(attributes.views ?? 0, errorsOf(attributes))}</span>`}</span>${bar({ value: weightOf(attributes), kind: "quiet" }, most)}<b class="n">${shown(attributes)}</b>
          <span class="n bad small">${(attributes.new_errors ?? 0) > 0 && `+${formatNumber(attributes.new_errors ?? 0)} ${texts.states.new}`}</span>
        </a></li>`;
        })}
      </ol>
      ${isKnown && html`<p class="tools small quiet">${whence(views)}</p>`}
    </section>`
  );
}

/** Where the page views come from, and of how many pages they are. */
function whence({ format, imported_at, first_day, last_day, pages, num_pages }: Views): Html {
  const v = t.views;
  const days = first_day !== null && last_day !== null && v.ofDays(calendarDay(first_day), calendarDay(last_day));
  return html`${format && v.from(v.formats[format])} ${days} ${imported_at && shortTime(imported_at, "date")}: ${v.has(pages, num_pages)} ${v.last}`;
}

/** Takes a file of page views, or forgets the numbers of the last one. */
export function viewsForm(context: PageContext, views: Views, attempt: Attempt | undefined): Html {
  const v = t.views;
  const path = `/sites/${context.params.site_id}`;
  return html`<section class="card grid close screen" aria-labelledby="views">
    <h2 id="views">${v.title}</h2>
    ${views.other_rows > 0 && html`<p class="small quiet">${v.others(views.other_rows, views.other_views)}</p>`}
    <form class="grid close" method="post" enctype="multipart/form-data" action=${context.href(path)}>
      ${hiddenFields(context)} <input type="hidden" name="views" value="read" />
      ${problems(attempt, ["file"])}
      ${fileInput({ name: "file", label: views.format ? v.newer : v.file, help: v.fileHelp, attempt })}
      <p><button class="quiet">${v.read}</button></p>
    </form>
    ${views.format && actionForm(context, path, v.forget, { quiet: true, fields: html`<input type="hidden" name="views" value="forget" />` })}
  </section>`;
}
