import { expect } from "chai";
import { loadConformance } from "../../comparison/engine.ts";
import { createFuzzer, failureOf } from "../../comparison/fuzz.ts";
import { createFamilies } from "../../comparison/generator/families.ts";

const FUZZED = 2_000;

describe("the conformance engine", () => {
  it("stands documents that are changed at random", async () => {
    const { check, grammars } = await loadConformance();
    const seed = Math.floor(Math.random() * 1_000_000);
    const document = createFuzzer(
      createFamilies((preset) => grammars[preset]),
      seed,
    );
    for (let number = 0; number < FUZZED; number++) {
      const failure = failureOf(check, document(number));
      expect(failure, `npm run conformance -- --fuzz ${FUZZED} --seed ${seed}, document ${number}`).to.equal(undefined);
    }
  });
});
