import { readFileSync } from "node:fs";
import { expect } from "chai";
import { texts } from "../../src/web/texts/en.ts";

const LIST = readFileSync(new URL("../../docs/words.md", import.meta.url), "utf8");

/** The titles of columns of all tables. */
function columnsIn(group: object): string[] {
  return Object.entries(group).flatMap(([name, value]) => {
    if (typeof value !== "object" || value === null) return [];
    return /columns$/i.test(name) ? titlesIn(value) : columnsIn(value);
  });
}

function titlesIn(group: object): string[] {
  return Object.values(group).filter((value) => typeof value === "string");
}

describe("The list of words", () => {
  const rows = [...LIST.matchAll(/^\| ([^|]+) \| ([^|]+) \|$/gm)].slice(1).map(([, word = ""]) => word);

  it("has each part, column and mark of the pages, and nothing else, in the order of the alphabet", () => {
    const { sections, report, roles, states, impacts, types } = texts;
    const marks = [sections, report.tabs, roles, states, impacts, types].flatMap(titlesIn);
    const shown = new Set([...marks, ...columnsIn(texts)].map((word) => word.toLowerCase()));
    expect(rows.map((word) => word.toLowerCase())).to.deep.equal([...shown].sort());
  });
});
