import type { Attributes, One } from "../../api/documents.ts";
import { type CheckKind, checkKinds, manifestOf, worstFirst } from "../../checks/kinds.ts";
import { tallyPages } from "../../domain/coverage/coverage.ts";
import { isEndPhase } from "../../schema/status.ts";
import { type Html, html } from "../html.ts";
import type { FormRoute, PageContext, PageRoute, View } from "../page.ts";
import { forWriters } from "../parts/access.ts";
import { coverage, coveredPages } from "../parts/coverage.ts";
import { deviceOf } from "../parts/crawl-form/values.ts";
import { fixFirst } from "../parts/fix-first.ts";
import { confirmForm } from "../parts/form.ts";
import { icon } from "../parts/icon.ts";
import { hasResult, isOwned, newAndFixed, reportPath, reportRoutes, totalsOf, verdict } from "../parts/report.ts";
import { criteriaCard, sections, whoFixes } from "../parts/report-cards.ts";
import { reportFrame, siteOf } from "../parts/report-head.ts";
import {
  comparison,
  ending,
  facts,
  gate,
  severity,
  severityIn,
  summary,
  verdictLine,
} from "../parts/report-sections.ts";
import { seriesOf, settingNames } from "../parts/series.ts";
import { table } from "../parts/table.ts";
import { amount, day, duration, time } from "../parts/text.ts";
import { runBars } from "../plot/run-bars.ts";
import { formatNumber, texts } from "../texts/en.ts";

const t = texts.report;

