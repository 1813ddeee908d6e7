import { type Html, html } from "../html.ts";
import { rounded } from "./frame.ts";

const WIDTH = 120;
const HEIGHT = 28;
const WEEKS = 12;
/** Half of a cross, where a week has no result. */
const ARM = 3;

/**
 * A small line over twelve weeks from 0 on its own scale, with a gap where nothing was checked, and a cross if that is the last week.
 *
 * @param values the oldest first
 */
export function weekLine(values: readonly { ago: number; value: number }[], label: string): Html {
  const most = Math.max(0.1, ...values.map(({ value }) => value));
  const x = (ago: number) => rounded(2 + ((WEEKS - 1 - ago) / (WEEKS - 1)) * (WIDTH - 6));
  const y = (value: number) => rounded(HEIGHT - 2 - (value / most) * (HEIGHT - 6));
  const shown = values.filter(({ ago }) => ago < WEEKS);
  const lines: string[][] = [];
  shown.forEach(({ ago, value }, index) => {
    const follows = index > 0 && shown[index - 1]?.ago === ago + 1;
    if (!follows) lines.push([]);
    lines.at(-1)?.push(`${x(ago)},${y(value)}`);
  });
  const last = shown.at(-1);
  const said = Array.from({ length: WEEKS }, (_, index) => {
    const found = shown.find(({ ago }) => ago === WEEKS - 1 - index);
    return found ? found.value.toFixed(1) : "–";
  }).join(", ");
  const [right, low] = [x(0), HEIGHT - 2 - ARM];
  const cross = `M${right - ARM} ${low - ARM}l${2 * ARM} ${2 * ARM}m${-2 * ARM} 0l${2 * ARM} ${-2 * ARM}`;
  return html`<svg class="sparkline" role="img" aria-label=${`${label}: ${said}`} viewBox=${`0 0 ${WIDTH} ${HEIGHT}`}>
    ${lines.map((line) => html`<polyline points=${(line.length > 1 ? line : [...line, ...line]).join(" ")} />`)}
    ${last?.ago === 0 ? html`<circle cx=${x(0)} cy=${y(last.value)} r="2" />` : html`<path class="none" d=${cross} />`}
  </svg>`;
}
