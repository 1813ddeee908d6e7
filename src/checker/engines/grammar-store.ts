import path from "node:path";
import { createGrammarStore, type GrammarStore } from "html-conformance/grammar";
import { UsageError } from "../../domain/errors.ts";
import { makeFolder } from "../../files/make-folder.ts";
import { findVnuJar, NU_VERSION, VNU_PACKAGE } from "./vnu-jar.ts";

/**
 * The compiled grammars in the cache folder. A checkout has no others (docs/adr/0077).
 *
 * @param cacheDir a folder that only its owner can write to
 */
export function grammarsOf(cacheDir: string): GrammarStore {
  return createGrammarStore({ folder: grammarsIn(cacheDir), version: NU_VERSION, findJar });
}

/** Compiles all grammars into the folder. @throws Error when the folder cannot be written to */
export async function prepareGrammars(cacheDir: string): Promise<{ folder: string }> {
  await makeFolder(cacheDir, 0o755);
  return { folder: await grammarsOf(cacheDir).prepare() };
}

/** Resolves when the grammars, or their sources, exist. @throws UsageError that says what to install */
export function requireGrammar(cacheDir: string): Promise<void> {
  return grammarsOf(cacheDir).require();
}

/** The folder of all versions' grammars. */
export function grammarsIn(cacheDir: string): string {
  return path.join(cacheDir, "grammar");
}

/** The path of the jar. @throws UsageError */
async function findJar(): Promise<string> {
  const refuse = (why: string): never => {
    throw new UsageError(
      `The grammar of HTML is not compiled, and the npm package ${VNU_PACKAGE} ${NU_VERSION} to compile it from ${why}. ` +
        "Run npm ci without --omit=optional, or set CACHE_DIR to a folder that has it.",
    );
  };
  const found = await findVnuJar();
  if (!found) return refuse("is not installed");
  if (found.version !== NU_VERSION) refuse(`is there as version ${found.version} only`);
  return found.jar;
}
