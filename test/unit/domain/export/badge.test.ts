import { expect } from "chai";
import { badgeSvg, badgeText } from "../../../../src/domain/export/badge.ts";

describe("a badge", () => {
  it("says what was found, and never looks good when something was left out", () => {
    const ended = { state: "ended", errors: 0, passed: null, complete: true } as const;
    const cases = [
      [{ state: "pending" }, "no result yet", "unknown"],
      [{ state: "failed" }, "could not be checked", "unknown"],
      [ended, "0 errors", "good"],
      [{ ...ended, errors: 1 }, "1 error", "bad"],
      [{ ...ended, errors: 3, passed: true }, "passed, 3 errors", "good"],
      [{ ...ended, passed: false }, "failed, 0 errors", "bad"],
      [{ ...ended, complete: false }, "0 errors, incomplete", "unknown"],
      [{ ...ended, errors: 2, complete: false }, "2 errors, incomplete", "bad"],
    ] as const;
    for (const [result, text, tone] of cases) expect(badgeText(result)).to.deep.equal({ text, tone });
  });

  it("is as wide as its words, which screen readers say", () => {
    const svg = badgeSvg({ state: "ended", errors: 12, passed: null, complete: true });
    expect(svg).to.include('role="img" aria-label="site check: 12 errors"');
    const width = (text: string) => Number(/ width="(\d+)"/.exec(badgeSvg(text as never))?.[1]);
    expect(width({ state: "failed" } as never)).to.be.greaterThan(width({ state: "pending" } as never));
  });
});
