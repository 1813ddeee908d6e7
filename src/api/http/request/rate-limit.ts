import type { Request, Response } from "express";
import ipaddr from "ipaddr.js";
import { deleteExpiredCalls, reserveCalls } from "../../../database/accounts/api-requests.ts";
import type { ApiDeps } from "../../context.ts";
import { refuse } from "../response/errors.ts";

const WINDOW_MS = 60_000;
/** A process reserves at most this fraction of the limit in advance. */
const MAX_BLOCK_FRACTION = 0.05;
/** Time until the next attempt after the database failed, in milliseconds. */
const RETRY_MS = 1_000;

type Window = {
  endsAt: number;
  /** Calls reserved by all processes, as far as this one knows. */
  used: number;
  /** Calls reserved by this process and not yet made. */
  held: number;
  /** Calls to reserve the next time. */
  block: number;
  /** Requests that wait for the reservation. */
  waiting: number;
  reservation?: Promise<void> | undefined;
};

/** The address of a client, as the trusted proxies report it; undefined if it is not known. */
export function clientAddress(request: Pick<Request, "ip" | "socket">): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const reported = request.ip ?? "";
  const text = ipaddr.isValid(reported) ? reported : (request.socket.remoteAddress ?? "");
  return ipaddr.isValid(text) ? ipaddr.process(text) : undefined;
}

/**
 * Identifies a caller without a token: by address, as the trusted proxies report it. For IPv6 it
 * is the /64 network: a client that has one address has all of the network's.
 */
export function callerAddress(request: Pick<Request, "ip" | "socket">): string {
  const address = clientAddress(request);
  if (!address) return "address unknown";
  if (address instanceof ipaddr.IPv6)
    return `address ${new ipaddr.IPv6([...address.parts.slice(0, 4), 0, 0, 0, 0])}/64`;
  return `address ${address}`;
}

/**
 * Counts one call of `key` and sets the response's RateLimit headers. Of several limits, they say what the one that leaves
 * the fewest calls says, or the one that refuses.
 *
 * @throws RequestError 429
 */
export type RateLimiter = (key: string, response: Response, now: Date) => Promise<void>;

/**
 * Limits the calls per minute and key, over all processes on one database. 0 means no limit.
 *
 * Calls are reserved in the database in blocks: one at first, twice as many each time, at
 * most 5 % of the limit. So most requests need no database query, and all processes together
 * never allow more than the limit. The others cannot use what one process holds and does not
 * use: a caller that moves between replicas may be refused up to 5 % early for each replica.
 * While the database is unavailable, each process counts for itself.
 */
export function rateLimiter(deps: Pick<ApiDeps, "db" | "log">, limit: number): RateLimiter {
  const { db, log } = deps;
  const maxBlock = Math.max(1, Math.floor(limit * MAX_BLOCK_FRACTION));
  const windows = new Map<string, Window>();
  let sweepAt = 0;
  let askAgainAt = Number.NEGATIVE_INFINITY;
  let away = false;

  function windowOf(key: string, time: number): Window {
    const last = windows.get(key);
    if (last && last.endsAt > time) return last;
    const block = last ? Math.max(1, Math.floor(last.block / 2)) : 1;
    const window = { endsAt: time + WINDOW_MS, used: 0, held: 0, block, waiting: 0 };
    windows.set(key, window);
    return window;
  }

  /** One reservation per key at a time; what it reserves is for all waiting requests. */
  async function reserve(key: string, window: Window, now: Date): Promise<void> {
    const want = Math.max(window.block, window.waiting);
    if (now.getTime() >= askAgainAt)
      try {
        const grant = await reserveCalls(db, { key, want, limit, windowMs: WINDOW_MS, now });
        away = false;
        window.endsAt = grant.endsAt.getTime();
        window.used = grant.used;
        window.held += grant.granted;
        window.block = Math.min(maxBlock, 2 * window.block);
        return;
      } catch (error) {
        // The request continues: its handler finds out whether it can respond without the database.
        if (!away) log.warn("database unavailable; this process counts API calls on its own for now", { error });
        away = true;
        askAgainAt = now.getTime() + RETRY_MS;
      }
    const granted = Math.min(want, limit - window.used);
    window.used += granted;
    window.held += granted;
  }

  function sweep(time: number): void {
    if (time < sweepAt) return;
    if (sweepAt > 0) {
      // A window that has ended is kept for another minute: its block size predicts that of the next one.
      for (const [key, window] of windows) if (window.endsAt <= time - WINDOW_MS) windows.delete(key);
      deleteExpiredCalls(db, new Date(time - WINDOW_MS)).catch(() => {});
    }
    sweepAt = time + WINDOW_MS;
  }

  return async (key, response, now) => {
    if (limit === 0) return;
    const time = now.getTime();
    sweep(time);
    const window = windowOf(key, time);
    window.waiting += 1;
    try {
      while (window.held === 0 && window.used < limit) {
        window.reservation ??= reserve(key, window, now).finally(() => {
          window.reservation = undefined;
        });
        await window.reservation;
      }
    } finally {
      window.waiting -= 1;
    }
    const allowed = window.held > 0;
    if (allowed) window.held -= 1;
    const seconds = String(Math.min(WINDOW_MS / 1000, Math.max(1, Math.ceil((window.endsAt - time) / 1000))));
    const remaining = Math.max(0, limit - window.used + window.held);
    const others = response.get("RateLimit-Remaining");
    if (!allowed || others === undefined || remaining < Number(others))
      response.set({
        "RateLimit-Limit": String(limit),
        "RateLimit-Remaining": String(remaining),
        "RateLimit-Reset": seconds,
      });
    if (allowed) return;
    throw refuse(
      429,
      "rate_limited",
      "Too many requests",
      `The limit is ${limit} calls a minute; try again in ${seconds} s.`,
      undefined,
      { "Retry-After": seconds },
    );
  };
}
