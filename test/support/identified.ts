import type { EngineRunner } from "../../src/checker/engine.ts";
import { createAxeRunner } from "../../src/checker/engines/axe/runner.ts";
import { createHtmlRunner } from "../../src/checker/engines/html/runner.ts";
import { cacheFolder, javaExecutables } from "../../src/config.ts";
import { identifyIssue } from "../../src/domain/identity/identify-issue.ts";
import { pageKey } from "../../src/domain/identity/page-key.ts";
import { addressPolicy } from "../../src/net/addresses.ts";
import type { HtmlEngineName } from "../../src/schema/html-engines.ts";
import { createLogger } from "../../src/telemetry/log.ts";
import { reportSpec } from "./builders.ts";
import { serveSite } from "./site.ts";

const log = createLogger("error", { program: "test" });

/** Starts an engine as a checker does: it checks in processes of its own, or in Chromium. */
export function startEngine(name: HtmlEngineName | "axe-core"): Promise<EngineRunner> {
  if (name === "axe-core") {
    const policy = addressPolicy(["127.0.0.0/8", "::1/128"]);
    return createAxeRunner({ chromePath: undefined, policy, spec: reportSpec(), log });
  }
  const [cacheDir, java] = [cacheFolder(process.env), javaExecutables(process.env)];
  return createHtmlRunner(name, { log, cacheDir, javaExecutables: java, workers: 1 });
}

/** What identifies one element's fault; `tag` is that of its start tag, "" without an element. */
export type Identified = { fingerprint: string; tag: string; selector: string };

/** What an engine finds on a page, one for each element, sorted. Every call serves the page from another origin. */
export async function identified(runner: EngineRunner, source: string, path = "/a"): Promise<Identified[]> {
  const site = await serveSite({ [path]: source });
  const url = `${site.origin}${path}`;
  const task = { url, document: { source, contentType: "text/html; charset=utf-8" }, spec: reportSpec() };
  const outcome = await runner
    .check(task, { signal: new AbortController().signal, beforeRequest: async () => {} })
    .finally(() => site.close());
  if ("failure" in outcome) throw new Error(outcome.failure.detail);
  return outcome.issues
    .flatMap((issue) => identifyIssue(outcome.kind, issue, pageKey(url)).findings)
    .flatMap(({ rule, fingerprint, element, howMany }) => {
      const one = { fingerprint: `${rule} ${fingerprint}`, tag: element?.tag ?? "", selector: element?.selector ?? "" };
      return Array<Identified>(howMany).fill(one);
    })
    .sort((a, b) => (a.fingerprint < b.fingerprint ? -1 : 1));
}
