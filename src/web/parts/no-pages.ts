import type { Attributes, List } from "../../api/documents.ts";
import { isEndPhase } from "../../schema/status.ts";
import { type Html, html } from "../html.ts";
import type { PageContext } from "../page.ts";
import { texts } from "../texts/en.ts";
import { icon } from "./icon.ts";
import { errorsOf } from "./page-checks.ts";
import { pathOnSite } from "./page-name.ts";
import { reportPath } from "./report.ts";
import { ago } from "./text.ts";

const t = texts.pages;

/** When no page of a report that has ended has a result: that, where to see why, and what helps. */
export function noneChecked(context: PageContext): Html {
  return html`<div class="strip">${icon("alert")} <div><b>${t.noneChecked}</b> ${t.noneCheckedWhat}</div>
    <p><a href=${context.href(reportPath(context, "/failed"))}>${t.showWhy}</a></p></div>`;
}

/** Why nothing is listed, and what is nearest. */
export async function noPages(context: PageContext, report: Attributes<"report">): Promise<Html> {
  const { api, params, query, href, now } = context;
  const to = (more: Record<string, string | undefined>) => href(reportPath(context, "/pages"), more);
  const block = (title: Html, what: Html, ...links: Html[]) =>
    html`<div class="tools grid close"><p><b>${title}</b></p> <p class="quiet">${what}</p>
      <p>${links.map((link, index) => html`${index > 0 && " · "}${link}`)}</p></div>`;
  const read = (more: Record<string, string>) =>
    api.get<List<"web_page">>(`/reports/${params.report_id}/web_pages`, more);
  if (report.num_pages === 0)
    return isEndPhase(report.phase)
      ? block(t.noneYet, null)
      : block(
          html`${icon("running")} ${t.come}`,
          html`${t.began} ${ago(report.inserted_at, now)}.`,
          html`<a href=${href(reportPath(context))}>${t.watchIt}</a>`,
        );
  const all = html`<a href=${to({})}>${t.allPages(report.num_pages)}</a>`;
  const [text, path] = [query.get("url"), query.get("path")];
  if (text)
    return block(
      t.noneMatch(text),
      path ? t.searchedIn(path) : t.searched,
      ...(path ? [html`<a href=${to({ url: text })}>${t.searchAll}</a>`] : []),
      all,
    );
  if (query.get("result") === "nothing") {
    const { data } = await read({ "filter[result]": "errors", sort: "errors-asc", "page[size]": "2" });
    const [first] = data;
    const fewest = first && errorsOf(first.attributes);
    const nearest = data
      .filter(({ attributes }) => errorsOf(attributes) === fewest)
      .map(({ attributes }) => attributes.title ?? pathOnSite(report.starting_url, attributes.url));
    if (fewest !== undefined)
      return block(
        t.noneFine,
        t.nearest(nearest, fewest),
        html`<a href=${to({ result: "errors", sort: "errors-asc" })}>${t.sorts["errors-asc"]}</a>`,
        all,
      );
  }
  return block(t.none, null, all);
}
