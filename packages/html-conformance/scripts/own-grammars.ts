import { copyFile, mkdir, rename } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { PackedGrammar } from "../src/grammar/packed.ts";
import { createGrammarStore, type GrammarStore, type Preset, presets } from "../src/grammar/store.ts";
import { findNuJar } from "./nu-jar.ts";

/** Where the package looks for its grammars (src/grammar/packaged.ts). */
const OWN = fileURLToPath(new URL("../grammar/", import.meta.url));
const CACHE = fileURLToPath(new URL("../node_modules/.cache/", import.meta.url));

/** The grammars of a checkout, in a folder: its own cache, unless another one is given. */
export async function ownStore(folder = CACHE): Promise<GrammarStore> {
  const found = findNuJar();
  await mkdir(folder, { recursive: true });
  return createGrammarStore({
    folder,
    version: found?.version ?? "unknown",
    findJar: async () => {
      if (found) return found.jar;
      throw new Error(
        "The grammar is compiled from the npm package vnu-jar, which is not installed: npm ci without --omit=optional.",
      );
    },
  });
}

/** Writes the grammars to the package's folder, or to another one. Several processes may do this at once. */
export async function writeGrammars(folder = OWN): Promise<string> {
  const stored = await (await ownStore()).prepare();
  await mkdir(folder, { recursive: true });
  for (const preset of presets) {
    const draft = path.join(folder, `${preset}.${process.pid}.draft`);
    await copyFile(path.join(stored, `${preset}.json`), draft);
    await rename(draft, path.join(folder, `${preset}.json`));
  }
  return folder;
}

/** All grammars of a checkout; the first call compiles them, which takes a second. */
export async function ownGrammars(): Promise<Record<Preset, PackedGrammar>> {
  const store = await ownStore();
  const all = await Promise.all(presets.map(async (preset) => [preset, await store.load(preset)] as const));
  return Object.fromEntries(all) as Record<Preset, PackedGrammar>;
}
