import { readFile, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { requireOwnPackage } from "../../files/own-modules.ts";

/** The npm package of the Nu Html Checker, an optional dependency. Its install script never runs: it would fetch a Java. */
export const VNU_PACKAGE = "vnu-jar";

const require = createRequire(import.meta.url);
const { optionalDependencies } = require("../../../package.json") as { optionalDependencies: Record<string, string> };

/** The version of the Nu Html Checker in package.json: an image has the compiled grammar, but not the package. */
export const NU_VERSION: string = optionalDependencies[VNU_PACKAGE] ?? "unknown";

/** The jar of the package, and its version; undefined if it is not installed. */
export async function findVnuJar(): Promise<{ jar: string; version: string } | undefined> {
  try {
    requireOwnPackage(VNU_PACKAGE);
    const manifest = fileURLToPath(import.meta.resolve(`${VNU_PACKAGE}/package.json`));
    const { version } = JSON.parse(await readFile(manifest, "utf8")) as { version: string };
    const jar = path.join(path.dirname(manifest), "build", "dist", "vnu.jar");
    return (await stat(jar)).isFile() ? { jar, version } : undefined;
  } catch {
    return undefined;
  }
}
