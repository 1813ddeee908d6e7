import type { Attributes, List, Resource } from "../../api/documents.ts";
import { type Html, html } from "../html.ts";
import type { PageContext } from "../page.ts";
import { texts } from "../texts/en.ts";
import { icon } from "./icon.ts";
import { errorsOf } from "./page-checks.ts";
import { pathOnSite } from "./page-name.ts";
import { isOwned, reportPath, totalsOf } from "./report.ts";

const t = texts.pages;

/** At most as many as the API takes. */
export function numericIds(ids: readonly string[]): string[] {
  return ids.filter((id) => /^[1-9]\d{0,17}$/.test(id)).slice(0, 100);
}

/** The ticked pages, which the address or the form names. */
export async function ticked({ api, params }: PageContext, ids: readonly string[]): Promise<Resource<"web_page">[]> {
  const numeric = numericIds(ids);
  if (numeric.length === 0) return [];
  const { data } = await api.get<List<"web_page">>(`/reports/${params.report_id}/web_pages`, {
    "filter[id]": numeric.join(","),
    "page[size]": "100",
  });
  return data;
}

/** Before a page was checked again: its errors, or nothing where it could not be checked. */
type Before = { id: string; errors: number | undefined };

/** Pages and their errors for an address, such as `12-18,13-` with no number for a page that had no result. */
export function writeBefore(pages: readonly Resource<"web_page">[]): string {
  const errors = (page: Attributes<"web_page">) => (page.status === "checked" ? String(errorsOf(page)) : "");
  return pages.map(({ id, attributes }) => `${id}-${errors(attributes)}`).join(",");
}

function readBefore(text: string): Before[] {
  return text
    .split(",")
    .map((part) => /^([1-9]\d{0,17})-(\d{0,9})$/.exec(part))
    .flatMap((match) => (match ? [{ id: match[1] ?? "", errors: match[2] ? Number(match[2]) : undefined }] : []))
    .slice(0, 100);
}

/** How many have names of their own in the sentence that says what has become of them. */
const MAX_NAMED = 5;

/** What has become of the pages that the address says were sent to be checked again; undefined if it names none. */
export async function checkedAgain(context: PageContext, report: Attributes<"report">): Promise<Html | undefined> {
  const before = readBefore(context.query.get("again") ?? "");
  if (before.length === 0 || !isOwned(context, report)) return undefined;
  const ids = before.map(({ id }) => id);
  const pages = await ticked(context, ids);
  if (pages.length === 0) return undefined;
  const isDone = ({ attributes }: Resource<"web_page">) =>
    attributes.status === "checked" || attributes.status === "failed";
  const done = pages.filter(isDone).length;
  if (done < pages.length)
    return html`<div class="card tools done line" role="status">${icon("running")} <p><b>${t.beingChecked(pages.length)}</b> ${t.areDone(done)} ${t.waitingWhat}</p>
      <a class="push" href=${context.href(reportPath(context))}>${t.watch}</a></div>`;
  const was = new Map(before.map(({ id, errors }) => [id, errors]));
  const named = pages.slice(0, MAX_NAMED).map(({ id, attributes }) => {
    const name = attributes.title ?? pathOnSite(report.starting_url, attributes.url);
    const now = attributes.status === "checked" ? errorsOf(attributes) : undefined;
    return html`${name} ${t.became(was.get(id), now)}`;
  });
  const others = pages.length - named.length;
  const parts = [...named, ...(others > 0 ? [texts.count.others(others)] : [])];
  const total = Number(context.query.get("was") ?? Number.NaN);
  return html`<div class="card tools done line" role="status">${icon("passed")}
    <p><b>${t.wereChecked(pages.length)}</b> ${parts.map((part, index) => html`${index > 0 && ", "}${part}`)}.${Number.isSafeInteger(total) && html` ${t.reportBecame(total, totalsOf(report).errors)}`}</p>
    <a class="push" href=${context.href(reportPath(context, "/pages"), { ids: ids.join(",") })}>${t.showThem(pages.length)}</a></div>`;
}
