import { type Html, html } from "../html.ts";
import { formatNumber } from "../texts/en.ts";

/** A run in a chart. Without a value it is a cross, never a bar of height 0. */
export type PlottedRun = {
  value: number | null;
  /** Below the bar. */
  date: string;
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

const percent = (part: number) => `${Math.round(part * 10_000) / 100}%`;

/** Round numbers for an axis, from 0 to at least the largest value. */
export function ticksTo(most: number): number[] {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, most)));
  const step = [0.5, 1, 2.5, 5].map((part) => Math.max(1, part * power)).find((size) => size * 4 >= most) ?? power * 5;
  return Array.from({ length: Math.ceil(Math.max(1, most) / step) + 1 }, (_, index) => index * step);
}

const LABEL = { width: 64, height: 16 };

/**
 * Words in a drawing, with a background of their own: a checker cannot determine the contrast of SVG's `text`.
 *
 * @param x the middle, or the end of `end`
 * @param y the upper edge
 */
export function textAt(x: string, y: number, text: string, { end = false, strong = false } = {}): Html {
  const left = end ? -LABEL.width : -LABEL.width / 2;
  return html`<svg x=${x} y=${y} overflow="visible">
    <foreignObject x=${left} width=${LABEL.width} height=${LABEL.height} class=${end ? "end" : undefined}>
      <span class=${strong ? "value" : undefined}>${text}</span>
    </foreignObject>
  </svg>`;
}

/**
 * A bar for each run with an axis, the newest on the right. Text keeps its size: the drawing has no `viewBox`, and its
 * places are shares of the width.
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
  const y = (value: number) => Math.round((1 - value / most) * HEIGHT * 10) / 10;
  const every = Math.max(2, Math.ceil(shown.length / LABELS));
  const bars = shown.map(({ value, date, current, isOther }, index) => {
    const place = slots - shown.length + index;
    const middle = percent((place + 0.5) / slots);
    const fromEnd = shown.length - 1 - index;
    return html`${isOther && index > 0 && html`<line class="break" x1=${percent(place / slots)} x2=${percent(place / slots)} y1="0" y2=${HEIGHT} />`}
      ${
        value === null
          ? textAt(middle, HEIGHT - LABEL.height - 2, "✕")
          : html`<rect class=${current ? "accent" : "quiet"} x=${percent((place + 0.18) / slots)} width=${percent(0.64 / slots)} y=${y(value)} height=${Math.round((HEIGHT - y(value)) * 10) / 10} rx="2" />`
      }
      ${current && value !== null && textAt(middle, y(value) - LABEL.height - 2, formatNumber(value), { strong: true })}
      ${fromEnd % every === 0 && textAt(middle, HEIGHT + 6, date)}`;
  });
  return html`<div class="plot">
    <svg width=${`${formatNumber(most).length * 8}`} height=${HEIGHT + BELOW} aria-hidden="true">
      ${ticks.map((tick) => textAt("100%", y(tick) - LABEL.height / 2, formatNumber(tick), { end: true }))}
    </svg>
    <svg height=${HEIGHT + BELOW} role="img" aria-label=${label}>
      ${ticks.map((tick) => html`<line class=${tick === 0 ? "axis" : "rule"} x1="0" x2="100%" y1=${y(tick)} y2=${y(tick)} />`)}
      ${bars}
      ${limit !== undefined && html`<line class="limit" x1="0" x2="100%" y1=${y(limit)} y2=${y(limit)} />`}
    </svg>
  </div>`;
}