export const reportPages: readonly PageRoute[] = [
  ...reportRoutes("", readReport),
  // The event stream and the exports of the API, for a browser that is signed in.
  ...reportRoutes("/events", async ({ params }) => ({ forward: { path: `/reports/${params.report_id}/events` } })),
  {
    path: "/reports/:report_id/sign-in-picture",
    access: "account",
    read: async ({ params }) => ({ forward: { path: `/reports/${params.report_id}/sign_in_picture` } }),
  },
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

/** The page on which nobody could sign in. */
function signInPicture(context: PageContext): Html {
  const source = context.href(`/reports/${context.params.report_id}/sign-in-picture`);
  return html`<details class="card" open>
    <summary>${t.signInPicture}</summary>
    <p class="quiet">${t.signInPictureWhat}</p>
    <div class="shot"><img src=${source} alt=${t.signInPicture} loading="lazy" /></div>
  </details>`;
}

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

export async function readReport(context: PageContext): Promise<View> {
  const { api, params } = context;
  const { data } = await api.get<One<"report">>(`/reports/${params.report_id}`);
  const report = data.attributes;
  const ended = isEndPhase(report.phase);
  const owned = isOwned(context, report);
  const estimate = ended ? undefined : await api.get<One<"progress">>(`/reports/${params.report_id}/progress`);
  const site = owned ? await siteOf(context, report.starting_url) : undefined;
  const issues = (kind: CheckKind) => context.href(reportPath(context, "/issues"), { kind });
  const { tabs, ...frame } = reportFrame(context, report, "summary", site);
  const first = ended ? await fixFirst(context, report) : null;
  const found = ended && hasResult(report);
  const [parts, criteria] = found ? await Promise.all([sections(context), criteriaCard(context, report)]) : [];
  const beside = [
    site && trend(context, site, report),
    first && summary(report, issues),
    ...severity(report),
    parts,
    criteria,
  ];
  const content = html`<div>
    ${tabs} ${owned ? null : html`<p class="quiet">${t.sharedBy}${context.sharedUntil !== undefined && html` ${texts.shareLinks.sharedUntil} ${time(context.sharedUntil)}.`}</p>`}
    ${ended && html`<div class="grid close">${verdictLine(report)} ${inShort(context, report)}</div>`}
    ${ending(report)} ${data.relationships.sign_in_picture && signInPicture(context)} ${coverage(report, context.href(reportPath(context, "/failed")))}
    ${estimate && progress(context, report, estimate.data.attributes)} ${hasResult(report) && tiles(context, report)}
    ${ended && !hasResult(report) && site ? lastResult(context, site) : null}
    <div class=${beside.some(Boolean) ? "grid split" : "grid"}>
      <div class="grid">${first ?? summary(report, issues)} ${whoFixes(context, report)} ${gate(report)} ${comparison(report)} ${site && notCompared(context, report, site)}</div>
      <div class="grid">${beside}</div>
    </div>
    <details class="card">
      <summary>${t.details}</summary>
      ${facts(report)}
    </details>
    ${owned ? remove(context) : null}
  </div>`;
  const live = ended ? undefined : context.href(reportPath(context, "/events"));
  return { ...frame, title: report.starting_url, content, live };
}

/** What changed, how much of the site it is, and by which standard. */
function inShort(context: PageContext, report: Attributes<"report">): Html {
  const to = (below: string, text: Html) => html`<a href=${context.href(reportPath(context, below))}>${text}</a>`;
  const { comparison: compared } = report;
  const pages = coveredPages(report).join(" · ");
  return html`<p class="quiet">
    ${compared && html`${to("/changes", newAndFixed(report))} ${t.since} ${time(compared.base_inserted_at)}. `}
    ${pages !== "" && html`${to("/pages", pages)}. `}${texts.standards[report.standard] ?? report.standard}.
  </p>`;
}

/** The figures, each a link to what it counts. */
function tiles(context: PageContext, report: Attributes<"report">): Html {
  const { tiles: names } = t;
  const { errors } = totalsOf(report);
  const tile = (below: string, query: Record<string, string>, { name, figure, what, isBad }: Tile) =>
    html`<li>
      <a class="card tile" href=${context.href(reportPath(context, below), query)}>
        ${name} <b class=${isBad ? "figure bad" : "figure"}>${figure}</b> <span class="quiet">${what}</span>
      </a>
    </li>`;
  const broken = new Set(
    report.gate_results?.flatMap(({ condition, passed }) => (passed === false ? [condition] : [])),
  );
  const pages = report.coverage ? tallyPages(report.coverage) : undefined;
  const checked = pages?.checked ?? Math.max(...checkKinds.map((kind) => report.checks[kind]?.status.checked ?? 0));
  const critical = worstFirst.flatMap((kind) => severityIn(report.checks[kind]?.issues)?.critical ?? []);
  const { comparison: compared } = report;
  return html`<ul class="tiles">
    ${tile(
      "/issues",
      { type: "error" },
      {
        name: names.errors,
        figure: formatNumber(errors),
        what: names.perPage((errors / Math.max(1, checked)).toFixed(1)),
        isBad: broken.has("max_errors"),
      },
    )}
    ${
      critical.length > 0 &&
      tile(
        "/issues",
        { impact: "critical" },
        {
          name: html`${icon("critical")} ${names.critical}`,
          figure: formatNumber(critical.reduce((sum, count) => sum + count, 0)),
          what: names.criticalWhat,
        },
      )
    }
    ${
      compared &&
      tile(
        "/changes",
        {},
        {
          name: names.new,
          figure: formatNumber(compared.states.new.errors),
          what: html`${names.fixed(compared.states.fixed.errors)} ${time(compared.base_inserted_at)}`,
          isBad: broken.has("max_new_errors"),
        },
      )
    }
    ${tile(
      "/pages",
      {},
      {
        name: names.checked,
        figure: formatNumber(checked),
        what: names.of(pages?.pages ?? report.num_pages),
        isBad: broken.has("fail_on_failed_pages"),
      },
    )}
  </ul>`;
}

type Tile = { name: Html; figure: string; what: Html; isBad?: boolean };

/** How far a report is, and how long it may take. */
function progress(
  context: PageContext,
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
    <div class="line">
      <h2 id="progress" class="hidden">${t.progress}</h2>
      <p class="verdict">${verdict(report)} <b>${t.checkedSoFar(texts.count.of(done, all))}</b></p>
      <div class="push">${isOwned(context, report) && cancel(context, report)}</div>
    </div>
    ${phases(all_pages_found, comparing)}
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

/** What a report does one after the other, and where it is. */
function phases(allPagesFound: boolean, comparing: boolean): Html {
  const current = comparing ? 2 : allPagesFound ? 1 : 0;
  return html`<ol class="line phases">
    ${[t.findPages, t.checkPages, t.compareRuns, t.done].map(
      (name, index) =>
        html`<li class=${index < current ? "past" : undefined} aria-current=${index === current ? "step" : undefined}>
          ${index < current ? icon("passed") : index === current && icon("running")} ${name}
        </li>`,
    )}
  </ol>`;
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
function trend({ href, params }: PageContext, site: Attributes<"site">, report: Attributes<"report">): Html {
  const { runs, others, unfinished } = seriesOf(site.runs, params.report_id);
  if (runs.length < 2) return null;
  const { trendColumns: c } = t;
  const changes = site.runs.flatMap((run) => run.changes);
  const then = ({ at_end }: (typeof runs)[number], key: "errors" | "warnings", now: number) =>
    at_end && at_end[key] !== now && html` <span class="quiet">${texts.count.ended(at_end[key], 0)}</span>`;
  const counted = runs.map((run) => (run.at_end ?? run).errors);
  const bars = runs.map((run, index) => ({
    value: counted[index] ?? null,
    date: day(run.inserted_at),
    current: run.report_id === params.report_id,
  }));
  return html`<section class="card grid close" aria-labelledby="trend">
    <h2 id="trend">${t.trend}</h2>
    ${runBars(bars, `${t.trendLine}: ${counted.join(", ")}`, { limit: report.gate?.max_errors })}
    <details>
      <summary>${t.trendTable}</summary>
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
    </details>
    ${others.length > 0 && html`<p class="quiet">${t.leftOut(others.length, settingNames(changes))}</p>`}
    ${unfinished.length > 0 && html`<p class="quiet">${t.unfinished(unfinished.length)}</p>`}
  </section>`;
}

/** The form that deletes the report. */
function remove(context: PageContext): Html {
  const form = () =>
    confirmForm(context, `/reports/${context.params.report_id}/delete`, {
      summary: t.delete,
      what: t.deleteWhat,
      sure: t.deleteSure,
    });
  return forWriters(context, form);
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
