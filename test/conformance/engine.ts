import path from "node:path";
import { fileURLToPath } from "node:url";
import { createConformanceChecker } from "../../src/checker/engines/conformance/engine.ts";
import { unpackGrammar } from "../../src/checker/engines/conformance/grammar/packed.ts";
import type { Grammar } from "../../src/checker/engines/conformance/grammar/pattern.ts";
import { type Preset, presets } from "../../src/checker/engines/conformance/grammar/preset.ts";
import { loadGrammar } from "../../src/checker/engines/grammar-store.ts";
import type { Message } from "../../src/domain/findings/html-message.ts";

const CACHE = path.join(fileURLToPath(new URL("../..", import.meta.url)), "node_modules", ".cache", "site-validator");
const URL_OF_DOCUMENT = "http://example.test/";

/** The engine in this process, and the grammars that it uses. */
export async function loadConformance() {
  const packed = Object.fromEntries(
    await Promise.all(presets.map(async (preset) => [preset, (await loadGrammar(CACHE, preset)).grammar] as const)),
  ) as Record<Preset, Awaited<ReturnType<typeof loadGrammar>>["grammar"]>;
  const checker = createConformanceChecker((preset) => packed[preset]);
  const grammars = Object.fromEntries(presets.map((preset) => [preset, unpackGrammar(packed[preset])]));
  return {
    check: (source: string, contentType: string): Message[] =>
      checker.check({ source, contentType, url: URL_OF_DOCUMENT }),
    grammars: grammars as Record<Preset, Grammar>,
  };
}
