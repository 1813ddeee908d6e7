import { execFile } from "node:child_process";
import path from "node:path";
import { getJson, kubectl, poll } from "./commands.ts";
import { throughIngress } from "./installation.ts";

/** The limits of test/e2e/values.yaml: the most that a report may ask for. */
export const MAX_PAGES = 500;
export const MAX_RATE_LIMIT = 1000;

const root = path.resolve(import.meta.dirname, "../../..");

type Counts = { status: Record<string, number>; reused: number; issues: { errors: number; warnings: number } } | null;
type ReportDocument = {
  id: string;
  attributes: { phase: string; num_pages: number; failure: unknown; checks: { html: Counts; a11y: Counts } };
};
type CommonIssue = { attributes: { message?: string; help?: string; how_many: number } };

/**
 * The results of a report, without what differs between runs, such as how many checks took their result from another report
 * that checked the same page before.
 */
export type Findings = {
  pages: number;
  checks: Record<string, Omit<NonNullable<Counts>, "reused"> | null>;
  issues: string[];
};

export type ReportObject = {
  metadata: { name: string; uid: string; annotations?: Record<string, string>; finalizers?: string[] };
  status?: {
    phase?: string;
    pages?: number;
    runs?: Record<string, number>;
    conditions?: { type: string; status: string; reason: string; message: string }[];
  };
};

/** A page with issues of both kinds, and links to the given paths. */
export function faultyPage(title: string, links: readonly string[]): string {
  const anchors = links.map((link) => `<li><a href="${link}">${link}</a></li>`).join("");
  return `<!DOCTYPE html><html><head><title>${title}</title></head><body><h1>${title}</h1><img src="x.png"><ul>${anchors}</ul><p>a</div></body></html>`;
}

/** That many pages, all linked from the first one. */
export function faultySite(pages: number): Record<string, string> {
  const paths = Array.from({ length: pages - 1 }, (_, index) => `/${index + 1}`);
  return Object.fromEntries(["/", ...paths].map((at) => [at, faultyPage(`Page ${at}`, at === "/" ? paths : ["/"])]));
}

/** POSTs a report through the Ingress. @returns its id */
export async function postReport(token: string, attributes: Record<string, unknown>): Promise<string> {
  const { status, body } = await throughIngress<{ data: ReportDocument }>("/api/v1/reports", {
    method: "POST",
    token,
    body: { data: { attributes } },
  });
  if (status !== 201) throw new Error(`POST returned ${status}: ${JSON.stringify(body)}`);
  return body.data.id;
}

/** Waits until a report has ended, and returns its results. @throws if it failed */
export async function findingsOf(token: string, id: string): Promise<Findings> {
  const report = await poll(async () => {
    const { body, status } = await throughIngress<{ data: ReportDocument }>(`/api/v1/reports/${id}`, { token });
    if (status !== 200) return undefined;
    const { phase, failure } = body.data.attributes;
    if (phase === "Failed") throw new Error(`The report failed: ${JSON.stringify(failure)}`);
    return phase === "Complete" && body.data;
  });
  const common: CommonIssue[] = [];
  for (const list of ["common_html_issues", "common_a11y_issues"]) {
    const url = `/api/v1/reports/${id}/${list}?page[size]=100`;
    common.push(...(await throughIngress<{ data: CommonIssue[] }>(url, { token })).body.data);
  }
  return findings(report, common);
}

/** What one machine finds without a cluster: `npm run check`. */
export async function findingsStandalone(url: string, flags: readonly string[]): Promise<Findings> {
  const args = ["src/main/index.ts", "check", url, "--json", "--max-pages", "0", "--fail-on", "never", ...flags];
  const output = await new Promise<string>((resolve, reject) => {
    execFile(process.execPath, args, { cwd: root, maxBuffer: 64 << 20 }, (error, stdout, stderr) =>
      error ? reject(new Error(`${error.message}\n${stderr}`)) : resolve(stdout),
    );
  });
  const document = JSON.parse(output) as {
    data: ReportDocument;
    findings: { kind: string; message: string; how_many: number }[];
  };
  const common = Map.groupBy(document.findings, ({ kind, message }) => `${kind} ${message}`);
  return findings(
    document.data,
    [...common.values()].map((found) => ({
      attributes: {
        message: found[0]?.message ?? "",
        how_many: found.reduce((sum, { how_many }) => sum + how_many, 0),
      },
    })),
  );
}

function findings({ attributes }: ReportDocument, common: CommonIssue[]): Findings {
  const issues = common.map(({ attributes: { message, help, how_many } }) => `${how_many} × ${message ?? help}`);
  const checks = Object.entries(attributes.checks).map(([kind, counts]) => {
    if (!counts) return [kind, null] as const;
    const { reused: _, ...same } = counts;
    return [kind, same] as const;
  });
  return { pages: attributes.num_pages, checks: Object.fromEntries(checks), issues: issues.sort() };
}

/** Creates a Report as kubectl would. */
export async function applyReport(namespace: string, name: string, spec: Record<string, unknown>): Promise<void> {
  const object = { apiVersion: "sitevalidation.io/v1", kind: "Report", metadata: { name }, spec };
  await kubectl(["create", "-n", namespace, "-f", "-"], JSON.stringify(object));
}

export function getReport(namespace: string, name: string): Promise<ReportObject> {
  return getJson<ReportObject>(["reports.sitevalidation.io", name, "-n", namespace]);
}

/** The names of the Jobs that work for reports. */
export async function listJobs(namespace: string): Promise<string[]> {
  const { items } = await getJson<{ items: { metadata: { name: string } }[] }>([
    ...["jobs", "-n", namespace, "-l", "sitevalidation.io/report"],
  ]);
  return items.map(({ metadata }) => metadata.name);
}

/** Waits until a pod of a stage runs. @returns its name */
export async function runningPod(namespace: string, selector: string): Promise<string> {
  return poll(async () => {
    const { items } = await getJson<{ items: { metadata: { name: string }; status: { phase: string } }[] }>([
      ...["pods", "-n", namespace, "-l", selector],
    ]);
    return items.find(({ status }) => status.phase === "Running")?.metadata.name;
  });
}
