import type { Attributes, List, Resource } from "../../api/documents.ts";
import { type Html, html } from "../html.ts";
import type { PageContext, PageRoute, View } from "../page.ts";
import { forWriters } from "../parts/access.ts";
import { input } from "../parts/form.ts";
import { periodicityText } from "../parts/periodicity.ts";
import { pageQuery, pagination, table } from "../parts/table.ts";
import { address, badge, empty, time } from "../parts/text.ts";
import { texts } from "../texts/en.ts";

const PATH = "/schedules";
const t = texts.schedules;

export const schedulesPage: PageRoute = { path: PATH, access: "account", read };

async function read(context: PageContext): Promise<View> {
  const { api, href, query } = context;
  const url = query.get("url") ?? "";
  const schedules = await api.get<List<"schedule">>(PATH, { "filter[url]": url, ...pageQuery(query) });
  const isFirst = schedules.meta.total === 0 && url === "";
  const tools = forWriters(context, () => html`<a class="button" href=${href("/schedules/new")}>${t.add}</a>`);
  const content = html`<div>
    ${isFirst ? null : filter(context, url)}
    ${
      schedules.meta.total === 0
        ? empty(url === "" ? t.none : t.noneMatch, url === "" ? t.noneWhat : texts.issues.noneWhat)
        : html`${scheduleTable(context, schedules.data)} ${pagination(context, t.title, schedules.meta)}`
    }
  </div>`;
  return { title: t.title, section: "schedules", content, tools };
}

function filter({ href }: PageContext, url: string): Html {
  return html`<form class="filters" method="get" action=${href(PATH)} aria-label=${texts.issues.filters}>
    ${input({ name: "url", label: t.filter, value: url, bare: true })}
    <button class="quiet">${texts.issues.apply}</button>
    ${url !== "" && html`<a href=${href(PATH)}>${texts.issues.reset}</a>`}
  </form>`;
}

function scheduleTable({ href }: PageContext, schedules: readonly Resource<"schedule">[]): Html {
  const { columns: c } = t;
  return table<Resource<"schedule">>({
    caption: t.caption,
    hideCaption: true,
    rows: schedules,
    columns: [
      {
        title: c.site,
        header: true,
        cell: ({ id, attributes }) => address(attributes.starting_url, href(`${PATH}/${id}`)),
      },
      { title: c.when, cell: ({ attributes }) => periodicityText(attributes.periodicity) },
      { title: c.active, cell: ({ attributes }) => activeBadge(attributes) },
      {
        title: c.nextRun,
        cell: ({ attributes: { next_run_at } }) => (next_run_at === null ? t.noNextRun : time(next_run_at)),
      },
      {
        title: c.lastRun,
        cell: ({ attributes: { last_run_at } }) => (last_run_at === null ? t.never : time(last_run_at)),
      },
    ],
  });
}

export function activeBadge({ active }: Pick<Attributes<"schedule">, "active">): Html {
  return active ? badge(t.active, "good") : badge(t.paused, "plain");
}
