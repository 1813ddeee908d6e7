import { readFileSync } from "node:fs";
import { expect } from "chai";
import { parseCheck } from "../../src/cli/check/options/options.ts";

const page = readFileSync(new URL("../../docs/check.md", import.meta.url), "utf8");

/** The options that a text names, such as `--max-pages`. */
const optionsIn = (text: string): string[] => [...new Set(text.match(/--[a-z][a-z-]+/g) ?? [])].sort();

describe("The table of options in docs/check.md", () => {
  const help = parseCheck(["--help"]);
  const offered = "help" in help ? optionsIn(help.help.split("\nExamples:")[0] ?? "") : [];
  const rows = [...page.matchAll(/^\| (`-[^|]*(?:\\\|[^|]*)*)\|/gm)].flatMap(([, cell = ""]) => optionsIn(cell));

  it("has every option of the command", () => {
    expect(offered).to.include.members(["--max-pages", "--no-config", "--variable"]);
    // --no-color is explained by the row of --color.
    expect(offered.filter((option) => !rows.includes(option))).to.deep.equal(["--no-color"]);
  });

  it("names no option that the command does not have", () => {
    expect(rows.filter((option) => !offered.includes(option))).to.deep.equal([]);
  });
});
