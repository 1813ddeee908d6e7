import type { Attributes, List, One, Resource } from "../../api/documents.ts";
import { RequestError } from "../../domain/errors.ts";
import { isEndPhase } from "../../schema/status.ts";
import { given, numberIn, textIn } from "../fields.ts";
import { type Html, html } from "../html.ts";
import type { Attempt, Fields, FormRoute, Outcome, PageContext, PageRoute, View } from "../page.ts";
import { forWriters } from "../parts/access.ts";
import { holderName, until } from "../parts/assignment.ts";
import { utc } from "../parts/dates.ts";
import { actionForm, hiddenFields, input, problems } from "../parts/form.ts";
import { formRoute } from "../parts/form-route.ts";
import { heldCard } from "../parts/held.ts";
import { icon } from "../parts/icon.ts";
import { affectedPages, viewsForm } from "../parts/page-views.ts";
import { rateText } from "../parts/rates.ts";
import { hasResult, verdictOfWhole } from "../parts/report.ts";
import { facts } from "../parts/report-sections.ts";
import { lossCard, readScore, type Score, scoreLine, targetForm } from "../parts/score.ts";
import { siteCharts } from "../parts/site-charts.ts";
import { siteName, tagsIn, turn } from "../parts/site-name.ts";
import { siteTabs } from "../parts/site-tabs.ts";
import { siteTiles } from "../parts/site-tiles.ts";
import { pageQuery, pagination, table } from "../parts/table.ts";
import { address, externalLink, time } from "../parts/text.ts";
import { formatNumber, texts } from "../texts/en.ts";

const t = texts.site;
const PATH = "/sites/:site_id";

export const sitePages: readonly PageRoute[] = [
  { path: PATH, access: "account", read: (context) => view(context) },
  { path: `${PATH}/compare`, access: "account", read: compare },
];

export const siteForms: readonly FormRoute[] = [
  {
    ...formRoute(PATH, view, save),
    takesFile: true,
  },
];

async function save(context: PageContext, fields: Fields): Promise<Outcome> {
  if (fields.has("views")) return saveViews(context, fields);
  const named = (name: string) => (fields.has(name) ? textIn(fields, name) || null : undefined);
  const tags = fields.has("tags") ? tagsIn(textIn(fields, "tags") ?? "") : undefined;
  const target_score = fields.get("target_score") ? numberIn(fields, "target_score") : named("target_score");
  const said = { name: named("name"), tags, target_score, target_on: named("target_on") };
  await context.api.patch(apiPath(context), given(said));
  return { redirect: context.href(apiPath(context), { done: "saved" }) };
}

const apiPath = ({ params }: PageContext) => `/sites/${params.site_id}`;

/** Leads to the changes between the two runs that were ticked, or back when there are not two. */
async function compare(context: PageContext): Promise<Outcome> {
  const { data } = await context.api.get<One<"site">>(apiPath(context));
  const ticked = [...new Set(context.query.getAll("run"))];
  const found = ticked.length === 2 ? await Promise.all(ticked.map((id) => reportOf(context, id))) : [];
  const runs = found
    .filter((run) => run !== undefined)
    .filter(({ attributes }) => attributes.starting_url === data.attributes.starting_url && hasResult(attributes));
  const [before, after] = runs.toSorted((a, b) => (a.attributes.inserted_at < b.attributes.inserted_at ? -1 : 1));
  if (!before || !after)
    return view(context, undefined, html`<p class="card tools problems" role="alert">${t.tickTwo}</p>`);
  return { redirect: context.href(`/reports/${after.id}/changes`, { base: before.id }) };
}

/** A report that the reader may see; undefined where the id is none of such. */
async function reportOf({ api }: PageContext, id: string): Promise<Resource<"report"> | undefined> {
  try {
    return (await api.get<One<"report">>(`/reports/${encodeURIComponent(id)}`)).data;
  } catch (error) {
    if (error instanceof RequestError && error.status < 500) return undefined;
    throw error;
  }
}

