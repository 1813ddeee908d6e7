import type { Request, Response } from "express";
import ipaddr from "ipaddr.js";
import { claimCalls, forgetCalls } from "../../database/accounts/api-calls.ts";
import type { ApiDeps } from "../context.ts";
import { refuse } from "./errors.ts";

const WINDOW_MS = 60_000;
/** A process takes at most this part of the limit in advance. */
const MAX_BLOCK_FRACTION = 0.05;
/** How long to leave a database alone that did not answer. */
const AWAY_MS = 1_000;

type Window = {
  endsAt: number;
  /** Calls taken by all processes, as far as this one knows. */
  used: number;
  /** Calls taken by this process that were not made yet. */
  held: number;
  /** Calls to take the next time. */
  block: number;
  /** Requests that wait for a claim. */
  waiting: number;
  claim?: Promise<void> | undefined;
};

/**
 * Who calls, where no token says so: the address, as the trusted proxies report it. Of IPv6 it
 * is the network: whoever has one has all of its addresses.
 */
export function callerAddress(request: Pick<Request, "ip" | "socket">): string {
  const told = request.ip ?? "";
  const text = ipaddr.isValid(told) ? told : (request.socket.remoteAddress ?? "");
  if (!ipaddr.isValid(text)) return "address unknown";
  const address = ipaddr.process(text);
  if (address instanceof ipaddr.IPv6)
    return `address ${new ipaddr.IPv6([...address.parts.slice(0, 4), 0, 0, 0, 0])}/64`;
  return `address ${address}`;
}

/** Counts one call of `key` and sets the answer's RateLimit headers. @throws RequestError 429 */
export type RateLimiter = (key: string, response: Response, now: Date) => Promise<void>;

/**
 * A limit of calls a minute and key, over all processes on one database. 0 is no limit.
 *
 * Calls are taken from the database in blocks: one at first, twice as many each time, at
 * most 5 % of the limit. So most requests cost no statement, and all processes together
 * never answer more than the limit. What one process holds and does not use is lost to the
 * others: a caller that moves between replicas may be refused up to 5 % early for each.
 * While the database is away, each process counts for itself.
 */
export function rateLimiter(deps: Pick<ApiDeps, "db" | "log">, limit: number): RateLimiter {
  const { db, log } = deps;
  const largest = Math.max(1, Math.floor(limit * MAX_BLOCK_FRACTION));
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

  /** One claim a key at a time; what it takes is for all that wait. */
  async function claim(key: string, window: Window, now: Date): Promise<void> {
    const want = Math.max(window.block, window.waiting);
    if (now.getTime() >= askAgainAt)
      try {
        const grant = await claimCalls(db, { key, want, limit, windowMs: WINDOW_MS, now });
        away = false;
        window.endsAt = grant.endsAt.getTime();
        window.used = grant.used;
        window.held += grant.granted;
        window.block = Math.min(largest, 2 * window.block);
        return;
      } catch (error) {
        // Whether the request can be answered without the database is for its handler to find out.
        if (!away) log.warn("calls are counted by this process alone for now", { error: String(error) });
        away = true;
        askAgainAt = now.getTime() + AWAY_MS;
      }
    const granted = Math.min(want, limit - window.used);
    window.used += granted;
    window.held += granted;
  }

  function sweep(time: number): void {
    if (time < sweepAt) return;
    if (sweepAt > 0) {
      // The last window is remembered for one more: its calls foretell the next one's.
      for (const [key, window] of windows) if (window.endsAt <= time - WINDOW_MS) windows.delete(key);
      forgetCalls(db, new Date(time - WINDOW_MS)).catch(() => {});
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
        window.claim ??= claim(key, window, now).finally(() => {
          window.claim = undefined;
        });
        await window.claim;
      }
    } finally {
      window.waiting -= 1;
    }
    const allowed = window.held > 0;
    if (allowed) window.held -= 1;
    const seconds = String(Math.min(WINDOW_MS / 1000, Math.max(1, Math.ceil((window.endsAt - time) / 1000))));
    response.set({
      "RateLimit-Limit": String(limit),
      "RateLimit-Remaining": String(Math.max(0, limit - window.used + window.held)),
      "RateLimit-Reset": seconds,
    });
    if (allowed) return;
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
