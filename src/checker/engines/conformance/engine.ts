import { checkAssertions } from "./assertions/index.ts";
import { createCollection } from "./collect.ts";
import { createContentCheck } from "./content.ts";
import { datatypeProblem } from "./datatypes/index.ts";
import type { Finding } from "./finding.ts";
import { type PackedGrammar, unpackGrammar } from "./grammar/packed.ts";
import type { Preset } from "./grammar/presets.ts";
import { locate } from "./locate.ts";
import type { Message } from "./message.ts";
import { parseDocument } from "./parse.ts";
import { createSourceLines } from "./source-lines.ts";

/** A document to check: its text, its address, and the value of its Content-Type header (HTML without one). */
export type DocumentToCheck = { source: string; url: string; contentType?: string | undefined };

export type ConformanceChecker = { check(document: DocumentToCheck): Message[] };

/**
 * Checks documents as the Nu Html Checker does: parse errors, the grammar, the values of attributes, and
 * what a grammar cannot say.
 *
 * @param grammar of each language; asked for once, when a document is written in it
 */
export function createConformanceChecker(grammar: (preset: Preset) => PackedGrammar): ConformanceChecker {
  const checks = new Map<Preset, ReturnType<typeof createContentCheck>>();
  const contentCheck = (preset: Preset) => {
    let check = checks.get(preset);
    if (!check) {
      check = createContentCheck(unpackGrammar(grammar(preset)), ({ library, name, parameters }, value) =>
        datatypeProblem(library, name, parameters, value),
      );
      checks.set(preset, check);
    }
    return check;
  };

  return {
    check({ source, url, contentType }) {
      const input = contentType === undefined ? { source, url } : { source, url, contentType };
      const { document, problems, language, movedFrom = Number.POSITIVE_INFINITY } = parseDocument(input);
      const lines = createSourceLines(source);
      const collection = createCollection();
      for (const problem of problems) collection.add(problem);
      const report = (finding: Finding): void => {
        const { severity, rule, message, section } = finding;
        // What is found after something was moved may be found because it was moved.
        for (const { start, end } of locate(finding, source, lines))
          if (start < movedFrom) collection.add({ severity, rule, message, section, start, end });
      };
      if (language !== "unknown") {
        contentCheck(language)(document, report);
        checkAssertions(document, report);
      }
      return collection.messages(lines);
    },
  };
}
