import { createRequire } from "node:module";
import { expect } from "chai";
import { MAX_FINDINGS, MAX_FINDINGS_OF_A_RULE, type Message } from "html-conformance/messages";
import { StaticConfigLoader } from "html-validate";
import { issuesOf, noticesIn, rawCheck } from "../../../src/checker/engines/html/findings.ts";
import { createHtmlCheck } from "../../../src/checker/engines/html-validate/check.ts";
import { toMessages } from "../../../src/checker/engines/html-validate/findings.ts";
import { prepareSource } from "../../../src/checker/engines/html-validate/prepare-source.ts";
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
      if (rule.severity !== "off") expect(rule.tags?.join(" "), name).to.match(/^[a-z0-9-]+(?: [a-z0-9-]+)*$/);
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
  const issues = (source: string) => issuesOf("html-validate", check(source).messages);
  const found = (source: string): string[] => issues(source).map((issue) => `${issue.issue_type} ${issue.rule}`);

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
    "optional tags in capitals": page("<UL><LI>a<LI>b</UL><P>a<P>b<HR>"),
    "the doctype of generators": page("x").replace("html>", "html SYSTEM 'about:legacy-compat'>"),
    "text in title and textarea that looks like tags": page("<textarea><i></b></textarea>", "<title>a </b> c</title>"),
    "contents of templates": page(
      "<template><tr id=a></b><p foo></template><template id=a><template></i></template></template>",
    ),
    "a document without tags of head and body": '<!DOCTYPE html>\n<html lang="en"><title>t</title><p>x</p></html>',
    "metadata with properties in the body": page(
      '<div itemscope><link itemprop=a href=b><meta itemprop=a content=b></div><meta property="og:a" content=b><link property=a href=b>',
    ),
    "a customizable select": page(
      "<select><button><selectedcontent></selectedcontent></button><div><option>a</option></div></select>",
    ),
    "a group of options with a legend": page(
      "<select><optgroup><legend>a</legend><option>b</option></optgroup></select>",
    ),
    "images whose text may be left out": page(
      "<img src=x title=y><figure><img src=x><figcaption>y</figcaption></figure><img srcset='x 1x' alt=''>",
    ),
    "an embed without a source": page("<embed type='text/html'>"),
    "values of attributes that look like tags": page(
      '<p title="a <title> b" data-a="<template>" data-b=\'<script>\' data-c="<!-- > ">x</p><p>y</p>',
      '<title>t</title><meta name="description" content="The <template> element">',
    ),
    "a hidden title": page("x", "<title hidden>t</title>"),
    "scripts in a group of headings": page("<hgroup><h1>a</h1><script>x()</script></hgroup>"),
    "other vocabularies": page('<p its-loc-note=a rel="dc:a" vocab="https://schema.org/" typeof=A>x</p>'),
    "a button for a popover": page("<input type=button popovertarget=a value=x><p id=a popover>x</p>"),
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
    "an obsolete attribute that html-validate does not know": [
      page("<table border=1><tr><td>x</table>"),
      "warning no-unknown-attributes",
    ],
    "what follows a value that looks like a tag": [
      page('<p title="<title>">x</p><p id=a>x</p><p id=a>y</p>'),
      "error no-dup-id",
    ],
    "an obsolete attribute": [page('<p align="left">x</p>'), "warning no-deprecated-attr"],
    "a role's reference that leads nowhere": [
      page("<button aria-controls=x>y</button>"),
      "warning no-missing-references",
    ],
    "metadata in the body": [page('<meta name="a" content="b">'), "error element-permitted-content"],
    "an image in a figure without a caption": [page("<figure><img src=x></figure>"), "error wcag/h37"],
    "a redundant role": [page('<main role="main">x</main>'), "warning no-redundant-role"],
  };
  for (const [name, [source, expected]] of Object.entries(wrong)) {
    it(`${expected} for ${name}`, () => expect(found(source)).to.deep.equal([expected]));
  }

  it("an error for a document that the parser gives up on", () => {
    expect(found("<!DOCTYPE html><p")).to.deep.equal(["error parser-error"]);
  });

  it("one issue with one entry per element, in the order of the page", () => {
    const [issue, ...others] = issues(page("<p foo=1>x</p>\n<p foo=2>y</p>"));
    expect(others).to.deep.equal([]);
    expect(issue?.html.map((each) => each.coordinates.first_line)).to.deep.equal([3, 4]);
    const [entry] = issue?.html ?? [];
    const { hilite_start: start = 0, hilite_length: length = 0 } = entry?.coordinates ?? {};
    expect(entry?.extract.slice(start, start + length)).to.equal("foo");
    expect(entry?.coordinates).to.include({ first_column: 4, last_column: 6 });
  });

  it("the same if comments in the page disable html-validate", () => {
    for (const directive of [
      "<!-- html-validate-disable no-dup-id -->",
      "<!-- [html-validate-disable-block no-dup-id] -->",
      `<!--${" ".repeat(1_000)}[html-validate-disable-block no-dup-id] -->`,
      '<p title="<!--">x</p><!-- [html-validate-disable-block no-dup-id] -->',
      "<p data-x='<script>'>x</p><!-- [html-validate-disable-block no-dup-id] -->",
      "<svg><![CDATA[ <!-- ]]></svg><!-- [html-validate-disable-block no-dup-id] -->",
    ]) {
      const source = page(`${directive}<p id=a>x</p><p id=a>y</p>`);
      expect(found(source)).to.deep.equal(["error no-dup-id"]);
    }
  });

  it("the same offsets, whatever is changed before html-validate reads the page", () => {
    const sources = [
      '<!DOCTYPE HTML SYSTEM "about:legacy-compat"><P><İMG><SVG><linearGradient>',
      "<title>a<b</TITLE><TEMPLATE>\r\n<p></TEMPLATE><!-- html-validate-disable a --><textarea><",
      "<template><template>",
      "<script>'<TITLE>'</SCRIPT><style><P></style>",
    ];
    const prepared = sources.map(prepareSource);
    expect(prepared.map(({ length }) => length)).to.deep.equal(sources.map(({ length }) => length));
    expect(prepared).to.deep.equal([
      "<!doctype html>                             <p><İMG><svg><linearGradient>",
      "<title>axb</title><template>\r\n   </template><!-- html_validate_disable a --><textarea>x",
      "<template>          ",
      "<script>'<TITLE>'</script><style><P></style>",
    ]);
  });

  it("messages in Nu's format with the document's language", () => {
    const { messages, language } = check("<!DOCTYPE html>\n<html><title>t</title><p\nid=a><p id=a></html>");
    const raw = rawCheck("https://example.com/a", language, messages);
    expect(raw).to.deep.include({ url: "https://example.com/a", language: "" });
    expect(raw.messages.map(({ type, subType, lastLine }) => [type, subType, lastLine])).to.deep.equal([
      ["info", "warning", 2],
      ["error", undefined, 3],
    ]);
    expect(check(page("x")).language).to.equal("en");
  });

  it("at most the maximum per page and rule, and notes that count the others", () => {
    const message = { severity: 2, message: "m", size: 1 };
    const many = Array.from({ length: MAX_FINDINGS + 5_000 }, (_, i) => ({
      ...message,
      ruleId: `r${i % 30}`,
      offset: i,
    }));
    const counts = issuesOf("html-validate", toMessages(many, "x".repeat(many.length)))
      .filter(({ message: text }) => text !== "m")
      .map((issue) => `${issue.issue_type} ${issue.rule}: ${issue.message}`);
    expect(counts).to.deep.equal([
      "error too-many-findings: 5000 more findings are not listed; at most 20000 of a page are.",
    ]);
    const same = Array.from({ length: MAX_FINDINGS_OF_A_RULE + 5 }, (_, i) => ({ ...message, ruleId: "r", offset: i }));
    const issues = issuesOf("html-validate", toMessages(same, "x".repeat(same.length)));
    expect(issues.map((issue) => [issue.issue_type, issue.html.length])).to.deep.equal([
      ["error", MAX_FINDINGS_OF_A_RULE],
      ["error", 1],
    ]);
  });

  it("text that PostgreSQL can store, whatever the page holds", () => {
    const stored = issues(page('<p foo\0="\ud800">\0</p><p \ud800x>'));
    expect(stored).not.to.deep.equal([]);
    expect(JSON.stringify(stored)).not.to.match(/\\u0000|\\ud[89a-f]/);
  });
});

