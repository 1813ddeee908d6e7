import type { Attributes, List, One, Resource, Run } from "../../api/documents.ts";
import { RequestError } from "../../domain/errors.ts";
import { type Html, html } from "../html.ts";
import type { Attempt, FormRoute, Outcome, PageContext, PageRoute, View } from "../page.ts";
import { forWriters, mayWrite } from "../parts/access.ts";
import { copyField } from "../parts/copy.ts";
import { actionForm, confirmForm, problems } from "../parts/form.ts";
import { formRoute } from "../parts/form-route.ts";
import { periodicityText } from "../parts/periodicity.ts";
import { countedSinceEnd, isWhole, newAndFixed, totalsOf, verdictOf } from "../parts/report.ts";
import { settingNames } from "../parts/series.ts";
import { pageNumber, pageQuery, pagination, table } from "../parts/table.ts";
import { empty, externalLink, shortTime, time } from "../parts/text.ts";
import { type PlottedRun, runBars } from "../plot/run-bars.ts";
import { texts } from "../texts/en.ts";
import { activeBadge } from "./schedules.ts";

const t = texts.schedule;

export const schedulePage: PageRoute = {
  path: "/schedules/:schedule_id",
  access: "account",
  read: (context) => view(context),
};

/** What the buttons do, by name. The schedule's page shows errors. */
const actions: Readonly<Record<string, (context: PageContext, fields: URLSearchParams) => Promise<Outcome>>> = {
  active: async ({ api, href, params }, fields) => {
    const active = fields.get("active") === "true";
    await api.patch(pathOf(params), { active });
    return { redirect: href(pathOf(params), { done: active ? "resumed" : "paused" }) };
  },
  run: async ({ api, href, params }, fields) => {
    const { data } = await api.get<One<"schedule">>(pathOf(params));
    const { deploy_hook_url: hookUrl } = data.attributes;
    if (hookUrl === null) throw noHook();
    const secret = new URL(hookUrl).pathname.split("/").at(-1);
    const repeatKey = fields.get("key") ?? undefined;
    const run = await api.post<Run>(`/deploy_hooks/${secret}`, {}, { repeatKey });
    if (run.meta.queued) return { redirect: href(pathOf(params), { done: "runQueued" }) };
    return { redirect: href(`/reports/${run.data.id}`) };
  },
  hook: async ({ api, href, params }, fields) => {
    await api.post(`${pathOf(params)}/deploy_hook`, {}, { repeatKey: fields.get("key") ?? undefined });
    return { redirect: href(pathOf(params), { done: "hookRenewed" }) };
  },
  delete: async ({ api, href, params }) => {
    await api.delete(pathOf(params));
    return { redirect: href("/schedules", { done: "deleted" }) };
  },
};

export const scheduleActions: readonly FormRoute[] = Object.entries(actions).map(([name, act]) =>
  formRoute(`/schedules/:schedule_id/${name}`, view, act),
);

function noHook(): RequestError {
  return new RequestError({ status: 409, code: "no_secret_key", title: "Conflict", detail: t.noHook });
}

function pathOf(params: PageContext["params"]): string {
  return `/schedules/${params.schedule_id}`;
}

async function view(context: PageContext, attempt?: Attempt): Promise<View> {
  const { api, params, query } = context;
  const { data: schedule } = await api.get<One<"schedule">>(pathOf(params));
  const runs = await api.get<List<"report">>("/reports", {
    "filter[schedule_id]": schedule.id,
    created_by: "all",
    ...pageQuery(query),
  });
  const content = html`<div>
    ${problems(attempt, [])} ${facts(schedule.attributes)} ${forWriters(context, () => buttons(context, schedule.attributes))}
    ${runList(context, runs)} ${mayWrite(context) && hook(context, schedule.attributes)}
    ${confirmForm(context, `${pathOf(params)}/delete`, { summary: t.delete, what: t.deleteWhat, sure: t.deleteSure })}
  </div>`;
  return { title: schedule.attributes.starting_url, section: "schedules", content };
}

