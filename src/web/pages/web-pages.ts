import type { Attributes, List, One, Resource } from "../../api/documents.ts";
import { tallyPages } from "../../domain/coverage/coverage.ts";
import { RequestError } from "../../domain/errors.ts";
import { isEndPhase } from "../../schema/status.ts";
import { type Html, html } from "../html.ts";
import type { Fields, FormRoute, Outcome, PageContext, PageRoute, View } from "../page.ts";
import { mayWrite } from "../parts/access.ts";
import { bar } from "../parts/chart.ts";
import { chips } from "../parts/chips.ts";
import { checkedAgain, numericIds, ticked, writeBefore } from "../parts/chosen-pages.ts";
import { hiddenFields, input, select } from "../parts/form.ts";
import { icon } from "../parts/icon.ts";
import { noneChecked, noPages } from "../parts/no-pages.ts";
import { checksOf, errorsOf, warningsOf } from "../parts/page-checks.ts";
import { pageName } from "../parts/page-name.ts";
import { isOwned, reportPath, reportRoutes, totalsOf } from "../parts/report.ts";
import { partsOf } from "../parts/report-cards.ts";
import { readFrame } from "../parts/report-head.ts";
import { pageNumber, pageQuery, pagination, table } from "../parts/table.ts";
import { amount, empty, milliseconds, time } from "../parts/text.ts";
import { unknownValues } from "../parts/unknown-values.ts";
import { formatNumber, texts } from "../texts/en.ts";

const t = texts.pages;
const SIZE = 50;

const selectedPath = "/reports/:report_id/pages/selected";

/** Before the pages with an id in their path. */
export const selectedPages: PageRoute = { path: selectedPath, access: "account", read: confirmDelete };
export const pageListRoutes = reportRoutes("/pages", read);

export const selectedForms: readonly FormRoute[] = [
  {
    path: selectedPath,
    access: "account",
    submit: async (context, fields) => {
      await ownReport(context);
      return fields.get("act") === "again" ? checkAgain(context, fields) : remove(context, fields);
    },
  },
];

const results = Object.keys(t.results) as (keyof typeof t.results)[];

/** What the address asks for, as the API calls it; also read by a page of the list, for those beside it. */
export function listQuery({ query, path }: Pick<PageContext, "query" | "path">): Record<string, string | undefined> {
  // How often pages are viewed is shown to the owner alone.
  const isOwn = path.startsWith("/reports/");
  const isKnown = (value: string) => value === query.get("sort") && (isOwn || !bySort[value]?.ofViews);
  return {
    "filter[search]": query.get("url") || undefined,
    "filter[result]": results.find((known) => known === query.get("result")),
    "filter[state]": query.get("state") === "new" ? "new" : undefined,
    "filter[path]": query.get("path") || undefined,
    "filter[id]": numericIds((query.get("ids") ?? "").split(",")).join(",") || undefined,
    sort: Object.keys(t.sorts).find(isKnown) ?? t.defaultSort,
  };
}

/** The parameters of the list that a link to one of its pages keeps. */
export const listParameters = ["url", "result", "state", "path", "ids", "sort"] as const;

async function read(context: PageContext): Promise<View> {
  const { api, params, query } = context;
  const root = `/reports/${params.report_id}`;
  const { data } = await api.get<One<"report">>(root);
  const asked = listQuery(context);
  const pages = await api.get<List<"web_page">>(`${root}/web_pages`, {
    ...asked,
    results: "true",
    ...pageQuery(query, SIZE),
  });
  const { pages: counts, ...sums } = pages.meta.results ?? noResults;
  const { tabs, ...frame } = await readFrame(context, data.attributes, "pages");
  const owned = isOwned(context, data.attributes) && mayWrite(context);
  const isEnded = isEndPhase(data.attributes.phase);
  const parts = await partsOf(context);
  const again = await checkedAgain(context, data.attributes);
  const content = html`<div>
    ${tabs}
    ${unknownValues(context, {
      result: { label: t.columns.status, values: results },
      sort: { label: t.sort, values: Object.keys(t.sorts) },
    })}
    ${again ?? (counts.waiting > 0 && html`<p class="card tools done" role="status"><b>${t.waiting(counts.waiting)}</b> ${t.waitingWhat}</p>`)}
    ${isEnded && counts.all > 0 && counts.errors + counts.warnings + counts.nothing === 0 && noneChecked(context)}
    <section class="card flush" aria-label=${t.title}>
      ${filters(context, { counts, total: pages.meta.total, hasViews: pages.meta.has_views, parts, owned, ...sums }, asked)}
      ${
        pages.meta.total === 0
          ? await noPages(context, data.attributes)
          : selectable(
              context,
              owned,
              html`${pageTable(context, data.attributes, pages, { owned, asked })}
              <div class="tools">${pagination(context, t.title, pages.meta, { size: SIZE })}</div>`,
            )
      }
    </section>
  </div>`;
  const live = counts.waiting > 0 ? context.href(reportPath(context, "/events")) : undefined;
  return { ...frame, title: `${t.title}: ${data.attributes.starting_url}`, content, live };
}

