import { ownGrammars } from "../scripts/own-grammars.ts";
import { createChecker } from "../src/engine.ts";
import { unpackGrammar } from "../src/grammar/packed.ts";
import type { Grammar } from "../src/grammar/pattern.ts";
import { type Preset, presets } from "../src/grammar/preset.ts";
import type { Message } from "../src/messages/message.ts";

const URL_OF_DOCUMENT = "http://example.test/";

/** The engine in this process, and the grammars that it uses. */
export async function loadConformance() {
  const packed = await ownGrammars();
  const checker = createChecker((preset) => packed[preset]);
  const grammars = Object.fromEntries(presets.map((preset) => [preset, unpackGrammar(packed[preset])]));
  return {
    check: (source: string, contentType: string): Message[] =>
      checker.check(source, { contentType, url: URL_OF_DOCUMENT }),
    run: (source: string, contentType: string, causes: boolean | "fixes" = false) =>
      checker.run(source, { contentType, url: URL_OF_DOCUMENT, causes }),
    grammars: grammars as Record<Preset, Grammar>,
  };
}
