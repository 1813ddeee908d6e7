import { setTimeout as sleep } from "node:timers/promises";

/** A document of the API, with the attributes that benchmarks read. */
export type Document<Attributes = Record<string, unknown>> = { id: string; attributes: Attributes };

export type CheckSummary = {
  status: { pending: number; checked: number; failed: number };
  issues: { errors: number; warnings: number; outside_standard?: number };
};

export type Report = {
  num_pages: number;
  phase: string;
  failure: unknown;
  checks: { html: CheckSummary | null; a11y: CheckSummary | null };
};

/** A client of a service that startService has started. */
export type ServiceClient = {
  /** GET, or POST with these attributes. @throws Error unless the response is 2xx */
  request<Body>(path: string, attributes?: Record<string, unknown>): Promise<Body>;
  /** All items of a list, page by page. */
  all(path: string): Promise<Document[]>;
  /** Waits until a report has ended. @param options.pollMs how often it looks */
  ended(path: string, options?: { pollMs?: number }): Promise<Report>;
  /** Creates a report and waits until it has ended. */
  finish(attributes: Record<string, unknown>): Promise<{ path: string; report: Report; seconds: number }>;
};

/** @param service its address and a token of an account */
export function serviceClient({ url, token }: { url: string; token: string }): ServiceClient {
  const client: ServiceClient = {
    async request(path, attributes) {
      const response = await fetch(new URL(path, url), {
        headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
        ...(attributes && { method: "POST", body: JSON.stringify({ data: { attributes } }) }),
      });
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      return (await response.json()) as never;
    },
    async all(path) {
      const items: Document[] = [];
      let next: string | null | undefined = `${path}?page[size]=100`;
      while (next) {
        const page: { data: Document[]; links: { next?: string | null } } = await client.request(next);
        items.push(...page.data);
        next = page.links.next;
      }
      return items;
    },
    async ended(path, { pollMs = 250 } = {}) {
      for (;;) {
        const { attributes: report } = (await client.request<{ data: Document<Report> }>(path)).data;
        if (report.phase === "Complete" || report.phase === "Failed") return report;
        await sleep(pollMs);
      }
    },
    async finish(attributes) {
      const started = performance.now();
      const { data } = await client.request<{ data: Document }>("/api/v1/reports", attributes);
      const path = `/api/v1/reports/${data.id}`;
      const report = await client.ended(path);
      return { path, report, seconds: (performance.now() - started) / 1000 };
    },
  };
  return client;
}
