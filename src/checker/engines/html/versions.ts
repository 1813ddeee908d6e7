import { createRequire } from "node:module";
import type { Engine } from "../../../domain/findings/findings.ts";
import type { HtmlEngineName } from "../../../schema/html-engines.ts";

const require = createRequire(import.meta.url);
const project = require("../../../../package.json") as {
  version: string;
  optionalDependencies: Record<string, string>;
};
const nuVersion = project.optionalDependencies["vnu-jar"] ?? "unknown";

/** Name and version of an engine. Loads no engine: only the child processes need them. */
export function engineOf(name: HtmlEngineName): Engine {
  if (name === "nu") return { name, version: nuVersion };
  // What it finds depends on its own code and on the Nu checker's grammar.
  if (name === "conformance") return { name, version: `${project.version}+vnu-${nuVersion}` };
  return { name, version: (require("html-validate/package.json") as { version: string }).version };
}
