import { expect } from "chai";
import type { EngineModule } from "../../../src/checker/engine.ts";
import { capitalized, checkKinds, manifestOf } from "../../../src/checks/kinds.ts";

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

    it(`describes just the attributes that its issues have: ${kind}`, () => {
      const issue = { issue_type: "error", rule: "r", message: "m", help_url: null, tags: [] } as const;
      const { issues } = manifestOf(kind);
      const shown = issues.attributesOf({ ...issue, tags: [], impact_order: null, outside_standard: false });
      expect(Object.keys(shown)).to.deep.equal(Object.keys(issues.attributes));
      expect(issues.attributes).to.have.property(issues.text);
    });
  }
});
