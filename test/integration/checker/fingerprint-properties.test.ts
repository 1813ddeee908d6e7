import { expect } from "chai";
import { type Checker, createChecker } from "html-conformance";
import { readSample } from "../../../packages/html-conformance/comparison/record.ts";
import { grammarsOf } from "../../../src/checker/engines/grammar-store.ts";
import { elementKeys } from "../../../src/checker/engines/html/element-keys.ts";
import { cacheFolder } from "../../../src/config.ts";
import { fingerprint } from "../../../src/domain/identity/fingerprint.ts";
import { pageKey } from "../../../src/domain/identity/page-key.ts";
import { asParsed, harmlessEdits } from "../../support/document-edits.ts";

describe("the fingerprints of generated documents", () => {
  let checker: Checker;
  let documents: string[];
  before(async () => {
    const html = (await readSample()).filter(({ contentType }) => contentType.startsWith("text/html"));
    documents = html.map(({ source }) => asParsed(source));
    const grammar = await grammarsOf(cacheFolder(process.env)).load("html");
    checker = createChecker(() => grammar);
  });

  /** Each finding as "rule fingerprint", sorted. */
  function fingerprints(source: string, url = "https://own.test/a"): string[] {
    const { messages, tree } = checker.run(source, { url, contentType: "text/html; charset=utf-8" });
    const keys = elementKeys(tree, { source, url }, messages);
    return messages
      .map(({ rule }, index) => {
        const element = keys[index] ?? null;
        return `${rule} ${fingerprint({ kind: "html", rule, page: pageKey(url), element })}`;
      })
      .sort();
  }

  for (const [what, { was, is }] of Object.entries(harmlessEdits))
    it(`are the same when ${what}`, () => {
      for (const source of documents) expect(fingerprints(is(source)), source).to.deep.equal(fingerprints(was(source)));
    });

  it("are many, so that the others say something", () => {
    expect(documents.flatMap((source) => fingerprints(source))).to.have.length.above(500);
  });

  it("are the same on another host", () => {
    for (const source of documents)
      expect(fingerprints(source, "http://staging.example.org:8080/a#x"), source).to.deep.equal(fingerprints(source));
  });

  it("are others on another page, each of them", () => {
    for (const source of documents) {
      const here = new Set(fingerprints(source));
      const there = fingerprints(source, "https://own.test/b");
      expect(
        there.filter((one) => here.has(one)),
        source,
      ).to.deep.equal([]);
    }
  });
});
