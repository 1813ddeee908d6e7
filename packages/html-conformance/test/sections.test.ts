import { readFile } from "node:fs/promises";
import { expect } from "chai";
import { strFromU8, unzipSync } from "fflate";
import { findNuJar } from "../scripts/nu-jar.ts";
import { attributeSection, elementSection, sectionOf } from "../src/sections.ts";
import { HTML, MATHML, SVG } from "../src/tree.ts";

const TEXT = "nu/validator/localentities/files/html5spec";

/** The text of the HTML Standard that comes with the Nu checker; undefined where its package is not installed. */
async function standard(): Promise<string | undefined> {
  const found = findNuJar();
  const file = found && unzipSync(await readFile(found.jar), { filter: ({ name }) => name === TEXT })[TEXT];
  return file && strFromU8(file);
}

const html = (tagName: string) => ({ namespaceURI: HTML, tagName });
const fragmentOf = (url: string): string => url.slice(url.indexOf("#") + 1);
const textOf = (markup: string): string => markup.replace(/<[^>]*>/g, "").trim();

describe("Sections of the standard", () => {
  let text: string | undefined;
  let ids: ReadonlySet<string>;
  before(async () => {
    text = await standard();
    ids = new Set(Array.from((text ?? "").matchAll(/ id="([^"]+)"/g), ([, id = ""]) => id));
  });

  it("are there for every element of the standard's index", function () {
    if (!text) this.skip();
    const elements = Array.from(text.matchAll(/<h[3-6][^>]* id="the-([a-z0-9]+)-element"/g), ([, name = ""]) => name);
    expect(elements).to.have.length.above(100);
    const lost = elements.filter((name) => !ids.has(fragmentOf(elementSection(name))));
    expect(lost).to.deep.equal([]);
    const obsolete = elements.filter((name) => elementSection(name) === elementSection("center"));
    expect(obsolete).to.have.members(["root", "marquee"]);
  });

  it("are there for every attribute of the standard's index", function () {
    if (!text) this.skip();
    const start = text.search(/<h3[^>]* id="attributes-3"/);
    const rows = text
      .slice(start, text.indexOf("<h3", start + 10))
      .split("<tr>")
      .slice(2);
    expect(rows).to.have.length.above(200);
    const lost: string[] = [];
    for (const row of rows) {
      const [name = "", elements = ""] = row.split("<td>").map((cell) => cell.replace(/<\/t[dh]>/, ""));
      for (const [, element = ""] of elements.matchAll(/<a href="#[^"]+"[^>]*>(.*?)<\/a>/gs)) {
        const tag = html(/^[a-z]+$/.test(textOf(element)) ? textOf(element) : "p");
        const section = attributeSection(tag, textOf(name));
        if (!ids.has(fragmentOf(section)) || section === sectionOf(tag)) lost.push(`${tag.tagName} ${textOf(name)}`);
      }
    }
    // Those of form-associated custom elements, which stand here as <p>, and those that are described with the element.
    expect(lost).to.have.members([
      ...["p disabled", "p form", "p name", "p readonly"],
      ...["bdo dir", "picture height", "picture width"],
    ]);
  });

  for (const [tag, attribute, section] of [
    [html("a"), "href", "https://html.spec.whatwg.org/multipage/links.html#attr-hyperlink-href"],
    [html("base"), "href", "https://html.spec.whatwg.org/multipage/semantics.html#attr-base-href"],
    [html("p"), "aria-label", "https://www.w3.org/TR/wai-aria-1.2/#aria-label"],
    [html("p"), "foo", "https://html.spec.whatwg.org/multipage/grouping-content.html#the-p-element"],
    [html("x-y"), "class", "https://html.spec.whatwg.org/multipage/dom.html#classes"],
    [{ namespaceURI: SVG, tagName: "g" }, "href", "https://www.w3.org/TR/SVG2/attindex.html"],
    [{ namespaceURI: MATHML, tagName: "mi" }, "href", "https://www.w3.org/TR/mathml-core/"],
  ] as const)
    it(`have the attribute ${attribute} of <${tag.tagName}> at ${section}`, () => {
      expect(attributeSection(tag, attribute)).to.equal(section);
    });
});
