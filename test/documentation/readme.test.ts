import { readFileSync } from "node:fs";
import { expect } from "chai";

const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");

describe("The README's first commands", () => {
  const block = /```sh\n([\s\S]*?)```/.exec(read("README.md"))?.[1] ?? "";
  const [first = "", second = ""] = block.split("\n").map((line) => line.replace(/ +#.*/, ""));

  it("install everything and do something: a check, then the tests", () => {
    expect(first).to.match(/^npm ci && npm run check -- https?:\S+$/);
    expect(second).to.equal("npm ci && npm test");
  });

  it("are what CI runs first, word for word", () => {
    const steps = read(".ci/run").match(/^step \d+ .*/gm) ?? [];
    expect(steps[0]).to.match(/^step \d+ sh -c /);
    expect(steps[0]).to.include(`'${second}'`);
  });

  it("call scripts that exist", () => {
    const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
    expect(scripts).to.include.keys("check", "test", "start");
  });
});
