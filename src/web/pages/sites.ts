import type { Attributes, List, One, Resource } from "../../api/documents.ts";
import { monthAt } from "../../domain/months/calendar.ts";
import { type Html, html } from "../html.ts";
import type { PageContext, PageRoute, View } from "../page.ts";
import { forWriters } from "../parts/access.ts";
import { allSites } from "../parts/all-sites.ts";
import { holderName, until } from "../parts/assignment.ts";
import { sparkline } from "../parts/chart.ts";
import { chips } from "../parts/chips.ts";
import { defaultValues } from "../parts/crawl-form/values.ts";
import { hiddenFields, input, select } from "../parts/form.ts";
import { icon } from "../parts/icon.ts";
import { rateChange, rateText } from "../parts/rates.ts";
import { endingOf, gaps, hasResult, verdictOf } from "../parts/report.ts";
import { seriesOf } from "../parts/series.ts";
import { siteName, turn } from "../parts/site-name.ts";
import { pageQuery, pagination, table } from "../parts/table.ts";
import { address, ago, shortTime, time } from "../parts/text.ts";
import { unknownValues } from "../parts/unknown-values.ts";
import { signed } from "../plot/waterfall.ts";
import { formatNumber, texts } from "../texts/en.ts";

export const sitesPage: PageRoute = { path: "/", access: "account", read };

const t = texts.overview;
const SIZE = 50;
/** The periods over which changes are looked for, in days. */
const periods = ["7", "30", "90"];

const shows = ["worse", "better", "failed", "running"] as const;
type Show = (typeof shows)[number];

