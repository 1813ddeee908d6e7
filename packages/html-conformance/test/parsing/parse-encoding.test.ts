import { expect } from "chai";
import { type DocumentInput, parseDocument } from "../../src/parse.ts";

type Encoding = DocumentInput["encoding"];

const utf8: Encoding = { name: "utf-8", from: "header" };
const declared: Encoding = { name: "utf-8", from: "meta" };
const latin1: Encoding = { name: "windows-1252", from: "meta" };
const padding = `<!--${"x".repeat(1100)}-->`;
const wide = `<!--${"\u00e4".repeat(600)}-->`;

const table: readonly (readonly [head: string, encoding: Encoding, ...problems: string[]])[] = [
  ["<meta charset=utf-8>", utf8],
  ["<meta charset=UTF8>", utf8],
  ["", utf8],
  ["", { name: "utf-8", from: "bom" }],
  ["<meta charset=bogus>", undefined, "unknown-encoding <meta charset=bogus>"],
  ["", { name: "windows-1252", from: "default" }, "undeclared-encoding "],
  ["<meta charset=latin1>", latin1, "encoding-not-utf-8 "],
  ["<meta charset=latin1>", utf8, "encoding-conflict <meta charset=latin1>"],
  ["<meta charset=utf-16>", utf8, "encoding-declaration-of-utf-16 <meta charset=utf-16>"],
  [`${padding}<meta charset=utf-8>`, declared, "late-encoding-declaration <meta charset=utf-8>"],
  [`${wide}<meta charset=utf-8>`, declared, "late-encoding-declaration <meta charset=utf-8>"],
  // Also where it is known before: 4.2.5.4 of the Standard has no exception.
  [`${padding}<meta charset=utf-8>`, utf8, "late-encoding-declaration <meta charset=utf-8>"],
  ["<meta http-equiv=content-type content='text/html; charset=utf-8'>", utf8],
  [
    "<meta http-equiv=Content-Type content='text/html; charset=koi8-r'>",
    utf8,
    "encoding-conflict <meta http-equiv=Content-Type content='text/html; charset=koi8-r'>",
  ],
  ["<meta name=a content=\uFFFD\uFFFD>", { ...utf8, malformed: 1 }, "malformed-bytes \uFFFD"],
  ["<meta name=a content=\uFFFD>", utf8],
];

describe("The encoding of a document", () => {
  for (const [head, encoding, ...expected] of table)
    it(`${expected.length === 0 ? "is right" : expected.join()} in ${head.slice(-70)} read as ${JSON.stringify(encoding)}`, () => {
      const source = `<!doctype html>${head}<title>x</title>`;
      const { problems } = parseDocument({ source, contentType: "text/html", ...(encoding && { encoding }) });
      expect(problems.map(({ rule, start, end }) => `${rule.slice(6)} ${source.slice(start, end)}`)).to.deep.equal(
        expected,
      );
    });

  it("must be one that is known in the Content-Type", () => {
    const { problems } = parseDocument({ source: "<!doctype html>", contentType: "text/html; charset=bogus" });
    expect(problems.map(({ message }) => message)).to.deep.equal([
      'The encoding "bogus" that is declared is not known; it must be "utf-8".',
    ]);
  });
});
