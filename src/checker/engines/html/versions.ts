import { createRequire } from "node:module";
import type { Engine } from "../../../domain/findings/findings.ts";
import type { HtmlEngineName } from "../../../schema/html-engines.ts";
import { NU_VERSION } from "../vnu-jar.ts";

const require = createRequire(import.meta.url);
const versionIn = (manifest: { version: string }): string => manifest.version;

/** Name and version of an engine. Loads no engine: only the child processes need them. */
export function engineOf(name: HtmlEngineName): Engine {
  if (name === "nu") return { name, version: NU_VERSION };
  // What it finds depends on its own code and on the Nu checker's grammar.
  if (name === "conformance")
    return { name, version: `${versionIn(require("html-conformance/package.json"))}+vnu-${NU_VERSION}` };
  return { name, version: versionIn(require("html-validate/package.json")) };
}
