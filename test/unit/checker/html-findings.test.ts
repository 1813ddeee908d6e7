import { createRequire } from "node:module";
import { expect } from "chai";
import fc from "fast-check";
import { StaticConfigLoader } from "html-validate";
import { createSourceMap } from "../../../src/checker/engines/html/source-map.ts";
import { createHtmlCheck } from "../../../src/checker/engines/html-validate/check.ts";
import {
  groupFindings,
  locateFindings,
  MAX_FINDINGS,
  withoutDirectives,
} from "../../../src/checker/engines/html-validate/findings.ts";
import { htmlRules, htmlValidateConfig } from "../../../src/checker/engines/html-validate/rules.ts";

// Exported, but left out of the types.
const bundled = createRequire(import.meta.url)("html-validate") as { builtinRules: Record<string, unknown> };

describe("the configuration of html-validate", () => {
  it("lists every rule that html-validate bundles, and no other", () => {
    expect(Object.keys(htmlRules).sort()).to.deep.equal(Object.keys(bundled.builtinRules).sort());
  });

  it("gives a reason for each rule, and tags to those that report", () => {
    for (const [name, rule] of Object.entries(htmlRules)) {
      expect(rule.why, name).to.match(/\.$/);
      if (rule.severity !== "off") expect(rule.tags, name).to.have.length.above(0);
    }
  });

  it("is accepted by html-validate", () => {
    const loader = new StaticConfigLoader(htmlValidateConfig);
    expect(() => loader.getConfigFor("page.html")).not.to.throw();
  });
});

describe("what html-validate finds", () => {
  const check = createHtmlCheck();
  const page = (body: string, head = "<title>t</title>"): string =>
    `<!DOCTYPE html>\n<html lang="en"><head>${head}</head><body>\n${body}\n</body></html>`;
  const found = (source: string): string[] =>
    check("https://example.com/", source, false).issues.map((issue) => `${issue.issue_type} ${issue.issue_sub_type}`);

  const conforming = {
    "a plain page": page("<p>text</p>"),
    "SVG with its own attributes": page('<svg viewBox="0 0 1 1" fill="none"><path d="M0 0"/></svg>'),
    "RDFa in meta": page("<p>x</p>", '<title>t</title><meta property="og:title" content="x">'),
    "frames, in whatever case": page(
      '<IFRAME src=x allow="fullscreen" allowFullScreen loading=lazy sandbox name=f></IFRAME><iframe srcdoc="x"></iframe>',
    ),
    "media for a theme colour": page("x", '<title>t</title><meta name="theme-color" content="#fff" media="print">'),
    "areas, objects and editable text": page(
      '<map name=m><area href=x alt=y></map><object data=x type="a/b"></object><p contenteditable="plaintext-only">x</p>',
    ),
    "custom elements": page("<my-element foo=bar>x</my-element>"),
    "optional end tags": page("<ul><li>a<li>b</ul><p>a<p>b"),
    "matters of style": page("<P CLASS=x>a</P><br/><input disabled=disabled>"),
  };
  for (const [name, source] of Object.entries(conforming)) {
    it(`nothing in ${name}`, () => expect(found(source)).to.deep.equal([]));
  }

  const wrong: Record<string, [string, string]> = {
    "a repeated id": [page("<p id=a>x</p><p id=a>y</p>"), "error no-dup-id"],
    "a block in a paragraph's phrasing": [page("<span><div>x</div></span>"), "error element-permitted-content"],
    "an unknown attribute": [page("<p foo=bar>x</p>"), "error no-unknown-attributes"],
    "an unknown element": [page("<foo>x</foo>"), "error element-name"],
    "a stray end tag": [page("</div>"), "error close-order"],
    "a missing alt": [page('<img src="x">'), "error wcag/h37"],
    "a label without control": [page('<label for="nothing">x</label>'), "error no-missing-references"],
    "a missing language": [
      "<!DOCTYPE html><html><head><title>t</title></head><body></body></html>",
      "warning element-required-attributes",
    ],
    "an anchor by name": [page('<a name="x"></a>'), "warning no-deprecated-attr"],
    "a redundant role": [page('<main role="main">x</main>'), "warning no-redundant-role"],
  };
  for (const [name, [source, expected]] of Object.entries(wrong)) {
    it(`${expected} for ${name}`, () => expect(found(source)).to.deep.equal([expected]));
  }

  it("an error for a document that the parser gives up on", () => {
    expect(found("<!DOCTYPE html><p")).to.deep.equal(["error parser-error"]);
  });

  it("one issue with one entry per element, in the order of the page", () => {
    const { issues } = check("https://example.com/", page("<p foo=1>x</p>\n<p foo=2>y</p>"), false);
    expect(issues).to.have.length(1);
    expect(issues[0]?.html.map((entry) => entry.coordinates.first_line)).to.deep.equal([3, 4]);
    const [entry] = issues[0]?.html ?? [];
    const { hilite_start: start = 0, hilite_length: length = 0 } = entry?.coordinates ?? {};
    expect(entry?.extract.slice(start, start + length)).to.equal("foo");
    expect(entry?.coordinates).to.include({ first_column: 4, last_column: 6 });
  });

  it("the same if comments in the page disable html-validate", () => {
    for (const directive of ["html-validate-disable no-dup-id", "[html-validate-disable-block no-dup-id]"]) {
      const source = page(`<!-- ${directive} --><p id=a>x</p><p id=a>y</p>`);
      expect(found(source)).to.deep.equal(["error no-dup-id"]);
    }
    expect(withoutDirectives("<!--html-validate-disable x-->")).to.have.length("<!--html-validate-disable x-->".length);
  });

  it("messages in Nu's format with the document's language", () => {
    const { raw } = check(
      "https://example.com/a",
      "<!DOCTYPE html>\n<html><title>t</title><p\nid=a><p id=a></html>",
      true,
    );
    expect(raw).to.deep.include({ url: "https://example.com/a", language: "" });
    expect(raw?.messages.map(({ type, subType, lastLine }) => [type, subType, lastLine])).to.deep.equal([
      ["info", "warning", 2],
      ["error", undefined, 3],
    ]);
    expect(check("https://example.com/", page("x"), true).raw?.language).to.equal("en");
  });

  it("at most the maximum per page, and a note about it", () => {
    const message = { ruleId: "deprecated", severity: 2, message: "m", offset: 0, size: 1 };
    const issues = groupFindings(locateFindings(new Array(MAX_FINDINGS + 5).fill(message), "x"));
    expect(issues.map((issue) => [issue.issue_type, issue.html.length])).to.deep.equal([
      ["error", MAX_FINDINGS],
      ["warning", 1],
    ]);
  });

  it("text that PostgreSQL can store, whatever the page holds", () => {
    const { issues } = check("https://example.com/", page('<p foo\0="\ud800">\0</p><p \ud800x>'), false);
    expect(issues).not.to.deep.equal([]);
    expect(JSON.stringify(issues)).not.to.match(/\\u0000|\\ud[89a-f]/);
  });
});

