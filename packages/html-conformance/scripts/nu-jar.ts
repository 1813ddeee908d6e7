import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

/**
 * The jar of the Nu Html Checker in the npm package vnu-jar, which a checkout has as an optional dependency; undefined
 * without it. Its schemas are the source of the grammars, and its programs what the engine is compared with.
 */
export function findNuJar(): { jar: string; version: string; license: string } | undefined {
  try {
    const folder = path.dirname(fileURLToPath(import.meta.resolve("vnu-jar/package.json")));
    const { version } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")) as { version: string };
    return { jar: path.join(folder, "build", "dist", "vnu.jar"), version, license: path.join(folder, "LICENSE") };
  } catch {
    return undefined;
  }
}
