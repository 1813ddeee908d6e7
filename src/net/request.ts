import type { Agent } from "undici";
import { PageError } from "../domain/failure.ts";
import { tooLarge } from "./decompress.ts";

/** Status and headers of an answer, known before its body is read. */
export type ResponseHead = {
  url: string;
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
};

export type Response = ResponseHead & {
  /** As received; undefined when nobody wanted it. */
  body: Buffer | undefined;
};

export type RequestOptions = {
  headers: Record<string, string>;
  signal: AbortSignal;
  /** Milliseconds until the whole answer must be here. */
  budget: number;
  /** The most bytes of the body to read; 0: it is not wanted. */
  maxBytes: (head: ResponseHead) => number;
};

/** An unwanted body up to this size is read and thrown away, which keeps the connection. */
const DRAINED_BYTES = 64_000;

/** One GET, no redirect followed. Straight on undici's dispatcher: no stream is made for a body that is kept whole. */
export function request(agent: Agent, url: URL, options: RequestOptions): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  let abort: ((reason: Error) => void) | undefined;
  let stopped: Error | undefined;
  const stop = (reason: Error): void => {
    stopped ??= reason;
    abort?.(stopped);
    reject(stopped);
  };
  const timer = setTimeout(
    () => stop(new PageError("timeout", `${url} did not answer in time.`)),
    Math.max(0, options.budget),
  );
  const onAbort = (): void => stop(options.signal.reason);
  options.signal.addEventListener("abort", onAbort, { once: true });
  const finish = (): void => {
    clearTimeout(timer);
    options.signal.removeEventListener("abort", onAbort);
  };

  let head: ResponseHead | undefined;
  let limit = 0;
  let size = 0;
  const chunks: Buffer[] = [];
  agent.dispatch(
    {
      origin: url.origin,
      path: url.pathname + url.search,
      method: "GET",
      headers: options.headers,
      headersTimeout: 0,
      bodyTimeout: 0,
    },
    {
      onRequestStart(controller) {
        abort = (reason) => controller.abort(reason);
        if (stopped) controller.abort(stopped);
      },
      onResponseStart(controller, status, headers) {
        // 103 Early Hints and their like come before the answer.
        if (status < 200) return;
        head = { url: url.href, status, headers };
        limit = options.maxBytes(head);
        const length = Number(headers["content-length"] ?? 0);
        if (limit > 0) {
          if (length > limit) stop(tooLarge(url.href, limit));
          return;
        }
        resolve({ ...head, body: undefined });
        if (length > DRAINED_BYTES) controller.abort(new Error("the body is not wanted"));
      },
      onResponseData(controller, chunk) {
        size += chunk.length;
        if (limit > 0) {
          if (size > limit) stop(tooLarge(url.href, limit));
          else chunks.push(chunk);
        } else if (size > DRAINED_BYTES) controller.abort(new Error("the body is not wanted"));
      },
      onResponseEnd() {
        finish();
        const [only] = chunks;
        if (head && limit > 0) resolve({ ...head, body: chunks.length === 1 ? only : Buffer.concat(chunks, size) });
      },
      onResponseError(_controller, error) {
        finish();
        reject(error);
      },
    },
  );
  return promise;
}
