import { expect } from "chai";
import { loadConformance } from "../../comparison/engine.ts";
import { createFuzzer, failureOf } from "../../comparison/fuzz.ts";
import { createFamilies } from "../../comparison/generator/families.ts";
import { linesOf, type Recorded, readSample } from "../../comparison/record.ts";

const FUZZED = 2_000;

describe("the conformance engine beside Nu", () => {
  let check: Awaited<ReturnType<typeof loadConformance>>["check"];
  let grammars: Awaited<ReturnType<typeof loadConformance>>["grammars"];
  let sample: Recorded[];

  before(async () => {
    ({ check, grammars } = await loadConformance());
    sample = await readSample();
  });

  it("reports errors on the lines that are recorded", () => {
    const other = sample.flatMap(({ category, contentType, source, nu, ours = nu }) => {
      const found = linesOf(check(source, contentType));
      return found.join() === ours.join() ? [] : [{ category, recorded: ours, found, source }];
    });
    expect(other, "npm run conformance -- --record writes the sample anew").to.deep.equal([]);
  });

  it("has a sample in which both agree, but for a few documents in which ours follows the standard", () => {
    expect(sample.length).to.be.above(400);
    const other = sample.filter(({ ours, why }) => ours !== undefined && why === undefined);
    expect(other.length / sample.length).to.be.below(0.01);
    const accused = other.filter(({ nu }) => nu.length === 0);
    expect(accused).to.deep.equal([]);
  });

  it("stands documents that are changed at random", () => {
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
