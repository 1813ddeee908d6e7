import { expect } from "chai";
import { mutationsOf } from "../../mutations/mutate.ts";

describe("mutations of a source", () => {
  const changed = (source: string): string[] =>
    mutationsOf("a.ts", source).map(
      ({ start, end, replacement }) => source.slice(0, start) + replacement + source.slice(end),
    );

  it("change one operator or constant each", () => {
    expect(changed("const a = b > 1 && c;")).to.deep.equal([
      "const a = b > 1 || c;",
      "const a = b >= 1 && c;",
      "const a = b > (1 + 1) && c;",
    ]);
    expect(changed("a ?? !b;")).to.deep.equal(["a && !b;", "a ?? b;"]);
    expect(changed('f(true, "a");')).to.deep.equal(['f(false, "a");', 'f(true, "");']);
  });

  it("negate a condition, or make it always or never true", () => {
    expect(changed("if (a) b();")).to.deep.equal(["if (!(a)) b();", "if (true) b();", "if (false) b();"]);
    expect(changed("a === b ? c : d;")).to.deep.equal(["true ? c : d;", "false ? c : d;", "a !== b ? c : d;"]);
    expect(changed("while (a) b();")).to.deep.equal(["while (!(a)) b();", "while (false) b();"]);
  });

  it("leave alone what does not run", () => {
    const source = 'import x from "./b.ts" with { type: "json" };\nexport * from "c";\nexport { d } from "e";';
    expect(changed(`${source}\ntype A = 1 | true;\nlet a: 3;\nf({ 1: a });`)).to.deep.equal([]);
  });

  it("leave alone large numbers, and what is only for people", () => {
    expect(changed('f(30_000, "a b", `a` + b, a + "" + b, "./a");')).to.deep.equal([]);
    expect(changed('log.warn("a", 1); this.log.info("a"); throw new TypeError("a");')).to.deep.equal([]);
  });

  it("find what is inside of a cast", () => {
    expect(changed("f((a - 1) as A);")).to.deep.equal(["f((a + 1) as A);", "f((a - (1 + 1)) as A);"]);
  });

  it("say where they are", () => {
    expect(mutationsOf("a.ts", "a;\nb === c;")).to.deep.equal([
      { kind: "operator", start: 5, end: 8, replacement: "!==", line: 2, what: "=== → !==" },
    ]);
  });

  it("are refused for a source that cannot be parsed", () => {
    expect(() => mutationsOf("a.ts", "if (")).to.throw("a.ts cannot be parsed");
  });
});
