import { Agent, type IncomingMessage, request } from "node:http";
import type { Errors, List, One, Resource, ResourceType } from "../api/documents.ts";
import { UsageError } from "../domain/errors.ts";
import { createRetryPolicy } from "../net/retry-policy.ts";
import { describeError } from "./check/request.ts";
import { readEvents, type StreamEvent } from "./event-reader.ts";

const PAGE_SIZE = 100;
const JSON_API = "application/vnd.api+json";

/** A client of the service's HTTP API, with what `check` needs. */
export type Client = {
  post<Type extends ResourceType>(path: string, attributes: Record<string, unknown>): Promise<One<Type>>;
  get<Document>(path: string): Promise<Document>;
  /** Every entry of a list, page by page. */
  all<Type extends ResourceType>(path: string): Promise<Resource<Type>[]>;
  /** A response that is not JSON:API, piece by piece: it may be larger than memory. */
  text(path: string): AsyncGenerator<string>;
  /** A small file, in base64. */
  base64(path: string): Promise<string>;
  /** The events of a stream until it ends, starting after the event `lastId`. */
  events(path: string, lastId?: string): AsyncGenerator<StreamEvent>;
  /** Closes idle connections. */
  close(): void;
};

/**
 * @param options.base where the service listens, without a slash at the end
 * @throws UsageError (from its methods) when the service rejects the user's input
 */
export function createClient(options: { base: string; token: string; signal: AbortSignal }): Client {
  const { base, token, signal } = options;

  const agent = new Agent({ keepAlive: true });
  const retryPolicy = createRetryPolicy();

  async function send<Document>(path: string, method: "GET" | "POST" = "GET", body?: string): Promise<Document> {
    return JSON.parse(await textOf(await requestOk(path, { method, accept: JSON_API, body }))) as Document;
  }

  type Sent = {
    method: string;
    accept: string;
    body?: string | undefined;
    lastId?: string | undefined;
    encoding?: BufferEncoding;
  };

  /** @throws UsageError for status 400 and 422, Error for any other status that is not a success */
  async function requestOk(path: string, sent: Sent): Promise<IncomingMessage> {
    const response = await sendInTime(path, sent);
    const { statusCode: status = 0 } = response;
    if (status >= 200 && status < 300) return response;
    const { errors } = JSON.parse(await textOf(response)) as Partial<Errors>;
    const details = (errors ?? []).map(describeError);
    if (status === 400 || status === 422) throw new UsageError(details.join("\n"));
    throw new Error(`The service responded with ${status} to ${path}: ${details.join(" ")}`);
  }

  /** Reads again what the service could not say at that moment, such as while its database starts again. */
  async function sendInTime(path: string, sent: Sent): Promise<IncomingMessage> {
    for (let tries = 0; ; tries += 1) {
      await retryPolicy.wait(signal);
      const response = await sendRequest(path, sent);
      const { statusCode: status = 0, headers } = response;
      const isRead = sent.method === "GET";
      if (!isRead || !retryPolicy.shouldRetry({ status, retryAfter: headers["retry-after"] }, tries)) return response;
      response.resume();
    }
  }

  // Uses node:http, because loading fetch takes longer than all requests here.
  function sendRequest(
    path: string,
    { method, accept, body, lastId, encoding = "utf8" }: Sent,
  ): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const headers = {
        Authorization: `Bearer ${token}`,
        Accept: accept,
        ...(body === undefined ? {} : { "Content-Type": JSON_API }),
        ...(lastId === undefined ? {} : { "Last-Event-ID": lastId }),
      };
      const sent = request(`${base}/api/v1${path}`, { method, headers, agent, signal }, (response) => {
        response.setEncoding(encoding);
        resolve(response);
      });
      sent.once("error", reject);
      sent.end(body);
    });
  }

  function page<Type extends ResourceType>(path: string, number: number, size: number): Promise<List<Type>> {
    const query = new URLSearchParams({ "page[number]": String(number), "page[size]": String(size) });
    return send(`${path}${path.includes("?") ? "&" : "?"}${query}`);
  }

  return {
    close: () => agent.destroy(),
    get: (path) => send(path),
    post: (path, attributes) => send(path, "POST", JSON.stringify({ data: { attributes } })),
    async *events(path, lastId) {
      yield* readEvents(await requestOk(path, { method: "GET", accept: "text/event-stream", lastId }));
    },
    async *text(path) {
      yield* (await requestOk(path, { method: "GET", accept: "*/*" })) as AsyncIterable<string>;
    },
    base64: async (path) => textOf(await requestOk(path, { method: "GET", accept: "*/*", encoding: "base64" })),
    async all<Type extends ResourceType>(path: string) {
      const found: Resource<Type>[] = [];
      for (let number = 1; ; number++) {
        const { data, links } = await page<Type>(path, number, PAGE_SIZE);
        found.push(...data);
        if (!links.next) return found;
      }
    },
  };
}

async function textOf(response: AsyncIterable<string>): Promise<string> {
  let text = "";
  for await (const chunk of response) text += chunk;
  return text;
}
