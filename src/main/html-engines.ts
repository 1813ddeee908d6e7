import { canRunNu } from "../checker/engines/html/nu-engine.ts";
import type { Config } from "../config.ts";
import type { HtmlEngineName } from "../schema/html-engines.ts";
import type { SpecLimits } from "../schema/limits.ts";

/** The engines that need nothing but this project. */
const OWN_ENGINES: readonly HtmlEngineName[] = ["conformance", "html-validate"];

/** The configuration with the HTML engines that can run on this machine, unless HTML_ENGINES lists them. */
export async function findHtmlEngines(config: Config): Promise<Config> {
  if (config.htmlEngines) return config;
  return {
    ...config,
    htmlEngines: (await canRunNu(config.javaExecutables)) ? [...OWN_ENGINES, "nu"] : [...OWN_ENGINES],
  };
}

/** What the operator allows a report. */
export function specLimits({ maxPages, maxRateLimit, htmlEngines = [...OWN_ENGINES] }: Config): SpecLimits {
  return { maxPages, maxRateLimit, htmlEngines };
}