type Results = NonNullable<List<"web_page">["meta"]["results"]>;
type Listed = Pick<Results, "errors" | "new_errors"> & {
  counts: Results["pages"];
  total: number;
  /** Page views of the site are known. */
  hasViews: boolean;
  /** A choice of the folder. */
  parts: Html;
  /** The reader may change pages. */
  owned: boolean;
};

const noCounts = { all: 0, errors: 0, warnings: 0, nothing: 0, not_checked: 0, without_page: 0, waiting: 0, new: 0 };
const noResults: Results = { errors: 0, new_errors: 0, pages: noCounts };

function filters(
  context: PageContext,
  { counts, total, hasViews, parts, errors, new_errors, owned }: Listed,
  asked: ReturnType<typeof listQuery>,
): Html {
  const { query, path, href } = context;
  const tick = (which?: string) => href(path, { ...Object.fromEntries(query), done: undefined, tick: which });
  const hidden = ["result", "state", "ids"].flatMap((name) => {
    const value = query.get(name);
    return value ? [html`<input type="hidden" name=${name} value=${value} />`] : [];
  });
  const sorts = Object.entries(t.sorts).filter(
    ([value]) => hasViews || value === asked.sort || !bySort[value]?.ofViews,
  );
  const shown = results.filter((result) => counts[result] > 0 || result === query.get("result"));
  return html`<div class="grid tools close">
    <form class="filters" method="get" action=${href(reportPath(context, "/pages"))} aria-label=${texts.issues.filters}>
      ${hidden} ${input({ name: "url", label: t.filter, value: query.get("url") ?? "", bare: true })} ${parts}
      ${select({ name: "sort", label: t.sort, value: asked.sort ?? "", options: sorts.map(([value, label]) => ({ value, label })) })}
      <button class="quiet">${texts.issues.apply}</button>
    </form>
    <div class="line">
      ${chips(context, {
        name: "result",
        label: t.columns.status,
        values: [
          { value: "", text: texts.all, count: counts.all },
          ...shown.map((value) => ({
            value,
            text: html`${icon(resultIcons[value])} ${t.results[value]}`,
            count: counts[value],
          })),
        ],
      })}
      ${(counts.new > 0 || query.get("state") === "new") && chips(context, { name: "state", label: t.since, values: [{ value: "new", text: t.withNew, count: counts.new }] })}
      ${asked["filter[id]"] !== undefined && html`<a class="chip" href=${href(reportPath(context, "/pages"))} aria-current="true">${t.chosen(total)}</a>`}
    </div>
    <p class="line">
      <b>${total === counts.all ? t.sum(total, errors, new_errors) : texts.count.pages(total)}</b>
      ${owned && total > 0 && html`<span class="push small screen"><a href=${tick("all")}>${t.tickAll}</a> · <a href=${tick()}>${t.tickNone}</a></span>`}
    </p>
  </div>`;
}

/** Rows that can be ticked, with what can be done with those. */
function selectable(context: PageContext, owned: boolean, rows: Html): Html {
  if (!owned) return rows;
  return html`<form method="post" action=${context.href(`/reports/${context.params.report_id}/pages/selected`)}>
    ${hiddenFields(context)}
    ${rows}
    <div class="dock line near">
      <span class="ticked">${t.ticked}</span>
      <button name="act" value="again">${icon("again")} ${texts.page.again}</button>
      <button class="quiet" name="act" value="ask">${t.delete}</button>
    </div>
  </form>`;
}

