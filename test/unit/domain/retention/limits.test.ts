import { expect } from "chai";
import { effectiveLimits, isLimited, nightAfter, noLimits } from "../../../../src/domain/retention/limits.ts";

describe("limits of what is kept", () => {
  it("keep for ever unless somebody says otherwise", () => {
    expect(isLimited(noLimits)).to.equal(false);
    expect(isLimited(effectiveLimits(noLimits, noLimits))).to.equal(false);
  });
  it("of account and operator are the ones that keep less", () => {
    const own = { ...noLimits, report_days: 400, picture_days: 30 };
    const operator = { ...noLimits, report_days: 365, picture_days: 90, raw_days: 14 };
    expect(effectiveLimits(own, operator)).to.deep.equal({
      ...{ report_days: 365, schedule_runs: null, picture_days: 30, raw_days: 14 },
    });
  });

  const nights: [now: string, night: string][] = [
    ["2026-11-30T00:00:00Z", "2026-11-30T03:00:00Z"],
    ["2026-11-30T02:00:00Z", "2026-11-30T03:00:00Z"],
    ["2026-11-30T02:00:01Z", "2026-12-01T03:00:00Z"],
    ["2026-11-30T03:00:00Z", "2026-12-01T03:00:00Z"],
    ["2026-12-31T23:59:59Z", "2027-01-01T03:00:00Z"],
  ];
  for (const [now, night] of nights)
    it(`changed at ${now} hold from ${night}, an hour later at least`, () => {
      expect(nightAfter(new Date(now)).toISOString()).to.equal(new Date(night).toISOString());
    });
});
