import type { Attributes, List, One, Resource } from "../../api/documents.ts";
import { checkKinds, type Noun, nounOf } from "../../checks/kinds.ts";
import { pageStatuses } from "../../domain/site/page-status.ts";
import { type Html, html } from "../html.ts";
import type { PageContext, View } from "../page.ts";
import { titleOf } from "../parts/finding.ts";
import { input, select } from "../parts/form.ts";
import { reportHead, reportPath, reportRoutes } from "../parts/report.ts";
import { pageQuery, pagination, table } from "../parts/table.ts";
import { address, badge, empty } from "../parts/text.ts";
import { texts } from "../texts/en.ts";

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
    sort,
    ...pageQuery(query, 50),
  });
  const isFiltered = query.has("url") || status !== undefined;
  const content = html`<div>
    ${reportHead(context, data.attributes, "pages")}
    <form class="filters" method="get" action=${context.href(reportPath(context, "/pages"))} aria-label=${texts.issues.filters}>
      ${input({ name: "url", label: t.filter, value: query.get("url") ?? "", bare: true })}
      ${select({
        name: "status",
        label: t.columns.status,
        value: status ?? "",
        options: [
          { value: "", label: texts.issues.all },
          ...pageStatuses.map((value) => ({ value, label: t.status[value] })),
        ],
      })}
      ${select({ name: "sort", label: t.sort, value: sort ?? "", options: Object.entries(t.sorts).map(([value, label]) => ({ value, label })) })}
      <button>${texts.issues.apply}</button>
    </form>
    ${
      pages.meta.total === 0
        ? empty(isFiltered ? t.none : t.noneYet)
        : html`${pageTable(context, pages.data)} ${pagination(context, t.title, pages.meta, { size: 50 })}`
    }
  </div>`;
  return {
    title: `${t.title}: ${data.attributes.starting_url}`,
    section: "sites",
    content,
  };
}

function pageTable(context: PageContext, pages: readonly Resource<"web_page">[]): Html {
  const { columns: c } = t;
  return table<Resource<"web_page">>({
    caption: t.title,
    hideCaption: true,
    rows: pages,
    columns: [
      {
        title: c.page,
        header: true,
        cell: ({ id, attributes }) => address(attributes.url, context.href(reportPath(context, `/pages/${id}`))),
      },
      {
        title: c.status,
        cell: ({ attributes: { status } }) =>
          badge(t.status[status], status === "failed" ? "bad" : status === "checked" ? "plain" : "busy"),
      },
      ...checkKinds.map((kind) => ({
        title: titleOf(kind),
        cell: ({ attributes }: Resource<"web_page">) => counts(attributes[`${nounOf(kind)}_check`]),
      })),
    ],
  });
}

function counts(check: Attributes<"web_page">[`${Noun}_check`]): Html {
  if (check?.status !== "checked") return t.notChecked;
  const part = (value: number, text: string, kind: string) =>
    html`<span class=${value > 0 ? `amount ${kind}` : "amount"}>${text}</span>`;
  return html`${part(check.errors, texts.count.errors(check.errors), "error")},${" "}
  ${part(check.warnings, texts.count.warnings(check.warnings), "warning")}`;
}