function pageTable(
  context: PageContext,
  report: Attributes<"report">,
  { data, meta }: List<"web_page">,
  { owned, asked }: { owned: boolean; asked: ReturnType<typeof listQuery> },
): Html {
  const { columns: c } = t;
  const { query } = context;
  const before = (pageNumber(query) - 1) * meta.page_size;
  const kept = Object.fromEntries(listParameters.map((name) => [name, query.get(name) ?? undefined]));
  const most = Math.max(1, ...data.map(({ attributes }) => errorsOf(attributes)));
  const hasResult = ({ attributes }: Resource<"web_page">) => attributes.status === "checked";
  type Row = Resource<"web_page"> & { at: number };
  return table<Row>({
    caption: t.title,
    hideCaption: true,
    rows: data.map((page, index) => ({ ...page, at: before + index + 1 })),
    columns: [
      {
        title: c.page,
        header: true,
        cell: ({ id, attributes, at }) => {
          const name = pageName(
            report.starting_url,
            attributes,
            context.href(reportPath(context, `/pages/${id}`), { ...kept, at: String(at) }),
          );
          return owned
            ? html`<span class="pick"><input type="checkbox" name="page" value=${id} aria-label=${t.tick(attributes.title ?? attributes.url)} checked=${query.get("tick") === "all"} /><span>${name}</span></span>`
            : name;
        },
      },
      {
        title: c.errors,
        cell: (page) =>
          hasResult(page)
            ? html`<b class="amount">${formatNumber(errorsOf(page.attributes))}</b>${bar({ value: errorsOf(page.attributes), kind: "quiet" }, most)}`
            : "–",
      },
      ...(report.comparison
        ? [
            {
              title: c.new,
              numeric: true,
              cell: (page: Row) => (hasResult(page) ? amount(page.attributes.new_errors ?? 0, "error") : "–"),
            },
          ]
        : []),
      {
        title: c.findings,
        numeric: true,
        cell: (page) => (hasResult(page) ? formatNumber(page.attributes.faults.all) : "–"),
      },
      { title: c.status, cell: ({ attributes }) => statusOf(attributes) },
      ...(bySort[asked.sort ?? ""]?.columns ?? []).map(({ title, cell }) => ({
        title,
        numeric: true,
        cell: ({ attributes }: Row) => cell(attributes) || "–",
      })),
      {
        title: c.checked,
        extra: true,
        cell: ({ attributes }) => html`<span class="quiet">${time(attributes.last_checked_at)}</span>`,
      },
    ],
  });
}

type Shown = { title: string; cell: (page: Attributes<"web_page">) => Html };
const someNumber = (value: number | null) => value !== null && formatNumber(value);
const views: Shown = { title: t.columns.views, cell: (page) => someNumber(page.views) };

/** The columns that only some orders need. */
const bySort: Record<string, { columns: Shown[]; ofViews?: true }> = {
  "duration-desc": {
    columns: [{ title: t.columns.took, cell: ({ duration_ms: ms }) => ms !== null && milliseconds(ms) }],
  },
  "views-desc": { columns: [views], ofViews: true },
  "met-desc": {
    columns: [views, { title: t.columns.met, cell: (page) => someNumber(page.met) }],
    ofViews: true,
  },
};

const resultIcons = {
  errors: "failed",
  warnings: "not_verified",
  nothing: "passed",
  not_checked: "alert",
  without_page: "alert",
  waiting: "running",
} as const;

/** The result of a page, as the API counts it. */
function resultOf(page: Attributes<"web_page">): (typeof results)[number] {
  if (page.status === "failed") return page.without_page ? "without_page" : "not_checked";
  if (page.status !== "checked") return "waiting";
  return errorsOf(page) > 0 ? "errors" : warningsOf(page) > 0 ? "warnings" : "nothing";
}

function statusOf(page: Attributes<"web_page">): Html {
  const result = resultOf(page);
  const failure = checksOf(page).find((check) => check?.failure)?.failure;
  const why = failure && (texts.failed.reasons[failure.code] ?? failure.detail);
  return html`${icon(resultIcons[result])} ${t.results[result]} ${why && html`<span class="small quiet">${why}</span>`}`;
}

