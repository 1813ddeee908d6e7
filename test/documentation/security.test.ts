import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";

const root = path.resolve(import.meta.dirname, "../..");
const folders = ["", "attacks/"];

describe("docs/security.md", () => {
  const rows = readFileSync(path.join(root, "docs/security.md"), "utf8")
    .split("\n## What prevents it")[1]
    ?.split("\n## ")[0]
    ?.split("\n")
    .filter((line) => line.startsWith("| ") && !line.startsWith("| attack |") && !line.startsWith("| fault |"));

  it("names a test for each attack and each fault, and the test is there", () => {
    expect(rows?.length).to.be.greaterThan(30);
    for (const row of rows ?? []) {
      const cell = row.split(" | ").at(-1) ?? "";
      const named = [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
      expect(named, row).to.not.deep.equal([]);
      for (const name of named) {
        if (name.startsWith("npm run ")) continue;
        const files = folders.flatMap((folder) =>
          [".test.ts", ".ts"].map((end) => path.join(root, "test", folder + name + end)),
        );
        const file = files.find(existsSync);
        expect(file, `${name} in: ${row}`).to.not.equal(undefined);
        for (const [, title = ""] of cell.matchAll(/`, "([^"]+)"/g))
          expect(readFileSync(file ?? "", "utf8"), row).to.include(title.replace(/…$/, ""));
      }
    }
  });
});
