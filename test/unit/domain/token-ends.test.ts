import { expect } from "chai";
import { MAX_TOKEN_DAYS, oneYearMore, tokenEnd } from "../../../src/domain/accounts/token-ends.ts";

const now = new Date("2026-11-26T12:00:00Z");
const days = (count: number) => new Date(now.getTime() + count * 86_400_000);

describe("the end of a token", () => {
  it("is said in days from 14 days before it, and when it is over", () => {
    const said = [null, days(400), days(14.01), days(14), days(4.5), days(0.5), now, days(-1)].map((end) =>
      tokenEnd(end, now),
    );
    expect(said).to.deep.equal(["none", "later", "later", { days: 14 }, { days: 4 }, { days: 0 }, "over", "over"]);
  });

  it("is moved by a year, from now if it is over, and never further than is allowed", () => {
    expect(oneYearMore(null, now)).to.deep.equal(days(365));
    expect(oneYearMore(days(-30), now)).to.deep.equal(days(365));
    for (const end of [4, 300, 366]) expect(oneYearMore(days(end), now)).to.deep.equal(days(MAX_TOKEN_DAYS - 1));
  });
});
