import { expect } from "chai";
import { type KnownReport, whatIsKeptNoLonger, whatStays } from "../../../../src/domain/retention/decide.ts";
import { noLimits } from "../../../../src/domain/retention/limits.ts";

const now = new Date("2026-11-30T03:00:00Z");
const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000);

/** A complete report, so many days old. */
function report(id: string, days: number, more: Partial<KnownReport> = {}): KnownReport {
  return {
    ...{ id, guestToken: null, startingUrl: "https://example.com/", scheduleId: null, series: "s" },
    ...{ createdAt: daysAgo(days), endedAt: daysAgo(days), isBase: true, isWhole: true, isPinned: false },
    ...{ baseId: null, namedBaseId: null, ...more },
  };
}
const nothing = { age: [], runs: [], pictures: [], raw: [] };
const decide = (reports: KnownReport[], limits: object, wanted: string[] = []) => {
  const { goes, stays } = whatIsKeptNoLonger(reports, new Set(wanted), { ...noLimits, ...limits }, now);
  return { goes, stays: Object.fromEntries(stays) };
};

describe("what is kept no longer", () => {
  it("is nothing without limits", () => {
    expect(decide([report("a", 5_000), report("b", 1)], {})).to.deep.equal({ goes: nothing, stays: {} });
  });
  it("is what is older than the days, to the millisecond", () => {
    const exactly = report("exactly", 30);
    const older = report("older", 30, { endedAt: new Date(daysAgo(30).getTime() - 1), createdAt: daysAgo(31) });
    expect(decide([report("new", 1), exactly, older], { report_days: 30 }).goes.age).to.deep.equal(["older"]);
  });
  it("is what a schedule has beyond its newest runs, each schedule on its own", () => {
    const runs = [1, 2, 3, 4].map((day) => report(`a${day}`, day, { scheduleId: "A" }));
    const others = [1, 2, 3].map((day) =>
      report(`b${day}`, day, { scheduleId: "B", startingUrl: "https://b.example/" }),
    );
    const { goes } = decide([...runs, ...others], { schedule_runs: 2 });
    expect(goes).to.deep.equal({ ...nothing, runs: ["a3", "a4", "b3"] });
  });
  it("does not count reports without a schedule as runs of one", () => {
    expect(
      decide(
        [1, 2, 3].map((day) => report(`${day}`, day)),
        { schedule_runs: 1 },
      ).goes,
    ).to.deep.equal(nothing);
  });
  it("counts a report once that is old and one too many", () => {
    const runs = [1, 40, 50].map((day) => report(`${day}`, day, { scheduleId: "A" }));
    const { goes } = decide(runs, { report_days: 30, schedule_runs: 1 });
    expect(goes).to.deep.equal({ ...nothing, age: ["40", "50"] });
  });
  it("are pictures and raw results of reports that stay", () => {
    const reports = [1, 10, 20, 40].map((day) => report(`${day}`, day));
    const { goes } = decide(reports, { report_days: 30, picture_days: 15, raw_days: 5 });
    expect(goes).to.deep.equal({ age: ["40"], runs: [], pictures: ["20"], raw: ["10", "20"] });
  });
  it("leaves those of pinned reports", () => {
    const { goes, stays } = decide([report("new", 1), report("pin", 20, { isPinned: true })], { picture_days: 15 });
    expect({ goes, stays }).to.deep.equal({ goes: nothing, stays: { pin: "pinned" } });
  });
});

