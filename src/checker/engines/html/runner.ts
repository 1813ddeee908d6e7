import type { HtmlEngineName } from "../../../schema/html-engines.ts";
import type { EngineRunner } from "../../engine.ts";
import { issuesOf, noticesIn, rawCheck } from "./findings.ts";
import { type StartOptions, startHtmlEngine } from "./start-engine.ts";

/** Checks pages with the HTML engine of that name. @throws UsageError when it cannot run here */
export async function createHtmlRunner(name: HtmlEngineName, options: StartOptions): Promise<EngineRunner> {
  const html = await startHtmlEngine(name, options);
  return {
    kind: "html",
    concurrency: html.concurrency,
    async check({ url, document, spec }, { signal, alone = false }) {
      if (document === undefined)
        return { kind: "html", failure: { code: "source_missing", detail: "The page's source is no longer stored." } };
      const result = await html.check({ ...document, url, repaired: true }, signal, { alone });
      if ("engineError" in result)
        return {
          kind: "html",
          failure: { code: result.code ?? "engine_error", detail: result.engineError },
          ...(result.deadlineExceeded && { deadlineExceeded: true }),
        };
      const { messages, elements, repaired, language = "" } = result;
      return {
        kind: "html",
        engine: html.engine,
        issues: issuesOf(name, messages, elements, repaired),
        notices: noticesIn(messages),
        ...(spec.storeRawHtmlChecks ? { raw: rawCheck(url, language, messages) } : {}),
      };
    },
    close: () => html.close(),
  };
}
