import type { Attributes, List, Resource } from "../../api/documents.ts";
import { type Html, html } from "../html.ts";
import type { PageContext, PageRoute, View } from "../page.ts";
import { forWriters } from "../parts/access.ts";
import { sparkline } from "../parts/chart.ts";
import { countedSinceEnd, gaps, hasResult, newAndFixed, verdictOf } from "../parts/report.ts";
import { seriesOf } from "../parts/series.ts";
import { pageQuery, pagination, table } from "../parts/table.ts";
import { address, empty, time } from "../parts/text.ts";
import { texts } from "../texts/en.ts";

export const sitesPage: PageRoute = { path: "/", access: "account", read };

async function read(context: PageContext): Promise<View> {
  const { api, href, query } = context;
  const sites = await api.get<List<"site">>("/sites", pageQuery(query));
  const { title, newReport, newSchedule, none, noneWhat } = texts.sites;
  const tools = forWriters(
    context,
    () => html`<a class="button quiet" href=${href("/schedules/new")}>${newSchedule}</a>
      <a class="button" href=${href("/reports/new")}>${newReport}</a>`,
  );
  const list =
    sites.meta.total === 0
      ? empty(none, noneWhat)
      : html`${sitesTable(context, sites.data)} ${pagination(context, title, sites.meta)}`;
  return { title, section: "sites", tools, content: html`<div>${list}</div>` };
}

type Shown = Attributes<"site">["latest"];

/** The run whose numbers are shown: the newest with a result, at best one of the whole site. */
function shownOf({ latest, latest_whole }: Attributes<"site">): Shown | undefined {
  return latest_whole ?? (hasResult(latest) ? latest : undefined);
}

function ofShown(site: Attributes<"site">, cell: (run: Shown) => Html): Html {
  const shown = shownOf(site);
  return shown ? cell(shown) : "–";
}

/** How the newest run ended; and which run the numbers are of, if it is not that one. */
function lastRun(site: Attributes<"site">, href: PageContext["href"]): Html {
  const { latest } = site;
  const shown = shownOf(site);
  const { numbersOf, noNumbers } = texts.sites;
  const other = shown
    ? html`${numbersOf} <a href=${href(`/reports/${shown.id}`)}>${time(shown.inserted_at)}</a>${shown.id !== latest.id && gaps(shown)}`
    : noNumbers;
  return html`${verdictOf(latest)} ${time(latest.last_checked_at ?? latest.inserted_at)}
  ${shown?.id !== latest.id && html`<br /><span class="quiet">${other}</span>`}`;
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
      { title: c.lastRun, cell: (site) => lastRun(site, href) },
      { title: c.errors, numeric: true, cell: (site) => ofShown(site, (run) => countedSinceEnd(run, "errors")) },
      { title: c.warnings, numeric: true, cell: (site) => ofShown(site, (run) => countedSinceEnd(run, "warnings")) },
      { title: c.newAndFixed, cell: (site) => ofShown(site, newAndFixed) },
      {
        title: c.trend,
        extra: true,
        cell: ({ starting_url, runs }) =>
          sparkline(
            seriesOf(runs).runs.map((run) => (run.at_end ?? run).errors),
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