describe("what stays in any case", () => {
  const all = { report_days: 1 };
  it("are pinned reports, whatever their age", () => {
    const { stays } = decide([report("new", 2), report("pin", 4_000, { isPinned: true })], all);
    expect(stays).to.include({ pin: "pinned" });
  });
  it("is the newest report of each site with a result, of each guest on its own", () => {
    const reports = [
      report("own", 10),
      report("own, older", 20),
      report("own, without a result", 5, { isWhole: false, isBase: false }),
      report("guest's", 30, { guestToken: "g" }),
      report("other site", 40, { startingUrl: "https://other.example/" }),
    ];
    const { goes, stays } = decide(reports, all);
    expect(goes.age).to.deep.equal(["own, older", "own, without a result"]);
    expect(stays).to.deep.equal({ own: "newest", "guest's": "newest", "other site": "newest" });
  });
  it("is what a report that stays is compared with, and not what that one was compared with", () => {
    const reports = [
      report("today", 0, { baseId: "base" }),
      report("base", 10, { baseId: "base of base" }),
      report("base of base", 20),
    ];
    expect(decide(reports, all)).to.deep.equal({
      goes: { ...nothing, age: ["base of base"] },
      stays: { base: "compared" },
    });
  });
  it("is what a pinned report is compared with", () => {
    const reports = [report("new", 0), report("pin", 50, { isPinned: true, baseId: "base" }), report("base", 60)];
    expect(decide(reports, all).stays).to.deep.equal({ pin: "pinned", base: "compared" });
  });
  it("is what the next run of a schedule is compared with, also when others have checked the site since", () => {
    const reports = [
      report("by hand", 0),
      report("last run", 40, { scheduleId: "A" }),
      report("last but one", 41, { scheduleId: "A" }),
    ];
    const { goes, stays } = decide(reports, { report_days: 30, schedule_runs: 1 });
    expect(stays).to.deep.equal({ "last run": "compared" });
    expect(goes.age).to.deep.equal(["last but one"]);
  });
  it("is the last complete run, when later ones were cut short", () => {
    const cut = report("cut short", 2, { scheduleId: "A", isBase: false, isWhole: false });
    const { stays } = decide([cut, report("complete", 40, { scheduleId: "A" })], { schedule_runs: 1 });
    expect(stays).to.deep.equal({ complete: "newest" });
  });
  it("is the newest of each series: what another series has cannot be compared", () => {
    const { stays } = decide([report("new", 0, { series: "new" }), report("old", 50, { series: "old" })], all);
    expect(stays).to.deep.equal({ old: "compared" });
  });
  it("is what a run under way will be compared with", () => {
    const reports = [
      report("later", 0),
      report("runs", 3, { endedAt: null, isBase: false, isWhole: false }),
      report("its base", 10),
      report("older", 20),
    ];
    const { goes, stays } = decide(reports, all);
    expect(stays).to.deep.equal({ "its base": "compared" });
    expect(goes.age).to.deep.equal(["older"]);
  });
  it("is what a run under way names", () => {
    const runs = report("runs", 0, { endedAt: null, isBase: false, isWhole: false, namedBaseId: "named" });
    expect(decide([runs, report("last", 10), report("named", 20)], all).stays).to.include({ named: "compared" });
  });
  it("is what schedules name, and what somebody waits to see compared", () => {
    expect(decide([report("new", 0), report("old", 20)], all, ["old"]).stays).to.deep.equal({ old: "compared" });
  });
  it("is what runs", () => {
    const runs = report("runs", 50, { endedAt: null, isBase: false, isWhole: false });
    expect(Object.fromEntries(whatStays([runs], new Set(), new Set(["runs"])))).to.deep.equal({ runs: "running" });
  });
  it("is the same for what a person chooses", () => {
    const reports = [report("a", 0, { baseId: "b" }), report("b", 1, { baseId: "c" }), report("c", 2)];
    const chosen = (...ids: string[]) => Object.fromEntries(whatStays(reports, new Set(), new Set(ids)));
    expect(chosen("b", "c")).to.deep.equal({ b: "compared" });
    expect(chosen("c")).to.deep.equal({ c: "compared" });
    expect(chosen("a", "b", "c")).to.deep.equal({ a: "newest", b: "compared" });
  });
  it("is never everything of a site that has a result, whatever the limits are", () => {
    for (const limits of [{ report_days: 1 }, { schedule_runs: 1 }, { report_days: 1, schedule_runs: 1 }])
      for (let runs = 1; runs < 6; runs += 1) {
        const reports = Array.from({ length: runs }, (_, n) => report(`${n}`, 100 + n, { scheduleId: "A" }));
        const { goes } = decide(reports, limits);
        expect(goes.age.length + goes.runs.length).to.equal(runs - 1);
      }
  });
});
