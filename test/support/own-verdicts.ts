import { decodeDocument } from "html-conformance/documents";
import type { EngineRunner } from "../../src/checker/engine.ts";
import { createAxeRunner } from "../../src/checker/engines/axe/runner.ts";
import { startHtmlEngine } from "../../src/checker/engines/html/start-engine.ts";
import { cacheFolder, javaExecutables } from "../../src/config.ts";
import { addressPolicy } from "../../src/net/addresses.ts";
import type { HtmlEngineName } from "../../src/schema/html-engines.ts";
import { createLogger } from "../../src/telemetry/log.ts";
import { reportSpec } from "./builders.ts";

const log = createLogger("error", {});
const { signal } = new AbortController();

/** What an HTML engine finds in pages of ours: errors and warnings, one a line. */
export async function findHtml(
  name: HtmlEngineName,
  pages: readonly { name: string; html: string }[],
): Promise<string[]> {
  const engine = await startHtmlEngine(name, {
    ...{ log, cacheDir: cacheFolder(process.env), workers: 1 },
    javaExecutables: javaExecutables(process.env),
  });
  try {
    const found: string[] = [];
    for (const page of pages) {
      const decoded = decodeDocument(Buffer.from(page.html), "text/html; charset=utf-8", "html");
      const result = await engine.check({ url: `http://example.test/${page.name}`, ...decoded }, signal);
      if ("engineError" in result) throw new Error(String(result.engineError));
      for (const { rule, message, extract, type, subType } of result.messages)
        if (type === "error" || subType === "warning") found.push(`${page.name}: ${rule}: ${message} ${extract}`);
    }
    return found;
  } finally {
    await engine.close();
  }
}

/** Runs axe-core on pages of ours, with what a person should review. */
export type OwnAxe = { find(name: string, url: string): Promise<string[]>; close(): Promise<void> };

export async function openOwnAxe(): Promise<OwnAxe> {
  const spec = reportSpec({ storeIncompleteChecks: true });
  const policy = addressPolicy(["127.0.0.0/8", "::1/128"]);
  const axe: EngineRunner = await createAxeRunner({ chromePath: undefined, log, policy, spec });
  return {
    async find(name, url) {
      const asked = { url, document: undefined, spec: reportSpec() };
      const outcome = await axe.check(asked, { signal, beforeRequest: async () => {} });
      if ("failure" in outcome || outcome.kind !== "a11y") throw new Error(`${name}: ${JSON.stringify(outcome)}`);
      return outcome.issues.map(
        ({ rule, message, html }) => `${name}: ${rule}: ${message} ${html.map(({ extract }) => extract).join(" ")}`,
      );
    },
    close: () => axe.close(),
  };
}
