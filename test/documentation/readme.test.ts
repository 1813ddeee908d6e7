import { readFileSync } from "node:fs";
import { expect } from "chai";
import { steps } from "../../.ci/steps.js";

const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");

describe("The README's first commands", () => {
  const block = /```sh\n([\s\S]*?)```/.exec(read("README.md"))?.[1] ?? "";
  const [first = "", second = ""] = block.split("\n").map((line) => line.replace(/ +#.*/, ""));

  it("install everything and do something: a check, then the tests", () => {
    expect(first).to.match(/^npm ci && npm run check -- https?:\S+$/);
    expect(second).to.equal("npm ci && npm test");
  });

  it("are what CI runs first, word for word", () => {
    expect(steps[0]).to.include({ command: second, always: true });
  });

  it("call scripts that exist", () => {
    const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
    expect(scripts).to.include.keys("check", "test", "start");
  });
});
