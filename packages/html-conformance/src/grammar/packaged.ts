import { readFileSync } from "node:fs";
import type { PackedGrammar } from "./packed.ts";
import type { Preset } from "./preset.ts";

/** The folder of the compiled grammars: part of the packed package. */
const FOLDER = new URL("../../grammar/", import.meta.url);

/** A grammar that came with the package. @throws Error that says what to do */
export function packagedGrammar(preset: Preset): PackedGrammar {
  const file = new URL(`${preset}.json`, FOLDER);
  try {
    return JSON.parse(readFileSync(file, "utf8")) as PackedGrammar;
  } catch (error) {
    throw new Error(
      `The grammar ${file.pathname} of html-conformance cannot be read (${(error as Error).message}). Install the ` +
        "package again; in a checkout, run npm run grammar --workspace html-conformance.",
    );
  }
}
