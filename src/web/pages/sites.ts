import type { Attributes, List, Resource } from "../../api/documents.ts";
import { type Html, html } from "../html.ts";
import type { PageContext, PageRoute, View } from "../page.ts";
import { forWriters } from "../parts/access.ts";
import { sparkline } from "../parts/chart.ts";
import { chips } from "../parts/chips.ts";
import { defaultValues } from "../parts/crawl-form/values.ts";
import { hiddenFields, input, select } from "../parts/form.ts";
import { icon } from "../parts/icon.ts";
import { rateChange, rateText } from "../parts/rates.ts";
import { countedSinceEnd, gaps, hasResult, newAndFixed, verdictOf } from "../parts/report.ts";
import { seriesOf } from "../parts/series.ts";
import { siteName, turn } from "../parts/site-name.ts";
import { pageQuery, pagination, table } from "../parts/table.ts";
import { address, time } from "../parts/text.ts";
import { unknownValues } from "../parts/unknown-values.ts";
import { signed } from "../plot/waterfall.ts";
import { formatNumber, texts } from "../texts/en.ts";

export const sitesPage: PageRoute = { path: "/", access: "account", read };

const t = texts.overview;
const SIZE = 50;
/** The periods over which changes are looked for, in days. */
const periods = ["7", "30", "90"];

const known = {
  show: { label: t.counts, values: ["worse", "better"] },
  days: { label: t.period, values: periods },
  sort: { label: t.sort, values: Object.keys(t.sorts) },
};

async function read(context: PageContext): Promise<View> {
  const { api, href, query } = context;
  const filters = filtersOf(query);
  const list = (more: Record<string, string | undefined>) => api.get<List<"site">>("/sites", more);
  const period = filters.period;
  const of = (change: "worse" | "better", size: string) =>
    list({
      "filter[change]": change,
      period,
      sort: change === "worse" ? "change-desc" : "change-asc",
      "page[size]": size,
    });
  const [sites, all, worse, better] = await Promise.all([
    list({ ...filters.asked, period, ...pageQuery(query, SIZE) }),
    list({ "page[size]": "1" }),
    of("worse", "3"),
    of("better", "1"),
  ]);
  if (all.meta.total === 0) return firstRun(context);
  const { title, newReport, newSchedule } = texts.sites;
  const tools = forWriters(
    context,
    () => html`<a class="button quiet" href=${href("/schedules/new")}>${newSchedule}</a>
      <a class="button" href=${href("/reports/new")}>${newReport}</a>`,
  );
  const content = html`<div>
          ${unknownValues(context, known)}
          ${counts(context, { all: all.meta.total, worse: worse.meta.total, better: better.meta.total })}
          ${changes(context, worse.data, better.data)}
          <section class="card flush" aria-label=${title}>
            ${filterForm(context, sites.data)}
            ${
              sites.meta.total === 0
                ? html`<div class="tools grid close"><h2>${t.noMatch}</h2><p>${t.noMatchWhat} <a href=${href("/")}>${t.showAll}</a></p></div>`
                : html`${sitesTable(context, sites.data)} <div class="tools">${pagination(context, title, sites.meta, { size: SIZE })}</div>`
            }
          </section>
        </div>`;
  return { title, section: "sites", tools, content };
}