const known = {
  show: { label: t.counts, values: shows },
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
  const sites = await list({ ...filters.asked, period, ...pageQuery(query, SIZE) });
  const { counts: all } = sites.meta;
  if (all.all === 0) return firstRun(context);
  const [worse, better, history] = await Promise.all([
    of("worse", "3"),
    of("better", "1"),
    api.get<One<"sites_series">>("/sites_history", { period }),
  ]);
  const { title, newReport, newSchedule } = texts.sites;
  const tools = html`<a class="button quiet" href=${href("/held")}>${texts.held.title}</a> <a class="button quiet" href=${href(`/months/${monthAt(context.now)}`)}>${texts.month.link}</a>
    ${forWriters(
      context,
      () => html`<a class="button quiet" href=${href("/schedules/new")}>${newSchedule}</a>
        <a class="button" href=${href("/reports/new")}>${newReport}</a>`,
    )}`;
  const chart = allSites(history.data.attributes.days, { days: Number(period), now: context.now });
  const changed = changes(context, worse.data, better);
  const content = html`<div>
          ${unknownValues(context, known)}
          ${counts(context, all)}
          <div class=${chart && changed ? "grid split" : "grid"}>${chart} ${changed}</div>
          <section class="card flush" aria-label=${title}>
            ${filterForm(context, all)}
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
  const show = shows.find((value) => value === query.get("show"));
  const tag = query.get("tag") || undefined;
  const sort = Object.keys(t.sorts).find((known) => known === query.get("sort"));
  return {
    period: periods.find((days) => days === query.get("days")) ?? "30",
    asked: {
      "filter[search]": query.get("q") || undefined,
      "filter[owner]": query.get("owner") || undefined,
      "filter[mine]": query.get("mine") ? "true" : undefined,
      ...(show && { [show === "worse" || show === "better" ? "filter[change]" : "filter[latest]"]: show }),
      ...(tag && { "filter[tags][mode]": "any", "filter[tags][list]": tag }),
      sort: sort || undefined,
    },
  };
}

type Counts = List<"site">["meta"]["counts"];

const showIcons = { worse: "more", better: "less", failed: "alert", running: "running" } as const;
const showTones = { worse: "bad", better: "good", failed: "warn", running: "busy" } as const;

/** The other choices of an address: a link to one keeps them. */
function others(query: URLSearchParams, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, query.get(name) ?? ""]));
}

/** How many sites there are, how many changed and have no result: each a filter. */
function counts(context: PageContext, all: Counts): Html {
  const { href, query } = context;
  const shown = query.get("show") ?? "";
  const kept = others(query, ["days", "q", "tag", "owner", "mine", "sort"]);
  const item = (show: string, text: Html) =>
    html`<li><a href=${href("/", { ...kept, show })} aria-current=${shown === show ? "true" : undefined}>${text}</a></li>`;
  const period = filtersOf(query).period;
  const states = shows.filter((show) => show === "worse" || show === "better" || all[show] > 0 || show === shown);
  return html`<div class="line">
    <nav aria-label=${t.counts}>
      <ul class="line counts large">
        ${item("", t.sites(all.all))}
        ${states.map((show: Show) => item(show, html`<span class=${showTones[show]}>${icon(showIcons[show])}</span> ${t.shows[show](all[show])}`))}
      </ul>
    </nav>
    <nav class="seg push" aria-label=${t.period}>
      ${periods.map((value) => html`<a href=${href("/", { ...others(query, ["show", "q", "tag", "owner", "mine", "sort"]), days: value })} aria-current=${value === period ? "true" : undefined}>${t.days(value)}</a>`)}
    </nav>
  </div>`;
}

/** The sites that got worse the most, with the rule that adds the most errors, and how many improved. */
function changes(context: PageContext, worse: readonly Resource<"site">[], better: List<"site">): Html {
  const { href, query } = context;
  const [most] = better.data;
  if (worse.length === 0 && !most) return null;
  const item = ({ attributes: site }: Resource<"site">) => {
    const { change, numbers } = site;
    if (!change || !numbers) return null;
    const { from, to, by } = rateChange(numbers.errors_per_page, change.errors_per_page);
    const rule = change.worst_rule;
    // With fewer pages there may be more on each, and no more in all.
    const more = change.errors > 0 ? signed(change.errors) : signed(by, rateText);
    return html`<li>
      <a class="line" href=${href(`/reports/${numbers.report_id}/changes`, { base: change.base_id })}>
        <b class="verdict bad">${more}</b>
        <span>
          <b>${siteName(site)}</b> <span class="quiet">${from} → ${to} ${t.perPage}</span>
          ${rule && html`<span class="block">${rule.title} <span class="bad">${signed(rule.errors)}</span></span>`}
          ${rule?.role && html`<span class="quiet block">${texts.roles[rule.role]}</span>`}
        </span>
      </a>
    </li>`;
  };
  return html`<section class="card grid close" aria-labelledby="worst">
    <h2 id="worst">${t.worst}</h2>
    ${worse.length > 0 ? html`<ol class="rows">${worse.map(item)}</ol>` : html`<p>${t.noneWorse}</p>`}
    ${most && html`<p><a href=${href("/", { ...others(query, ["days"]), show: "better" })}>${t.shows.better(better.meta.total)}</a>, ${t.most} ${mostImproved(most)}</p>`}
  </section>`;
}

function mostImproved({ attributes: site }: Resource<"site">): Html {
  if (!site.numbers || !site.change) return siteName(site);
  const { from, to } = rateChange(site.numbers.errors_per_page, site.change.errors_per_page);
  return html`${siteName(site)}, ${from} → ${to} ${t.perPage}`;
}

/** A field to find sites, their tags, and their order. */
function filterForm(context: PageContext, { tags, all, mine }: Counts): Html {
  const { href, query, reader } = context;
  const hidden = ["tag", "show", "days", "owner", "mine"].map((name) => {
    const value = query.get(name);
    return value && html`<input type="hidden" name=${name} value=${value} />`;
  });
  const chosen = query.get("tag");
  const listed = tags.map(({ tag, sites }) => ({ value: tag, text: tag, count: sites }));
  const values =
    chosen && !tags.some(({ tag }) => tag === chosen) ? [...listed, { value: chosen, text: chosen }] : listed;
  return html`<div class="tools grid close">
    <form class="filters" method="get" action=${href("/")} aria-label=${texts.issues.filters}>
      ${hidden} ${input({ name: "q", label: t.search, value: query.get("q") ?? "", bare: true })}
      ${select({ name: "sort", label: t.sort, value: query.get("sort") ?? "", options: Object.entries(t.sorts).map(([value, label]) => ({ value, label })) })}
      <button class="quiet">${t.apply}</button>
    </form>
    ${
      reader?.principal.person &&
      (mine > 0 || query.has("mine")) &&
      chips(context, {
        name: "mine",
        label: t.who,
        values: [
          { value: "", text: t.everybody, count: all },
          { value: "true", text: t.mine, count: mine },
        ],
      })
    }
    ${values.length > 0 && chips(context, { name: "tag", label: t.tags, values: chosen ? [{ value: "", text: t.allTags, count: all }, ...values] : values })}
  </div>`;
}

type Shown = Attributes<"site">["latest"];

/** The run whose numbers are shown: the newest with a result, at best one of the whole site. */
function shownOf({ latest, latest_whole }: Attributes<"site">): Shown | undefined {
  return latest_whole ?? (hasResult(latest) ? latest : undefined);
}

/** How the newest run ended, and how far it came or why it has no result. */
function stateOf(site: Attributes<"site">, href: PageContext["href"]): Html {
  const { latest } = site;
  const shown = shownOf(site);
  const { failure } = latest;
  const why = failure && (texts.failed.reasons[failure.code] ?? failure.detail ?? failure.code);
  return html`<a href=${href(`/reports/${latest.id}`)}>${verdictOf(latest)}</a>
    ${why && html`<span class="small quiet">${why}</span>`}
    ${endingOf(latest) === "checking" && html`<span class="small quiet">${t.soFar(latest.num_pages)}</span>`}
    ${!shown && html`<span class="small quiet">${texts.sites.noNumbers}</span>`}
    ${shown && shown.id !== latest.id && html`<span class="small quiet">${texts.sites.numbersOf} <a href=${href(`/reports/${shown.id}`)}>${time(shown.inserted_at)}</a>${gaps(shown)}</span>`}`;
}

/** Errors per page and their change; of a site whose newest run has no result, what was known last. */
function perPageOf({ numbers, change, latest }: Attributes<"site">, href: PageContext["href"]): Html {
  if (!numbers) return "–";
  const rate = rateText(numbers.errors_per_page);
  if (numbers.report_id !== latest.id && !hasResult(latest))
    return html`– <span class="small quiet"><a href=${href(`/reports/${numbers.report_id}`)}>${rate} ${t.on} ${shortTime(numbers.ended_at, "day")}</a></span>`;
  return html`<b>${rate}</b> ${change && turn(rateChange(numbers.errors_per_page, change.errors_per_page).by)}
    <span class="small quiet">${texts.count.errors(numbers.errors)}</span>
    ${numbers.at_end.errors !== numbers.errors && html`<span class="small quiet">${texts.count.ended(numbers.at_end.errors, 0)}</span>`}`;
}

function sitesTable({ href, now }: PageContext, sites: readonly Resource<"site">[]) {
  const { columns: c, caption, noNextRun, trendOf } = texts.sites;
  const series = new Map(
    sites.map(({ id, attributes }) => [id, seriesOf(attributes.runs).runs.map((run) => run.errors)]),
  );
  return table<Attributes<"site"> & { id: string }>({
    caption,
    hideCaption: true,
    rows: sites.map(({ id, attributes }) => ({ id, ...attributes })),
    columns: [
      {
        title: c.site,
        header: true,
        cell: ({ id, name, starting_url }) =>
          html`<b>${name === null ? address(starting_url, href(`/sites/${id}`)) : html`<a href=${href(`/sites/${id}`)}>${name}</a>`}</b>
            ${name !== null && html`<span class="small quiet url">${starting_url}</span>`}`,
      },
      {
        title: c.tagAndOwner,
        extra: true,
        cell: ({ assignment, tags }) =>
          assignment === null && tags.length === 0
            ? "–"
            : html`${tags.join(", ")} ${assignment !== null && html`<span class="small quiet">${holderName(assignment)} ${assignment.state !== "taken" && until(assignment, now)}</span>`}`,
      },
      { title: c.state, cell: (site) => stateOf(site, href) },
      { title: t.columns.perPage, numeric: true, cell: (site) => perPageOf(site, href) },
      {
        title: t.columns.critical,
        numeric: true,
        cell: ({ numbers }) => (numbers ? formatNumber(numbers.critical) : "–"),
      },
      {
        title: c.trend,
        extra: true,
        cell: ({ id, starting_url }) => sparkline(series.get(id) ?? [], trendOf(starting_url)) ?? "–",
      },
      {
        title: c.checkedAndNext,
        cell: ({ latest, next_run_at }) =>
          html`${ago(latest.last_checked_at ?? latest.inserted_at, now)}
            <span class="small quiet">${next_run_at === null ? noNextRun : html`${t.next} ${time(next_run_at)}`}</span>`,
      },
    ],
  });
}
