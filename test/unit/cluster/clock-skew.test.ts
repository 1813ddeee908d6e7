import { expect } from "chai";
import { watchClockSkew } from "../../../src/cluster/kubernetes/clock-skew.ts";

describe("a clock that differs from the API server's", () => {
  const HERE = Date.parse("2026-01-01T00:00:00Z");
  /** What is logged for Date headers that come so many seconds after one another, with so many seconds of difference. */
  const said = (...differences: { after: number; seconds: number }[]): string[] => {
    const lines: string[] = [];
    let time = HERE;
    const observe = watchClockSkew({ warn: (message: string) => lines.push(message) } as never, () => time);
    for (const { after, seconds } of differences) {
      time += after * 1_000;
      observe(new Date(time + seconds * 1_000).toUTCString());
    }
    return lines;
  };

  it("is warned of, with the direction", () => {
    expect(said({ after: 0, seconds: 30 })[0]).to.include("clock is 30 s ahead of this machine's");
    expect(said({ after: 0, seconds: -30 })[0]).to.include("clock is 30 s behind this machine's");
  });

  it("is warned of once an hour", () => {
    const later = (after: number) => ({ after, seconds: 30 });
    expect(said(later(0), later(1), later(3_598))).to.have.length(1);
    expect(said(later(0), later(1), later(3_599))).to.have.length(2);
  });

  it("is not warned of within a few seconds, or when the header is no date", () => {
    expect(said({ after: 0, seconds: 5 }, { after: 1, seconds: -5 })).to.deep.equal([]);
    const lines: string[] = [];
    watchClockSkew({ warn: (message: string) => lines.push(message) } as never)("tomorrow");
    expect(lines).to.deep.equal([]);
  });
});
