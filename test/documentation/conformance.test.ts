import { readFileSync } from "node:fs";
import { expect } from "chai";
import { strFromU8, unzipSync } from "fflate";
import { findNuJar } from "../../packages/html-conformance/scripts/nu-jar.ts";
import { isDocumented } from "../../packages/html-conformance/test/support/documented-rules.ts";

const text = readFileSync(new URL("../../docs/conformance.md", import.meta.url), "utf8");
const rows = [...text.matchAll(/^\| #(\S+) \| (.*) \| (.*) \|$/gm)].map(([, section = "", what = "", state = ""]) => ({
  section,
  what,
  state,
}));
const STANDARD = "nu/validator/localentities/files/html5spec";

describe("The list of requirements of the HTML Standard", () => {
  it("says of each by which rules it is done, or why it is not", () => {
    expect(rows).to.have.length.above(120);
    const unclear = rows.filter(({ state }) => {
      const rules = [...state.matchAll(/`([^`]+)`/g)].map(([, rule = ""]) => rule);
      if (/^(?:undecidable|missing): \S/.test(state)) return false;
      return rules.length === 0 || !rules.every((rule) => rule === "parse/…" || isDocumented(rule));
    });
    expect(unclear).to.deep.equal([]);
  });

  it("has the numbers that stand above it", () => {
    const count = (state: string) => rows.filter((row) => row.state.startsWith(state)).length;
    const [undecidable, missing] = [count("undecidable"), count("missing")];
    expect(text).to.include(
      `${rows.length} requirements: ${rows.length - undecidable - missing} done, ${undecidable} undecidable, ${missing} missing.`,
    );
  });

  it("names sections of the Standard as it was when the list was read", function () {
    const jar = findNuJar()?.jar;
    if (jar === undefined) this.skip();
    const file = unzipSync(readFileSync(jar), { filter: ({ name }) => name === STANDARD })[STANDARD];
    const standard = strFromU8(file ?? new Uint8Array());
    const [, updated] = /last updated ([0-9]+ \w+ [0-9]+)/i.exec(text) ?? [];
    expect(standard.replace(/<[^>]*>/g, ""), "read what has changed, then the list").to.include(
      `Last Updated ${updated}`,
    );
    const ids = new Set([...standard.matchAll(/\sid=["']?([^\s"'>]+)/g)].map(([, id = ""]) => id));
    expect(rows.map(({ section }) => section).filter((section) => !ids.has(section))).to.deep.equal([]);
  });
});
