import { Agent, request } from "node:http";
import { UsageError } from "../domain/errors.ts";
import type { ErrorDocument, ListDocument, OneDocument } from "./documents.ts";
import { inOptions } from "./request.ts";

const PAGE_SIZE = 100;

/** The service's HTTP API as `check` needs it. */
export type Client = {
  get<Resource>(path: string): Promise<OneDocument<Resource>>;
  post<Resource>(path: string, attributes: Record<string, unknown>): Promise<OneDocument<Resource>>;
  /** The first `size` entries of a list, and how many there are. */
  first<Resource>(path: string, size: number): Promise<{ data: Resource[]; total: number }>;
  /** Every entry of a list, page by page. */
  all<Resource>(path: string): Promise<Resource[]>;
  /** Ends the connections that are kept open. */
  close(): void;
};

/**
 * @param options.base where the service listens, without a slash at the end
 * @throws UsageError (from its methods) when the service refuses what the user asked for
 */
export function createClient(options: { base: string; token: string; signal: AbortSignal }): Client {
  const { base, token, signal } = options;

  const agent = new Agent({ keepAlive: true });

  async function send<Document>(path: string, method: "GET" | "POST" = "GET", body?: string): Promise<Document> {
    const { status, text } = await exchange(path, method, body);
    const document = JSON.parse(text) as Document & ErrorDocument;
    if (status >= 200 && status < 300) return document;
    const details = (document.errors ?? []).map(inOptions);
    if (status === 400 || status === 422) throw new UsageError(details.join("\n"));
    throw new Error(`The service answered ${status} to ${path}: ${details.join(" ")}`);
  }

  // node:http, since loading fetch takes longer than all that is asked of it here.
  function exchange(path: string, method: string, body: string | undefined): Promise<{ status: number; text: string }> {
    return new Promise((resolve, reject) => {
      const headers = {
        Authorization: `Bearer ${token}`,
        Accept: "application/vnd.api+json",
        ...(body === undefined ? {} : { "Content-Type": "application/vnd.api+json" }),
      };
      const sent = request(`${base}/api/v1${path}`, { method, headers, agent, signal }, (response) => {
        response.setEncoding("utf8");
        let text = "";
        response.on("data", (chunk: string) => {
          text += chunk;
        });
        response.once("end", () => resolve({ status: response.statusCode ?? 0, text }));
        response.once("error", reject);
      });
      sent.once("error", reject);
      sent.end(body);
    });
  }

  function page<Resource>(path: string, number: number, size: number): Promise<ListDocument<Resource>> {
    const query = new URLSearchParams({ "page[number]": String(number), "page[size]": String(size) });
    return send(`${path}${path.includes("?") ? "&" : "?"}${query}`);
  }

  return {
    get: (path) => send(path),
    close: () => agent.destroy(),
    post: (path, attributes) => send(path, "POST", JSON.stringify({ data: { attributes } })),
    async first<Resource>(path: string, size: number) {
      const { data, meta } = await page<Resource>(path, 1, size);
      return { data, total: meta.total };
    },
    async all<Resource>(path: string) {
      const found: Resource[] = [];
      for (let number = 1; ; number++) {
        const { data, links } = await page<Resource>(path, number, PAGE_SIZE);
        found.push(...data);
        if (!links.next) return found;
      }
    },
  };
}
