import type { Attributes, List, One } from "../../api/documents.ts";
import { checkKinds, manifestOf } from "../../checks/kinds.ts";
import { isEndPhase } from "../../schema/status.ts";
import { type Html, html } from "../html.ts";
import type { FormRoute, PageContext, PageRoute, View } from "../page.ts";
import { forWriters } from "../parts/access.ts";
import { sparkline } from "../parts/chart.ts";
import { coverage } from "../parts/coverage.ts";
import { deviceOf } from "../parts/crawl-form/values.ts";
import { actionForm, confirmForm } from "../parts/form.ts";
import { hasResult, isOwned, reportHead, reportPath, reportRoutes, totalsOf } from "../parts/report.ts";
import { comparison, ending, facts, gate, severity, summary } from "../parts/report-sections.ts";
import { seriesOf, settingNames } from "../parts/series.ts";
import { table } from "../parts/table.ts";
import { address, amount, duration, time } from "../parts/text.ts";
import { formatNumber, texts } from "../texts/en.ts";

const t = texts.report;

export const reportPages: readonly PageRoute[] = [
  ...reportRoutes("", read),
  // The event stream and the exports of the API, for a browser that is signed in.
  ...reportRoutes("/events", async ({ params }) => ({ forward: { path: `/reports/${params.report_id}/events` } })),
  ...reportRoutes("/export.:format", async ({ params }) => ({
    forward: { path: `/reports/${params.report_id}/export.${params.format}` },
  })),
];

export const reportForms: readonly FormRoute[] = [
  {
    path: "/reports/:report_id/share",
    access: "account",
    submit: async ({ api, params, href }, fields) => {
      const shared = fields.get("shared") === "true";
      await api.patch(`/reports/${params.report_id}`, { shared });
      return { redirect: href(`/reports/${params.report_id}`, { done: shared ? "shared" : "unshared" }) };
    },
  },
  {
    path: "/reports/:report_id/again",
    access: "account",
    submit: async ({ api, params, href }, fields) => {
      const { data } = await api.get<One<"report">>(`/reports/${params.report_id}`);
      const definition = { ...definitionOf(data.attributes), device_id: deviceOf(data) };
      const repeatKey = fields.get("key") ?? undefined;
      const { data: made } = await api.post<One<"report">>("/reports", definition, { repeatKey });
      return { redirect: href(`/reports/${made.id}`) };
    },
  },
  {
    path: "/reports/:report_id/cancel",
    access: "account",
    submit: async ({ api, params, href }) => {
      await api.patch(`/reports/${params.report_id}`, { cancelled: true });
      return { redirect: href(`/reports/${params.report_id}`, { done: "cancelled" }) };
    },
  },
  {
    path: "/reports/:report_id/delete",
    access: "account",
    submit: async ({ api, params, href }) => {
      await api.delete(`/reports/${params.report_id}`);
      return { redirect: href("/", { done: "deleted" }) };
    },
  },
];

/** Attributes of a report that say what happened, not what to do. */
const results = new Set([
  ...["domain", "num_pages", "phase", "failure", "checks", "engines", "comparison", "at_end", "passed", "gate_results"],
  ...["coverage", "changes", "durations", "roles", "num_faults"],
  ...["inserted_at", "updated_at", "last_checked_at", "guest_token", "base_id", "shared", "cancelled"],
]);

/** The attributes that define a report, to create another one with them. */
function definitionOf(attributes: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(attributes).filter(([name, value]) => !results.has(name) && value !== null));
}

