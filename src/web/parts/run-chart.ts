import { type Html, html } from "../html.ts";

/** `isOther`: its settings differ from those of the bar before it, so the two cannot be compared. */
export type RunBar = { errors: number; warnings: number; isOther?: boolean };

const MAX_RUNS = 25;
/** The chart has room for at least this many runs: a few do not fill the whole width. */
const MIN_SLOTS = 10;
const STEP = 10;
const HEIGHT = 60;

/** A bar for each run, the newest on the right, beside the table that has the numbers. @param runs the oldest first */
export function runChart(runs: readonly RunBar[], label: string): Html {
  if (runs.length < 2) return null;
  const shown = runs.slice(-MAX_RUNS);
  const slots = Math.max(MIN_SLOTS, shown.length);
  const most = Math.max(1, ...shown.map(({ errors, warnings }) => errors + warnings));
  const height = (value: number) => Math.round((value / most) * HEIGHT * 10) / 10;
  const bars = shown.map(({ errors, warnings, isOther }, index) => {
    const x = (slots - shown.length + index) * STEP + 1;
    const [filled, outlined] = [height(errors), height(warnings)];
    return html`${isOther && index > 0 && html`<path class="break" d=${`M${x - 1} 0V${HEIGHT}`} />`}
    ${outlined > 0 && html`<rect class="warning" x=${x} y=${HEIGHT - filled - outlined} width=${STEP - 2} height=${outlined} />`}
    ${filled > 0 && html`<rect class="error" x=${x} y=${HEIGHT - filled} width=${STEP - 2} height=${filled} />`}`;
  });
  return html`<svg class="run-chart" role="img" aria-label=${label} viewBox=${`0 0 ${slots * STEP} ${HEIGHT}`} preserveAspectRatio="none">
    ${bars}
  </svg>`;
}