async function view(context: PageContext, attempt?: Attempt, notice: Html = null): Promise<View> {
  const { api, href, query } = context;
  const days = daysOf(context);
  const period = String(days);
  const path = apiPath(context);
  const { data } = await api.get<One<"site">>(path, { period });
  const each = days <= BY_RUN ? "report" : "day";
  const { data: series } = await api.get<One<"site_series">>(`${path}/history`, { period, each });
  const list = await api.get<List<"site_run">>(`${path}/runs`, { period, ...pageQuery(query, RUNS, "runs") });
  const score = await readScore(context, period);
  // The page has three forms, of which one was refused.
  const refused = attempt && (attempt.fields.has("views") ? "views" : attempt.fields.has("name") ? "names" : "target");
  const of = (form: typeof refused) => (refused === form ? attempt : undefined);
  const { data: viewed } = await api.get<One<"page_views">>(`${path}/page_views`);
  const site = data.attributes;
  const { latest } = site;
  const { data: last } = await api.get<One<"report">>(`/reports/${latest.id}`);
  const tools = html`${site.assignment && html`<span class="quiet">${holderName(site.assignment)} <span class="small">${until(site.assignment, context.now)}</span></span>`} ${site.tags.map((tag) => html`<a class="tag" href=${href("/", { tag })}>${tag}</a>`)}
    <a class="button quiet" href=${href("/share-links", { site_id: data.id })}>${icon("share")} ${texts.report.share}</a>
    <a class="button quiet" href=${href(`/reports/${latest.id}`)}>${t.lastReport}</a>
    ${isEndPhase(latest.phase) && actionForm(context, `/reports/${latest.id}/again`, html`${icon("again")} ${texts.report.again}`)}`;
  const content = html`<div>
    ${siteTabs(context, "runs")}
    ${notice}
    <div class="line">
      ${inShort(site, series.attributes.days, score && { score, days })}
      <nav class="seg push" aria-label=${t.period}>
        ${periods.map((value) => html`<a href=${href(path, { days: value })} aria-label=${texts.overview.days(value)} aria-current=${value === period ? "true" : undefined}>${value}</a>`)}
      </nav>
    </div>
    ${tiles(context, site)}
    ${siteCharts(series.attributes.days, { days, now: context.now, target: site.target_score ?? undefined, withoutResult: series.attributes.without_result.map(({ ended_at }) => ended_at) })}
    <div class="grid split">
      <div class="grid">
        ${runs(context, data.id, list)}
        ${forWriters(context, () => viewsForm(context, viewed.attributes, of("views")))}
        ${forWriters(context, () => names(context, site, of("names")))}
      </div>
      <div class="grid">
        ${score && lossCard(score)} ${forWriters(context, () => targetForm(context, site, { score, attempt: of("target") }))}
        ${site.latest_whole && (await affectedPages(context, site, site.latest_whole.id, viewed.attributes))}
        ${await heldCard(context, data.id)} ${settings(last.attributes, site)}
      </div>
    </div>
  </div>`;
  const title = siteName(site);
  return {
    ...{ title, section: "sites", tools, content },
    about: externalLink(
      site.starting_url,
      html`${site.name !== null && html`<span class="quiet">${address(site.starting_url)}</span>`} ${icon("out", texts.report.openSite)}`,
    ),
    crumbs: [{ text: texts.sites.title, to: href("/") }],
  };
}

/** Of longer periods the last run of each day is drawn, and not each run. */
const BY_RUN = 90;
const RUNS = 20;
/** The periods that are shown, in days. */
const periods = ["7", "30", "90", "365"];

function daysOf({ query }: PageContext): number {
  return Number(periods.find((days) => days === query.get("days")) ?? "90");
}

/** Errors per page now, and at the beginning of the period. */
function inShort(
  { numbers }: Attributes<"site">,
  runs: Attributes<"site_series">["days"],
  scored: { score: Score; days: number } | undefined,
): Html {
  if (!numbers) return null;
  const now = rateText(numbers.errors_per_page);
  const last = runs.find(({ report_id }) => report_id === numbers.report_id);
  const first = runs.find(({ series }) => series === last?.series);
  const before = first && first !== last ? { rate: rateText(first.errors_per_page), at: first.ended_at } : undefined;
  return html`<p class="verdict">
    ${scored && scoreLine(scored.score, scored.days)} <b>${t.now(now)}</b>${before ? html`, ${before.rate === now ? t.same : t.after(before.rate)} ${time(before.at)}.` : "."}
  </p>`;
}

/** The newest numbers of the whole site, and how many runs there are. */
function tiles({ href }: PageContext, { numbers, change, num_reports, latest }: Attributes<"site">): Html {
  if (!numbers)
    return html`<p class="card">${texts.sites.noNumbers} <a href=${href(`/reports/${latest.id}`)}>${t.lastReport}</a></p>`;
  const more = html`<li>
    <a class="card tile" href="#runs">${t.runs} <b class="figure">${formatNumber(num_reports)}</b> <span class="quiet">${t.runsWhat}</span></a>
  </li>`;
  return siteTiles(numbers, { change, to: (below) => href(`/reports/${numbers.report_id}${below}`), more });
}

/** What was counted when a run ended, where that differs. */
function ended({ at_end, errors }: Attributes<"site_run">): Html {
  return (
    at_end && at_end.errors !== errors && html` <span class="small quiet">${texts.count.ended(at_end.errors, 0)}</span>`
  );
}

