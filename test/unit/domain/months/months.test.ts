import { expect } from "chai";
import { isMonth, monthAfter, nameOf, startOf, titleOf } from "../../../../src/domain/months/calendar.ts";
import {
  type MonthRows,
  type MonthRun,
  type MonthSite,
  monthReport,
} from "../../../../src/domain/months/month-report.ts";
import { monthHeadline, monthSubject, monthSummary } from "../../../../src/domain/months/sentences.ts";
import { monthTold, monthToTell } from "../../../../src/domain/months/told.ts";

const at = (time: string) => new Date(`${time}Z`);

const run = (errors: number, pages = 10, more: Partial<MonthRun> = {}): MonthRun => ({
  ...{ report_id: `r${errors}-${pages}`, ended_at: at("2026-11-20T12:00:00"), is_past: false, errors, critical: 0 },
  ...{ pages, pages_left: 0, series: "s", errors_by_kind: { html: errors }, roles: null },
  ...{ passed: null, passed_now: null, engines: {} },
  ...more,
});
const site = (
  name: string,
  now: MonthRun | null,
  before: MonthRun | null,
  more: Partial<MonthSite> = {},
): MonthSite => ({
  ...{ id: name, starting_url: `https://${name}.example/`, name, owner: null, tags: [], is_scheduled: true },
  ...{ num_runs: now ? 1 : 0, now, before, last_known: before, without_result: null, months: [], weeks: [] },
  ...more,
});
const report = (sites: MonthSite[], rules: MonthRows["rules"] = []) =>
  monthReport("2026-11", { sites, rules, criteria: [] });
const told = (sites: MonthSite[]) =>
  monthTold("2026-11", report(sites), { numSites: sites.length, criteria: new Set() });

describe("A month of the calendar", () => {
  it("is four digits from 2000 on, a hyphen and one of twelve", () => {
    for (const month of ["2026-11", "2000-01", "2999-12"]) expect(isMonth(month), month).to.equal(true);
    for (const text of ["9999-99", "1999-12", "2026-00", "2026-13", "2026-1", "2026-011", " 2026-11", "2026-11\n", ""])
      expect(isMonth(text), JSON.stringify(text)).to.equal(false);
  });

  it("follows another over the end of a year", () => {
    expect([monthAfter("2026-12"), monthAfter("2026-01", -1), monthAfter("2026-11", -11)]).to.deep.equal([
      ...["2027-01", "2025-12", "2025-12"],
    ]);
    expect([nameOf("2026-11"), titleOf("2026-02")]).to.deep.equal(["November", "February 2026"]);
    expect(startOf("2026-03").toISOString()).to.equal("2026-03-01T00:00:00.000Z");
  });
});

describe("What a month is", () => {
  it("calls a site better or worse by the numbers as they are shown", () => {
    const { turns } = report([site("same", run(104, 100), run(96, 100)), site("worse", run(12), run(10))]);
    expect([turns.as_before, turns.worse].map((sites) => sites.map(({ name }) => name))).to.deep.equal([
      ["same"],
      ["worse"],
    ]);
  });

  it("adds up what each rule has fewer or more of on each site, so that nothing is left over", () => {
    const [now, before] = [run(7, 10), run(9, 10)];
    const rule = (of: MonthRun, name: string, errors: number) => ({
      ...{ report_id: of.report_id, kind: "html" as const, rule: name, message: null, impact: null, errors },
    });
    const found = report(
      [site("a", now, before), site("new", run(5), null), site("gone", null, run(3))],
      [rule(before, "x", 6), rule(before, "y", 3), rule(now, "x", 2), rule(now, "z", 5)],
    );
    expect([found.away.errors, found.came.errors, found.not_compared]).to.deep.equal([7, 5, { before: 3, now: 5 }]);
    expect(found.before.errors - 7 - 3 + 5 + 5).to.equal(found.totals.errors);
  });

  it("names two that got worse, two above their limits, and then those with the most errors on a page", () => {
    const sites = [
      ...["w1", "w2", "w3"].map((name, index) => site(name, run(20 - index), run(10))),
      ...["l1", "l2", "l3"].map((name, index) => site(name, run(9 - index, 10, { passed: false }), null)),
      ...[site("most", run(90), null), site("none", run(0), null), site("gone", run(500, 10, { is_past: true }), null)],
    ];
    expect(report(sites).worst.map(({ site: { name }, why }) => `${name} ${why}`)).to.deep.equal([
      ...["w1 got_worse", "w2 got_worse", "l1 limit", "l2 limit", "most most"],
    ]);
  });

  it("does not judge limits of a deleted report, and says so", () => {
    const sites = [site("a", run(1, 10, { is_past: true }), null), site("b", run(1, 10, { passed: true }), null)];
    expect(report(sites).limits).to.deep.equal({ met: 1, not_met: 0, none: 0, unknown: 1 });
  });

  it("is said in a sentence, whatever there is", () => {
    const say = (sites: MonthSite[]) => monthHeadline(told(sites));
    expect(say([])).to.equal("Nothing was checked in November.");
    expect(say([site("a", run(5), null)])).to.equal("0.5 errors per page.");
    expect(say([site("a", run(15, 10, { passed: true }), run(20))])).to.equal(
      "Better: 25 % fewer errors on each page, and 1 of 1 site meets its limits. None got worse.",
    );
    expect(say([site("a", run(3), run(0))])).to.equal("Worse: 0.3 errors per page, after none. 1 got worse.");
    expect(monthSummary(told([site("a", null, run(3))]))).to.equal("1 site could not be checked.");
    expect(monthSubject(told([site("a", run(15), run(20)), site("b", run(2), run(1))]))).to.equal(
      "November: fewer errors, 0.8 per page after 1.1; 1 site got worse",
    );
  });
});

describe("The month that somebody is told of", () => {
  const long = at("2020-01-01T00:00:00");
  const cases: [what: string, now: string, zone: string, month: string | undefined][] = [
    ["is the last one, from the 1st at 08:00", "2026-12-01T08:00:00", "UTC", "2026-11"],
    ["is none before that", "2026-12-01T07:59:59", "UTC", undefined],
    ["is told in the time of the receiver", "2026-12-01T07:00:00", "Europe/Berlin", "2026-11"],
    ["is told in its summer time", "2026-07-01T06:00:00", "Europe/Berlin", "2026-06"],
    ["waits in the far east until the month is over in UTC", "2026-11-30T23:59:59", "Pacific/Kiritimati", undefined],
    ["and is told right then", "2026-12-01T00:00:00", "Pacific/Kiritimati", "2026-11"],
    ["is told last in the far west", "2026-12-01T19:00:00", "Pacific/Pago_Pago", "2026-11"],
    ["not before its 1st", "2026-12-01T18:59:00", "Pacific/Pago_Pago", undefined],
    ["is told later where the service was away", "2026-12-07T12:00:00", "UTC", "2026-11"],
    ["is not told after a week", "2026-12-08T08:00:01", "UTC", undefined],
    ["is that of another year in January", "2027-01-01T08:00:00", "UTC", "2026-12"],
  ];
  for (const [what, now, zone, month] of cases)
    it(what, () => {
      expect(monthToTell(at(now), zone, long)).to.equal(month);
    });

  it("is none for who came after the 1st", () => {
    expect(monthToTell(at("2026-12-03T12:00:00"), "UTC", at("2026-12-02T09:00:00"))).to.equal(undefined);
  });
});