/** What an account sees that has checked nothing yet: one field, and what becomes of it. */
function firstRun(context: PageContext): View {
  const { firstRun: words } = texts;
  // What the form for a new report sends when nobody changes it.
  const defaults = Object.entries(defaultValues).filter(
    ([name, value]) => name !== "starting_url" && value !== "" && value !== "false",
  );
  const form = () => html`<form class="grid close" method="post" action=${context.href("/reports/new")}>
    ${hiddenFields(context)} ${defaults.map(([name, value]) => html`<input type="hidden" name=${name} value=${value} />`)}
    ${input({ name: "starting_url", label: words.address, help: words.addressHelp, type: "url", required: true })}
    <button>${words.check}</button>
  </form>`;
  const content = html`<div>
    <section class="card grid narrow" aria-labelledby="first">
      <h2 id="first" class="verdict">${words.title}</h2>
      ${forWriters(context, form)}
      <ol class="steps">
        ${Object.values(words.steps).map(([what, more], index) => html`<li><span class="no h">${index + 1}</span> <span><b>${what}</b> ${more}</span></li>`)}
      </ol>
      <p class="quiet">${words.nothingChanges} <a href=${context.href("/reports/new")}>${words.settings}</a></p>
    </section>
    <ul class="tiles">
      ${Object.values(words.later).map(([what, more]) => html`<li class="card grid close"><h3>${what}</h3><p class="quiet">${more}</p></li>`)}
    </ul>
    <p class="line near">
      ${context.reader?.principal.guestToken === null && html`<a class="button quiet" href=${context.href("/guests")}>${words.invite}</a>`}
      <a class="button quiet" href=${context.href("/api/v1/docs")}>${words.api}</a>
    </p>
  </div>`;
  return { title: texts.sites.title, section: "sites", content };
}

/** What the address asks for, as the API calls it. */
function filtersOf(query: URLSearchParams) {
  const change = query.get("show");
  const tag = query.get("tag") || undefined;
  const sort = Object.keys(t.sorts).find((known) => known === query.get("sort"));
  return {
    period: periods.find((days) => days === query.get("days")) ?? "30",
    asked: {
      "filter[search]": query.get("q") || undefined,
      "filter[owner]": query.get("owner") || undefined,
      "filter[change]": change === "worse" || change === "better" ? change : undefined,
      ...(tag && { "filter[tags][mode]": "any", "filter[tags][list]": tag }),
      sort: sort || undefined,
    },
  };
}

/** How many sites there are, how many got worse and improved: each a filter. */
function counts(context: PageContext, { all, worse, better }: Record<"all" | "worse" | "better", number>): Html {
  const { href, query } = context;
  const shown = query.get("show") ?? "";
  const days = query.get("days") ?? "";
  const item = (show: string, text: Html) =>
    html`<li><a href=${href("/", { days, show })} aria-current=${shown === show ? "true" : undefined}>${text}</a></li>`;
  const period = filtersOf(query).period;
  return html`<div class="line">
    <nav aria-label=${t.counts}>
      <ul class="line counts large">
        ${item("", t.sites(all))} ${item("worse", html`<span class="bad">${icon("more")}</span> ${t.worse(worse)}`)}
        ${item("better", html`<span class="good">${icon("less")}</span> ${t.better(better)}`)}
      </ul>
    </nav>
    <nav class="seg push" aria-label=${t.period}>
      ${periods.map((value) => html`<a href=${href("/", { show: shown, days: value })} aria-current=${value === period ? "true" : undefined}>${t.days(value)}</a>`)}
    </nav>
  </div>`;
}

/** The sites that got worse the most, with the rule that adds the most errors, and the one that improved the most. */
function changes({ href }: PageContext, worse: readonly Resource<"site">[], better: readonly Resource<"site">[]): Html {
  if (worse.length + better.length === 0) return null;
  const item = ({ attributes: site }: Resource<"site">) => {
    const { change, numbers } = site;
    if (!change || !numbers) return null;
    const { from, to, by } = rateChange(numbers.errors_per_page, change.errors_per_page);
    return html`<li>
      <a class="line" href=${href(`/reports/${numbers.report_id}/changes`, { base: change.base_id })}>
        <b class=${`verdict ${change.errors_per_page > 0 ? "bad" : "good"}`}>${signed(by, rateText)}</b>
        <span>
          <b>${siteName(site)}</b> <span class="quiet">${from} → ${to} ${t.perPage}, ${t.inAll} ${signed(change.errors)}</span>
          ${change.worst_rule && html`<span class="small block quiet">${change.worst_rule.title} ${signed(change.worst_rule.errors)}</span>`}
        </span>
      </a>
    </li>`;
  };
  const card = (title: string, id: string, sites: readonly Resource<"site">[]) =>
    sites.length > 0 &&
    html`<section class="card grid close" aria-labelledby=${id}><h2 id=${id}>${title}</h2><ol class="rows">${sites.map(item)}</ol></section>`;
  return html`<div class="grid pair">${card(t.worst, "worst", worse)} ${card(t.most, "improved", better)}</div>`;
}