describe("extracts", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "<", "é", "😀", "\n", "\r", "\r\n", " "), maxLength: 200 });

  it("hold what is highlighted, at lines and columns that lead back to the offset", () => {
    fc.assert(
      fc.property(text, fc.integer({ min: -5, max: 300 }), fc.integer({ min: 0, max: 300 }), (source, offset, size) => {
        const { extract, coordinates: at } = createSourceMap(source)(offset, size);
        expect(source).to.include(extract);
        expect(at.hilite_start).to.be.within(0, extract.length);
        expect(at.hilite_start + at.hilite_length).to.be.within(0, extract.length);
        expect(at.first_line).to.be.at.least(1);
        expect(at.last_line).to.be.at.least(at.first_line);
        expect(at.first_column).to.be.at.least(1);
        expect(at.last_column).to.be.at.least(1);
        if (at.first_line === at.last_line) expect(at.last_column).to.be.at.least(at.first_column ?? 1);
        if (source === "") return;
        const starts = [0, ...[...source.matchAll(/\r\n|\r|\n/g)].map((match) => match.index + match[0].length)];
        const start = (starts[at.first_line - 1] ?? Number.NaN) + (at.first_column ?? 1) - 1;
        expect(start).to.equal(Math.min(Math.max(offset, 0), source.length - 1));
        const highlighted = extract.slice(at.hilite_start, at.hilite_start + at.hilite_length);
        expect(source.startsWith(highlighted, start)).to.equal(true);
      }),
    );
  });

  it("never cut a character in half", () => {
    const source = "😀".repeat(100);
    const { extract } = createSourceMap(source)(100, 2);
    expect(extract.isWellFormed()).to.equal(true);
  });
});
