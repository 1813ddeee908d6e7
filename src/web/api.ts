import { createHash } from "node:crypto";
import type { List, Resource, ResourceType } from "../api/documents.ts";
import type { Call, Calls, HttpExchange } from "../api/page-port.ts";
import type { Principal } from "../domain/accounts/principal.ts";
import type { Backoff } from "../domain/backoff.ts";
import { RequestError } from "../domain/errors.ts";
import { retry } from "../time/retry.ts";
import type { OncePerKey } from "./once-per-key.ts";

/** The API for one person who asks for a page. Paths are below `/api/v1`. */
export type Api = {
  /** @throws RequestError for what the person may not see, or what does not exist */
  get<Document>(path: string, query?: Readonly<Record<string, string | undefined>>): Promise<Document>;
  /** A file in an encoding of `Buffer`. @throws RequestError as `get` does */
  file(path: string, encoding: "utf8" | "base64"): Promise<string>;
  /** @param repeatKey a form's own key: sent twice, it creates one thing */
  post<Document>(path: string, attributes: Record<string, unknown>, options?: PostOptions): Promise<Document>;
  patch<Document>(path: string, attributes: Record<string, unknown>): Promise<Document>;
  delete(path: string, query?: Readonly<Record<string, string | undefined>>): Promise<void>;
};

type PostOptions = {
  repeatKey?: string | undefined;
  /** What the form asks for, where the attributes also depend on the time: by this its repetition is known. */
  asked?: Readonly<Record<string, unknown>>;
  query?: Readonly<Record<string, string | undefined>>;
};

/** @param options.shareSecret of the share link that opens what is asked for; `isPart` as for a call */
export function apiFor(
  port: Pick<Calls, "call">,
  exchange: HttpExchange,
  caller: Principal | null,
  oncePerKey: OncePerKey,
  options: Pick<Call, "shareSecret" | "isPart"> = {},
): Api {
  const send = async <Document>(call: Omit<Call, "caller">): Promise<Document> => {
    const response = await port.call(exchange, { ...call, caller, ...options });
    return response.document as Document;
  };
  return {
    get: (path, query = {}) => send({ method: "GET", path, query: searchOf(query) }),
    async file(path, encoding) {
      const { file } = await port.call(exchange, { method: "GET", path, caller, ...options });
      return file?.bytes.toString(encoding) ?? "";
    },
    post: (path, attributes, { repeatKey, asked = attributes, query = {} } = {}) => {
      const call = { method: "POST", path, attributes, query: searchOf(query) } as const;
      if (!repeatKey) return send(call);
      const key = keyOf(repeatKey, path, asked);
      return oncePerKey(`${caller?.tokenId} ${key}`, () => onceDone(() => send({ ...call, repeatKey: key })));
    },
    patch: (path, attributes) => send({ method: "PATCH", path, attributes }),
    delete: (path, query = {}) => send({ method: "DELETE", path, query: searchOf(query) }),
  };
}

/** The key of a request. A form that was changed after a step back in the browser's history is another request. */
function keyOf(repeatKey: string, path: string, asked: Readonly<Record<string, unknown>>): string {
  return createHash("sha256")
    .update(JSON.stringify([repeatKey, path, asked]))
    .digest("base64url");
}

const REPEAT_BACKOFF: Backoff = { baseMs: 200, maxMs: 200 };
const MAX_REPEATS_MS = 10_000;

/** A form that is sent twice at once waits for the response of the first request, and gets the same one. */
function onceDone<Result>(act: () => Promise<Result>): Promise<Result> {
  const isRunning = (error: unknown): boolean =>
    error instanceof RequestError && error.violations[0]?.code === "request_running";
  return retry(act, {
    shouldRetry: (error, { elapsedMs }) => isRunning(error) && elapsedMs < MAX_REPEATS_MS,
    backoff: REPEAT_BACKOFF,
  });
}

/** The most pages that are read of a short list, of 100 entries each: a site has 500 sections and 500 causes that somebody has, and itself. */
const MAX_LISTS = 11;

/** All entries of a short list. */
export async function readAll<Type extends ResourceType>(
  api: Api,
  path: string,
  filters: Readonly<Record<`filter[${string}]`, string>> = {},
): Promise<Resource<Type>[]> {
  const all: Resource<Type>[] = [];
  for (let number = 1; number <= MAX_LISTS; number += 1) {
    const query = { ...filters, "page[number]": String(number), "page[size]": "100" };
    const { data, meta } = await api.get<List<Type>>(path, query);
    all.push(...data);
    if (all.length >= meta.total) break;
  }
  return all;
}

/** The given parameters, without undefined and empty ones. */
export function searchOf(query: Readonly<Record<string, string | undefined>>): URLSearchParams {
  return new URLSearchParams(
    Object.entries(query).flatMap(([name, value]): [string, string][] =>
      value === undefined || value === "" ? [] : [[name, value]],
    ),
  );
}
