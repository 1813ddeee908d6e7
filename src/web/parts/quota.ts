import { type Html, html } from "../html.ts";
import { texts } from "../texts/en.ts";
import { bar } from "./chart.ts";

const MOSTLY = 0.8;

type Format = (value: number) => string;

/**
 * How much of a limit is used, as text and as a bar.
 *
 * @param format writes a number with its unit
 * @param before formats the number before "of": without the unit if the limit has the same one
 */
export function quota(used: number, limit: number | null, format: Format, before = format): Html {
  if (limit === null) return texts.usage.unlimited(format(used));
  const share = limit === 0 ? 1 : used / limit;
  const kind = share >= 1 ? "quota critical" : share >= MOSTLY ? "quota moderate" : "quota";
  return html`${texts.usage.of(before(used), format(limit))} ${bar({ value: Math.min(used, limit), kind }, limit)}`;
}
