import { expect } from "chai";
import { createContentCheck } from "../../src/content.ts";
import type { Finding } from "../../src/finding.ts";
import { packGrammar, unpackGrammar } from "../../src/grammar/packed.ts";
import { compilePresets } from "../../src/grammar/presets.ts";
import { resolveGrammar } from "../../src/grammar/resolve.ts";
import { simplify } from "../../src/grammar/simplify.ts";
import { locate } from "../../src/locate.ts";
import { createSourceLines } from "../../src/messages/source-lines.ts";
import { parseDocument } from "../../src/parse.ts";

/** A small language of HTML's elements, with one of each kind of rule. */
const schema = `
  default namespace = "http://www.w3.org/1999/xhtml"
  start = element html { element head { element title { text } }, element body { flow } }
  common = attribute class { text }? & attribute aria-live { "off" }? & attribute id { xsd:string }? & attribute lang-of { "en" | "de" }?
  flow = (paragraph | ul | dl | element details { element summary { text }, flow } | input | span | text)*
  paragraph = element p { common & (span | text)* }
  span = element span { common & (span | text)* }
  ul = element ul { common & element li { common & flow }* }
  dl = element dl { common & (element dt { text }+, element dd { flow }+)* }
  input = element input {
    common
    & ( (attribute type { "text" }? & attribute size { text }?)
      | (attribute type { "image" } & attribute src { text } & attribute width { text }?))
  }
`;

const nothing = () => undefined;

const checks = () => {
  const grammar = simplify(resolveGrammar("http://schemas/small.rnc", () => schema));
  const stored = JSON.parse(JSON.stringify(packGrammar(grammar)));
  return {
    read: createContentCheck(grammar, nothing, nothing),
    stored: createContentCheck(unpackGrammar(stored), nothing, nothing),
  };
};

function rules(check: ReturnType<typeof createContentCheck>, body: string): string[] {
  const source = `<!DOCTYPE html><html><head><title>x</title></head><body>${body}</body></html>`;
  const found: Finding[] = [];
  const { document } = parseDocument({ source });
  check(document, (finding) => found.push(finding));
  return found.map(({ rule, element }) => `${element.tagName} ${rule}`);
}

const rows: { why: string; body: string; found: string[] }[] = [
  { why: "text and elements where they may be", body: "<p class=a id=b>x <span>y</span></p>", found: [] },
  { why: "attributes that stand for themselves, in any order", body: "<p id=b lang-of=de class=a></p>", found: [] },
  {
    why: "an element that may follow one that is missing",
    body: "<details><p>x</p></details>",
    found: ["p missing-child/summary"],
  },
  {
    why: "an attribute that the element has not",
    body: "<p foo class=a>x</p>",
    found: ["p attribute-not-allowed/foo"],
  },
  { why: "an empty value of an ARIA attribute", body: "<p aria-live=''>x</p>", found: ["p bad-value/aria-live"] },
  { why: "a value that is not listed", body: "<p lang-of=fr>x</p>", found: ["p bad-value/lang-of"] },
  { why: "attributes that decide about others", body: "<input width=1 src=x type=image>", found: [] },
  {
    why: "one that goes with another type",
    body: "<input size=1 type=image src=x>",
    found: ["input attribute-not-allowed/size"],
  },
  { why: "one that the type needs", body: "<input type=image>", found: ["input missing-attribute/src"] },
  { why: "an element that is not allowed here", body: "<ul><p foo>x</p></ul>", found: ["p element-not-allowed"] },
  { why: "an element that nobody knows", body: "<p><foo bar></foo></p>", found: ["foo unknown-element"] },
  { why: "text between items", body: "<ul> x <li>y</ul>", found: ["ul text-not-allowed"] },
  { why: "white space between items", body: "<ul>\n <li>y</ul>", found: [] },
  { why: "what is missing at the end", body: "<dl><dt>x</dl>", found: ["dl missing-child/dd"] },
  { why: "what is missing in the middle", body: "<dl><dd>x</dd></dl>", found: ["dd missing-child"] },
  {
    why: "going on after what was missing",
    body: "<dl><dt>x</dl><p foo>y",
    found: ["dl missing-child/dd", "p attribute-not-allowed/foo"],
  },
];

