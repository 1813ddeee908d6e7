import { expect } from "chai";
import { parse } from "parse5";
import { describeElement, elementsBySource } from "../../../src/checker/engines/html/describe-elements.ts";

const source = `<!DOCTYPE html>
<html lang="en"><head><title>T</title></head>
<body><main id="content" role="main"><p>One <b class="x">two</b> three<p>four
<table><tr><td>cell</table><svg><use xlink:href="#a"/></svg></main>
</body></html>`;

describe("elements by their place in the source", () => {
  const describeAt = (text: string) => {
    const elementAt = elementsBySource(parse(text, { sourceCodeLocationInfo: true }));
    return (offset: number) => {
      const element = elementAt(offset);
      return element && describeElement(element);
    };
  };
  const at = describeAt(source);
  const pathAt = (text: string, add = 0) => {
    const found = at(source.indexOf(text) + add);
    return found && [found.name, ...found.ancestors.map(({ name }) => name)].join(" < ");
  };

  it("are found at their start tag, in their text and at their end tag", () => {
    expect(pathAt("<b class")).to.equal("b < p < main < body < html");
    expect(pathAt("<b class", 4)).to.equal("b < p < main < body < html");
    expect(pathAt("two")).to.equal("b < p < main < body < html");
    expect(pathAt("</b>")).to.equal("b < p < main < body < html");
    expect(pathAt("</main>")).to.equal("main < body < html");
  });

  it("are the innermost ones around a text, also where tags are left out", () => {
    expect(pathAt(" three")).to.equal("p < main < body < html");
    expect(pathAt("four")).to.equal("p < main < body < html");
    expect(pathAt("cell")).to.equal("td < tr < tbody < table < main < body < html");
  });

  it("have their attributes, and their ancestors' ids, roles and classes", () => {
    const { attributes, ancestors } = at(source.indexOf("<b ")) ?? { attributes: [], ancestors: [] };
    expect(attributes).to.deep.equal([["class", "x"]]);
    expect(ancestors[1]).to.deep.equal({ name: "main", id: "content", role: "main", classes: undefined });
    const inside = describeAt('<div class="wide ad"><p>x</p></div>')(22);
    expect(inside?.ancestors[0]).to.include({ name: "div", classes: "wide ad" });
    expect(at(source.indexOf("<use"))?.attributes).to.deep.equal([["xlink:href", "#a"]]);
  });

  it("are missing outside of the document's element", () => {
    expect(at(0)).to.equal(undefined);
    expect(describeAt("")(0)).to.equal(undefined);
  });

  it("are found in a document that nests deeper than a stack", () => {
    const deep = `${"<div>".repeat(20_000)}x`;
    const found = describeAt(deep)(deep.length - 1);
    expect(found?.name).to.equal("div");
    expect(found?.ancestors).to.have.length(100);
  });
});