/** The runs of the period, the newest first, two of which can be compared. */
function runs(context: PageContext, id: string, { data, meta }: List<"site_run">): Html {
  const { columns: c } = t;
  const { href } = context;
  return html`<section class="card flush" aria-labelledby="runs">
    <form method="get" action=${href(`/sites/${id}/compare`)}>
      <div class="line tools">
        <h2 id="runs">${t.runs}</h2>
        <p class="quiet screen">${data.length > 1 && t.tick}</p>
        ${data.length > 1 && html`<button class="quiet push">${texts.changes.compare}</button>`}
      </div>
      ${table<Resource<"site_run">>({
        caption: t.runs,
        hideCaption: true,
        rows: data,
        columns: [
          {
            title: c.run,
            header: true,
            cell: ({ id: run, attributes: { inserted_at, whole } }) =>
              html`<span class="pick"><input type="checkbox" name="run" value=${run} aria-label=${t.pick(utc(inserted_at))} disabled=${!whole || undefined} /><a href=${href(`/reports/${run}`)}>${time(inserted_at)}</a></span>`,
          },
          {
            title: c.state,
            cell: ({ attributes: { phase, whole, ...run } }) =>
              whole
                ? verdictOfWhole(run)
                : html`${icon(phase === "Complete" || phase === "Failed" ? "alert" : "running")} ${texts.report.phase[phase]}`,
          },
          {
            title: c.score,
            numeric: true,
            cell: ({ attributes: { numbers } }) => (numbers ? formatNumber(numbers.score) : "–"),
          },
          {
            title: c.errors,
            numeric: true,
            cell: ({ attributes: run }) =>
              run.whole
                ? html`<b>${formatNumber(run.errors)}</b> ${run.change && turn(run.change.errors, formatNumber)}${ended(run)}`
                : "–",
          },
          {
            title: c.perPage,
            numeric: true,
            cell: ({ attributes: { numbers } }) => (numbers ? rateText(numbers.errors_per_page) : "–"),
          },
          {
            title: c.pages,
            numeric: true,
            cell: ({ attributes: { numbers, num_pages } }) =>
              numbers
                ? texts.count.of(numbers.pages.checked, numbers.pages.known - numbers.pages.without_page)
                : html`<span class="quiet">${t.found(num_pages)}</span>`,
          },
          { title: c.startedBy, extra: true, cell: (run) => startedBy(context, run) },
        ],
      })}
    </form>
    <div class="tools">
      ${meta.total === 0 && html`<p>${t.noRuns(daysOf(context))}</p>`} ${pagination(context, t.runs, meta, { name: "runs", size: RUNS, section: "runs" })}
    </div>
  </section>`;
}

function startedBy({ href }: PageContext, { attributes, relationships }: Resource<"site_run">): Html {
  const words = t.startedBy[attributes.started_by];
  const schedule = relationships.schedule?.links.related.split("/").at(-1);
  return html`<span class="quiet">${schedule === undefined ? words : html`<a href=${href(`/schedules/${schedule}`)}>${words}</a>`}</span>`;
}

async function saveViews(context: PageContext, fields: Fields): Promise<Outcome> {
  const path = `${apiPath(context)}/page_views`;
  if (fields.get("views") === "forget") await context.api.delete(path);
  else await context.api.patch(path, { file: fields.get("file") ?? "" });
  const done = fields.get("views") === "forget" ? "forgotten" : "viewsRead";
  return { redirect: context.href(apiPath(context), { done }) };
}

/** How the site was checked last, and when it is again. */
function settings(report: Attributes<"report">, { next_run_at }: Attributes<"site">): Html {
  return html`<section class="card grid close" aria-labelledby="settings">
    <h2 id="settings">${t.settings}</h2>
    ${facts(report)}
    <p>${texts.sites.columns.nextRun}: ${next_run_at === null ? texts.sites.noNextRun : time(next_run_at)}</p>
  </section>`;
}

/** What people call the site, and its tags. */
function names(context: PageContext, site: Attributes<"site">, attempt: Attempt | undefined): Html {
  return html`<form class="card grid screen" method="post" action=${context.href(apiPath(context))}>
    ${hiddenFields(context)}
    <h2>${t.names}</h2>
    ${problems(attempt, ["name", "tags"])}
    ${input({ name: "name", label: t.name, value: site.name ?? "", attempt })}
    ${input({ name: "tags", label: t.tags, help: t.tagsHelp, value: site.tags.join(", "), attempt })}
    <p><button>${t.save}</button></p>
  </form>`;
}
