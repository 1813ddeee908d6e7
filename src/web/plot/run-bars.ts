import { type Html, html } from "../html.ts";
import { formatNumber } from "../texts/en.ts";
import { frame, LABEL, percent, rounded, textAt, ticksTo, yOf } from "./frame.ts";

/** A run in a chart. Without a value it is a cross, never a bar of height 0. */
export type PlottedRun = {
  value: number | null;
  /** Below the bar. */
  date: Html;
  current?: boolean;
  /** Its settings differ from those of the bar before it, so the two cannot be compared. */
  isOther?: boolean;
};

const HEIGHT = 130;
const BELOW = 24;
/** As many bars as a chart of half a window has room for, and the fewest slots: two bars do not fill the whole width. */
const MOST = 24;
const LEAST = 8;
/** Dates below bars, which must not touch. */
const LABELS = 4;

/**
 * A bar for each run with an axis, the newest on the right.
 *
 * @param runs the oldest first
 * @param options.limit a dotted line
 */
export function runBars(
  runs: readonly PlottedRun[],
  label: string,
  { limit }: { limit?: number | undefined } = {},
): Html {
  const shown = runs.slice(-MOST);
  if (shown.length < 2) return null;
  const slots = Math.max(LEAST, shown.length);
  const ticks = ticksTo(Math.max(limit ?? 0, ...shown.map(({ value }) => value ?? 0)));
  const most = ticks.at(-1) ?? 1;
  const y = (value: number) => yOf(value, most, HEIGHT);
  const every = Math.max(2, Math.ceil(shown.length / LABELS));
  const bars = shown.map(({ value, date, current, isOther }, index) => {
    const place = slots - shown.length + index;
    const middle = percent((place + 0.5) / slots);
    const fromEnd = shown.length - 1 - index;
    return html`${isOther && index > 0 && html`<line class="break" x1=${percent(place / slots)} x2=${percent(place / slots)} y1="0" y2=${HEIGHT} />`}
      ${
        value === null
          ? textAt(middle, HEIGHT - LABEL.height - 2, "✕")
          : html`<rect class=${current ? "accent" : "quiet"} x=${percent((place + 0.18) / slots)} width=${percent(0.64 / slots)} y=${y(value)} height=${rounded(HEIGHT - y(value))} rx="2" />`
      }
      ${current && value !== null && textAt(middle, y(value) - LABEL.height - 2, formatNumber(value), { strong: true })}
      ${fromEnd % every === 0 && textAt(middle, HEIGHT + 6, date)}`;
  });
  const line = limit !== undefined && html`<line class="limit" x1="0" x2="100%" y1=${y(limit)} y2=${y(limit)} />`;
  return frame({ ticks, height: HEIGHT, below: BELOW, label, inside: html`${bars} ${line}` });
}
