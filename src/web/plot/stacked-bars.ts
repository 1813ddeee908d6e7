import { type Html, html } from "../html.ts";
import { frame, percent, rounded, textAt, ticksTo, yOf } from "./frame.ts";

/** A bar of parts that stand on each other, in the order of the parts' kinds. */
export type StackedBar = {
  values: readonly number[];
  date: string;
  /** A letter above what is different since the bar before it. */
  mark?: string | undefined;
};

const HEIGHT = 130;
const BELOW = 24;
/** More bars are thinner than a line: the newest are drawn. */
const MOST = 60;
const LEAST = 8;
const LABELS = 4;

/**
 * A bar for each day with a run, the newest on the right.
 *
 * @param bars the oldest first
 * @param kinds the class of each part, the lowest first
 */
export function stackedBars(
  bars: readonly StackedBar[],
  kinds: readonly string[],
  { label, most: atLeast = 0, unit }: { label: string; most?: number; unit?: string },
): Html {
  const shown = bars.slice(-MOST);
  const slots = Math.max(LEAST, shown.length);
  const total = ({ values }: StackedBar) => values.reduce((sum, value) => sum + value, 0);
  const ticks = ticksTo(Math.max(atLeast, ...shown.map(total)));
  const most = ticks.at(-1) ?? 1;
  const every = Math.max(2, Math.ceil(shown.length / LABELS));
  const inside = shown.map((bar, index) => {
    const place = slots - shown.length + index;
    let level = 0;
    const parts = bar.values.map((value, part) => {
      const [high, low] = [yOf(level + value, most, HEIGHT), yOf(level, most, HEIGHT)];
      level += value;
      return (
        value > 0 &&
        html`<rect class=${kinds[part]} x=${percent((place + 0.12) / slots)} width=${percent(0.76 / slots)} y=${high} height=${rounded(Math.max(1, low - high))} />`
      );
    });
    const middle = percent((place + 0.5) / slots);
    return html`${parts} ${bar.mark && html`<line class="break" x1=${percent(place / slots)} x2=${percent(place / slots)} y1="0" y2=${HEIGHT} />${textAt(percent(place / slots), -12, bar.mark, { strong: true })}`}
      ${(shown.length - 1 - index) % every === 0 && textAt(middle, HEIGHT + 6, bar.date)}`;
  });
  return frame({ ticks, height: HEIGHT, below: BELOW, label, inside, ...(unit !== undefined && { unit }) });
}
