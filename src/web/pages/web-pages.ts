import type { Attributes, List, One, Resource } from "../../api/documents.ts";
import { type CheckKind, checkKinds, type Noun, nounOf } from "../../checks/kinds.ts";
import { pageStatuses } from "../../domain/page/page-status.ts";
import { type Html, html } from "../html.ts";
import type { PageContext, View } from "../page.ts";
import { bar } from "../parts/chart.ts";
import { chips, chosenPath } from "../parts/chips.ts";
import { titleOf } from "../parts/finding.ts";
import { input, select } from "../parts/form.ts";
import { icon } from "../parts/icon.ts";
import { reportPath, reportRoutes } from "../parts/report.ts";
import { readFrame } from "../parts/report-head.ts";
import { pageQuery, pagination, table } from "../parts/table.ts";
import { address, amount, milliseconds, time } from "../parts/text.ts";
import { unknownValues } from "../parts/unknown-values.ts";
import { formatShare, texts } from "../texts/en.ts";

const t = texts.pages;

export const pageListRoutes = reportRoutes("/pages", read);

async function read(context: PageContext): Promise<View> {
  const { api, params, query } = context;
  const root = `/reports/${params.report_id}`;
  const { data } = await api.get<One<"report">>(root);
  const status = pageStatuses.find((known) => known === query.get("status"));
  const sort = Object.keys(t.sorts).find((known) => known === query.get("sort"));
  const pages = await api.get<List<"web_page">>(`${root}/web_pages`, {
    "filter[url]": query.get("url") ?? undefined,
    "filter[status]": status,
    "filter[path]": query.get("path") ?? undefined,
    sort,
    ...pageQuery(query, 50),
  });
  const isFiltered = query.has("url") || query.has("path") || status !== undefined;
  const { tabs, ...frame } = await readFrame(context, data.attributes, "pages");
  const states = pageStatuses.map((value) => ({ value, text: t.status[value] }));
  const content = html`<div>
    ${tabs}
    ${unknownValues(context, {
      status: { label: t.columns.status, values: pageStatuses },
      sort: { label: t.sort, values: Object.keys(t.sorts) },
    })}
    <section class="card flush" aria-label=${t.title}>
      <div class="grid tools close">
        <form class="filters" method="get" action=${context.href(reportPath(context, "/pages"))} aria-label=${texts.issues.filters}>
          ${status && html`<input type="hidden" name="status" value=${status} />`}
          ${query.has("path") && html`<input type="hidden" name="path" value=${query.get("path")} />`}
          ${input({ name: "url", label: t.filter, value: query.get("url") ?? "", bare: true })}
          ${select({ name: "sort", label: t.sort, value: sort ?? "", options: Object.entries(t.sorts).map(([value, label]) => ({ value, label })) })}
          <button class="quiet">${texts.issues.apply}</button>
        </form>
        <div class="line">${chips(context, { name: "status", label: t.columns.status, values: states })} ${chosenPath(context)}</div>
      </div>
      ${
        pages.meta.total === 0
          ? html`<p class="tools">${isFiltered ? t.none : t.noneYet}</p>`
          : html`${pageTable(context, pages.data)} <div class="tools">${pagination(context, t.title, pages.meta, { size: 50 })}</div>`
      }
    </section>
  </div>`;
  return { ...frame, title: `${t.title}: ${data.attributes.starting_url}`, content };
}

function pageTable(context: PageContext, pages: readonly Resource<"web_page">[]): Html {
  const { columns: c } = t;
  const checkOf = ({ attributes }: Resource<"web_page">, kind: CheckKind) => attributes[`${nounOf(kind)}_check`];
  const performed = checkKinds.filter((kind) => pages.some((page) => checkOf(page, kind)));
  return table<Resource<"web_page">>({
    caption: t.title,
    hideCaption: true,
    rows: pages,
    columns: [
      {
        title: c.page,
        header: true,
        cell: ({ id, attributes }) =>
          html`<b>${address(attributes.url, context.href(reportPath(context, `/pages/${id}`)))}</b>`,
      },
      {
        title: c.status,
        cell: ({ attributes: { status } }) => html`${icon(statusIcons[status])} ${t.status[status]}`,
      },
      ...performed.map((kind) => ({
        title: titleOf(kind),
        numeric: true,
        cell: (page: Resource<"web_page">) => counts(checkOf(page, kind)),
      })),
      ...(pages.some(({ attributes }) => attributes.new_errors)
        ? [
            {
              title: c.new,
              numeric: true,
              cell: ({ attributes: { new_errors } }: Resource<"web_page">) =>
                new_errors === null ? "–" : amount(new_errors, "error"),
            },
          ]
        : []),
      ...(pages.some(({ attributes }) => templateShare(attributes.roles) !== undefined)
        ? [
            {
              title: c.template,
              extra: true,
              cell: ({ attributes }: Resource<"web_page">) => inTemplate(attributes.roles),
            },
          ]
        : []),
      {
        title: c.took,
        numeric: true,
        extra: true,
        cell: ({ attributes: { duration_ms } }) => (duration_ms === null ? "–" : milliseconds(duration_ms)),
      },
      {
        title: c.checked,
        extra: true,
        cell: ({ attributes }) => html`<span class="quiet">${time(attributes.last_checked_at)}</span>`,
      },
    ],
  });
}

type RolesOfPage = Attributes<"web_page">["roles"];

/** How much of what a page has is in its template; undefined for one without findings. */
function templateShare(roles: RolesOfPage): [template: number, all: number] | undefined {
  if (!roles) return undefined;
  const all = Object.values(roles).reduce((sum, count) => sum + count, 0);
  return all > 0 ? [roles.template, all] : undefined;
}

function inTemplate(roles: RolesOfPage): Html {
  const share = templateShare(roles);
  if (!share) return "–";
  const [value, all] = share;
  return html`<span class="small">${formatShare(value, all)}</span>${bar({ value, kind: "quiet" }, all)}`;
}

const statusIcons = { pending: "running", checking: "running", checked: "ended", failed: "alert" } as const;

function counts(check: Attributes<"web_page">[`${Noun}_check`]): Html {
  if (check?.status !== "checked") return t.notChecked;
  const warnings = check.warnings > 0 && html`, ${amount(check.warnings, "warning")} ${texts.types.warning}`;
  return html`${amount(check.errors, "error")}${warnings && html`<span class="small">${warnings}</span>`}`;
}
