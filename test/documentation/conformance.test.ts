import { readFileSync } from "node:fs";
import { expect } from "chai";
import { strFromU8, unzipSync } from "fflate";
import { findNuJar } from "../../packages/html-conformance/scripts/nu-jar.ts";
import { ownGrammars } from "../../packages/html-conformance/scripts/own-grammars.ts";
import { createChecker } from "../../packages/html-conformance/src/engine.ts";
import { isDocumented } from "../../packages/html-conformance/test/support/documented-rules.ts";
import { standardDocuments } from "../../packages/html-conformance/test/support/standard-documents.ts";

const text = readFileSync(new URL("../../docs/conformance.md", import.meta.url), "utf8");
const rows = [...text.matchAll(/^\| #(\S+) \| (.*) \| (.*) \|$/gm)].map(([, section = "", what = "", state = ""]) => ({
  section,
  what,
  state,
}));
const NOT_DONE = /^(?:undecidable|missing): \S/;
const rulesOf = (state: string) => [...state.matchAll(/`([^`]+)`/g)].map(([, rule = ""]) => rule);
const STANDARD = "nu/validator/localentities/files/html5spec";

/** Sentences that require something of who writes a document. */
const FOR_AUTHORS = new RegExp(
  [
    "[Aa]uthors must|[Dd]ocuments? must|elements? must (?:not )?(?:be|have|contain)|text must|must match|must belong",
    "must (?:not )?be (?:specified|omitted|present)|must (?:not|never) be (?:used|omitted)|must be an? (?:valid|ASCII)",
    "must have (?:a value|the following format)|must (?:not )?contain|must consist|must either (?:be|have|contain)",
    "(?:[Ii]ts|whose) value must|[Tt]he value must|attribute's value must|if (?:specified|present),? must",
    "attributes?(?:, if (?:it is )?(?:specified|present),)? must(?: not)?(?: also)? (?:be|have|contain|only)",
  ].join("|"),
);
/** What makes them requirements of browsers, or of other specifications. */
const FOR_OTHERS = new RegExp(
  [
    "[Uu]ser agents?|\\bUAs?\\b|[Ii]mplement|\\bIDL\\b|getter|setter|method|interface|object|initially|algorithm|HTTP|header\\b",
    "Initially|constructor|callback|event loop|extended attribute|[Oo]n (?:getting|setting)",
    "must be (?:run|set|created|returned|treated|interpreted|processed|initialized|ignored|reflected|compared|considered)",
  ].join("|"),
);
/** Sections with such sentences that are not about what a document has, and why. */
const NOT_OF_DOCUMENTS: Readonly<Record<string, string>> = {
  "using-reflect-in-specifications": "other specifications",
  "the-wbr-element": "what browsers take as text",
  "error-codes": "messages of browsers",
  "playing-the-media-resource": "browsers",
  textFieldSelection: "browsers",
  "case-sensitivity-of-selectors": "browsers",
  "pseudo-classes": "browsers",
  "the-coop-headers": "headers of a response",
  "event-loop-processing-model": "browsers",
  "parsing-xhtml-documents": "parsers",
  "serialising-xhtml-fragments": "serializers",
  "text/html": "a parameter of Content-Type",
};

/** The sections of the Standard that require something of authors, with their place. */
function requirements(standard: string): { id: string; index: number; sentences: string[] }[] {
  const headings = [...standard.matchAll(/<h[2-6]\b[^>]*?\sid=(?:"([^"]*)"|'([^']*)'|([^\s>]+))/g)];
  return headings.map(({ index, 1: double, 2: single, 3: bare }, i) => ({
    id: (double ?? single ?? bare ?? "").replaceAll("&amp;", "&"),
    index,
    sentences: standard
      .slice(index, headings[i + 1]?.index)
      .replace(/<(p|div) class=["']?(?:note|example|warning|critical|impl)\b[\s\S]*?<\/\1>/g, "")
      .split(/<\/?(?:p|li|dd|dt|td|h[2-6]|pre)\b[^>]*>/)
      .map((part) => part.replace(/<[^>]*>/g, "").replace(/\s+/g, " "))
      .flatMap((part) => part.split(/(?<=[.:;]) (?=[A-Z])/))
      .filter((sentence) => FOR_AUTHORS.test(sentence) && !FOR_OTHERS.test(sentence)),
  }));
}

/** The Standard's copy in vnu-jar; undefined without it. */
function readStandard(): string | undefined {
  const jar = findNuJar()?.jar;
  if (jar === undefined) return undefined;
  const file = unzipSync(readFileSync(jar), { filter: ({ name }) => name === STANDARD })[STANDARD];
  return strFromU8(file ?? new Uint8Array());
}

/** The IDs of the Standard, with their first places. */
function idsOf(standard: string): Map<string, number> {
  const ids = new Map<string, number>();
  for (const { index, 1: double, 2: single, 3: bare } of standard.matchAll(
    /\sid=(?:"([^"]*)"|'([^']*)'|([^\s>"']+))/g,
  )) {
    const id = (double ?? single ?? bare ?? "").replaceAll("&amp;", "&");
    if (!ids.has(id)) ids.set(id, index);
  }
  return ids;
}

describe("The list of requirements of the HTML Standard", () => {
  it("says of each by which rules it is done, or why it is not", () => {
    expect(rows).to.have.length.above(120);
    const unclear = rows.filter(({ state }) => {
      const rules = rulesOf(state);
      if (NOT_DONE.test(state)) return false;
      return rules.length === 0 || !rules.every((rule) => rule === "parse/…" || isDocumented(rule));
    });
    expect(unclear).to.deep.equal([]);
  });

  it("has for each rule of a requirement a document of its section that breaks it", async () => {
    const grammars = await ownGrammars();
    const { check } = createChecker((preset) => grammars[preset]);
    const found = new Map<string, Set<string>>();
    for (const { verdict, section, document } of standardDocuments()) {
      if (verdict === "V") continue;
      const id = section.slice(section.indexOf("#") + 1);
      const wrong = check(document.source, document).filter(({ type }) => verdict === "W" || type === "error");
      found.set(
        id,
        wrong.reduce((rules, { rule }) => rules.add(rule), found.get(id) ?? new Set<string>()),
      );
    }
    const isShown = (section: string, rule: string) =>
      [...(found.get(section) ?? [])].some((each) =>
        rule.endsWith("…") ? each.startsWith(rule.slice(0, -1)) : each === rule,
      );
    const without = rows
      .filter(({ state }) => !NOT_DONE.test(state))
      .flatMap(({ section, state }) => rulesOf(state).map((rule) => ({ section, rule })))
      .filter(({ section, rule }) => !isShown(section, rule));
    expect(without).to.deep.equal([]);
  });

  it("has the numbers that stand above it", () => {
    const count = (state: string) => rows.filter((row) => row.state.startsWith(state)).length;
    const [undecidable, missing] = [count("undecidable"), count("missing")];
    expect(text).to.include(
      `${rows.length} requirements: ${rows.length - undecidable - missing} done, ${undecidable} undecidable, ${missing} missing.`,
    );
  });

  it("names sections of the Standard as it was when the list was read", function () {
    const standard = readStandard();
    if (standard === undefined) this.skip();
    const [, updated] = /last updated ([0-9]+ \w+ [0-9]+)/i.exec(text) ?? [];
    expect(standard.replace(/<[^>]*>/g, ""), "read what has changed, then the list").to.include(
      `Last Updated ${updated}`,
    );
    const ids = idsOf(standard);
    expect(rows.map(({ section }) => section).filter((section) => !ids.has(section))).to.deep.equal([]);
  });

  it("has each section of the Standard that requires something of authors", function () {
    const standard = readStandard();
    if (standard === undefined) this.skip();
    const sections = requirements(standard);
    const ids = idsOf(standard);
    const places = rows.map(({ section }) => ids.get(section) ?? -1);
    const without = sections.filter(({ index, sentences }, i) => {
      const end = sections[i + 1]?.index ?? standard.length;
      return sentences.length > 0 && !places.some((place) => place >= index && place < end);
    });
    expect(sections.filter(({ sentences }) => sentences.length > 0)).to.have.length.above(120);
    expect(
      without.filter(({ id }) => !(id in NOT_OF_DOCUMENTS)).map(({ id, sentences }) => `${id}: ${sentences[0]}`),
      "write a row, or why the section is not about documents",
    ).to.deep.equal([]);
    const unneeded = Object.keys(NOT_OF_DOCUMENTS).filter((id) => !without.some((section) => section.id === id));
    expect(unneeded).to.deep.equal([]);
  });
});
