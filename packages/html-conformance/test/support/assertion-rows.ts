import { expect } from "chai";
import { parse } from "parse5";
import { checkAssertions } from "../../src/assertions/index.ts";
import type { Finding } from "../../src/finding.ts";
import { isDocumented } from "./documented-rules.ts";

/** The title of a case, its HTML (a fragment, or a document with its doctype), and the rules that it breaks; warnings have a "?". */
export type AssertionRow = readonly [what: string, html: string, ...rules: string[]];

/**
 * The findings of a document, or of a fragment inside a document that has none of its own. A document without `<html>`
 * is in English.
 */
export function findingsOf(html: string, url = "http://example.com/"): Finding[] {
  const whole = html.includes("<html") ? html : html.replace(/^<![^>]*>/, "$&<html lang=en>");
  const document = html.startsWith("<!") ? whole : `<!doctype html><html lang=en><title>x</title><body>${html}`;
  const findings: Finding[] = [];
  const tree = parse(document, { sourceCodeLocationInfo: true, scriptingEnabled: false });
  checkAssertions(tree, { url, errorsOf: () => [] }, (one) => findings.push(one));
  return findings;
}

/** A test for each row. */
export function tryRows(rows: readonly AssertionRow[]): void {
  for (const [what, html, ...rules] of rows)
    it(`${rules.length === 0 ? "allows" : "finds"} ${what}`, () => {
      const found = findingsOf(html).map(({ rule, severity }) => (severity === "warning" ? `${rule}?` : rule));
      expect(found).to.deep.equal(rules);
    });
  it("breaks no rule that docs/checks.md does not have", () => {
    const all = new Set(rows.flatMap(([, , ...rules]) => rules.map((rule) => rule.replace("?", ""))));
    expect([...all].filter((rule) => !isDocumented(rule))).to.deep.equal([]);
  });
}
