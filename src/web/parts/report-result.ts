import type { Attributes } from "../../api/documents.ts";
import { type CheckKind, checkKinds, worstFirst } from "../../checks/kinds.ts";
import { tallyPages } from "../../domain/coverage/coverage.ts";
import { isEndPhase } from "../../schema/status.ts";
import { type Html, html } from "../html.ts";
import type { PageContext } from "../page.ts";
import { runBars } from "../plot/run-bars.ts";
import { formatNumber, formatShare, texts } from "../texts/en.ts";
import { coverage, coveredPages } from "./coverage.ts";
import { fixFirst } from "./fix-first.ts";
import { icon } from "./icon.ts";
import type { Live } from "./live.ts";
import { perPage } from "./rates.ts";
import { hasResult, newAndFixed, reportPath, totalsOf } from "./report.ts";
import { criteriaCard, sections, whoFixes } from "./report-cards.ts";
import { comparison, ending, facts, gate, severity, severityIn, summary, verdictLine } from "./report-sections.ts";
import { seriesOf, settingNames } from "./series.ts";
import { turn } from "./site-name.ts";
import { table } from "./table.ts";
import { amount, shortTime, time } from "./text.ts";

const t = texts.report;

/**
 * What a run found, on its page and in its file: the verdict, what it does not cover, the figures, what to fix first and
 * by whom.
 *
 * @param options.site the site's runs, for its owner
 * @param options.live of a run that is under way
 * @param options.pictures of a sign-in
 * @param options.issues where the findings of a kind are listed, if that is not the page of issues
 */
export async function reportResult(
  context: PageContext,
  report: Attributes<"report">,
  {
    site,
    live,
    pictures,
    issues = (kind) => context.href(reportPath(context, "/issues"), { kind }),
  }: {
    site?: Attributes<"site"> | undefined;
    live?: Live | undefined;
    pictures?: Html;
    issues?: (kind: CheckKind) => string | undefined;
  },
): Promise<Html> {
  const ended = isEndPhase(report.phase);
  const { first, who, causes } = ended ? await fixFirst(context, report) : { first: null, who: null, causes: null };
  const found = ended && hasResult(report);
  const [parts, criteria] = found ? await Promise.all([sections(context, report), criteriaCard(context, report)]) : [];
  const besideResult = [
    whoFixes(context, report),
    site && trend(context, site, report),
    first && summary(report, issues),
    ...severity(report),
    parts,
    who,
    criteria,
  ];
  const beside = live ? [live.beside] : besideResult;
  return html`${ended && html`<div class="grid close">${verdictLine(report)} ${inShort(context, report)}</div>`}
    ${ending(report)} ${pictures} ${coverage(report, context.href(reportPath(context, "/failed")))}
    ${live?.head} ${hasResult(report) && tiles(context, report, { site, causes })}
    ${ended && !hasResult(report) && site ? lastResult(context, site) : null}
    <div class=${beside.some(Boolean) ? "grid split" : "grid"}>
      <div class="grid">${live?.found ?? first ?? summary(report, issues)} ${gate(report)} ${comparison(report)} ${site && notCompared(context, report, site)}</div>
      <div class="grid">${beside}</div>
    </div>
    <details class="card">
      <summary>${t.details}</summary>
      ${facts(report)}
    </details>`;
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
function tiles(
  context: PageContext,
  report: Attributes<"report">,
  { site, causes }: { site: Attributes<"site"> | undefined; causes: Awaited<ReturnType<typeof fixFirst>>["causes"] },
): Html {
  const { tiles: names } = t;
  const { errors, warnings } = totalsOf(report);
  const before = site && errorsBefore(context, site);
  const limit = (of: "max_errors" | "max_new_errors") => {
    const most = report.gate?.[of];
    return typeof most === "number" && `, ${t.limitOf(formatNumber(most))}`;
  };
  const tile = (below: string, query: Record<string, string>, { name, figure, what, isBad }: Tile) =>
    html`<li>
      <a class="card tile" href=${context.href(reportPath(context, below), query)}>
        ${name} <b class=${isBad ? "figure bad" : "figure"}>${figure}</b> <span class="quiet">${what}</span>
      </a>
    </li>`;
  const broken = new Set(
    report.gate_results_now?.flatMap(({ condition, passed }) => (passed === false ? [condition] : [])),
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
        figure: html`${formatNumber(errors)} ${before !== undefined && turn(errors - before, formatNumber)}`,
        what: html`${names.perPage(perPage(errors, checked))}${limit("max_errors")}`,
        isBad: broken.has("max_errors"),
      },
    )}
    ${
      causes &&
      tile(
        "/causes",
        {},
        {
          name: names.causes,
          figure: formatNumber(causes.howMany),
          what: names.causesWhat(causes.howMany, causes.errors),
        },
      )
    }
    ${
      critical.length > 0 &&
      tile(
        "/issues",
        { impact: "critical" },
        {
          name: html`${icon("critical")} ${names.critical}`,
          figure: formatNumber(sumOfAll(critical)),
          what: names.criticalWhat(formatShare(sumOfAll(critical), errors + warnings)),
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
          what: html`${names.fixed(compared.states.fixed.errors)} ${time(compared.base_inserted_at)}${limit("max_new_errors")}`,
          isBad: broken.has("max_new_errors"),
        },
      )
    }
    ${
      // The line above has them, too.
      (!causes || broken.has("fail_on_failed_pages")) &&
      tile(
        "/pages",
        {},
        {
          name: names.checked,
          figure: formatNumber(checked),
          what: names.of(pages?.pages ?? report.num_pages),
          isBad: broken.has("fail_on_failed_pages"),
        },
      )
    }
  </ul>`;
}

type Tile = { name: Html; figure: Html; what: Html; isBad?: boolean };

function sumOfAll(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

/** The errors of the run before it with the same settings, when that ended. */
function errorsBefore({ params }: PageContext, site: Attributes<"site">): number | undefined {
  const { runs } = seriesOf(site.runs, params.report_id);
  const before = runs[runs.findIndex(({ report_id }) => report_id === params.report_id) - 1];
  return before?.errors;
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
  const counted = runs.map((run) => run.errors);
  const bars = runs.map((run, index) => ({
    value: counted[index] ?? null,
    date: shortTime(run.inserted_at, "day"),
    current: run.report_id === params.report_id,
  }));
  return html`<section class="card grid close" aria-labelledby="trend">
    <div class="line">
      <h2 id="trend">${t.trend}</h2>
      ${typeof report.gate?.max_errors === "number" && html`<span class="quiet small push">${t.trendLimit}</span>`}
    </div>
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
