import { expect } from "chai";
import { checkXhtml } from "../../src/assertions/xhtml.ts";
import { parseDocument } from "../../src/parse.ts";

function rules(body: string): string[] {
  const source = `<html xmlns="http://www.w3.org/1999/xhtml">${body}</html>`;
  const { document } = parseDocument({ source, contentType: "application/xhtml+xml" });
  const found: string[] = [];
  checkXhtml(document, ({ rule, element }) => found.push(`${element.tagName} ${rule}`));
  return found;
}

describe("what is checked in XHTML only", () => {
  it("is that nothing has rev, but in SVG", () => {
    expect(rules('<a rev="made"/><svg xmlns="http://www.w3.org/2000/svg" rev="x"/>')).to.deep.equal([
      "a obsolete-attribute/rev",
    ]);
  });
});
