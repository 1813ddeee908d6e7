import { readFile } from "node:fs/promises";
import { expect } from "chai";
import { findNuJar } from "../scripts/nu-jar.ts";
import { forEachPattern } from "../src/grammar/names.ts";
import { unpackGrammar } from "../src/grammar/packed.ts";
import type { Pattern } from "../src/grammar/pattern.ts";
import { presets } from "../src/grammar/preset.ts";
import { compileGrammars } from "../src/grammar/store.ts";
import { codes } from "../src/parsing/messages.ts";
import { documented, isDocumented } from "./support/documented-rules.ts";
import { rulesInCode } from "./support/rules-in-code.ts";

/** The datatypes that the compiled grammars ask for; undefined where the Nu checker's package is not installed. */
async function datatypes(): Promise<string[] | undefined> {
  const jar = findNuJar()?.jar;
  if (jar === undefined) return undefined;
  const grammars = await compileGrammars(await readFile(jar));
  const names = new Set<string>();
  for (const preset of presets) {
    const { elements } = unpackGrammar(grammars[preset]);
    const seen = new Set<Pattern>();
    for (const { content } of elements)
      forEachPattern(content, seen, (pattern) => {
        if (pattern.kind === "attribute") addDatatypes(pattern.child, names);
      });
  }
  return [...names].sort();
}

function addDatatypes(value: Pattern, names: Set<string>): void {
  forEachPattern(value, new Set(), (pattern) => {
    if (pattern.kind === "data") names.add(pattern.datatype.name);
  });
}

describe("The list of what the conformance engine checks", () => {
  it("has every rule that is written in the engine", () => {
    const rules = rulesInCode();
    expect(rules).to.have.length.above(100);
    expect(rules).to.include.members(["img/alt", "css/value", "bad-value/…", "element-not-allowed", "unknown-element"]);
    // The parser's codes have a test of their own.
    expect(rules.filter((rule) => rule !== "parse/…" && !isDocumented(rule))).to.deep.equal([]);
  });

  it("has every code of the parser", () => {
    expect(codes.filter((code) => !documented.has(code))).to.deep.equal([]);
  });

  it("has every datatype of the grammars", async function () {
    const names = await datatypes();
    if (!names) this.skip();
    expect(names).to.include.members(["ID", "iri-ref", "anyURI", "string"]);
    expect(names.filter((name) => !documented.has(name))).to.deep.equal([]);
  });

  it("knows a rule by its group, and no others", () => {
    expect(isDocumented("label/aria-foo")).to.equal(true);
    expect(isDocumented("parse/eof-in-tag")).to.equal(true);
    expect(isDocumented("figure-role")).to.equal(true);
    expect(["foo", "foo/bar", "img/foo", "parse/foo", "foo/…"].filter(isDocumented)).to.deep.equal([]);
  });
});
