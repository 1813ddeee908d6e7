import { type Html, html } from "../html.ts";
import { frame, LABEL, percent, rounded, textAt, ticksTo, yOf } from "./frame.ts";

/** What is drawn at a time: the values of the parts, the lowest first. */
export type TimePoint = {
  /** In milliseconds. */
  at: number;
  values: readonly number[];
  /** It cannot be compared with the point before it: no line leads here. */
  breaks?: boolean;
  /** A letter above what is different since the point before it. */
  mark?: string | undefined;
};

/** How values are drawn: parts that stand on each other, as areas or as bars, or a line for each part. */
export type TimeStyle = "areas" | "bars" | "lines";

export type TimeChart = {
  /** The oldest first. */
  points: readonly TimePoint[];
  /** The class of each part. */
  kinds: readonly string[];
  style: TimeStyle;
  /** The first and the last time of the axis, in milliseconds. */
  from: number;
  to: number;
  label: string;
  /** When there was a run without a result. */
  crosses?: readonly number[];
  most?: number;
  /** A dotted line across, for what a value is to be. */
  limit?: number;
  unit?: string;
  /** @param at in milliseconds */
  dateOf: (at: number) => Html;
};

const HEIGHT = 130;
const BELOW = 24;
const DAY = 86_400_000;
/** Days between dates below the axis: the first of these that has room. */
const STEPS = [1, 2, 7, 14, 28, 56, 91, 182];
const LABELS = 4;
/** The width of the drawing that stretches. */
const WIDE = 1_000;
/** More points have no dots of their own. */
const MOST_DOTS = 60;
/** A bar has the width that the nearest two leave, within these shares. */
const BAR = { least: 0.004, most: 0.05 };

/** Values over true time, with an axis, dates, marks, and crosses where there is no result. */
export function timeChart(chart: TimeChart): Html {
  const { points, kinds, style, from, to, label, crosses = [], unit, limit, dateOf } = chart;
  const total = ({ values }: TimePoint) => values.reduce((sum, value) => sum + value, 0);
  const top = style === "lines" ? ({ values }: TimePoint) => Math.max(0, ...values) : total;
  const ticks = ticksTo(Math.max(chart.most ?? 0, ...points.map(top)));
  const most = ticks.at(-1) ?? 1;
  const span = Math.max(1, to - from);
  const x = (at: number) => Math.min(1, Math.max(0, (at - from) / span));
  const y = (value: number) => yOf(value, most, HEIGHT);
  const drawn = style === "bars" ? bars(points, kinds, { x, y }) : stretched(points, kinds, style, { x, y });
  const dots = style === "bars" || points.length > MOST_DOTS ? points.slice(-1) : points;
  const line = limit !== undefined && html`<line class="limit" x1="0" x2="100%" y1=${y(limit)} y2=${y(limit)} />`;
  const inside = html`${drawn} ${line}
    ${style !== "bars" && dots.map((point) => dotsOf(point, style).map((value, part) => html`<circle class=${style === "lines" ? kinds[part] : "accent"} cx=${percent(x(point.at))} cy=${y(value)} r="2.5" />`))}
    ${points.map((point) => point.mark && html`<line class="break" x1=${percent(x(point.at))} x2=${percent(x(point.at))} y1="0" y2=${HEIGHT} />${textAt(percent(x(point.at)), -12, point.mark, { strong: true })}`)}
    ${crosses.map((at) => textAt(percent(x(at)), HEIGHT - LABEL.height - 2, "✕"))}
    ${datesBetween(from, to).map((at) => textAt(percent(Math.min(0.94, Math.max(0.05, x(at)))), HEIGHT + 6, dateOf(at)))}`;
  return frame({ ticks, height: HEIGHT, below: BELOW, label, inside, ...(unit !== undefined && { unit }) });
}

type Scale = { x: (at: number) => number; y: (value: number) => number };

/** The heights of a point's dots: of each line, or of all parts together. */
function dotsOf({ values }: TimePoint, style: TimeStyle): number[] {
  return style === "lines" ? [...values] : [values.reduce((sum, value) => sum + value, 0)];
}

function bars(points: readonly TimePoint[], kinds: readonly string[], { x, y }: Scale): Html {
  const places = points.map(({ at }) => x(at));
  const gaps = places.slice(1).map((place, index) => place - (places[index] ?? 0));
  const width = Math.min(BAR.most, Math.max(BAR.least, Math.min(1, ...gaps.filter((gap) => gap > 0)) * 0.75));
  return points.map(({ values }, index) => {
    const left = Math.min(1 - width, Math.max(0, (places[index] ?? 0) - width / 2));
    let level = 0;
    return values.map((value, part) => {
      const [high, low] = [y(level + value), y(level)];
      level += value;
      return (
        value > 0 &&
        html`<rect class=${kinds[part]} x=${percent(left)} width=${percent(width)} y=${high} height=${rounded(Math.max(1, low - high))} />`
      );
    });
  });
}

/** Areas or lines: they stretch with the window, and their strokes do not. */
function stretched(points: readonly TimePoint[], kinds: readonly string[], style: TimeStyle, { x, y }: Scale): Html {
  const place = ({ at }: TimePoint) => rounded(x(at) * WIDE);
  const parts = runsOf(points).map((run) =>
    kinds.map((kind, part) => {
      const low = (point: TimePoint) =>
        style === "lines" ? 0 : point.values.slice(0, part).reduce((sum, value) => sum + value, 0);
      const high = (point: TimePoint) => low(point) + (point.values[part] ?? 0);
      const line = run.map((point) => `${place(point)},${y(high(point))}`);
      if (style === "lines") return html`<polyline class=${kind} points=${line.join(" ")} />`;
      const back = run.toReversed().map((point) => `${place(point)},${y(low(point))}`);
      return html`<polygon class=${kind} points=${[...line, ...back].join(" ")} />`;
    }),
  );
  return html`<svg viewBox=${`0 0 ${WIDE} ${HEIGHT}`} width="100%" height=${HEIGHT} preserveAspectRatio="none">${parts}</svg>`;
}

/** The points between which there are lines. */
function runsOf(points: readonly TimePoint[]): TimePoint[][] {
  const runs: TimePoint[][] = [];
  for (const point of points) {
    const last = runs.at(-1);
    if (!last || point.breaks) runs.push([point]);
    else last.push(point);
  }
  return runs;
}

/** Days below the axis, the last one first. */
function datesBetween(from: number, to: number): number[] {
  const days = (to - from) / DAY;
  const step = STEPS.find((size) => days / size <= LABELS) ?? Math.ceil(days / LABELS);
  return Array.from({ length: Math.floor(days / step) + 1 }, (_, index) => to - index * step * DAY);
}
