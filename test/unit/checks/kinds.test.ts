import { Ajv } from "ajv";
import { expect } from "chai";
import type { EngineModule } from "../../../src/checker/engine.ts";
import * as a11y from "../../../src/checks/a11y/issues.ts";
import {
  capitalized,
  checkKinds,
  manifestOf,
  needsBrowser,
  needsCrawl,
  needsSource,
  performedKinds,
  sourceKinds,
} from "../../../src/checks/kinds.ts";

describe("every kind of check", () => {
  for (const kind of checkKinds) {
    it(`has a runner in the room of the checker: ${kind}`, async () => {
      const engine: Partial<EngineModule> = await import(`../../../src/checker/runners/${kind}.ts`);
      expect(engine.createRunner).to.be.a("function");
    });

    it(`has settings with its name, from which the API's names are made: ${kind}`, () => {
      const { perform, storeRaw } = manifestOf(kind).settings;
      expect(perform).to.equal(`perform${capitalized(kind)}Checks`);
      expect(storeRaw).to.equal(`storeRaw${capitalized(kind)}Checks`);
    });

    it(`describes each attribute of its issues by a JSON Schema: ${kind}`, () => {
      const ajv = new Ajv({ allowUnionTypes: true });
      for (const [name, schema] of Object.entries(manifestOf(kind).issues.attributes))
        expect(() => ajv.compile(schema), name).to.not.throw();
    });

    it(`describes just the attributes that its issues have: ${kind}`, () => {
      const issue = { issue_type: "error", rule: "r", message: "m", help_url: null, tags: [] } as const;
      const { issues } = manifestOf(kind);
      const shown = issues.attributesOf({ ...issue, tags: [], impact_order: null, outside_standard: false });
      expect(Object.keys(shown)).to.deep.equal(Object.keys(issues.attributes));
      expect(issues.attributes).to.have.property(issues.text);
    });
  }
});

describe("The kinds of checks", () => {
  it("need the source, a browser, or the end of the crawl", () => {
    const needs = checkKinds.map((kind) => [kind, needsSource(kind), needsBrowser(kind), needsCrawl(kind)]);
    expect(needs).to.deep.equal([
      ["html", true, false, false],
      ["a11y", false, true, false],
      ["links", false, false, true],
    ]);
    expect(sourceKinds).to.deep.equal(["html"]);
  });

  it("run unless they are switched off, of which a report has other defaults than a schedule", () => {
    const byDefault = checkKinds.map((kind) => [
      kind,
      manifestOf(kind).byDefault.report,
      manifestOf(kind).byDefault.schedule,
    ]);
    expect(byDefault).to.deep.equal([
      ["html", true, true],
      ["a11y", false, true],
      ["links", false, false],
    ]);
    expect(
      performedKinds({ performHtmlChecks: false, performA11yChecks: true, performLinkChecks: true }),
    ).to.deep.equal([...["a11y", "links"]]);
  });

  it("describe what the HTML engine says as it says it, and nothing else", () => {
    const message = {
      ...{ type: "info", subType: "warning", rule: "r", section: "", message: "m", extract: "e" },
      ...{ lastLine: 1, firstColumn: 1, lastColumn: 2, hiliteStart: 0, hiliteLength: 1 },
    };
    const edit = { start: 0, end: 0, startLine: 1, startColumn: 1, endLine: 1, endColumn: 1, text: '"' };
    const fix = { kind: "quote", title: "insert", edits: [edit], removes: 0 };
    const isRight = new Ajv().compile({ type: "object", properties: manifestOf("html").raw.properties });
    const tell = (changed: object) => isRight({ url: "", language: "", messages: [{ ...message, ...changed }] });
    for (const right of [{}, { type: "error", subType: undefined }, { firstLine: 1, causedBy: 0, fix }])
      expect(tell(JSON.parse(JSON.stringify(right))), JSON.stringify(right)).to.equal(true);
    for (const wrong of [
      ...[
        { type: "warning" },
        { subType: "error" },
        { lastLine: 0 },
        { hiliteStart: -1 },
        { causedBy: -1 },
        { meant: 1 },
      ],
      ...[
        { rule: 1 },
        { fix: { ...fix, kind: "guess" } },
        { fix: { ...fix, more: 1 } },
        { fix: { ...fix, edits: [{}] } },
      ],
      ...[{ fix: { ...fix, edits: [{ ...edit, more: 1 }] } }, { fix: { ...fix, removes: "all" } }, { more: 1 }],
    ])
      expect(tell(wrong), JSON.stringify(wrong)).to.equal(false);
  });

  it("give an accessibility issue its impact, and the least to one that only counts what is not listed", () => {
    const issue = {
      issue_type: "warning",
      rule: "image-alt",
      message: "m",
      help_url: "h",
      tags: ["t"],
      outside_standard: true,
    } as const;
    const shown = { rule: "image-alt", help: "m", help_url: "h", review: true, tags: ["t"], outside_standard: true };
    const of = (impact_order: number | null) =>
      a11y.issues.attributesOf({ ...issue, tags: [...issue.tags], impact_order });
    expect(of(4)).to.deep.equal({ ...shown, impact: "critical", impact_order: 4 });
    expect(of(null)).to.deep.equal({ ...shown, impact: "minor", impact_order: 1 });
    const bare = a11y.issues.attributesOf({
      ...issue,
      tags: [],
      issue_type: "error",
      rule: null,
      help_url: null,
      impact_order: 3,
    });
    expect(bare).to.include({ rule: "", help_url: "", review: false, impact: "serious" });
  });
});
