import { PageError } from "../domain/failure.ts";
import { awakeTimeout } from "./awake-timeout.ts";
import { tooLarge } from "./decompress.ts";
import type { Route } from "./guarded-agent.ts";

/** Status and headers of a response, known before its body is read. */
export type ResponseHead = {
  url: string;
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
};

export type Response = ResponseHead & {
  /** As received; undefined when `maxBytes` returned 0. */
  body: Buffer | undefined;
};

export type RequestOptions = {
  method: "GET" | "HEAD" | "POST";
  headers: Record<string, string>;
  /** What is sent with POST. */
  body?: string;
  signal: AbortSignal;
  /** Time limit of the whole response, in milliseconds; not counted while this process is suspended. */
  budget: number;
  /** Maximum size of the body in bytes; 0: do not read it. */
  maxBytes: (head: ResponseHead) => number;
  /** True: a body that is larger is cut instead of being an error. */
  cutsBody: (head: ResponseHead) => boolean;
};

/** An unneeded body up to this size is read and dropped, so that the connection can be reused. */
const MAX_DRAINED_BYTES = 64_000;

/**
 * Sends one request without following redirects. Uses undici's dispatcher directly, because a body that is kept in memory
 * needs no stream.
 */
export function request({ agent, ...route }: Route, url: URL, options: RequestOptions): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  let head: ResponseHead | undefined;
  let limit = 0;
  let size = 0;
  let cuts = false;
  const isHead = options.method === "HEAD";
  const chunks: Buffer[] = [];
  let abort: ((reason: Error) => void) | undefined;
  let stopped: Error | undefined;
  const stop = (reason: Error): void => {
    stopped ??= reason;
    abort?.(stopped);
    reject(stopped);
  };
  const stopTimer = awakeTimeout(Math.max(0, options.budget), () =>
    stop(
      new PageError(
        "timeout",
        head
          ? `${url} responded with ${head.status}, but its response was not complete in time (${size} bytes were received).`
          : `${url} did not respond in time.`,
      ),
    ),
  );
  const onAbort = (): void => stop(options.signal.reason);
  options.signal.addEventListener("abort", onAbort, { once: true });
  const finish = (): void => {
    stopTimer();
    options.signal.removeEventListener("abort", onAbort);
  };

  agent.dispatch(
    {
      origin: route.origin,
      path: route.path,
      method: options.method,
      headers: { ...options.headers, ...route.headers },
      ...(options.body !== undefined && { body: options.body }),
      headersTimeout: 0,
      bodyTimeout: 0,
      // By default the connection is closed after HEAD, because a few servers send a body.
      ...(isHead && { reset: false }),
    },
    {
      onRequestStart(controller) {
        abort = (reason) => controller.abort(reason);
        if (stopped) controller.abort(stopped);
      },
      onResponseStart(controller, status, headers) {
        // Skips interim responses such as 103 Early Hints.
        if (status < 200) return;
        head = { url: url.href, status, headers };
        limit = options.maxBytes(head);
        // The length of a response to HEAD is that of a body which does not follow.
        const length = isHead ? 0 : Number(headers["content-length"] ?? 0);
        cuts = options.cutsBody(head);
        if (limit > 0) {
          if (length > limit && !cuts) stop(tooLarge(url.href, limit));
          return;
        }
        resolve({ ...head, body: undefined });
        // After HEAD an error page may follow even so, which must not be taken for the next response.
        if (length > MAX_DRAINED_BYTES || (isHead && status >= 400))
          controller.abort(new Error("the body is not wanted"));
      },
      onResponseData(controller, chunk) {
        size += chunk.length;
        if (limit > 0) {
          if (size > limit && !cuts) return stop(tooLarge(url.href, limit));
          chunks.push(chunk);
          if (size <= limit) return;
          finish();
          if (head) resolve({ ...head, body: Buffer.concat(chunks, limit) });
          controller.abort(new Error("the rest of the body is not wanted"));
        } else if (size > MAX_DRAINED_BYTES) controller.abort(new Error("the body is not wanted"));
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

/** A header of a response; of several with that name the last. */
export function header({ headers }: ResponseHead, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.at(-1) : value;
}
