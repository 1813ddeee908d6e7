import type { Attributes, List, One, Resource } from "../../api/documents.ts";
import { isEndPhase } from "../../schema/status.ts";
import { given, textIn } from "../fields.ts";
import { type Html, html } from "../html.ts";
import type { Attempt, FormRoute, Outcome, PageContext, PageRoute, View } from "../page.ts";
import { forWriters } from "../parts/access.ts";
import { bar } from "../parts/chart.ts";
import { actionForm, hiddenFields, input, problems } from "../parts/form.ts";
import { formRoute } from "../parts/form-route.ts";
import { icon } from "../parts/icon.ts";
import { verdictOfWhole } from "../parts/report.ts";
import { facts } from "../parts/report-sections.ts";
import { siteCharts } from "../parts/site-charts.ts";
import { siteName, tagsIn } from "../parts/site-name.ts";
import { siteTiles } from "../parts/site-tiles.ts";
import { table } from "../parts/table.ts";
import { address, amount, externalLink, time } from "../parts/text.ts";
import { formatNumber, texts } from "../texts/en.ts";

const t = texts.site;
const PATH = "/sites/:site_id";

export const sitePages: readonly PageRoute[] = [
  { path: PATH, access: "account", read: (context) => view(context) },
  { path: `${PATH}/compare`, access: "account", read: compare },
];

export const siteForms: readonly FormRoute[] = [
  formRoute(PATH, view, async (context, fields) => {
    const named = (name: string) => (fields.has(name) ? textIn(fields, name) || null : undefined);
    const tags = fields.has("tags") ? tagsIn(textIn(fields, "tags") ?? "") : undefined;
    await context.api.patch(apiPath(context), given({ name: named("name"), owner: named("owner"), tags }));
    return { redirect: context.href(apiPath(context), { done: "saved" }) };
  }),
];

const apiPath = ({ params }: PageContext) => `/sites/${params.site_id}`;

/** Leads to the changes between the two runs that were ticked, or back when there are not two. */
async function compare(context: PageContext): Promise<Outcome> {
  const { data } = await context.api.get<One<"site">>(apiPath(context));
  const ticked = context.query.getAll("run");
  const runs = data.attributes.runs.filter(({ report_id }) => ticked.includes(report_id));
  const [before, after] = runs;
  if (!before || !after || runs.length !== 2)
    return view(context, undefined, html`<p class="card tools problems" role="alert">${t.tickTwo}</p>`);
  return { redirect: context.href(`/reports/${after.report_id}/changes`, { base: before.report_id }) };
}

