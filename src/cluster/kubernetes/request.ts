import { STATUS_CODES } from "node:http";
import type { Readable } from "node:stream";
import { type Dispatcher, request as send } from "undici";
import { ClusterError, type ClusterErrorReason } from "../port.ts";
import type { ApiServerConfig } from "./api-server-config.ts";

/**
 * One request to the API server, with the credentials and the TLS of its config.
 *
 * Objects are sent and received as plain JSON. The client library's typed classes convert
 * timestamps to Date objects and drop unknown fields, so an object that is read and written
 * back would change.
 */
export type ApiServer = {
  /**
   * @throws ClusterError for every response that is not 2xx, and `Unavailable` when there is no response, or none before
   * the signal is aborted
   */
  request(method: Method, path: string, options?: RequestOptions): Promise<unknown>;
  /** The open response of a watch. @throws ClusterError */
  stream(path: string, options: TimedOptions): Promise<Readable>;
};

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

type RequestOptions = {
  query?: Record<string, string | undefined>;
  body?: unknown;
  contentType?: string;
  signal?: AbortSignal;
};
type TimedOptions = RequestOptions & { signal: AbortSignal };

/** The longest wait for a response; the API server's own limit for a request is 60 s. */
const REQUEST_TIMEOUT_MS = 65_000;

/** @param options.reuse false: a new connection for each request */
export function createApiServer(
  { server, credentials, onDate }: ApiServerConfig,
  { reuse = true }: { reuse?: boolean } = {},
): ApiServer {
  async function sendWithCredentials(
    method: Method,
    path: string,
    options: TimedOptions,
  ): Promise<Dispatcher.ResponseData> {
    const url = new URL(server + path);
    setQuery(url, options.query ?? {});
    const { headers, dispatcher } = await credentials(url.toString(), { reuse });
    const body = options.body === undefined ? undefined : JSON.stringify(options.body);
    return await send(url, {
      method,
      headers: {
        ...headers,
        Accept: "application/json",
        "User-Agent": "site-validator",
        ...(body === undefined ? {} : { "Content-Type": options.contentType ?? "application/json" }),
      },
      ...(body === undefined ? {} : { body }),
      ...(dispatcher ? { dispatcher } : {}),
      signal: options.signal,
    });
  }

  async function respond(method: Method, path: string, options: TimedOptions): Promise<Dispatcher.ResponseData> {
    let response: Dispatcher.ResponseData;
    try {
      options.signal.throwIfAborted();
      // undici looks at a signal only once it has a connection, which may take until its own limit of ten seconds.
      response = await untilAborted(options.signal, sendWithCredentials(method, path, options));
    } catch (error) {
      throw new ClusterError(
        "Unavailable",
        `The Kubernetes API server at ${server} did not respond: ${reason(error)}.`,
        {
          cause: error,
        },
      );
    }
    if (typeof response.headers.date === "string") onDate?.(response.headers.date);
    if (response.statusCode < 200 || response.statusCode > 299) throw await failure(method, path, response);
    return response;
  }

  async function request(method: Method, path: string, options: TimedOptions): Promise<unknown> {
    const { body } = await respond(method, path, options);
    try {
      return await body.json();
    } catch (error) {
      throw new ClusterError("Unavailable", `The response to ${method} ${path} was interrupted: ${reason(error)}.`, {
        cause: error,
      });
    }
  }

  return {
    async request(method, path, options = {}) {
      const { signal } = options;
      if (signal) return await request(method, path, { ...options, signal });
      const timeout = new AbortController();
      const expire = () => timeout.abort(new Error(`there was no response within ${REQUEST_TIMEOUT_MS / 1000} s`));
      // Not AbortSignal.timeout: its timers, and all that they keep in memory, would outlive the requests.
      const timer = setTimeout(expire, REQUEST_TIMEOUT_MS);
      try {
        return await request(method, path, { ...options, signal: timeout.signal });
      } finally {
        clearTimeout(timer);
      }
    },
    stream: async (path, options) => (await respond("GET", path, options)).body,
  };
}

function setQuery(url: URL, query: Record<string, string | undefined>): void {
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
}

/** The innermost cause, as the error of the connection. */
function reason(error: unknown): string {
  let inner = error;
  while (inner instanceof Error && inner.cause) inner = inner.cause;
  return inner instanceof Error ? inner.message : String(inner);
}

/** `metav1.Status`, the body of every error of the API server. */
type Status = { reason?: string; message?: string; details?: { causes?: { reason?: string }[] } };

async function failure(
  method: string,
  path: string,
  { statusCode, body }: Dispatcher.ResponseData,
): Promise<ClusterError> {
  const text = await body.text().catch(() => "");
  let status: Status = {};
  try {
    status = JSON.parse(text) as Status;
  } catch {
    status = { message: text.slice(0, 500) };
  }
  return new ClusterError(
    reasonOf(statusCode, status),
    `${method} ${path} failed with ${statusCode}: ${status.message || STATUS_CODES[statusCode] || "no message"}`,
  );
}

/** Why a call failed, from the HTTP status and the reason in the body ("Kubernetes API conventions", HTTP status codes). */
export function reasonOf(httpStatus: number, status: Status): ClusterErrorReason {
  if (status.details?.causes?.some(({ reason }) => reason === "ResourceVersionTooLarge"))
    return "ResourceVersionTooLarge";
  switch (httpStatus) {
    case 404:
      return "NotFound";
    case 409:
      return status.reason === "AlreadyExists" ? "AlreadyExists" : "Conflict";
    case 410:
      return "Expired";
    case 400:
    case 405:
    case 413:
    case 415:
    case 422:
      return "Invalid";
    case 401:
    case 403:
      return "Forbidden";
    default:
      return "Unavailable";
  }
}

/**
 * Waits for `work`, but only until `signal` aborts. Work that takes longer continues, and an error that it throws then
 * is ignored.
 *
 * @throws the signal's reason, or the error of `work`
 */
export function untilAborted<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
