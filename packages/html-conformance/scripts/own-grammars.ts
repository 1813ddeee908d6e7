import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { PackedGrammar } from "../src/grammar/packed.ts";
import { createGrammarStore, type GrammarStore, type Preset, presets } from "../src/grammar/store.ts";
import { findNuJar } from "./nu-jar.ts";

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

/** All grammars of a checkout; the first call compiles them, which takes a second. */
export async function ownGrammars(): Promise<Record<Preset, PackedGrammar>> {
  const store = await ownStore();
  const all = await Promise.all(presets.map(async (preset) => [preset, await store.load(preset)] as const));
  return Object.fromEntries(all) as Record<Preset, PackedGrammar>;
}
