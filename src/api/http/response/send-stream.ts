import { PassThrough, Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { Request, Response } from "express";
import { usesGzip } from "../../../responses/gzip.ts";
import { type Holder, heldCounts } from "../request/holders.ts";
import { refuse } from "./errors.ts";

/** Streams of one account, or of one address without a token, in this process. */
const MAX_OF_CALLER = 4;
/** Streams of all callers without a token: readers of shared reports must not take all streams from accounts. */
const MAX_ANONYMOUS = 8;
const MAX_TOTAL = 20;
const MAX_STALL_MS = 60_000;

/** A body that is generated while the client reads it. */
export type Streamed = { type: string; filename: string; chunks: AsyncIterable<string> };

/** Limits how many streams there are at once: each makes the database work. */
export type StreamSlots = {
  /** @returns a function that gives the slot back @throws RequestError 429 */
  take(caller: Holder, isAnonymous: boolean): () => void;
};

export function streamSlots(): StreamSlots {
  const byCaller = heldCounts();
  let total = 0;
  let anonymous = 0;
  return {
    take(caller, isAnonymous) {
      if (!byCaller.allows(caller, MAX_OF_CALLER))
        throw tooMany(`No more than ${MAX_OF_CALLER} exports can be read at once, and fewer by guests`);
      if (total >= MAX_TOTAL || (isAnonymous && anonymous >= MAX_ANONYMOUS))
        throw tooMany("Other callers are reading too many exports");
      const end = byCaller.add(caller);
      total += 1;
      if (isAnonymous) anonymous += 1;
      return () => {
        end();
        total -= 1;
        if (isAnonymous) anonymous -= 1;
      };
    },
  };
}

function tooMany(why: string): Error {
  const detail = `${why}; wait until one has ended.`;
  return refuse(429, "too_many_streams", "Too many requests", detail, undefined, { "Retry-After": "10" });
}

/**
 * Sends a body as fast as the client reads it. An error before the first piece becomes an ordinary error response;
 * a later one cuts the connection, so that no client takes a part for the whole.
 *
 * @param maxStallMs how long a client may take to read one piece, in milliseconds
 */
export async function sendStream(
  request: Request,
  response: Response,
  { type, filename, chunks }: Streamed,
  signal: AbortSignal,
  maxStallMs = MAX_STALL_MS,
): Promise<void> {
  const iterator = chunks[Symbol.asyncIterator]();
  const first = await iterator.next();
  response.status(200).attachment(filename).set("Cache-Control", "no-store");
  // Other formats are always in UTF-8, or declare their encoding themselves.
  response.setHeader("Content-Type", type.startsWith("text/") ? `${type}; charset=utf-8` : type);
  const zipped = usesGzip(request, response, Number.POSITIVE_INFINITY);
  if (zipped) response.set("Content-Encoding", "gzip");
  if (request.method === "HEAD") {
    await iterator.return?.();
    response.end();
    return;
  }
  async function* all(): AsyncIterable<string> {
    if (!first.done) yield first.value;
    for (;;) {
      const next = await iterator.next();
      if (next.done) return;
      yield next.value;
    }
  }
  response.setTimeout(maxStallMs, () => response.destroy());
  try {
    await pipeline(Readable.from(all()), zipped ? createGzip() : new PassThrough(), response, { signal });
  } catch (error) {
    response.destroy();
    // The client has gone, or the service stops: nobody is left to hear of it.
    if (!isDisconnect(error)) throw error;
  } finally {
    await iterator.return?.();
  }
}

function isDisconnect(error: unknown): boolean {
  const { name, code } = error as NodeJS.ErrnoException;
  return name === "AbortError" || code === "ERR_STREAM_PREMATURE_CLOSE" || code === "ECONNRESET" || code === "EPIPE";
}
