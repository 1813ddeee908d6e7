import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { allMutations, inTurns } from "../../mutations/choose.ts";
import { importsOf, nearestTests } from "../../mutations/imports.ts";

describe("the mutations of a tree", () => {
  let tree: string;
  const write = (files: Record<string, string>) => {
    for (const [name, text] of Object.entries(files)) {
      const file = path.join(tree, name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
  };
  beforeEach(() => {
    tree = mkdtempSync(path.join(tmpdir(), "sv-choose-"));
  });
  afterEach(() => rmSync(tree, { recursive: true }));

  it("are of each room and kind in turn, in an order that the seed alone decides", () => {
    write({ "src/a/a.ts": "f(1, 2, 3, 4, 5, true);", "src/b/b.ts": "f(6);", "src/c.ts": "f(7, a === b);" });
    const order = (seed: number) => inTurns(allMutations(tree), seed);
    expect(order(1).map(({ key }) => key)).to.deep.equal(order(1).map(({ key }) => key));
    expect(order(1)).not.to.deep.equal(order(2));
    expect(order(1)).to.have.length(9);
    expect(
      order(1)
        .slice(0, 3)
        .map(({ file }) => file),
    ).to.have.members(["src/a/a.ts", "src/b/b.ts", "src/c.ts"]);
    const ofA = order(1).filter(({ file }) => file === "src/a/a.ts");
    expect(ofA.slice(0, 2).map(({ mutation }) => mutation.kind)).to.have.members(["number", "boolean"]);
  });

  it("have the keys of the same lines, wherever those are in their file", () => {
    write({ "src/a.ts": "f(1);\nf(1);" });
    const keys = allMutations(tree).map(({ key }) => key);
    write({ "src/a.ts": "// A line more.\n\n  f(1);\nf(1);\ng(1);" });
    const later = allMutations(tree).map(({ key }) => key);
    expect(new Set(keys)).to.have.length(2);
    expect(later.slice(0, 2)).to.deep.equal(keys);
    expect(later).to.have.length(3);
  });

  it("are tried by the nearest tests, also of what starts a module or the program", () => {
    write({
      "src/net/near.ts": "",
      "src/net/worker.ts": 'import "./near.ts";',
      "src/main/index.ts": 'await import("../net/far.ts");',
      "src/net/far.ts": 'start(moduleFile("./worker", import.meta.url));',
      "test/support/run.ts": 'const entry = path.join(ROOT, "bin", "run.js");',
      "test/unit/net/near.test.ts": 'import { near } from "../../../src/net/near.ts";',
      "test/unit/other/near.test.ts": 'import { near } from "../../../src/net/near.ts";',
      "test/unit/net/type.test.ts": 'import type { Near } from "../../../src/net/near.ts";',
      "test/integration/net/far.test.ts": 'import "../../../src/net/far.ts";',
      "test/integration/cli/run.test.ts": 'import "../../support/run.ts";',
    });
    expect(nearestTests(tree)("src/net/near.ts")).to.deep.equal([
      "test/unit/net/near.test.ts",
      "test/unit/other/near.test.ts",
      "test/integration/net/far.test.ts",
      "test/integration/cli/run.test.ts",
    ]);
  });
});

describe("the imports of a source", () => {
  it("are the files that run with it, however they are imported", () => {
    const source = `import { a } from "./a.ts";
      import type { T } from "./t.ts";
      import { type U } from "./u.ts";
      import "./b.ts";
      import fs from "node:fs";
      import { parse } from "html-conformance/parse";
      export { c } from "./c.ts";
      export type { V } from "./v.ts";
      const d = await import("./d.ts");`;
    expect(importsOf("a.ts", source)).to.have.members([
      "./a.ts",
      "./b.ts",
      "./c.ts",
      "./d.ts",
      "html-conformance/parse",
    ]);
  });
});
