import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { faultyPage } from "./faulty-page.ts";
import { median } from "./median.ts";
import { record } from "./results.ts";
import { type Document, type ServiceClient, serviceClient } from "./service-client.ts";
import { rounds } from "./smoke.ts";
import { startService } from "./start-service.ts";
import { startStaticServer } from "./static-server.ts";

/**
 * How long a client of a running service on one machine waits for the first finding of a page: from the request that
 * creates the report until GET /reports/ID/findings has one. It asks every 10 ms.
 *
 * It is compared with the work that this cannot do without, in a bare script (bare-page.ts): a Node is started, whose
 * compiled code is cached; it fetches the page, reads the compiled grammar meanwhile, runs the conformance engine on the page
 * once, and ends. In turns; the report has to find as much as the script.
 *
 *     node bench/first-finding.ts [rounds]
 */

const times = Number(process.argv[2] ?? rounds(9));
const POLL_MS = 10;
/** A report that fails has no finding ever. */
const LIMIT_MS = 120_000;
const bare = fileURLToPath(new URL("./bare-page.ts", import.meta.url));
const run = promisify(execFile);

type Measured = { ms: number; findings: number };

const folder = await mkdtemp(path.join(tmpdir(), "sv-bench-"));
await chmod(folder, 0o755);
const pages = path.join(folder, "site");
await mkdir(pages);
await writeFile(path.join(pages, "index.html"), faultyPage);
const site = await startStaticServer(pages);
const service = await startService(path.join(folder, "data"));
try {
  const client = serviceClient(service);
  // Once before, so that caches are warm.
  await bareRun();
  await report(client);
  const [ours, limit]: [(Measured & { complete: number })[], Measured[]] = [[], []];
  for (let round = 0; round < times; round++) {
    limit.push(await bareRun());
    ours.push(await report(client));
  }
  const found = new Set([...ours, ...limit].map(({ findings }) => findings));
  if (found.size !== 1 || found.has(0))
    throw new Error(`The reports and the script found different numbers of findings: ${[...found].join(", ")}.`);
  console.log(`load of the machine: ${loadavg()[0]?.toFixed(1)}`);
  const first = median(ours.map(({ ms }) => ms));
  const alone = median(limit.map(({ ms }) => ms));
  record({
    ...{
      row: "8",
      measure: "POST to first finding readable, standalone",
      against: "a node that fetches and checks the page",
    },
    ...{ ratio: first / alone, target: { atMost: 1.5 } },
    figures: {
      ...{ "ms until a finding is readable": first, "ms of the bare node": alone },
      "ms until the report is complete": median(ours.map(({ complete }) => complete)),
    },
  });
} finally {
  service.child.kill("SIGTERM");
  await service.ended;
  await site.close();
  await rm(folder, { recursive: true, force: true });
}

async function bareRun(): Promise<Measured> {
  const started = performance.now();
  const env = { ...process.env, COMPILED: path.join(folder, "compiled") };
  const { stdout } = await run(process.execPath, [bare, site.url], { env });
  return { ms: performance.now() - started, findings: Number(stdout) };
}

/** `complete` is the time until the report has ended. */
async function report(client: ServiceClient): Promise<Measured & { complete: number }> {
  const started = performance.now();
  const attributes = { starting_url: site.url, max_pages: 1, rate_limit: 0, perform_html_checks: true };
  const { data } = await client.request<{ data: Document }>("/api/v1/reports", attributes);
  const address = `/api/v1/reports/${data.id}`;
  const first = async () =>
    (await client.request<{ data: Document[] }>(`${address}/findings?page[size]=1`)).data.length;
  while ((await first()) === 0) {
    if (performance.now() - started > LIMIT_MS) throw new Error(`${address} has no finding after ${LIMIT_MS} ms.`);
    await sleep(POLL_MS);
  }
  const ms = performance.now() - started;
  const ended = await client.ended(address, { pollMs: POLL_MS });
  const { errors = 0, warnings = 0 } = ended.checks.html?.issues ?? {};
  return { ms, findings: errors + warnings, complete: performance.now() - started };
}
