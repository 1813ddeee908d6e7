import { createHash } from "node:crypto";
import { access, open, readdir, readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { UsageError } from "../../domain/errors.ts";
import { makeFolder } from "../../files/make-folder.ts";
import { MODULE_EXTENSION } from "../../files/own-modules.ts";
import type { PackedGrammar } from "./conformance/grammar/packed.ts";
import { type Preset, presets } from "./conformance/grammar/preset.ts";
import { findVnuJar, VNU_PACKAGE } from "./vnu-jar.ts";

const FOLDER_IN_JAR = "nu/validator/localentities/files/";
const CODE = new URL("./conformance/grammar/", import.meta.url);

/** A grammar, and the version of the Nu checker that it comes from. */
export type StoredGrammar = { version: string; grammar: PackedGrammar };

/**
 * The compiled grammar of a preset: from the cache folder or, if it is not there, compiled from the Nu
 * checker's npm package, whose jar is a zip file, and stored for the next time. If the folder cannot be
 * written to, the grammar is compiled each time, which takes a second.
 *
 * @param cacheDir a folder that only its owner can write to
 * @throws UsageError when the grammar is not in the folder and cannot be compiled
 */
export async function loadGrammar(cacheDir: string, preset: Preset): Promise<StoredGrammar> {
  const { version, folder } = await whereStored(cacheDir);
  const stored = await readStored(path.join(folder, `${preset}.json`));
  if (stored) return { version, grammar: stored };
  const compiled = await compile(version);
  await store(folder, compiled).catch(() => {});
  return { version, grammar: compiled[preset] };
}

/** Compiles all grammars into the folder. @throws Error when the folder cannot be written to */
export async function prepareGrammars(cacheDir: string): Promise<{ folder: string }> {
  const { version, folder } = await whereStored(cacheDir);
  const found = await Promise.all(presets.map((preset) => isWhole(path.join(folder, `${preset}.json`))));
  if (found.includes(false)) await store(folder, await compile(version));
  return { folder };
}

/** Resolves when the grammars, or their sources, exist. @throws UsageError that says what to install */
export async function requireGrammar(cacheDir: string): Promise<void> {
  const { version, folder } = await whereStored(cacheDir);
  const isStored = await access(path.join(folder, "html.json")).then(
    () => true,
    () => false,
  );
  if (!isStored) await findJar(version);
}

/** The folder of all versions' grammars. */
export function grammarsIn(cacheDir: string): string {
  return path.join(cacheDir, "grammar");
}

async function whereStored(cacheDir: string): Promise<{ version: string; folder: string }> {
  const version = await wantedVersion();
  return { version, folder: path.join(grammarsIn(cacheDir), `${version}-${await codeDigest()}`) };
}

/** The version in package.json: an image has the compiled grammar, but not the package. */
async function wantedVersion(): Promise<string> {
  const { optionalDependencies } = JSON.parse(
    await readFile(new URL("../../../package.json", import.meta.url), "utf8"),
  ) as { optionalDependencies: Record<string, string> };
  return optionalDependencies[VNU_PACKAGE] ?? "unknown";
}

/** The digest of the compiler: another one may compile the same schemas differently. */
async function codeDigest(): Promise<string> {
  const hash = createHash("sha256");
  for (const name of (await readdir(CODE)).sort())
    if (name.endsWith(MODULE_EXTENSION)) hash.update(await readFile(new URL(name, CODE)));
  return hash.digest("hex").slice(0, 12);
}

/** Whether a file is complete, by its end: parsing it would take longer than the rest of a checker's start. */
async function isWhole(name: string): Promise<boolean> {
  const file = await open(name).catch(() => undefined);
  if (!file) return false;
  try {
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read({ position: Math.max(0, size - 1), length: 1 });
    return bytesRead === 1 && buffer[0] === "}".charCodeAt(0);
  } finally {
    await file.close();
  }
}

async function readStored(file: string): Promise<PackedGrammar | undefined> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as PackedGrammar;
  } catch {
    // Cut off by a full disk or a crash: it is compiled again.
    return undefined;
  }
}

async function compile(version: string): Promise<Record<Preset, PackedGrammar>> {
  const jar = await readFile(await findJar(version));
  // Rarely needed: usually an earlier run has stored the grammars.
  const [{ strFromU8, unzipSync }, { compilePresets }] = await Promise.all([
    import("fflate"),
    import("./conformance/grammar/presets.ts"),
  ]);
  const files = unzipSync(jar, { filter: ({ name }) => isSchema(name) });
  return compilePresets((name) => {
    const file = files[`${FOLDER_IN_JAR}${name}`];
    if (!file) throw new Error(`The jar of ${VNU_PACKAGE} ${version} has no file ${FOLDER_IN_JAR}${name}.`);
    return strFromU8(file);
  });
}

function isSchema(name: string): boolean {
  if (!name.startsWith(FOLDER_IN_JAR)) return false;
  const file = name.slice(FOLDER_IN_JAR.length);
  return file === "entitymap" || file === "presets" || file.endsWith("_rnc");
}

/** The path of the jar. @throws UsageError */
async function findJar(version: string): Promise<string> {
  const refuse = (why: string): never => {
    throw new UsageError(
      `The grammar of HTML is not compiled, and the npm package ${VNU_PACKAGE} ${version} to compile it from ${why}. ` +
        "Run npm ci without --omit=optional, or set CACHE_DIR to a folder that has it.",
    );
  };
  const found = await findVnuJar();
  if (!found) return refuse("is not installed");
  if (found.version !== version) refuse(`is there as version ${found.version} only`);
  return found.jar;
}

/** Writes each file under another name, then renames it: several processes may do this at once. */
async function store(folder: string, compiled: Record<Preset, PackedGrammar>): Promise<void> {
  await makeFolder(folder, 0o755);
  for (const preset of presets) {
    const draft = path.join(folder, `${preset}.${process.pid}.draft`);
    await writeFile(draft, JSON.stringify(compiled[preset]));
    await rename(draft, path.join(folder, `${preset}.json`));
  }
}
