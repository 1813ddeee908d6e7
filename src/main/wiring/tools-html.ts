import type { HtmlEngine } from "../../checker/engines/html/port.ts";
import type { Config } from "../../config.ts";
import { UsageError } from "../../domain/errors.ts";
import { once } from "../../domain/once.ts";
import type { ToolDeps } from "../../mcp/tool.ts";
import type { Logger } from "../../telemetry/log.ts";

/** For one document: less than a client waits for an answer. */
const MAX_CPU_MS = 20_000;

/** How tools check a document: in a confined process of an engine, which is started with the first one. */
export function openHtmlTool(
  { cacheDir }: Pick<Config, "cacheDir">,
  log: Logger,
): Pick<ToolDeps, "checkHtml"> & { close(): Promise<void> } {
  let started: Promise<HtmlEngine> | undefined;
  const engine = once(() => {
    started = import("../../checker/engines/html/start-engine.ts").then(({ startHtmlEngine }) =>
      startHtmlEngine("conformance", { log, cacheDir, workers: 1, timeoutMs: MAX_CPU_MS }),
    );
    return started;
  });
  return {
    async checkHtml(document, signal) {
      const result = await (await engine()).check({ ...document, causes: "fixes" }, signal);
      if ("engineError" in result) throw new UsageError(`It could not be checked: ${result.engineError}`);
      return result.messages;
    },
    close: async () => {
      await (await started?.catch(() => undefined))?.close();
    },
  };
}
