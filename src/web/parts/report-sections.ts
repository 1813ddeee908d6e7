import type { Attributes } from "../../api/documents.ts";
import { type CheckKind, checkKinds, worstFirst } from "../../checks/kinds.ts";
import { tallyPages } from "../../domain/coverage/coverage.ts";
import { type FindingState, findingStates, type StateTotals } from "../../domain/findings/finding-state.ts";
import { type Impact, impacts } from "../../domain/findings/findings.ts";
import { isEndPhase } from "../../schema/status.ts";
import { type Html, html } from "../html.ts";
import { formatNumber, texts } from "../texts/en.ts";
import { bar } from "./chart.ts";
import { titleOf } from "./finding.ts";
import { icon } from "./icon.ts";
import {
  endingIcon,
  endingOf,
  hasResult,
  mutedOf,
  newAndFixed,
  sumOf,
  totalsOf,
  verdict,
  verdictNow,
} from "./report.ts";
import { ownSettings, settingNames } from "./series.ts";
import { table } from "./table.ts";
import { address, amount, empty, time } from "./text.ts";

const t = texts.report;

/** The settings and engines of the report, and when it ran. */
export function facts(report: Attributes<"report">): Html {
  const entries: [string, Html][] = [
    [t.start, address(report.starting_url)],
    [t.standard, texts.standards[report.standard] ?? report.standard],
    [t.maxPages, report.max_pages === 0 ? t.noMaximum : formatNumber(report.max_pages)],
    ...ownSettings(report),
    ...Object.entries(report.engines).map(([kind, engine]): [string, Html] => [
      titleOf(kind as CheckKind),
      `${engine.name} ${engine.version}`,
    ]),
    [t.started, time(report.inserted_at)],
    ...(report.last_checked_at ? [[t.ended, time(report.last_checked_at)] as [string, Html]] : []),
  ];
  return html`<dl class="facts">${entries.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

type Result = NonNullable<Attributes<"report">["gate_results"]>[number];

/** How the run ended in a sentence: the first limit that it did not keep, or what it found. */
export function verdictLine(report: Attributes<"report">): Html {
  return endingOf(report) !== "checking" && html`<p class="verdict">${resultOf(report)}</p>`;
}

/** The same within a line. */
export function resultOf(report: Attributes<"report">): Html {
  const ending = endingOf(report);
  if (ending === "checking") return verdict(report);
  const tone = { passed: "good", notPassed: "bad" }[ending as string];
  return html`${endingIcon(report)} <b class=${tone}>${t.endings[ending]}</b>${reason(report)}${verdictNow(report)}`;
}

function reason(report: Attributes<"report">): Html {
  const broken = report.gate_results?.find(({ passed }) => passed === false);
  if (broken) return html`<b class="bad">:</b> ${limitText(broken)}`;
  if (!hasResult(report)) return null;
  const { errors, warnings } = totalsOf(report);
  return html`<b>:</b> ${texts.count.errors(errors)}${warnings > 0 && `, ${texts.count.warnings(warnings)}`}`;
}

/** A limit that was not kept: "303 errors, limit 100". */
function limitText({ condition, limit, counted, reason: why }: Result): string {
  const name = (t.gateConditions[condition] ?? condition).toLowerCase();
  return [
    counted === null ? name : `${formatNumber(counted)} ${name}`,
    ...(typeof limit === "number" ? [t.limitOf(formatNumber(limit))] : []),
    ...(why ? [t.gateReasons[why] ?? why] : []),
  ].join(", ");
}

/** Why the report is incomplete: it failed, or was cancelled. */
export function ending({ failure: why, cancelled }: Attributes<"report">): Html {
  if (why) return html`<p class="card tools problems" role="status">${why.detail ?? why.code}</p>`;
  return cancelled ? html`<p class="card tools">${t.cancelled}</p>` : null;
}

/** What only the counts of some kinds have. */
function moreOf(counts: object | undefined): { outside_standard?: number; severity?: Record<Impact, number> } {
  return counts ?? {};
}

/** The findings of all kinds that are outside of the report's standard. */
export function outsideOf({ checks }: Pick<Attributes<"report">, "checks">): number {
  return Object.values(checks).reduce((sum, check) => sum + (moreOf(check?.issues).outside_standard ?? 0), 0);
}

/** The numbers of findings by impact, if the kind has impacts. */
export function severityIn(counts: object | null | undefined): Record<Impact, number> | undefined {
  return moreOf(counts ?? undefined).severity;
}

type KindRow = Record<"errors" | "warnings" | "checked" | "failed" | "reused", number> & { kind: CheckKind };

/**
 * Errors and warnings of each engine: of a run that is under way, what was found so far. One that failed has no result.
 *
 * @param issues the address of the list of issues, if there is one
 */
export function summary(report: Attributes<"report">, issues: (kind: CheckKind) => string | undefined): Html {
  if (isEndPhase(report.phase) && !hasResult(report)) return empty(t.noResult, t.noResultWhat);
  const rows = checkKinds.flatMap((kind): KindRow[] => {
    const checks = report.checks[kind];
    if (!checks) return [];
    return [{ kind, ...checks.issues, ...checks.status, reused: checks.reused }];
  });
  const { errors, warnings } = totalsOf(report);
  const checked = Math.max(0, ...rows.map((row) => row.checked));
  // Unchecked pages may have errors: then the table says how many were checked.
  const isWhole =
    report.failure === null &&
    !report.cancelled &&
    report.coverage?.complete !== false &&
    rows.every((row) => row.checked > 0 && row.failed === 0);
  if (report.phase === "Complete" && errors + warnings === 0 && checked > 0 && isWhole)
    return [empty(t.nothingWrong, t.nothingWrongWhat(texts.count.pages(checked))), mutedNow(report)];
  const { summaryColumns: c } = t;
  // Addresses that turned out to lead to no page are none, as in what the result covers.
  const { pages } = report.coverage ? tallyPages(report.coverage) : { pages: report.num_pages };
  const title = hasResult(report) ? t.summary : t.summarySoFar;
  const outsideStandard = outsideOf(report);
  return html`<section class="card grid" aria-labelledby="summary">
    <h2 id="summary">${title}</h2>
    ${table<KindRow>({
      caption: title,
      hideCaption: true,
      rows,
      columns: [
        {
          title: c.engine,
          header: true,
          cell: ({ kind }) => {
            const to = issues(kind);
            return to === undefined ? titleOf(kind) : html`<a href=${to}>${titleOf(kind)}</a>`;
          },
        },
        { title: c.errors, numeric: true, cell: (row) => amount(row.errors, "error") },
        { title: c.warnings, numeric: true, cell: (row) => amount(row.warnings, "warning") },
        { title: c.checked, numeric: true, cell: (row) => texts.count.of(row.checked, Math.max(row.checked, pages)) },
      ],
    })}
    ${rows.map(({ kind, reused }) => reused > 0 && html`<p class="quiet">${t.unchanged(titleOf(kind), reused)}</p>`)}
    ${outsideStandard > 0 ? html`<p class="quiet">${texts.count.outside(outsideStandard)}</p>` : null} ${mutedNow(report)}
  </section>`;
}

/** What is muted now, and what was counted when the run ended if mutings or later checks have changed that. */
function mutedNow(report: Attributes<"report">): Html {
  const muted = mutedOf(report);
  const now = totalsOf(report);
  const then = report.at_end && sumOf(Object.values(report.at_end.checks));
  const words = ({ errors, warnings }: typeof now) =>
    `${texts.count.errors(errors)}, ${texts.count.warnings(warnings)}`;
  return html`${muted.errors + muted.warnings > 0 && html`<p class="quiet">${t.mutedNow(words(muted))}</p>`}
  ${then && (then.errors !== now.errors || then.warnings !== now.warnings) && html`<p class="quiet">${t.countedThen(words(then))} ${time(report.at_end?.ended_at ?? null)}</p>`}`;
}

export function gate({ gate_results: results, gate_results_now: now }: Attributes<"report">): Html {
  if (!results || results.length === 0) return null;
  const { gateColumns: c, gateConditions, gateReasons, gateResult } = t;
  // What is counted now stands beside what was judged, where something was muted or checked again since.
  const nowOf = ({ condition }: Result) => now?.find((one) => one.condition === condition);
  const isOther = results.some((one) => nowOf(one)?.counted !== one.counted || nowOf(one)?.passed !== one.passed);
  const resultText = ({ passed, reason: why }: Result) =>
    `${gateResult[String(passed) as keyof typeof gateResult]}${why ? `: ${gateReasons[why] ?? why}` : ""}`;
  return html`<section class="card grid" aria-labelledby="gate">
    <h2 id="gate">${t.gate}</h2>
    ${table<(typeof results)[number]>({
      caption: t.gate,
      hideCaption: true,
      rows: results,
      columns: [
        { title: c.condition, header: true, cell: ({ condition }) => gateConditions[condition] ?? condition },
        { title: c.limit, numeric: true, cell: ({ limit }) => (typeof limit === "number" ? formatNumber(limit) : "–") },
        { title: c.counted, numeric: true, cell: ({ counted }) => (counted === null ? "–" : formatNumber(counted)) },
        {
          title: c.result,
          cell: resultText,
        },
        ...(isOther
          ? [
              {
                title: c.now,
                cell: (one: Result) => {
                  const today = nowOf(one);
                  return today && `${today.counted === null ? "–" : formatNumber(today.counted)}, ${resultText(today)}`;
                },
              },
            ]
          : []),
      ],
    })}
  </section>`;
}

/** How the run compares with the one before, or the one that its definition names. */
export function comparison({ comparison: compared, at_end: end }: Attributes<"report">): Html {
  if (!compared && !end?.comparison) return null;
  return html`<section class="card grid" aria-labelledby="comparison">
    <h2 id="comparison">${compared ? html`${t.comparison} ${time(compared.base_inserted_at)}` : t.comparisonGone}</h2>
    ${compared && unlike(compared.differs)}
    <p>${t.errors} ${newAndFixed({ comparison: compared, at_end: end })}</p>
    ${compared && statesTable(compared, () => undefined)}
  </section>`;
}

/** The settings that two runs that are compared do not share. */
export function unlike(differs: readonly string[]): Html {
  return differs.length > 0 && html`<p class="quiet">${t.unlike(settingNames(differs))}</p>`;
}

/** The number of findings in each state. @param link to the findings in a state, if there is a list of them */
export function statesTable(
  { states: totals, muted }: { states: StateTotals; muted: StateTotals },
  link: (state: FindingState) => string | undefined,
): Html {
  const { comparisonColumns: c } = t;
  const states = Object.keys(findingStates) as FindingState[];
  const all = ({ errors, warnings }: StateTotals[FindingState]) => errors + warnings;
  const isMuted = states.some((state) => all(muted[state]) > 0);
  return table<FindingState>({
    caption: t.comparison,
    hideCaption: true,
    rows: states.filter((state) => all(totals[state]) + all(muted[state]) > 0),
    columns: [
      {
        title: c.state,
        header: true,
        cell: (state) => {
          const to = link(state);
          return to === undefined ? texts.states[state] : html`<a href=${to}>${texts.states[state]}</a>`;
        },
      },
      { title: c.errors, numeric: true, cell: (state) => amount(totals[state].errors) },
      { title: c.warnings, numeric: true, cell: (state) => amount(totals[state].warnings) },
      ...(isMuted ? [{ title: c.muted, numeric: true, cell: (state: FindingState) => amount(all(muted[state])) }] : []),
      { title: c.means, cell: (state) => texts.stateMeans[state] },
    ],
  });
}

/** Findings by impact, of each kind whose findings have one. */
export function severity({ checks }: Attributes<"report">): Html[] {
  return worstFirst.map((kind) => {
    const found = severityIn(checks[kind]?.issues);
    return found && impacts.some((impact) => found[impact] > 0) ? severityOf(kind, found) : null;
  });
}

function severityOf(kind: CheckKind, found: Record<Impact, number>): Html {
  const { impactColumns: c } = t;
  const title = t.severity(titleOf(kind));
  const id = `severity-${kind}`;
  const rows = [...impacts].reverse();
  const most = Math.max(...rows.map((impact) => found[impact]));
  return html`<section class="card grid" aria-labelledby=${id}>
    <h2 id=${id}>${title}</h2>
    ${table<(typeof rows)[number]>({
      caption: title,
      hideCaption: true,
      rows,
      columns: [
        { title: c.impact, header: true, cell: (impact) => html`${icon(impact)} ${texts.impacts[impact]}` },
        { title: c.findings, numeric: true, cell: (impact) => formatNumber(found[impact]) },
        { title: c.share, cell: (impact) => bar({ value: found[impact], kind: impact }, most) },
      ],
    })}
  </section>`;
}
