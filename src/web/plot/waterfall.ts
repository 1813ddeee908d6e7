import { type Html, html } from "../html.ts";
import { formatNumber } from "../texts/en.ts";
import { frame, LABEL, percent, rounded, textAt, ticksTo, yOf } from "./frame.ts";

/** What was added or went away; a total is all that there is. */
export type Step = {
  name: string;
  value: number;
  kind: "quiet" | "accent" | "good" | "bad" | "warn";
  total?: boolean;
  /** Below the bar in place of its name. */
  shown?: Html;
};

const HEIGHT = 210;
const BELOW = 24;

/** From one total to another: a bar for each change, which begins where the one before it ended. */
export function waterfall(steps: readonly Step[], label: string): Html {
  let level = 0;
  const bars = steps.map((step) => {
    const from = step.total ? 0 : level;
    level = step.total ? step.value : level + step.value;
    return { ...step, high: Math.max(from, level), low: Math.min(from, level), level };
  });
  const ticks = ticksTo(Math.max(...bars.map(({ high }) => high)));
  const most = ticks.at(-1) ?? 1;
  const y = (value: number) => yOf(Math.max(0, value), most, HEIGHT);
  const inside = bars.map(({ name, shown, value, kind, total, high, low, level: end }, index) => {
    const at = (part: number) => percent((index + part) / bars.length);
    return html`<rect class=${kind} x=${at(0.14)} width=${percent(0.72 / bars.length)} y=${y(high)} height=${rounded(Math.max(2, y(low) - y(high)))} rx="2" />
      ${index < bars.length - 1 && html`<line class="rule" x1=${at(0.86)} x2=${at(1.14)} y1=${y(end)} y2=${y(end)} />`}
      ${textAt(at(0.5), y(high) - LABEL.height - 2, total ? formatNumber(value) : signed(value), { strong: true })}
      ${textAt(at(0.5), HEIGHT + 6, shown ?? name)}`;
  });
  return frame({ ticks, height: HEIGHT, below: BELOW, label, inside });
}

/** "+12", "−170". @param format of the number without its sign */
export function signed(value: number, format: (absolute: number) => string = formatNumber): string {
  return `${value < 0 ? "−" : value > 0 ? "+" : ""}${format(Math.abs(value))}`;
}