async function read(context: PageContext): Promise<View> {
  const { api, params } = context;
  const { data } = await api.get<One<"report">>(`/reports/${params.report_id}`);
  const report = data.attributes;
  const ended = isEndPhase(report.phase);
  const owned = isOwned(context, report);
  const estimate = ended ? undefined : await api.get<One<"progress">>(`/reports/${params.report_id}/progress`);
  const site = owned ? await siteOf(context, report.starting_url) : undefined;
  const content = html`<div>
    ${reportHead(context, report, "summary")} ${owned ? null : html`<p class="quiet">${t.sharedBy}</p>`}
    ${facts(report)} ${ending(report)} ${coverage(report, context.href(reportPath(context, "/failed")))}
    ${estimate && progress(report, estimate.data.attributes)} ${summary(report, (kind) => context.href(reportPath(context, "/issues"), { kind }))}
    ${ended && !hasResult(report) && site ? lastResult(context, site) : null}
    ${gate(report)} ${comparison(report)} ${site && notCompared(context, report, site)} ${severity(report)} ${site && trend(context, site)}
    ${ended ? exportLinks(context) : null} ${owned ? actions(context, report) : null}
  </div>`;
  const live = ended ? undefined : context.href(reportPath(context, "/events"));
  return { title: report.starting_url, section: "sites", content, live };
}

/** The newest runs of the same starting URL, for the trend. */
async function siteOf({ api }: PageContext, url: string): Promise<Attributes<"site"> | undefined> {
  const { data } = await api.get<List<"site">>("/sites", { "filter[starting_url]": url });
  return data.find(({ attributes }) => attributes.starting_url === url)?.attributes;
}

/** How far a report is, and how long it may take. */
function progress(
  report: Attributes<"report">,
  { checks_per_minute, seconds_left, all_pages_found, comparing }: Attributes<"progress">,
): Html {
  const kinds = Object.values(report.checks)
    .map((check) => check?.status)
    .filter((counts) => counts != null);
  const sum = (key: "pending" | "checked" | "failed") => kinds.reduce((total, counts) => total + counts[key], 0);
  const done = sum("checked") + sum("failed");
  const all = done + sum("pending");
  const rows: { name: string; value: Html }[] = [
    { name: t.found, value: texts.count.pages(report.num_pages) },
    ...checkKinds.flatMap((kind) => {
      const checks = report.checks[kind];
      return checks ? [{ name: t.checkedOf(manifestOf(kind).name), value: formatNumber(checks.status.checked) }] : [];
    }),
    { name: t.failedPages, value: formatNumber(sum("failed")) },
  ];
  return html`<section class="card grid" aria-labelledby="progress">
    <h2 id="progress">${t.progress}</h2>
    <progress aria-labelledby="progress" value=${done} max=${Math.max(1, all)}></progress>
    <dl class="numbers">${rows.map(({ name, value }) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
    ${checks_per_minute !== null && html`<p>${t.rate(checks_per_minute)}</p>`}
    <div role="status">
      ${comparing ? html`<p>${t.comparing}</p>` : seconds_left !== null && html`<p>${timeLeft(seconds_left, all_pages_found)}</p>`}
    </div>
    <p class="quiet when-script">${t.live}</p>
    <noscript><p class="quiet">${t.liveWithout}</p></noscript>
  </section>`;
}

/** In steps, so that screen readers do not read it out each second. A minimum while pages are still being found. */
function timeLeft(seconds: number, allPagesFound: boolean): string {
  const step = 10;
  const left = duration(Math.max(step, Math.round(seconds / step) * step) * 1_000);
  return allPagesFound ? t.remaining(left) : t.remainingAtLeast(left);
}

/** Where the site's last result is, for a run that has none. */
function lastResult({ href }: PageContext, { latest_whole }: Attributes<"site">): Html {
  if (!latest_whole) return null;
  const { errors, warnings } = totalsOf(latest_whole);
  return html`<p>${t.lastResult} <a href=${href(`/reports/${latest_whole.id}`)}>${time(latest_whole.inserted_at)}</a>, ${texts.count.errors(errors)}, ${texts.count.warnings(warnings)}</p>`;
}