describe("a document compared with a grammar", () => {
  const { read, stored } = checks();
  for (const { why, body, found } of rows)
    it(`${found.length === 0 ? "allows" : "reports"} ${why}`, () => {
      expect(rules(read, body)).to.deep.equal(found);
      expect(rules(stored, body), "from the stored grammar").to.deep.equal(found);
    });

  it("finds an element that an end tag makes at that tag", () => {
    const source = "<!DOCTYPE html><html><head><title>x</title></head><body><ul></p>\n\n<li></li></ul></body></html>";
    const found: string[] = [];
    const { document } = parseDocument({ source });
    checks().read(document, (finding) => {
      const [at] = locate(finding, source, createSourceLines(source));
      found.push(`${finding.rule} ${source.slice(at?.start, at?.end)}`);
    });
    expect(found).to.deep.equal(["element-not-allowed </p>"]);
  });

  it("takes nested elements whose content can be read in several ways", () => {
    const ambiguous = `start = element html { element head { element title { text } }, element body { outer } }
      outer = element div { (outer | inner)?, outer*, element hr { empty }*, (outer | inner)? }
      inner = element section { outer* }`;
    const grammar = simplify(
      resolveGrammar(
        "http://schemas/ambiguous.rnc",
        () => `default namespace = "http://www.w3.org/1999/xhtml"\n${ambiguous}`,
      ),
    );
    const check = createContentCheck(grammar, nothing, nothing);
    expect(rules(check, "<div>".repeat(300))).to.deep.equal([]);
  });

  it("takes 50,000 open elements", () => {
    expect(rules(read, `<p>${"<span>".repeat(50_000)}<input foo>`)).to.have.length(1);
  });

  it("names the near attribute that was meant", () => {
    const found: Finding[] = [];
    const source = "<!DOCTYPE html><html><head><title>x</title></head><body><p clas=x>y</p></body></html>";
    read(parseDocument({ source }).document, (finding) => found.push(finding));
    expect(found[0]?.message).to.equal('The attribute "clas" is not allowed on <p> here. Did you mean "class"?');
  });
});

describe("the schemas of the Nu checker", () => {
  const files: Record<string, string> = {
    entitymap: "http://s/html.rnc\thtml_rnc\nhttp://s/xhtml.rnc\txhtml_rnc\nhttp://s/svg.rnc\tsvg_rnc\n",
    presets: [
      "-1\t-\tolder\thttp://s/old.rnc http://s/a.sch",
      "3\t-\tHTML\thttp://s/html.rnc http://s/a.sch",
      "7\thttp://www.w3.org/1999/xhtml\tXHTML\thttp://s/xhtml.rnc http://s/a.sch",
      "-1\thttp://www.w3.org/2000/svg\tSVG\thttp://s/svg.rnc",
    ].join("\n"),
    html_rnc: "start = element html { empty }",
    xhtml_rnc: 'include "html.rnc"',
    svg_rnc: "start = element svg { empty }",
  };
  const read = (name: string): string => {
    const text = files[name];
    if (text === undefined) throw new Error(`no ${name}`);
    return text;
  };

  it("are found by their presets, and by the file of each URL", () => {
    const names = Object.entries(compilePresets(read)).map(([preset, { names }]) => [preset, names[0]]);
    expect(names).to.deep.equal([
      ["html", { type: "name", namespace: "", name: "html" }],
      ["xhtml", { type: "name", namespace: "", name: "html" }],
      ["svg", { type: "name", namespace: "", name: "svg" }],
    ]);
  });

  it("say which file is missing", () => {
    expect(() => compilePresets((name) => read(name).replace("http://s/html.rnc\thtml_rnc\n", ""))).to.throw(
      "entitymap has no file for http://s/html.rnc",
    );
  });

  it("refuse a stored grammar that is damaged", () => {
    const stored = compilePresets(read).html;
    expect(() => unpackGrammar({ ...stored, names: [] })).to.throw("The compiled grammar is damaged");
  });
});
