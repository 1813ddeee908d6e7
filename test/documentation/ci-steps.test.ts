import { readFileSync } from "node:fs";
import { expect } from "chai";
import { steps } from "../../.ci/steps.js";

describe("docs/tests.md", () => {
  const text = readFileSync(new URL("../../docs/tests.md", import.meta.url), "utf8");

  it("has CI's steps with their minutes, in their order", () => {
    const rows = [...text.matchAll(/^\| ([^|]+) \| (always|changed) \| ([\d.]+) \|/gm)].map(([, ...cells]) => cells);
    expect(rows).to.deep.equal(
      steps.map(({ name, always, minutes }) => [name, always ? "always" : "changed", String(minutes)]),
    );
  });

  it("names each script of tests", () => {
    const { scripts } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
    for (const name of Object.keys(scripts).filter((name) => name.startsWith("test:")))
      expect(text, name).to.include(`npm run ${name}`);
  });
});
