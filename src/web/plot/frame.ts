import { type Html, html } from "../html.ts";
import { formatNumber } from "../texts/en.ts";

/** A share of the width. */
export const percent = (part: number) => `${Math.round(part * 10_000) / 100}%`;

/** Round numbers for an axis, from 0 to at least the largest value. */
export function ticksTo(most: number): number[] {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, most)));
  const step = [0.5, 1, 2.5, 5].map((part) => Math.max(1, part * power)).find((size) => size * 4 >= most) ?? power * 5;
  return Array.from({ length: Math.ceil(Math.max(1, most) / step) + 1 }, (_, index) => index * step);
}

export const LABEL = { width: 64, height: 16 };

/**
 * Words in a drawing, with a background of their own: a checker cannot determine the contrast of SVG's `text`.
 *
 * @param x the middle, or the end of `end`
 * @param y the upper edge
 */
export function textAt(x: string, y: number, text: Html, { end = false, strong = false } = {}): Html {
  const left = end ? -LABEL.width : -LABEL.width / 2;
  return html`<svg x=${x} y=${y} overflow="visible">
    <foreignObject x=${left} width=${LABEL.width} height=${LABEL.height} class=${end ? "end" : undefined}>
      <span class=${strong ? "value" : undefined}>${text}</span>
    </foreignObject>
  </svg>`;
}

type Frame = {
  /** From 0 to the upper edge. */
  ticks: readonly number[];
  height: number;
  /** Room for words below the axis. */
  below: number;
  label: string;
  inside: Html;
  unit?: string;
};

/** An axis with its lines. Text keeps its size: the drawing has no `viewBox`, and its places are shares of the width. */
export function frame({ ticks, height, below, label, inside, unit = "" }: Frame): Html {
  const most = ticks.at(-1) ?? 1;
  const y = (value: number) => yOf(value, most, height);
  return html`<div class="plot">
    <svg width=${`${formatNumber(most).length * 8 + unit.length * 12}`} height=${height + below} aria-hidden="true">
      ${ticks.map((tick) => textAt("100%", y(tick) - LABEL.height / 2, `${formatNumber(tick)}${unit}`, { end: true }))}
    </svg>
    <svg height=${height + below} role="img" aria-label=${label}>
      ${ticks.map((tick) => html`<line class=${tick === 0 ? "axis" : "rule"} x1="0" x2="100%" y1=${y(tick)} y2=${y(tick)} />`)}
      ${inside}
    </svg>
  </div>`;
}

/** Where a value is, from the upper edge. */
export function yOf(value: number, most: number, height: number): number {
  return rounded((1 - value / most) * height);
}

export function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