async function view(context: PageContext, attempt?: Attempt, notice: Html = null): Promise<View> {
  const { api, href } = context;
  const { data } = await api.get<One<"site">>(apiPath(context), { period: "30" });
  const { data: series } = await api.get<One<"site_series">>(`${apiPath(context)}/history`);
  const site = data.attributes;
  const { latest } = site;
  const { data: last } = await api.get<One<"report">>(`/reports/${latest.id}`);
  const tools = html`${site.owner && html`<span class="quiet">${site.owner}</span>`} ${site.tags.map((tag) => html`<a class="tag" href=${href("/", { tag })}>${tag}</a>`)}
    <a class="button quiet" href=${href("/share-links", { site_id: data.id })}>${icon("share")} ${texts.report.share}</a>
    <a class="button quiet" href=${href(`/reports/${latest.id}`)}>${t.lastReport}</a>
    ${isEndPhase(latest.phase) && actionForm(context, `/reports/${latest.id}/again`, html`${icon("again")} ${texts.report.again}`)}`;
  const content = html`<div>
    ${notice} ${tiles(context, site)} ${siteCharts(series.attributes.days)}
    <div class="grid split">
      ${runs(context, data)}
      <div class="grid">
        ${site.latest_whole && (await affected(context, site, site.latest_whole.id))} ${settings(last.attributes, site)}
        ${forWriters(context, () => names(context, site, attempt))}
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

/** The newest numbers of the whole site, and how many runs there are. */
function tiles({ href }: PageContext, { numbers, change, num_reports, latest }: Attributes<"site">): Html {
  if (!numbers)
    return html`<p class="card">${texts.sites.noNumbers} <a href=${href(`/reports/${latest.id}`)}>${t.lastReport}</a></p>`;
  const more = html`<li>
    <a class="card tile" href="#runs">${t.runs} <b class="figure">${formatNumber(num_reports)}</b> <span class="quiet">${t.runsWhat}</span></a>
  </li>`;
  return siteTiles(numbers, { change, to: (below) => href(`/reports/${numbers.report_id}${below}`), more });
}

type Run = Attributes<"site">["runs"][number];

/** What was counted when a run ended, where that differs. */
function ended({ at_end, muted, ...now }: Run, key: "errors" | "warnings"): Html {
  return at_end && at_end[key] !== now[key] && html` <span class="quiet">${texts.count.ended(at_end[key], 0)}</span>`;
}

/** The newest runs, two of which can be compared. */
function runs(context: PageContext, { id, attributes: site }: Resource<"site">): Html {
  const { columns: c } = t;
  const { href } = context;
  return html`<section class="card flush" aria-labelledby="runs">
    <form method="get" action=${href(`/sites/${id}/compare`)}>
      <div class="line tools">
        <h2 id="runs">${t.runs}</h2>
        <p class="quiet">${site.runs.length > 1 && t.tick}</p>
        ${site.runs.length > 1 && html`<button class="quiet push">${texts.changes.compare}</button>`}
      </div>
      ${table<Run>({
        caption: t.runs,
        hideCaption: true,
        rows: [...site.runs].reverse(),
        columns: [
          {
            title: c.run,
            header: true,
            cell: (run) =>
              html`<span class="pick"><input type="checkbox" name="run" value=${run.report_id} aria-label=${t.pick(run.inserted_at.replace("T", " "))} disabled=${!run.whole || undefined} /><a href=${href(`/reports/${run.report_id}`)}>${time(run.inserted_at)}</a></span>`,
          },
          {
            title: c.state,
            cell: ({ phase, whole, ...run }) =>
              whole
                ? verdictOfWhole(run)
                : html`${icon(phase === "Complete" || phase === "Failed" ? "alert" : "running")} ${texts.report.phase[phase]}`,
          },
          {
            title: texts.sites.columns.errors,
            numeric: true,
            cell: (run) => (run.whole ? html`${amount(run.errors, "error")}${ended(run, "errors")}` : "–"),
          },
          {
            title: texts.sites.columns.warnings,
            numeric: true,
            cell: (run) => (run.whole ? html`${amount(run.warnings, "warning")}${ended(run, "warnings")}` : "–"),
          },
        ],
      })}
    </form>
    ${site.num_reports > site.runs.length && html`<p class="tools quiet">${t.older(site.num_reports - site.runs.length)}</p>`}
  </section>`;
}

/** The pages with the most errors in the newest report of the whole site. */
async function affected(
  { api, href }: PageContext,
  { starting_url }: Attributes<"site">,
  report: string,
): Promise<Html> {
  const root = new URL("/", starting_url).href;
  const query = { sort: "errors-desc", "page[size]": "6" };
  const { data } = await api.get<List<"web_page">>(`/reports/${report}/web_pages`, query);
  const errorsOf = ({ html_check, a11y_check, link_check }: Attributes<"web_page">) =>
    [html_check, a11y_check, link_check].reduce((sum, check) => sum + (check?.errors ?? 0), 0);
  const rows = data.filter(({ attributes }) => errorsOf(attributes) > 0);
  const most = Math.max(1, ...rows.map(({ attributes }) => errorsOf(attributes)));
  return (
    rows.length > 0 &&
    html`<section class="card flush" aria-labelledby="affected">
      <div class="tools line"><h2 id="affected">${t.affected}</h2><p class="push"><a href=${href(`/reports/${report}/pages`, { sort: "errors-desc" })}>${t.all}</a></p></div>
      <ol class="tree">
        ${rows.map(
          ({ id, attributes }) => html`<li><a class="tools" href=${href(`/reports/${report}/pages/${id}`)}>
          ${address(attributes.url.startsWith(root) ? attributes.url.slice(root.length - 1) : attributes.url)}${bar({ value: errorsOf(attributes), kind: "quiet" }, most)}<b class="n">${formatNumber(errorsOf(attributes))}</b>
          <span class="n bad small">${(attributes.new_errors ?? 0) > 0 && `+${formatNumber(attributes.new_errors ?? 0)} ${texts.states.new}`}</span>
        </a></li>`,
        )}
      </ol>
    </section>`
  );
}

/** How the site was checked last, and when it is again. */
function settings(report: Attributes<"report">, { next_run_at }: Attributes<"site">): Html {
  return html`<section class="card grid close" aria-labelledby="settings">
    <h2 id="settings">${t.settings}</h2>
    ${facts(report)}
    <p>${texts.sites.columns.nextRun}: ${next_run_at === null ? texts.sites.noNextRun : time(next_run_at)}</p>
  </section>`;
}

/** What people call the site, and who is responsible for it. */
function names(context: PageContext, site: Attributes<"site">, attempt: Attempt | undefined): Html {
  return html`<form class="card grid" method="post" action=${context.href(apiPath(context))}>
    ${hiddenFields(context)}
    <h2>${t.names}</h2>
    ${problems(attempt, ["name", "owner", "tags"])}
    ${input({ name: "name", label: t.name, value: site.name ?? "", attempt })}
    ${input({ name: "owner", label: t.owner, help: t.ownerHelp, value: site.owner ?? "", attempt })}
    ${input({ name: "tags", label: t.tags, help: t.tagsHelp, value: site.tags.join(", "), attempt })}
    <p><button>${t.save}</button></p>
  </form>`;
}
