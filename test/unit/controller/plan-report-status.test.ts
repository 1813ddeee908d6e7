import { expect } from "chai";
import type { PodProblem } from "../../../src/controller/jobs/pod-health.ts";
import { planReport, type ReportSnapshot } from "../../../src/controller/report/plan.ts";
import { isGap } from "../../../src/domain/coverage/coverage.ts";
import type { NoticeCode } from "../../../src/domain/coverage/notices.ts";
import { crawling, EARLIER, job, NOW, over, type Situation, situation } from "../../support/report-situations.ts";

describe("the status that planReport writes", () => {
  it("copies the row's counters into the status", () => {
    const { status } = planReport(
      situation({
        row: { ...over, errors: 4, warnings: 5, html: { pending: 1, checked: 2 }, a11y: { checked: 2, failed: 1 } },
        a11y: true,
        jobs: [job("crawler", "complete"), job("html-checker", "active"), job("a11y-checker", "active")],
      }),
      NOW,
    );
    expect(status).to.deep.include({
      observedGeneration: 1,
      pages: 3,
      errors: 4,
      warnings: 5,
      checks: { pending: 1, checked: 4, failed: 1 },
      runs: { crawler: 1, "html-checker": 1, "a11y-checker": 1 },
      startTime: EARLIER.toISOString(),
    });
    expect(status).to.not.have.property("completionTime");
  });

  it("sets conditions, and keeps the time of one that did not change", () => {
    const first = situation({
      row: { ...over, phase: "Checking", html: { pending: 1 } },
      jobs: [job("html-checker", "active")],
      runs: { crawler: 1 },
    });
    const before = planReport(first, EARLIER).status;
    const second: ReportSnapshot = {
      ...first,
      resource: { ...first.resource, status: before },
      row: { ...first.row, checks: { ...first.row.checks, html: { pending: 0, checked: 1, failed: 0 } } },
    };
    const short = (conditions: typeof before.conditions) =>
      conditions?.map(({ type, status, reason, lastTransitionTime }) => [type, status, reason, lastTransitionTime]);
    const early = EARLIER.toISOString();
    expect(short(before.conditions)).to.deep.equal([
      ["Crawled", "True", "CrawlEnded", early],
      ["Complete", "False", "InProgress", early],
      ["Failed", "False", "NoFailure", early],
      ["Covered", "Unknown", "InProgress", early],
    ]);
    const after = planReport(second, NOW).status;
    expect(short(after.conditions)).to.deep.equal([
      ["Crawled", "True", "CrawlEnded", early],
      ["Complete", "True", "ReportComplete", NOW.toISOString()],
      ["Failed", "False", "NoFailure", early],
      // What it covers is known once its end is stored.
      ["Covered", "Unknown", "InProgress", early],
    ]);
    expect(after.completionTime).to.equal(NOW.toISOString());
  });

  it("says in the condition Covered what was left out", () => {
    const coveredBy = (...codes: NoticeCode[]) => {
      const notices = codes.map((code) => ({ code, how_many: 555, num_urls: 555, more: false, examples: [] }));
      const pages = { found: 1, checked: 1, failed: 0, left_out: {} };
      const coverage = { complete: !notices.some(isGap), pages, notices };
      const { status } = planReport(
        situation({ row: { ...over, phase: "Complete", completedAt: NOW, coverage } }),
        NOW,
      );
      const found = status.conditions?.find(({ type }) => type === "Covered");
      return [found?.status, found?.reason, found?.message];
    };
    const whole = ["True", "NothingLeftOut", "Nothing of the site was left out."];
    expect(coveredBy()).to.deep.equal(whole);
    expect(coveredBy("same_document")).to.deep.equal(whole);
    expect(coveredBy("page_limit", "same_document")).to.deep.equal([
      ...["False", "GapsFound"],
      "The report has its maximum number of pages, so that further addresses were not visited (555).",
    ]);
  });

  for (const [pages, message] of [
    [1, "1 page was found."],
    [2_000, "2,000 pages were found."],
  ] as const)
    it(`says that ${message}`, () => {
      const { conditions } = planReport(situation({ row: { ...over, pages } }), NOW).status;
      expect(conditions?.find(({ type }) => type === "Crawled")?.message).to.equal(message);
    });

  it("forgets why a report was refused once it is not any more", () => {
    const given = situation({ row: crawling, jobs: [job("crawler", "active"), job("html-checker", "active")] });
    const refused = { phase: "Failed", stopReason: "NoAccount", conditions: [] } as const;
    const { status } = planReport(
      { ...given, resource: { ...given.resource, status: { ...refused, conditions: [] } } },
      NOW,
    );
    expect(status).to.not.have.property("stopReason");
    expect(status.conditions?.find(({ type }) => type === "Failed")?.status).to.equal("False");
  });

  for (const [failed, message] of [
    [0, "Every page was checked."],
    [1, "Every page was processed; 1 check had no result; see the failure of each page."],
    [2, "Every page was processed; 2 checks had no result; see the failure of each page."],
  ] as const)
    it(`says in a sentence that a report is complete, with ${failed} failed checks`, () => {
      const row = { crawlState: "ended", pages: 5, html: { checked: 3, failed } } as const;
      const { status } = planReport(situation({ row }), NOW);
      expect(status.conditions?.find(({ type }) => type === "Complete")).to.deep.include({ status: "True", message });
    });

  it("says why a report failed in a sentence", () => {
    const { status } = planReport(
      situation({ row: { crawlState: "failed", failureCode: "unreachable", failureDetail: "Connection refused." } }),
      NOW,
    );
    expect(status.conditions?.find(({ type }) => type === "Failed")).to.deep.include({
      status: "True",
      reason: "Unreachable",
      message: "Connection refused.",
    });
  });

  describe("comes with events", () => {
    /** The events for `given`, after the status was last written for `before`. */
    function eventsOf(given: Situation, before?: Situation): string[] {
      const snapshot = situation(given);
      const { status: _, ...unseen } = snapshot.resource;
      const status = before && planReport(situation(before), EARLIER).status;
      const { events } = planReport({ ...snapshot, resource: { ...unseen, ...(status && { status }) } }, NOW);
      return events.map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
    }
    const waiting: Situation = {
      row: { phase: "Pending", crawlState: "pending" },
      grant: { run: false, checkers: {} },
    };
    const jobs = [job("crawler", "active"), job("html-checker", "active")];
    const running: Situation = { row: crawling, jobs, runs: { crawler: 1, "html-checker": 1 } };
    const trouble: PodProblem = { reason: "OOMKilled", message: "Pod a: more memory than its limit" };

    it("when a report waits, and when it starts, once each", () => {
      expect(eventsOf(waiting)).to.deep.equal([
        "Normal WaitingForCapacity: The report waits for capacity: other reports have to end first.",
      ]);
      expect(eventsOf(waiting, waiting)).to.deep.equal([]);
      expect(eventsOf({ ...waiting, grant: { run: true, checkers: {} } }, waiting)).to.have.length(0);
      const { status: _, ...fresh } = situation(running).resource;
      const { events } = planReport({ ...situation({ ...running, jobs: [], runs: {} }), resource: fresh }, NOW);
      expect(events.map(({ reason }) => reason)).to.deep.equal(["Started"]);
      expect(eventsOf(running, running)).to.deep.equal([]);
    });

    it("when its pods have trouble, and when that is over, not each time that it is seen", () => {
      const other = { ...trouble, message: "Pod b: more memory than its limit" };
      expect(eventsOf({ ...running, trouble }, running)).to.deep.equal([`Warning OOMKilled: ${trouble.message}`]);
      expect(eventsOf({ ...running, trouble: other }, { ...running, trouble })).to.deep.equal([]);
      expect(eventsOf(running, { ...running, trouble })).to.deep.equal([
        "Normal PodsHealthy: The report's pods are working.",
      ]);
    });

    it("when a Job is replaced, with the reason", () => {
      const failed = { ...running, jobs: [job("crawler", "failed"), job("html-checker", "active")] };
      expect(eventsOf(failed, running)).to.deep.equal([
        "Warning JobRetried: crawler-1 failed: another Job continues (attempt 2 of 6 without progress).",
      ]);
    });

    it("when it has ended, with the result", () => {
      const complete: Situation = { row: { ...over, errors: 2, warnings: 1, html: { checked: 3 } }, jobs };
      expect(eventsOf(complete, running)).to.deep.equal(["Normal Completed: 3 pages: 2 errors, 1 warning."]);
      expect(eventsOf(complete, complete)).to.deep.equal([]);
      const detail = { failureCode: "unreachable" as const, failureDetail: "Connection refused." };
      expect(eventsOf({ row: { crawlState: "failed", ...detail }, jobs }, running)).to.deep.equal([
        "Warning Failed: Unreachable: Connection refused.",
      ]);
    });
  });
});
