import { expect } from "chai";
import { importsOf, mutationsOf } from "../../mutations/mutate.ts";

describe("mutations of a source", () => {
  const changed = (source: string): string[] =>
    mutationsOf("a.ts", source).map(
      ({ start, end, replacement }) => source.slice(0, start) + replacement + source.slice(end),
    );

  it("change one operator, condition or constant each", () => {
    expect(changed("const a = b > 1 && c;")).to.deep.equal([
      "const a = b > 1 || c;",
      "const a = b >= 1 && c;",
      "const a = b > (1 + 1) && c;",
    ]);
    expect(changed("if (a) b();")).to.deep.equal(["if (!(a)) b();"]);
    expect(changed("f(true ? a : b);")).to.deep.equal(["f(!(true) ? a : b);", "f(false ? a : b);"]);
  });

  it("leave types, imports, keys and texts alone", () => {
    expect(changed('import x from "./b.ts" with { type: "json" };\ntype A = 1 | true;\nlet a: 3;')).to.deep.equal([]);
    expect(changed('f({ 1: a }, "a" + b, `a` + b);')).to.deep.equal([]);
  });

  it("find what is inside of a cast", () => {
    expect(changed("f((a - 1) as A);")).to.deep.equal(["f((a + 1) as A);", "f((a - (1 + 1)) as A);"]);
  });

  it("say where they are", () => {
    expect(mutationsOf("a.ts", "a;\nb === c;")).to.deep.equal([
      { start: 5, end: 8, replacement: "!==", line: 2, what: "=== → !==" },
    ]);
  });

  it("are refused for a source that cannot be parsed", () => {
    expect(() => mutationsOf("a.ts", "if (")).to.throw("a.ts cannot be parsed");
  });
});

describe("the imports of a source", () => {
  it("are the files that run with it, however they are imported", () => {
    const source = `import { a } from "./a.ts";
      import type { T } from "./t.ts";
      import { type U } from "./u.ts";
      import "./b.ts";
      import fs from "node:fs";
      export { c } from "./c.ts";
      export type { V } from "./v.ts";
      const d = await import("./d.ts");`;
    expect(importsOf("a.ts", source)).to.have.members(["./a.ts", "./b.ts", "./c.ts", "./d.ts"]);
  });
});
