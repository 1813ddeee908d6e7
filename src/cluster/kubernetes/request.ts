import { fetch, type Response } from "undici";
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
  /** @throws ClusterError for every response that is not 2xx, and when there is no response */
  request(
    method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
    path: string,
    options?: RequestOptions,
  ): Promise<unknown>;
  /** The open response of a watch. @throws ClusterError */
  stream(path: string, options: RequestOptions & { signal: AbortSignal }): Promise<Response>;
};

type RequestOptions = {
  query?: Record<string, string | undefined>;
  body?: unknown;
  contentType?: string;
  signal?: AbortSignal;
};

/** The longest wait for a response; the API server's own limit for a request is 60 s. */
const REQUEST_TIMEOUT_MS = 65_000;

/** @param options.reuse false: a new connection for each request */
export function createApiServer(
  { server, credentials }: ApiServerConfig,
  { reuse = true }: { reuse?: boolean } = {},
): ApiServer {
  async function send(method: string, path: string, options: RequestOptions): Promise<Response> {
    const url = new URL(server + path);
    setQuery(url, options.query ?? {});
    let response: Response;
    try {
      const { headers, dispatcher } = await credentials(url.toString(), { reuse });
      const body = options.body === undefined ? undefined : JSON.stringify(options.body);
      response = await fetch(url, {
        method,
        headers: {
          ...{ ...headers, Accept: "application/json", "User-Agent": "site-validator" },
          ...(body === undefined ? {} : { "Content-Type": options.contentType ?? "application/json" }),
        },
        ...(body === undefined ? {} : { body }),
        ...(dispatcher ? { dispatcher } : {}),
        ...(options.signal ? { signal: options.signal } : {}),
      });
    } catch (error) {
      throw new ClusterError(
        "Unavailable",
        `The Kubernetes API server at ${server} did not respond: ${reason(error)}.`,
        {
          cause: error,
        },
      );
    }
    if (!response.ok) throw await failure(method, path, response);
    return response;
  }

  return {
    async request(method, path, options = {}) {
      const response = await send(method, path, { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS), ...options });
      try {
        return await response.json();
      } catch (error) {
        throw new ClusterError("Unavailable", `The response to ${method} ${path} was interrupted: ${reason(error)}.`, {
          cause: error,
        });
      }
    },
    stream: (path, options) => send("GET", path, options),
  };
}

function setQuery(url: URL, query: Record<string, string | undefined>): void {
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
}

/** The innermost cause: undici wraps "ECONNREFUSED" in "fetch failed". */
function reason(error: unknown): string {
  let inner = error;
  while (inner instanceof Error && inner.cause) inner = inner.cause;
  return inner instanceof Error ? inner.message : String(inner);
}

/** `metav1.Status`, the body of every error of the API server. */
type Status = { reason?: string; message?: string };

async function failure(method: string, path: string, response: Response): Promise<ClusterError> {
  const text = await response.text().catch(() => "");
  let status: Status = {};
  try {
    status = JSON.parse(text) as Status;
  } catch {
    status = { message: text.slice(0, 500) };
  }
  return new ClusterError(
    reasonOf(response.status, status),
    `${method} ${path} failed with ${response.status}: ${status.message || response.statusText || "no message"}`,
  );
}

/** Why a call failed, from the HTTP status and the reason in the body ("Kubernetes API conventions", HTTP status codes). */
export function reasonOf(httpStatus: number, status: Status): ClusterErrorReason {
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
