import { DAY_MS } from "../../../domain/calendar-day.ts";
import { readTime } from "../../../domain/findings/muting.ts";
import { formatValue } from "../../../schema/validate.ts";
import type { Context } from "../../context.ts";
import { refuseAttribute } from "../response/errors.ts";

/**
 * An end that a request gives: a time in the future.
 *
 * @param bounds.days how far away it may be; any time without it
 * @param bounds.orNull whether the attribute may be null instead, as its error says
 * @throws RequestError 422
 */
export function futureTime(
  { deps }: Pick<Context, "deps">,
  attribute: string,
  text: string,
  { days, orNull }: { days?: number; orNull: boolean },
): Date {
  const end = readTime(text);
  const left = end ? (end.getTime() - deps.now().getTime()) / DAY_MS : 0;
  if (end && left > 0 && (days === undefined || left <= days)) return end;
  const most = days === undefined ? "" : `, at most ${days} days away`;
  const other = orNull ? `${most && ","} or null` : "";
  const detail = `${attribute} is ${formatValue(text)}; it must be a time in the future${most}${other}.`;
  throw refuseAttribute(attribute, "out_of_range", detail);
}
