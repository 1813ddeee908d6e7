import { expect } from "chai";
import { routes } from "../../../src/api/routes.ts";
import { patternWords } from "../../../src/schema/pattern-words.ts";
import { fromAjv } from "../../../src/schema/validate.ts";

/** Those have messages of their own: addresses, and the days of a week. */
const OWN = /^\^\[hH\]|monday/;

function patternsIn(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const own = "pattern" in schema && typeof schema.pattern === "string" ? [schema.pattern] : [];
  return [...own, ...Object.values(schema).flatMap(patternsIn)];
}

describe("The patterns of requests", () => {
  const limits = { maxPages: 5_000, maxRateLimit: 25, htmlEngines: ["conformance"] as const };
  const patterns = new Set(
    patternsIn(routes.map(({ body }) => body?.attributes(limits))).filter((pattern) => !OWN.test(pattern)),
  );

  it("are all said in words, and no others are", () => {
    expect(Object.keys(patternWords).sort()).to.deep.equal([...patterns].sort());
  });

  it("are said in words to who is refused", () => {
    const pattern = "^[0-9a-f]{20}$";
    const error = { keyword: "pattern", instancePath: "/fingerprint", schemaPath: "", params: { pattern }, data: "X" };
    const { detail, code } = fromAjv({ ...error, message: `must match pattern "${pattern}"` });
    expect([code, detail]).to.deep.equal([
      "invalid_format",
      'The format is invalid: fingerprint must be 20 hexadecimal digits in lower case; received "X".',
    ]);
  });
});
