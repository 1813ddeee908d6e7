import { requireGrammar } from "../../checker/engines/grammar-store.ts";
import type { Config } from "../../config.ts";
import type { HtmlEngineName } from "../../schema/html-engines.ts";
import type { SpecLimits } from "../../schema/limits.ts";

/** The engines that every image has, and every machine where optional dependencies are installed. */
const OWN_ENGINES: readonly HtmlEngineName[] = ["conformance", "html-validate"];

/** The configuration with the HTML engines that can run on this machine, unless HTML_ENGINES lists them. */
export async function findHtmlEngines(config: Config): Promise<Config> {
  if (config.htmlEngines) return config;
  const htmlEngines: HtmlEngineName[] = [];
  if (await hasGrammar(config.cacheDir)) htmlEngines.push("conformance");
  htmlEngines.push("html-validate");
  const { canRunNu } = await import("../../checker/engines/html/nu-engine.ts");
  if (await canRunNu(config.javaExecutables)) htmlEngines.push("nu");
  return { ...config, htmlEngines };
}

function hasGrammar(cacheDir: string): Promise<boolean> {
  return requireGrammar(cacheDir).then(
    () => true,
    () => false,
  );
}

/** The operator's limits for reports. */
export function specLimits({ maxPages, maxRateLimit, htmlEngines = [...OWN_ENGINES] }: Config): SpecLimits {
  return { maxPages, maxRateLimit, htmlEngines };
}
