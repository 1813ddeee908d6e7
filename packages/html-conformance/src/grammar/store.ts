import { createHash } from "node:crypto";
import { access, mkdir, open, readdir, readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import type { PackedGrammar } from "./packed.ts";
import { type Preset, presets } from "./preset.ts";

export type { PackedGrammar } from "./packed.ts";
export { type Preset, presets } from "./preset.ts";

const FOLDER_IN_JAR = "nu/validator/localentities/files/";
const CODE = new URL("./", import.meta.url);
/** ".ts" in a checkout, ".js" elsewhere. */
const MODULE_EXTENSION = path.extname(import.meta.filename);

/** Grammars in a folder, which are compiled from the Nu Html Checker's jar where they are missing. */
export type GrammarStore = {
  /**
   * The compiled grammar of a preset. If the folder cannot be written to, it is compiled each time, which takes a second.
   *
   * @throws what `findJar` throws, when it has to be compiled
   */
  load(preset: Preset): Promise<PackedGrammar>;
  /** Compiles what is missing. @returns the files' folder @throws Error when it cannot be written to */
  prepare(): Promise<string>;
  /** Resolves when the grammars, or their sources, exist. @throws what `findJar` throws */
  require(): Promise<void>;
};

/**
 * @param options.folder which its owner alone can write to, in an existing folder. Each version of the sources and of
 *   the compiler has a folder of its own in it
 * @param options.version of the jar: the grammars may be there without it
 * @param options.findJar the path of the jar, which is a zip file, of that version
 */
export function createGrammarStore(options: {
  folder: string;
  version: string;
  findJar: () => Promise<string>;
}): GrammarStore {
  const { version, findJar } = options;
  const whereStored = async (): Promise<string> => path.join(options.folder, `${version}-${await codeDigest()}`);
  const compile = async () => compileGrammars(await readFile(await findJar()));

  return {
    async load(preset) {
      const folder = await whereStored();
      const stored = await readStored(path.join(folder, `${preset}.json`));
      if (stored) return stored;
      const compiled = await compile();
      await store(folder, compiled).catch(() => {});
      return compiled[preset];
    },
    async prepare() {
      const folder = await whereStored();
      const found = await Promise.all(presets.map((preset) => isWhole(path.join(folder, `${preset}.json`))));
      if (found.includes(false)) await store(folder, await compile());
      return folder;
    },
    async require() {
      const folder = await whereStored();
      const isStored = await access(path.join(folder, "html.json")).then(
        () => true,
        () => false,
      );
      if (!isStored) await findJar();
    },
  };
}

/** Compiles the schemas in a jar of the Nu Html Checker. @throws Error that names what is missing in it */
export async function compileGrammars(jar: Uint8Array): Promise<Record<Preset, PackedGrammar>> {
  // Rarely needed: usually an earlier run has stored the grammars.
  const [{ strFromU8, unzipSync }, { compilePresets }] = await Promise.all([import("fflate"), import("./presets.ts")]);
  const files = unzipSync(jar, { filter: ({ name }) => isSchema(name) });
  return compilePresets((name) => {
    const file = files[`${FOLDER_IN_JAR}${name}`];
    if (!file) throw new Error(`The jar of the Nu Html Checker has no file ${FOLDER_IN_JAR}${name}.`);
    return strFromU8(file);
  });
}

function isSchema(name: string): boolean {
  if (!name.startsWith(FOLDER_IN_JAR)) return false;
  const file = name.slice(FOLDER_IN_JAR.length);
  return file === "entitymap" || file === "presets" || file.endsWith("_rnc");
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

/** Writes each file under another name, then renames it: several processes may do this at once. */
async function store(folder: string, compiled: Record<Preset, PackedGrammar>): Promise<void> {
  for (const name of [path.dirname(folder), folder]) await makeFolder(name);
  for (const preset of presets) {
    const draft = path.join(folder, `${preset}.${process.pid}.draft`);
    await writeFile(draft, JSON.stringify(compiled[preset]));
    await rename(draft, path.join(folder, `${preset}.json`));
  }
}

async function makeFolder(name: string): Promise<void> {
  await mkdir(name, { mode: 0o755 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
}
