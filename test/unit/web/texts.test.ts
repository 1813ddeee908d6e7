import { readdirSync, readFileSync } from "node:fs";
import { expect } from "chai";
import { settingsOfSeries } from "../../../src/domain/findings/comparing.ts";
import { snakeCase } from "../../../src/schema/api-names.ts";
import { texts } from "../../../src/web/texts/en.ts";

const WEB = new URL("../../../src/web/", import.meta.url);
const DECLARATION = /const (\w+|\{[^}]*\}) = (\w+)((?:\.\w+)*);/g;

/** The paths of texts that a source reads, such as `report.kinds`: what is below such a path is read by index. */
function pathsIn(source: string): string[] {
  const aliases: [name: string, path: string][] = [["texts", ""]];
  const rest = source.replaceAll(DECLARATION, (whole, names: string, root: string, below: string) => {
    const start = aliases.findLast(([name]) => name === root)?.[1];
    if (start === undefined) return whole;
    const path = `${start}${below}`;
    if (!names.startsWith("{")) aliases.push([names, path]);
    else
      for (const [, key = "", name = key] of names.matchAll(/(\w+)(?:: (\w+))?/g))
        aliases.push([name, `${path}.${key}`]);
    return "";
  });
  return aliases.flatMap(([name, path]) =>
    [...rest.matchAll(new RegExp(`(?<![\\w."'/-])${name}\\b((?:\\??\\.\\w+)*)`, "g"))].map(
      ([, below = ""]) => `${path}${below.replaceAll("?", "")}`,
    ),
  );
}

/** The paths of all texts, such as `.report.kinds.html`. */
function leaves(value: object, path = ""): string[] {
  return Object.entries(value).flatMap(([key, below]) =>
    typeof below === "object" ? leaves(below, `${path}.${key}`) : [`${path}.${key}`],
  );
}

describe("The texts of the pages", () => {
  for (const name of settingsOfSeries)
    it(`have a name for the setting ${name}, in which runs may differ`, () => {
      expect(texts.settings[snakeCase(name)]).to.be.a("string");
    });

  it("have a name in one file alone: a later one would replace it", async () => {
    const folder = new URL("texts/en/", WEB);
    const files = await Promise.all(readdirSync(folder).map((name) => import(new URL(name, folder).href)));
    const groups = files.flatMap((file) => Object.values(file)).filter((value) => typeof value === "object");
    const names = groups.flatMap((group) => Object.keys(group as object));
    expect(names.filter((name, at) => names.indexOf(name) !== at)).to.deep.equal([]);
  });

  it("say something, but where the API's own words or nothing at all stand", () => {
    const silent = (value: object): string[] =>
      Object.entries(value).flatMap(([name, below]) =>
        typeof below === "object" ? silent(below) : below === "" ? name : [],
      );
    expect(silent(texts)).to.deep.equal(["what", "what", "what", "after", "after", "after", "by_age", "by_runs"]);
  });

  it("say of errors that cannot be compared only the reasons that there are", () => {
    const { notComparable } = texts.changes;
    expect(notComparable(0, 2)).to.equal("2 errors cannot be compared: 2 on pages that are gone.");
    expect(notComparable(1, 0)).to.equal("1 error cannot be compared: 1 on pages that were not checked in both.");
    expect(notComparable(1, 2)).to.equal(
      "3 errors cannot be compared: 1 on pages that were not checked in both, 2 on pages that are gone.",
    );
  });

  it("are all shown somewhere", () => {
    const read = readdirSync(WEB, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts") && !name.startsWith("texts/"))
      .flatMap((name) => pathsIn(readFileSync(new URL(name, WEB), "utf8")))
      .filter((path) => path !== "");
    const isRead = (leaf: string) => read.some((path) => leaf === path || leaf.startsWith(`${path}.`));
    expect(leaves(texts).filter((leaf) => !isRead(leaf))).to.deep.equal([]);
  });
});
