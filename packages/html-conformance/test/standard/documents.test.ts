import { readFileSync } from "node:fs";
import { expect } from "chai";
import { ownGrammars } from "../../scripts/own-grammars.ts";
import { createChecker } from "../../src/engine.ts";

/**
 * Small documents whose verdicts were given by the text of the standards alone: E for an error, V for a valid one, W for
 * what authors must not write either, but is a warning here (obsolete.ts says why); the part of the HTML Standard (or which other one), where the source stands, the source. sections.tsv goes through the HTML
 * Standard section by section, mostly with a breach and what is almost one.
 */
const rows = ["documents.tsv", "sections.tsv"].flatMap((file) =>
  readFileSync(new URL(file, import.meta.url), "utf8")
    .trimEnd()
    .split("\n")
    .slice(1)
    .map(
      (line) => line.split("\t") as [verdict: "E" | "V" | "W", section: string, place: "head" | "body", source: string],
    ),
);

const grammars = await ownGrammars();
const { check } = createChecker((preset) => grammars[preset]);

function documentOf(place: "head" | "body", source: string): string {
  const [head, body] = place === "head" ? [source, ""] : ["", source];
  return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>T</title>${head}</head><body><h1>H</h1>${body}</body></html>`;
}

describe("A small document is judged as the Standard's text does", () => {
  for (const [verdict, section, place, source] of rows)
    it(`${{ E: "finds an error in", V: "finds none in", W: "warns of" }[verdict]} ${source} (${section})`, () => {
      const found = check(documentOf(place, source));
      const errors = found.filter(({ type }) => type === "error");
      if (verdict === "W") expect(found).to.not.be.empty;
      if (verdict === "E") expect(errors).to.not.be.empty;
      else expect(errors.map(({ message }) => message)).to.deep.equal([]);
    });
});