/** Why a run has no comparison although there is one before it. */
function notCompared({ params }: PageContext, report: Attributes<"report">, { runs }: Attributes<"site">): Html {
  const changes = runs.find(({ report_id }) => report_id === params.report_id)?.changes ?? [];
  if (!hasResult(report) || report.comparison || changes.length === 0) return null;
  return html`<p class="quiet">${t.notCompared(settingNames(changes))}</p>`;
}

/** The runs with the same settings. Others, and those without a result of the whole site, are only counted. */
function trend({ href, params }: PageContext, site: Attributes<"site">): Html {
  const { runs, others, unfinished } = seriesOf(site.runs, params.report_id);
  if (runs.length < 2) return null;
  const { trendColumns: c } = t;
  const changes = site.runs.flatMap((run) => run.changes);
  const then = ({ at_end }: (typeof runs)[number], key: "errors" | "warnings", now: number) =>
    at_end && at_end[key] !== now && html` <span class="quiet">${texts.count.ended(at_end[key], 0)}</span>`;
  return html`<section class="card grid" aria-labelledby="trend">
    <h2 id="trend">${t.trend}</h2>
    ${sparkline(
      runs.map((run) => (run.at_end ?? run).errors),
      t.trendLine,
    )}
    ${table<(typeof runs)[number]>({
      caption: t.trend,
      hideCaption: true,
      rows: [...runs].reverse(),
      columns: [
        {
          title: c.run,
          header: true,
          cell: ({ report_id, inserted_at }) =>
            report_id === params.report_id
              ? time(inserted_at)
              : html`<a href=${href(`/reports/${report_id}`)}>${time(inserted_at)}</a>`,
        },
        {
          title: c.errors,
          numeric: true,
          cell: (run) => html`${amount(run.errors, "error")}${then(run, "errors", run.errors)}`,
        },
        {
          title: c.warnings,
          numeric: true,
          cell: (run) => html`${amount(run.warnings, "warning")}${then(run, "warnings", run.warnings)}`,
        },
      ],
    })}
    ${others.length > 0 && html`<p class="quiet">${t.leftOut(others.length, settingNames(changes))}</p>`}
    ${unfinished.length > 0 && html`<p class="quiet">${t.unfinished(unfinished.length)}</p>`}
  </section>`;
}

function exportLinks(context: PageContext): Html {
  const formats = Object.entries(t.formats);
  return html`<section class="card grid" aria-labelledby="export">
    <h2 id="export">${t.exports}</h2>
    <ul class="line">
      ${formats.map(([format, name]) => html`<li><a download href=${context.href(reportPath(context, `/export.${format}`))}>${name}</a></li>`)}
    </ul>
  </section>`;
}

function actions(context: PageContext, report: Attributes<"report">): Html {
  const id = context.params.report_id;
  const shareFields = html`<input type="hidden" name="shared" value=${String(!report.shared)} />`;
  const link = context.href(`/r/${id}`);
  const changes = () => html`<div class="line near">
      ${isEndPhase(report.phase) && actionForm(context, `/reports/${id}/again`, t.again)}
      ${actionForm(context, `/reports/${id}/share`, report.shared ? t.unshare : t.share, { quiet: true, fields: shareFields })}
    </div>
    ${cancel(context, report)} ${confirmForm(context, `/reports/${id}/delete`, { summary: t.delete, what: t.deleteWhat, sure: t.deleteSure })}`;
  return html`<section class="card grid" aria-labelledby="actions">
    <h2 id="actions">${t.actions}</h2>
    ${report.shared && html`<p>${t.shared} ${address(t.shareLink, link)}</p>`} ${forWriters(context, changes)}
  </section>`;
}

/** The form that cancels a running report. */
function cancel(context: PageContext, report: Attributes<"report">): Html {
  if (report.cancelled || isEndPhase(report.phase)) return null;
  return confirmForm(context, `/reports/${context.params.report_id}/cancel`, {
    summary: t.cancel,
    what: t.cancelWhat,
    sure: t.cancelSure,
  });
}