describe("issues of any engine", () => {
  const message: Message = {
    type: "error",
    lastLine: 2,
    lastColumn: 7,
    message: "m",
    extract: "<p a>",
    hiliteStart: 0,
    hiliteLength: 5,
    rule: "attribute-not-allowed/a",
    section: "https://html.spec.whatwg.org/multipage/dom.html#the-id-attribute",
  };

  it("have the rule, the section of the standard and all coordinates", () => {
    expect(issuesOf("conformance", [message])).to.deep.equal([
      {
        issue_type: "error",
        rule: "attribute-not-allowed/a",
        message: "m",
        help_url: message.section,
        tags: ["attributes"],
        html: [
          {
            extract: "<p a>",
            coordinates: {
              ...{ first_line: 2, last_line: 2, first_column: 7, last_column: 7 },
              ...{ hilite_start: 0, hilite_length: 5 },
            },
            element: null,
          },
        ],
      },
    ]);
  });

  it("have null where an engine names neither rule nor section", () => {
    const [issue] = issuesOf("nu", [{ ...message, type: "info", subType: "warning", rule: "", section: "" }]);
    expect(issue).to.include({ issue_type: "warning", rule: null, help_url: null });
  });

  it("are made of errors and warnings, not of notes", () => {
    expect(issuesOf("conformance", [{ ...message, type: "info" }])).to.deep.equal([]);
  });

  it("leave to a notice what was not checked", () => {
    const note = { ...message, type: "info", rule: "css/not-checked", message: "Too long." } as const;
    expect(noticesIn([message, note, note])).to.deep.equal([
      { code: "css_not_checked", howMany: 2, detail: `Line ${message.firstLine ?? message.lastLine}: Too long.` },
    ]);
    expect(noticesIn([message])).to.deep.equal([]);
  });

  it("say which one they follow from, and that with which change they go", () => {
    const edit = { start: 9, end: 9, startLine: 2, startColumn: 3, endLine: 2, endColumn: 3 };
    const fix = (text: string) => ({ kind: "quote" as const, title: "insert", removes: 2, edits: [{ ...edit, text }] });
    const elements = (text: string) =>
      issuesOf("conformance", [
        { ...message, fix: fix(text) },
        { ...message, causedBy: 0 },
      ])[0]?.html;
    const [cause, consequence] = elements('"') ?? [];
    expect(cause).to.deep.include({
      fix: {
        ...{ title: "insert", removes: 2 },
        edits: [{ start_line: 2, start_column: 3, end_line: 2, end_column: 3, text: '"' }],
      },
    });
    expect(consequence?.caused_by).to.deep.equal({ rule: message.rule, first_line: 2, first_column: 7 });
    // What could not be stored as it is, or is most of a page, is no change that anybody can make.
    for (const text of ["\0", "\ud800", "x".repeat(1_001)]) expect(elements(text)?.[0]).not.to.have.property("fix");
  });

  it("have messages of bounded length", () => {
    const [issue] = issuesOf("nu", [{ ...message, message: "x".repeat(10_000) }]);
    expect(issue?.message).to.have.length(500);
  });
});
