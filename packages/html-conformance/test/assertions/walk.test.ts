import { expect } from "chai";
import { findingsOf } from "../support/assertion-rows.ts";

describe("assertions over a whole document", () => {
  it("reports findings in document order, those of references, too", () => {
    const found = findingsOf("<label for=x>a</label><input list=l><center>b</center><p itemprop=c>c</p><img src=x>");
    expect(found.map(({ rule }) => rule)).to.deep.equal([
      "label/for",
      "dangling-reference/list",
      "obsolete-element",
      "microdata/itemprop",
      "img/alt",
    ]);
  });

  it("names the attribute that is meant", () => {
    const [finding] = findingsOf("<p id=a>x</p>\n<p class=x id=a>x</p>");
    expect(finding?.attribute?.name).to.equal("id");
    expect(finding?.message).to.equal(
      'Another element before this one has the ID "a" already; an ID is for one element.',
    );
    expect(finding?.element.sourceCodeLocation?.startLine).to.equal(2);
  });

  it("gives the place of a fault in a style sheet", () => {
    const [first, second] = findingsOf("<!doctype html>\n<html lang=en><style>a{color:x}\nb{ width:10}</style>");
    expect(first?.place).to.deep.equal({ line: 2, column: 24 });
    expect(second?.place).to.deep.equal({ line: 3, column: 4 });
  });

  it("looks at tables, headings and microdata in templates, and not at IDs and names", () => {
    const found = findingsOf(
      "<h1>x</h1><template><h3>a</h3><p itemprop=a>x</p><img src=x><p id=a>x</p><p id=a>x</p></template>",
    );
    expect(found.map(({ rule }) => rule)).to.deep.equal(["heading-level-skipped", "microdata/itemprop"]);
  });

  const deep = 50_000;
  for (const [what, tag] of [
    ["elements", "<div>"],
    ["labels with controls", "<label for=a><input>"],
    ["roles", "<div role=group>"],
    ["items", '<div itemscope itemprop=x itemref="a b" id=a>'],
    ["mains", "<main>"],
    ["figures", "<figure><img src=x>"],
  ] as const)
    it(`goes through ${deep} nested ${what}`, () => {
      expect(findingsOf(tag.repeat(deep))).to.be.an("array");
    });

  it("goes through tables whose cells reach into all rows", () => {
    const table = `<table><tr>${"<td rowspan=60000><td>".repeat(20_000)}${"<tr><td>".repeat(20_000)}`;
    expect(findingsOf(table)).to.be.an("array");
  });
});