function facts(schedule: Attributes<"schedule">): Html {
  const { starting_url, periodicity, next_run_at, last_run_at, tags } = schedule;
  const entries: [string, Html][] = [
    ["", activeBadge(schedule)],
    [t.when, periodicityText(periodicity)],
    [t.nextRun, next_run_at === null ? texts.schedules.noNextRun : time(next_run_at)],
    [t.lastRun, last_run_at === null ? texts.schedules.never : time(last_run_at)],
    ...(tags.length > 0 ? [[t.tags, tags.join(", ")] as [string, Html]] : []),
    ["", externalLink(starting_url, texts.report.openSite)],
  ];
  return html`<ul class="line">
    ${entries.map(([name, value]) => html`<li>${name && html`<span class="quiet">${name}</span> `}${value}</li>`)}
  </ul>`;
}

function buttons(context: PageContext, { active, deploy_hook_url }: Attributes<"schedule">): Html {
  const path = pathOf(context.params);
  const fields = html`<input type="hidden" name="active" value=${String(!active)} />`;
  return html`${active ? null : html`<p>${t.pausedWhat}</p>`}
    <div class="line near">
      ${active && deploy_hook_url !== null && actionForm(context, `${path}/run`, t.runNow)}
      <a class="button quiet" href=${context.href(`${path}/edit`)}>${t.edit}</a>
      ${actionForm(context, `${path}/active`, active ? t.pause : t.resume, { quiet: true, fields })}
    </div>`;
}

function runList(context: PageContext, runs: List<"report">): Html {
  if (runs.data.length === 0 && pageNumber(context.query) === 1) return empty(t.noRuns, t.noRunsWhat);
  return html`<section class="card grid" aria-labelledby="runs">
    <h2 id="runs">${t.runs}</h2>
    ${chart(runs.data)} ${runTable(context, runs.data)} ${pagination(context, t.runs, runs.meta)}
  </section>`;
}

/**
 * A bar for each run with a result of the whole site, and a cross for others; where settings have changed, a
 * line stands between two of them.
 */
function chart(runs: readonly Resource<"report">[]): Html {
  let isOther = false;
  const bars = [...runs].reverse().map(({ attributes }): PlottedRun => {
    const { changes = [], inserted_at } = attributes;
    isOther ||= changes.length > 0;
    if (!isWhole(attributes)) return { value: null, date: shortTime(inserted_at, "day") };
    const bar = { value: totalsOf(attributes).errors, date: shortTime(inserted_at, "day"), isOther };
    isOther = false;
    return bar;
  });
  const drawn = runBars(bars, t.runsChart(bars.length));
  return drawn && html`<p class="quiet">${t.runsLegend}</p>${drawn}`;
}

function runTable({ href }: PageContext, runs: readonly Resource<"report">[]): Html {
  const { runsColumns: c } = t;
  return table<Resource<"report">>({
    caption: t.runs,
    hideCaption: true,
    rows: runs,
    columns: [
      {
        title: c.run,
        header: true,
        cell: ({ id, attributes: { inserted_at, changes = [] } }) =>
          html`<a href=${href(`/reports/${id}`)}>${time(inserted_at)}</a>
            ${changes.length > 0 && html`<br /><span class="quiet">${t.otherSettings(settingNames(changes))}</span>`}`,
      },
      { title: c.result, cell: ({ attributes }) => verdictOf(attributes) },
      { title: c.errors, numeric: true, cell: ({ attributes }) => countedSinceEnd(attributes, "errors") },
      { title: c.warnings, numeric: true, cell: ({ attributes }) => countedSinceEnd(attributes, "warnings") },
      { title: texts.sites.columns.newAndFixed, cell: ({ attributes }) => newAndFixed(attributes) },
    ],
  });
}

/** The deploy hook's address, for those who may write: it starts runs. */
function hook(context: PageContext, { deploy_hook_url: url, badge_url: badge }: Attributes<"schedule">): Html {
  const renew = { summary: t.renew, what: t.renewWhat, sure: t.renewSure };
  return html`<section class="card grid sheet" aria-labelledby="hook">
    <h2 id="hook">${t.hook}</h2>
    ${
      url === null
        ? html`<p>${t.noHook}</p>`
        : html`<p>${t.hookWhat}</p>
            ${copyField({ name: "hook", label: t.hookAddress, value: url })}
            ${confirmForm(context, `${pathOf(context.params)}/hook`, renew)}`
    }
    ${badge !== null && copyField({ name: "badge", label: t.badge, value: `![site check](${badge})` })}
  </section>`;
}