/** The report in the address. @throws RequestError 404 for one that the reader may not change */
async function ownReport(context: PageContext): Promise<Resource<"report">> {
  const { data } = await context.api.get<One<"report">>(`/reports/${context.params.report_id}`);
  if (isOwned(context, data.attributes)) return data;
  throw new RequestError({ status: 404, code: "not_found", title: "Not found", detail: "There is no such report." });
}

function list({ params, href }: PageContext, done: string, more: Record<string, string> = {}): { redirect: string } {
  return { redirect: href(`/reports/${params.report_id}/pages`, { done, ...more }) };
}

async function checkAgain(context: PageContext, fields: Fields): Promise<Outcome> {
  const pages = await ticked(context, fields.getAll("page"));
  if (pages.length === 0) return list(context, "noneTicked");
  const { data } = await context.api.get<One<"report">>(`/reports/${context.params.report_id}`);
  const before = { again: writeBefore(pages), was: String(totalsOf(data.attributes).errors) };
  for (const { id } of pages)
    await context.api.patch(`/reports/${context.params.report_id}/web_pages/${id}`, { status: "pending" });
  return list(context, "queuedAll", before);
}

/** Asks first, on a page of its own; then deletes. */
async function remove(context: PageContext, fields: Fields): Promise<Outcome> {
  const pages = await ticked(context, fields.getAll("page"));
  if (pages.length === 0) return list(context, "noneTicked");
  const { report_id } = context.params;
  if (fields.get("act") !== "delete")
    return {
      redirect: context.href(`/reports/${report_id}/pages/selected`, { pages: pages.map(({ id }) => id).join(",") }),
    };
  for (const { id } of pages) await context.api.delete(`/reports/${report_id}/web_pages/${id}`);
  return list(context, "deletedAll");
}

/** What becomes of the report's numbers without the ticked pages. */
async function confirmDelete(context: PageContext): Promise<Outcome> {
  const { params, query, href } = context;
  const data = await ownReport(context);
  const pages = await ticked(context, (query.get("pages") ?? "").split(","));
  const { tabs, ...frame } = await readFrame(context, data.attributes, "pages");
  if (pages.length === 0) {
    const back = html`<a href=${href(`/reports/${params.report_id}/pages`)}>${t.title}</a>`;
    return { ...frame, title: t.title, content: html`<div>${tabs} ${empty(texts.done.noneTicked ?? "", back)}</div>` };
  }
  const { errors } = totalsOf(data.attributes);
  const gone = pages.reduce((sum, { attributes }) => sum + errorsOf(attributes), 0);
  const found = data.attributes.num_pages;
  const { checked } = data.attributes.coverage ? tallyPages(data.attributes.coverage) : { checked: undefined };
  const goneChecked = pages.filter(({ attributes }) => attributes.status === "checked").length;
  const content = html`<div>
    ${tabs}
    <form class="card grid" method="post" action=${href(`/reports/${params.report_id}/pages/selected`)}>
      ${hiddenFields(context)} ${pages.map(({ id }) => html`<input type="hidden" name="page" value=${id} />`)}
      <h2 class="verdict">${t.sure(pages.length)}</h2>
      <ul class="grid close">
        <li>${t.errorsBecome} ${formatNumber(errors)} → <b>${formatNumber(errors - gone)}</b>, ${t.pagesBecome} ${formatNumber(found)} → <b>${formatNumber(found - pages.length)}</b>${checked !== undefined && html`, ${t.checkedBecome} ${formatNumber(checked)} → <b>${formatNumber(checked - goneChecked)}</b>`}</li>
        <li>${t.becomeUnknown}</li>
        <li>${t.foundAgain}</li>
      </ul>
      <details><summary>${texts.count.pages(pages.length)}</summary><ul>${pages.map(({ attributes }) => html`<li class="url">${attributes.url}</li>`)}</ul></details>
      <p class="line near">
        <button class="danger" name="act" value="delete">${t.deleteNow(pages.length)}</button>
        <a class="button quiet" href=${href(`/reports/${params.report_id}/pages`)}>${t.keep}</a>
      </p>
    </form>
  </div>`;
  return { ...frame, title: t.sure(pages.length), content };
}
