import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { createAxeRunner } from "../src/checker/engines/axe/runner.ts";
import { addressPolicy } from "../src/net/addresses.ts";
import { createLogger } from "../src/telemetry/log.ts";
import { reportSpec } from "../test/support/builders.ts";
import { record } from "./results.ts";
import { isSmoke } from "./smoke.ts";

/**
 * Accessibility checks of made sites that respond late, or are heavy: as many pages at once as the checker decides, and
 * fixed numbers of them, in one run:
 *
 *     node bench/adaptive-tabs.ts [pages] [fixed numbers…]
 */

const SITES = [
  { name: "50 ms", delay: 50, script: 0 },
  { name: "200 ms", delay: 200, script: 0 },
  { name: "700 ms", delay: 700, script: 0 },
  { name: "1 MB of script", delay: 50, script: 1_000_000 },
];

const [pages = isSmoke ? 6 : 100, ...given] = process.argv.slice(2).map(Number);
const fixed = given.length > 0 ? given : isSmoke ? [2] : [2, 3, 4, 6, 8, 12];

type Site = (typeof SITES)[number];

/** From a process of its own, so that it does not share the event loop of what is measured. */
async function startSite({ delay, script }: Site): Promise<{ url: string; close: () => Promise<void> }> {
  const child: ChildProcess = fork(fileURLToPath(import.meta.url), ["serve", String(delay), String(script)]);
  const [port] = (await once(child, "message")) as [number];
  return {
    url: `http://127.0.0.1:${port}/`,
    async close() {
      const gone = once(child, "exit");
      child.kill();
      await gone;
    },
  };
}

function serve(delay: number, length: number): void {
  const work = "for (let i = 0, s = 0; i < 2e6; i++) s += Math.sqrt(i);";
  const script = work + `x={a:function(){return "${"y".repeat(80)}"}};`.repeat(Math.ceil(length / 110));
  const body =
    '<section><h2>Part</h2><p>Text and <a href="/1">a link</a><p style="color:#999">grey<ul><li>x</ul></section>';
  const page = `<!DOCTYPE html><html lang="en"><title>Page</title><main><h1>Page</h1>${body.repeat(15)}<img src="/x.png"></main>${length ? '<script src="/script.js"></script>' : ""}`;
  const server = createServer((request, response) => {
    const isScript = request.url?.startsWith("/script.js");
    setTimeout(
      () => {
        response.writeHead(200, { "content-type": isScript ? "text/javascript" : "text/html" });
        response.end(isScript ? script : page);
      },
      isScript ? 0 : delay,
    );
  });
  // A connection that is closed between two pages says nothing about their number.
  server.keepAliveTimeout = 600_000;
  process.once("disconnect", () => process.exit());
  server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
}

/** Pages a second, and what was found; `tabs` at once, or as many as the checker decides. */
async function checkSite(url: string, tabs: number | undefined) {
  const runner = await createAxeRunner({
    ...{ chromePath: undefined, policy: addressPolicy(["127.0.0.0/8"]), spec: reportSpec() },
    log: createLogger("error", {}),
    ...(tabs !== undefined && { tabLimits: { least: tabs, most: tabs, kept: tabs } }),
  });
  const running = new Set<Promise<void>>();
  const options = { signal: new AbortController().signal, beforeRequest: async () => {} };
  let findings = 0;
  let most = 0;
  const check = async (number: number): Promise<void> => {
    const outcome = await runner.check({ url: `${url}${number}`, document: undefined, spec: reportSpec() }, options);
    if ("failure" in outcome) throw new Error(outcome.failure.detail ?? outcome.failure.code);
    findings += outcome.issues.reduce((sum, { html }) => sum + html.length, 0);
  };
  const start = performance.now();
  for (let next = 0; next < pages || running.size > 0; ) {
    while (next < pages && running.size < runner.concurrency) {
      const task = check(next++).finally(() => running.delete(task));
      running.add(task);
    }
    most = Math.max(most, runner.concurrency);
    await Promise.race(running);
  }
  const seconds = (performance.now() - start) / 1_000;
  await runner.close();
  return { rate: pages / seconds, findings, most };
}

if (process.argv[2] === "serve") serve(Number(process.argv[3]), Number(process.argv[4]));
else {
  const ratios: number[] = [];
  const figures: Record<string, number> = {};
  for (const site of SITES) {
    const { url, close } = await startSite(site);
    const adaptive = await checkSite(url, undefined);
    const rates: string[] = [];
    let best = { tabs: 0, rate: 0 };
    for (const tabs of fixed) {
      const { rate, findings } = await checkSite(url, tabs);
      if (findings !== adaptive.findings)
        throw new Error(`${tabs} tabs found ${findings} elements, and a number that adapts ${adaptive.findings}.`);
      rates.push(`${tabs}: ${rate.toFixed(2)}`);
      if (rate > best.rate) best = { tabs, rate };
    }
    console.log(
      `${site.name}: ${adaptive.rate.toFixed(2)} pages/s with up to ${adaptive.most} tabs; fixed ${rates.join(", ")}`,
    );
    ratios.push(adaptive.rate / best.rate);
    figures[`pages a second, ${site.name}`] = adaptive.rate;
    figures[`pages a second with ${best.tabs} tabs, ${site.name}`] = best.rate;
    await close();
  }
  record({
    ...{ row: "5a", measure: "a11y checks with tabs as needed", against: "the best fixed number of tabs" },
    ...{ ratio: Math.min(...ratios), target: { atLeast: 0.9 } },
    figures,
  });
}
