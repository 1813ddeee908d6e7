import type { Logger } from "../../telemetry/log.ts";

/** More than responses that take long, and the whole seconds of the Date header, explain. */
const MAX_SKEW_MS = 5_000;
const REPEAT_MS = 3_600_000;

/**
 * Warns, at most once an hour, when this machine's clock and the API server's differ. Nothing is decided by the
 * difference, but times of schedules, conditions and logs do not fit together.
 *
 * @param now milliseconds since 1970
 * @returns told the Date header of each response (RFC 9110, 6.6.1)
 */
export function watchClockSkew(log: Pick<Logger, "warn">, now: () => number = Date.now) {
  let warned = Number.NEGATIVE_INFINITY;
  return (date: string): void => {
    const time = now();
    const skew = Date.parse(date) - time;
    if (!(Math.abs(skew) > MAX_SKEW_MS) || time - warned < REPEAT_MS) return;
    warned = time;
    const seconds = Math.round(Math.abs(skew) / 1_000);
    const message = `the API server's clock is ${seconds} s ${skew > 0 ? "ahead of" : "behind"} this machine's: synchronise both (NTP)`;
    log.warn(message, { server: date, here: new Date(time).toISOString() });
  };
}
