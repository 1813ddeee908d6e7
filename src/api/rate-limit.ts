import type { Response } from "express";
import { refuse } from "./errors.ts";

const WINDOW_MS = 60_000;

type Window = { count: number; endsAt: number };

/** Counts one call of `key` and sets the answer's RateLimit headers. @throws RequestError 429 */
export type RateLimiter = (key: string, response: Response, now: Date) => void;

/** A limit of calls a minute and key, in this process's memory. 0 is no limit. */
export function rateLimiter(limit: number): RateLimiter {
  const windows = new Map<string, Window>();
  let sweepAt = 0;
  return (key, response, now) => {
    if (limit === 0) return;
    const time = now.getTime();
    if (time >= sweepAt) {
      for (const [other, window] of windows) if (window.endsAt <= time) windows.delete(other);
      sweepAt = time + WINDOW_MS;
    }
    let window = windows.get(key);
    if (!window || window.endsAt <= time) {
      window = { count: 0, endsAt: time + WINDOW_MS };
      windows.set(key, window);
    }
    window.count += 1;
    const seconds = String(Math.max(1, Math.ceil((window.endsAt - time) / 1000)));
    response.set({
      "RateLimit-Limit": String(limit),
      "RateLimit-Remaining": String(Math.max(0, limit - window.count)),
      "RateLimit-Reset": seconds,
    });
    if (window.count <= limit) return;
    throw refuse(
      429,
      "rate_limited",
      "Too many requests",
      `More than ${limit} calls in a minute; try again in ${seconds} s.`,
      undefined,
      { "Retry-After": seconds },
    );
  };
}
