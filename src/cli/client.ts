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
};

/**
 * @param options.base where the service listens, without a slash at the end
 * @throws UsageError (from its methods) when the service refuses what the user asked for
 */
export function createClient(options: { base: string; token: string; signal: AbortSignal }): Client {
  const { base, token, signal } = options;

  async function send<Document>(path: string, init: { method?: string; body?: string } = {}): Promise<Document> {
    const response = await fetch(`${base}/api/v1${path}`, {
      ...init,
      headers: {
        Authorization: `Bearer ${token}`,
        Accept: "application/vnd.api+json",
        ...(init.body === undefined ? {} : { "Content-Type": "application/vnd.api+json" }),
      },
      signal,
    });
    const document = (await response.json()) as Document & ErrorDocument;
    if (response.ok) return document;
    const details = (document.errors ?? []).map(inOptions);
    if (response.status === 400 || response.status === 422) throw new UsageError(details.join("\n"));
    throw new Error(`The service answered ${response.status} to ${path}: ${details.join(" ")}`);
  }

  function page<Resource>(path: string, number: number, size: number): Promise<ListDocument<Resource>> {
    const query = new URLSearchParams({ "page[number]": String(number), "page[size]": String(size) });
    return send(`${path}${path.includes("?") ? "&" : "?"}${query}`);
  }

  return {
    get: (path) => send(path),
    post: (path, attributes) => send(path, { method: "POST", body: JSON.stringify({ data: { attributes } }) }),
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
