import { expect } from "chai";
import { loadConformance } from "../../comparison/engine.ts";
import { linesOf, type Recorded, readSample } from "../../comparison/record.ts";

describe("the conformance engine beside Nu", () => {
  let check: Awaited<ReturnType<typeof loadConformance>>["check"];
  let sample: Recorded[];

  before(async () => {
    ({ check } = await loadConformance());
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
});
