import type { Attributes } from "../../api/documents.ts";
import { type CheckKind, checkKinds, manifestOf } from "../../checks/kinds.ts";
import { type Html, html } from "../html.ts";
import { type TimeStyle, timeChart } from "../plot/time-chart.ts";
import { formatNumber, texts } from "../texts/en.ts";
import { axisDate } from "./axis-date.ts";
import { titleOf } from "./finding.ts";
import { rateParts, rateText } from "./rates.ts";
import { settingNames } from "./series.ts";
import { table } from "./table.ts";
import { shortTime, time } from "./text.ts";

const t = texts.site;

/** A shared site does not say what changed. */
export type Day = NonNullable<Attributes<"shared">["site"]>["days"][number] &
  Partial<Pick<Attributes<"site_series">["days"][number], "markers">>;
const timeOf = ({ ended_at }: Day) => new Date(`${ended_at}Z`).getTime();

/** What of the time is drawn: a number of days until now, in which runs had no result at these times of the API. */
export type Period = { days: number; now: Date; withoutResult?: readonly string[]; target?: number | undefined };
const DAY = 86_400_000;

type Part = { kind: string; name: string; value: (day: Day) => number };
type Chart = {
  id: string;
  title: string;
  what: string;
  parts: readonly Part[];
  show: (value: number) => string;
  style: TimeStyle;
  most?: number;
  unit?: string;
  /** A line across. */
  limit?: number | undefined;
};

/** The colour of a kind of check in charts: what looks at the rendered page, the first of the others, the next. */
export function colourOf(kind: CheckKind, performed: readonly CheckKind[]): string {
  if (manifestOf(kind).hasImpact) return "axe";
  return kind === performed.find((one) => !manifestOf(one).hasImpact) ? "html" : "warn";
}

/** What the colours of a chart mean, with the newest value of each. */
export function legend(parts: readonly { kind: string; name: string; value: string }[]): Html {
  return html`<ul class="line">${parts.map(({ kind, name, value }) => html`<li><svg class="i key" viewBox="0 0 16 16" aria-hidden="true"><rect class=${kind} x="2" y="2" width="12" height="12" /></svg> ${name} <b>${value}</b></li>`)}</ul>`;
}

/** What the runs of a site have, at the time when they ended: errors, pages without errors, pages by result, coverage. */
export function siteCharts(days: readonly Day[], period: Period): Html {
  if (days.length === 0) return html`<p class="card">${t.noRuns(period.days)}</p>`;
  const performed = checkKinds.filter((kind) => days.some(({ checks }) => checks[kind]));
  const perPage = performed.map(
    (kind, index): Part => ({
      kind: colourOf(kind, performed),
      name: titleOf(kind),
      // Rounded together, so that they add up to what is said of all of them.
      value: ({ checks, pages }) =>
        rateParts(
          performed.map((one) => checks[one]?.errors ?? 0),
          pages.checked,
        )[index] ?? 0,
    }),
  );
  const charts: Chart[] = [
    {
      ...{ id: "score", title: texts.score.title, what: texts.score.what, most: 100 },
      parts: [{ kind: "good", name: texts.score.title, value: ({ score }) => score }],
      show: formatNumber,
      style: "lines",
      limit: period.target,
    },
    { id: "density", title: t.perPage, what: t.stacked, parts: perPage, show: rateText, style: "areas" },
    { id: "status", title: t.status, what: t.eachRun, parts: statusParts, show: formatNumber, style: "bars" },
    { id: "coverage", title: t.coverage, what: t.eachRun, parts: coverageParts, show: formatNumber, style: "bars" },
  ];
  const marked = markersOf(days);
  return html`<div class="grid pair">${charts.map((one) => chart(days, marked, one, period))}</div>
    <div class="card grid close">
      ${marked.length > 0 && html`<ul class="line">${marked.map(({ letter, date, text }) => html`<li><b>${letter}</b> <span class="quiet">${date}</span> ${text}</li>`)}</ul>`}
      <details>
        <summary>${t.numbers}</summary>
        ${numbers(days, charts)}
      </details>
    </div>`;
}

