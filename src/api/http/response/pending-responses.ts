import type { Response } from "express";
import { type Holder, heldCounts } from "../request/holders.ts";
import { refuse } from "./errors.ts";

/** Smaller responses are not counted: they cost less than the request. */
const COUNTED_BYTES = 64_000;
/** Bytes of responses that wait for their clients to read them, in this process. */
const MAX_BYTES = 64_000_000;
/** The same for one account, or one address without a token. */
const MAX_CALLER_BYTES = 16_000_000;
/** How long a client may take to read a response. */
const MAX_SECONDS = 60;

/**
 * Limits the memory of responses that were built and have not been read yet: a client that reads slowly, or not at
 * all, keeps its responses in this process.
 */
export type PendingResponses = {
  /**
   * Counts a response until it is sent or its connection is closed. Ends a connection whose client does not read it.
   * A response whose client has already left does not count: nothing of it is kept, and it never closes again.
   *
   * @param caller whose limit counts: an account, or an address
   * @throws RequestError 503 when too many bytes are waiting already
   */
  count(response: Response, caller: Holder, bytes: number): void;
};

export function pendingResponses(limits: { total?: number; caller?: number } = {}): PendingResponses {
  const { total: maxTotal = MAX_BYTES, caller: maxCaller = MAX_CALLER_BYTES } = limits;
  const byCaller = heldCounts();
  /** What ends with a response: a page may be made of many others, which count for its own. */
  const endings = new WeakMap<Response, (() => void)[]>();
  let total = 0;
  return {
    count(response, caller, bytes) {
      if (bytes < COUNTED_BYTES || response.closed || response.destroyed) return;
      // One response is always allowed, whatever its size.
      if (byCaller.of(caller) > 0 && !byCaller.allows(caller, maxCaller, bytes)) throw tooMuchPending();
      if (total > 0 && total + bytes > maxTotal) throw tooMuchPending();
      const end = byCaller.add(caller, bytes);
      total += bytes;
      const all = endings.get(response) ?? [];
      all.push(() => {
        total -= bytes;
        end();
      });
      if (endings.has(response)) return;
      endings.set(response, all);
      const timer = setTimeout(() => response.destroy(), MAX_SECONDS * 1_000);
      response.once("close", () => {
        clearTimeout(timer);
        for (const one of all) one();
      });
    },
  };
}

function tooMuchPending(): Error {
  const detail = "Too many large responses are being sent; read those first, or try again in a few seconds.";
  return refuse(503, "unavailable", "Service unavailable", detail, undefined, { "Retry-After": "5" });
}
