import { expect } from "chai";
import fc from "fast-check";
import { impacts } from "../../../src/domain/findings/findings.ts";
import { type SuccessCriterion, successCriteria } from "../../../src/domain/findings/success-criteria.ts";
import { expectedAt, type Loss, lossParts, reachedSince, scoreOf, scoreWithout } from "../../../src/domain/score.ts";

const criteria = [...successCriteria.values()];
const anyLoss: fc.Arbitrary<Loss> = fc.record({
  impact: fc.constantFrom(...impacts, null),
  num_pages: fc.integer({ min: 1, max: 50 }),
  role: fc.constantFrom("template" as const, "design" as const, "content" as const),
  criteria: fc.subarray<SuccessCriterion>(criteria, { maxLength: 3 }),
});
const sum = (parts: Record<string, number>) => Object.values(parts).reduce((total, part) => total + part, 0);

describe("The score of a site", () => {
  it("is the mean of what checked pages have left of 100, rounded down", () => {
    expect(scoreOf({ lost: 0, checked: 3 })).to.equal(100);
    expect(scoreOf({ lost: 10, checked: 3 })).to.equal(96);
    expect(scoreOf({ lost: 300, checked: 3 })).to.equal(0);
    expect(scoreOf({ lost: 0, checked: 0 })).to.equal(null);
  });

  it("loses parts by level and by role that add up to the points that are lost", () => {
    fc.assert(
      fc.property(fc.array(anyLoss, { minLength: 1 }), fc.integer({ min: 1, max: 60 }), (losses, checked) => {
        const lost = Math.min(
          checked * 100,
          losses.reduce((total, { num_pages }) => total + num_pages, 0),
        );
        const { points, by_level, by_role } = lossParts({ lost, checked }, losses);
        expect(sum(by_level)).to.be.closeTo(points, 1e-6);
        expect(sum(by_role)).to.be.closeTo(points, 1e-6);
      }),
    );
  });

  it("loses by the least level that a cause fails, and by none for a cause about no criterion", () => {
    const loss = (impact: Loss["impact"], numbers: string[]): Loss => ({
      ...{ impact, num_pages: 1, role: "template" },
      criteria: criteria.filter(({ number }) => numbers.includes(number)),
    });
    const { by_level } = lossParts({ lost: 16, checked: 1 }, [
      loss("critical", ["1.4.3", "1.1.1"]),
      loss("serious", ["1.4.3"]),
      loss(null, []),
    ]);
    expect(by_level).to.deep.equal({ A: 10, AA: 5, AAA: 0, none: 1 });
  });

  it("is told without some causes, in proportion where pages lose more than all", () => {
    const loss = (impact: Loss["impact"], num_pages: number): Loss => ({
      impact,
      num_pages,
      role: "content",
      criteria: [],
    });
    const causes = [loss("critical", 4), loss("serious", 2), loss(null, 1)];
    expect(scoreWithout({ lost: 51, checked: 5 }, causes, [])).to.equal(scoreOf({ lost: 51, checked: 5 }));
    expect(scoreWithout({ lost: 51, checked: 5 }, causes, causes.slice(0, 1))).to.equal(
      scoreOf({ lost: 11, checked: 5 }),
    );
    expect(scoreWithout({ lost: 51, checked: 5 }, causes, causes)).to.equal(100);
    expect(scoreWithout({ lost: 25.5, checked: 5 }, causes, causes.slice(0, 1))).to.equal(98);
    expect(scoreWithout({ lost: 0, checked: 5 }, [], [])).to.equal(100);
  });

  it("says since when a target was never missed", () => {
    const at = (day: number, lost: number) => ({ at: new Date(Date.UTC(2026, 0, day)), lost, checked: 1 });
    expect(reachedSince([at(1, 5), at(2, 20), at(3, 10), at(4, 5)], 90)?.getUTCDate()).to.equal(3);
    expect(reachedSince([at(1, 5), at(2, 20)], 90)).to.equal(undefined);
    expect(reachedSince([], 90)).to.equal(undefined);
  });

  it("reaches a target on a straight line, unless it does not get better", () => {
    const at = (day: number, lost: number) => ({ at: new Date(Date.UTC(2026, 0, day)), lost, checked: 1 });
    expect(expectedAt(at(1, 60), at(11, 50), 70)?.toISOString().slice(0, 10)).to.equal("2026-01-31");
    expect(expectedAt(at(1, 60), at(11, 60), 70)).to.equal(undefined);
    expect(expectedAt(at(1, 60), at(11, 20), 70)).to.deep.equal(new Date(Date.UTC(2026, 0, 11)));
  });
});
