import type { Attributes, List, Resource } from "../../api/documents.ts";
import { html } from "../html.ts";
import type { PageContext, PageRoute, View } from "../page.ts";
import { forWriters } from "../parts/access.ts";
import { sparkline } from "../parts/chart.ts";
import { newAndFixed, totalsOf, verdict } from "../parts/report.ts";
import { pageQuery, pagination, table } from "../parts/table.ts";
import { address, amount, empty, time } from "../parts/text.ts";
import { texts } from "../texts/en.ts";

export const sitesPage: PageRoute = { path: "/", access: "account", read };

async function read(context: PageContext): Promise<View> {
  const { api, href, query } = context;
  const sites = await api.get<List<"site">>("/sites", pageQuery(query));
  const { title, newReport, newSchedule, none, noneWhat } = texts.sites;
  const actions = forWriters(
    context,
    () => html`<p class="actions">
      <a class="button" href=${href("/reports/new")}>${newReport}</a>
      <a class="button quiet" href=${href("/schedules/new")}>${newSchedule}</a>
    </p>`,
  );
  const list =
    sites.meta.total === 0
      ? empty(none, noneWhat)
      : html`${sitesTable(context, sites.data)} ${pagination(context, title, sites.meta)}`;
  return { title, section: "sites", content: html`<div>${actions} ${list}</div>` };
}

function sitesTable({ href }: PageContext, sites: readonly Resource<"site">[]) {
  const { columns: c, caption, noNextRun, trendOf } = texts.sites;
  return table<Attributes<"site">>({
    caption,
    hideCaption: true,
    rows: sites.map(({ attributes }) => attributes),
    columns: [
      {
        title: c.site,
        header: true,
        cell: ({ starting_url, latest }) => address(starting_url, href(`/reports/${latest.id}`)),
      },
      {
        title: c.lastRun,
        cell: ({ latest }) => html`${verdict(latest)} ${time(latest.last_checked_at ?? latest.inserted_at)}`,
      },
      { title: c.errors, numeric: true, cell: ({ latest }) => amount(totalsOf(latest).errors, "error") },
      { title: c.warnings, numeric: true, cell: ({ latest }) => amount(totalsOf(latest).warnings, "warning") },
      { title: c.newAndFixed, cell: ({ latest }) => (latest.comparison ? newAndFixed(latest.comparison.states) : "–") },
      {
        title: c.trend,
        extra: true,
        cell: ({ starting_url, runs }) =>
          sparkline(
            runs.map(({ errors }) => errors),
            trendOf(starting_url),
          ) ?? "–",
      },
      {
        title: c.nextRun,
        extra: true,
        cell: ({ next_run_at }) => (next_run_at === null ? noNextRun : time(next_run_at)),
      },
    ],
  });
}
