import { type Html, html } from "../html.ts";

const WIDTH = 120;
const HEIGHT = 28;

/** A line of the values in order, without axes: a table beside it, or the label, has the numbers. */
export function sparkline(values: readonly number[], label: string): Html {
  if (values.length < 2) return null;
  const most = Math.max(1, ...values);
  const step = WIDTH / (values.length - 1);
  const y = (value: number) => HEIGHT - 2 - (value / most) * (HEIGHT - 4);
  const points = values.map((value, index) => `${round(index * step)},${round(y(value))}`).join(" ");
  return html`<svg class="sparkline" role="img" aria-label=${`${label}: ${values.join(", ")}`} viewBox=${`0 0 ${WIDTH} ${HEIGHT}`}>
    <polyline points=${points} />
    <circle cx=${WIDTH - 2} cy=${round(y(values.at(-1) ?? 0))} r="2" />
  </svg>`;
}

export type Bar = { label: string; value: number; kind: string };

/** A bar for a value in a table that has the number: hidden from screen readers. */
export function bar({ value, kind }: Pick<Bar, "value" | "kind">, most: number): Html {
  const width = value === 0 ? 0 : Math.max(1, Math.round((value / Math.max(1, most)) * 100));
  return html`<svg class=${`meter ${kind}`} viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
    <rect width=${width} height="1" />
  </svg>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