/** A field to find sites, their tags, and their order. */
function filterForm(context: PageContext, sites: readonly Resource<"site">[]): Html {
  const { href, query } = context;
  const chosen = query.get("tag");
  const tags = new Set([...(chosen ? [chosen] : []), ...sites.flatMap(({ attributes }) => attributes.tags)]);
  const hidden = ["tag", "show", "days", "owner"].map((name) => {
    const value = query.get(name);
    return value && html`<input type="hidden" name=${name} value=${value} />`;
  });
  return html`<div class="tools grid close">
    <form class="filters" method="get" action=${href("/")} aria-label=${texts.issues.filters}>
      ${hidden} ${input({ name: "q", label: t.search, value: query.get("q") ?? "", bare: true })}
      ${select({ name: "sort", label: t.sort, value: query.get("sort") ?? "", options: Object.entries(t.sorts).map(([value, label]) => ({ value, label })) })}
      <button class="quiet">${t.apply}</button>
    </form>
    ${tags.size > 0 && chips(context, { name: "tag", label: t.tags, values: [...tags].sort().map((value) => ({ value, text: value })) })}
  </div>`;
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
  return html`<a href=${href(`/reports/${latest.id}`)}>${verdictOf(latest)}</a> ${time(latest.last_checked_at ?? latest.inserted_at)}
  ${shown?.id !== latest.id && html`<br /><span class="quiet">${other}</span>`}`;
}

function sitesTable({ href }: PageContext, sites: readonly Resource<"site">[]) {
  const { columns: c, caption, noNextRun, trendOf } = texts.sites;
  return table<Attributes<"site"> & { id: string }>({
    caption,
    hideCaption: true,
    rows: sites.map(({ id, attributes }) => ({ id, ...attributes })),
    columns: [
      {
        title: c.site,
        header: true,
        cell: ({ id, name, owner, tags, starting_url }) =>
          html`<b>${name === null ? address(starting_url, href(`/sites/${id}`)) : html`<a href=${href(`/sites/${id}`)}>${name}</a>`}</b>
            ${name !== null && html`<span class="small quiet url">${starting_url}</span>`}
            ${(owner !== null || tags.length > 0) && html`<span class="small quiet">${[...(owner === null ? [] : [owner]), ...tags].join(" · ")}</span>`}`,
      },
      { title: c.lastRun, cell: (site) => lastRun(site, href) },
      { title: c.errors, numeric: true, cell: (site) => ofShown(site, (run) => countedSinceEnd(run, "errors")) },
      { title: c.warnings, numeric: true, cell: (site) => ofShown(site, (run) => countedSinceEnd(run, "warnings")) },
      { title: c.newAndFixed, cell: (site) => ofShown(site, newAndFixed) },
      {
        title: t.columns.perPage,
        numeric: true,
        extra: true,
        cell: ({ numbers, change }) =>
          numbers
            ? html`${rateText(numbers.errors_per_page)} ${change && turn(rateChange(numbers.errors_per_page, change.errors_per_page).by)}`
            : "–",
      },
      {
        title: t.columns.critical,
        numeric: true,
        extra: true,
        cell: ({ numbers }) => (numbers ? formatNumber(numbers.critical) : "–"),
      },
      {
        title: c.trend,
        extra: true,
        cell: ({ starting_url, runs }) =>
          sparkline(
            seriesOf(runs).runs.map((run) => run.errors),
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