const statusParts: readonly Part[] = [
  { kind: "bad", name: t.withErrors, value: ({ pages }) => pages.checked - pages.without_errors },
  { kind: "quiet", name: t.warningsOnly, value: ({ pages }) => pages.without_errors - pages.without_issues },
  { kind: "good", name: t.noIssues, value: ({ pages }) => pages.without_issues },
  { kind: "warn", name: t.failed, value: ({ pages }) => pages.failed - pages.without_page },
];
const coverageParts: readonly Part[] = [
  { kind: "axe", name: t.checked, value: ({ pages }) => pages.checked },
  { kind: "rest", name: t.known, value: ({ pages }) => Math.max(0, pages.known - pages.without_page - pages.checked) },
];

type Marked = { letter: string; at: number; date: Html; text: string };

/** The days from which engines or settings are other ones, with a letter for each. */
function markersOf(days: readonly Day[]): Marked[] {
  const changed = days.flatMap((one, at) => (one.markers?.length ? [{ at, one, markers: one.markers }] : []));
  return changed.map(({ at, one, markers }, index) => ({
    letter: String.fromCharCode(65 + (index % 26)),
    at,
    date: shortTime(one.ended_at, "day"),
    text: markers
      .map(({ what, name, from, to }) =>
        what === "engine" ? t.became(from ?? t.none, to ?? t.none) : t.changed(settingNames([name])),
      )
      .join(", "),
  }));
}

function chart(
  days: readonly Day[],
  marked: readonly Marked[],
  { id, title, what, parts, show, style, most, unit, limit }: Chart,
  { days: length, now, withoutResult = [] }: Period,
): Html {
  const points = days.map((one, index) => ({
    at: timeOf(one),
    values: parts.map(({ value }) => value(one)),
    // Of another series: the two cannot be compared.
    breaks: index > 0 && one.series !== days[index - 1]?.series,
    mark: marked.find(({ at }) => at === index)?.letter,
  }));
  const to = now.getTime();
  const last = days.at(-1) as Day;
  const label = parts.map(({ name, value }) => `${name} ${show(value(last))}`).join(", ");
  const options = {
    label: `${title}: ${label}`,
    ...(most !== undefined && { most }),
    ...(unit !== undefined && { unit }),
    ...(limit !== undefined && { limit }),
  };
  return html`<section class="card grid close" aria-labelledby=${id}>
    <div class="line"><h2 id=${id}>${title}</h2><p class="quiet small push">${what}</p></div>
    ${legend(parts.map(({ kind, name, value }) => ({ kind, name, value: show(value(last)) })))}
    ${timeChart({
      ...options,
      ...{ points, style, to, kinds: parts.map(({ kind }) => kind) },
      // Also of a site that is new: the axis has the days that were asked for.
      from: to - length * DAY,
      crosses: withoutResult.map((at) => new Date(`${at}Z`).getTime()),
      dateOf: axisDate(length),
    })}
  </section>`;
}

function numbers(days: readonly Day[], charts: readonly Chart[]): Html {
  const columns = charts.flatMap(({ parts, show }) =>
    parts.map(({ name, value }) => ({ title: name, numeric: true, cell: (one: Day) => show(value(one)) })),
  );
  const then = ({ at_end, errors }: Day) => at_end.errors !== errors && formatNumber(at_end.errors);
  return table<Day>({
    caption: t.numbers,
    hideCaption: true,
    rows: [...days].reverse(),
    columns: [
      { title: t.ended, header: true, cell: ({ ended_at }) => time(ended_at) },
      ...columns,
      // Beside what counts now, where something was muted or checked again since.
      ...(days.some(then)
        ? [{ title: t.atEnd, numeric: true, cell: (day: Day) => then(day) || formatNumber(day.errors) }]
        : []),
    ],
  });
}
