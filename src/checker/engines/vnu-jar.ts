import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { requireOwnPackage } from "../../files/own-modules.ts";

/** The npm package of the Nu Html Checker, an optional dependency. Its install script never runs: it would fetch a Java. */
export const VNU_PACKAGE = "vnu-jar";

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
