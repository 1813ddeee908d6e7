import { expect } from "chai";
import { planReport, type ReportPlan } from "../../../src/controller/report/plan.ts";
import { crawling, EARLIER, job, NOW, over, type Situation, situation } from "../../support/report-situations.ts";

/** A plan's actions, short enough to read in a table. */
function actionsOf(plan: ReportPlan): string[] {
  return plan.actions.map((action) => {
    switch (action.type) {
      case "create-job":
        return `create ${action.order.stage} ${action.order.run} (attempt ${action.order.attempt}) x${action.order.parallelism}`;
      case "set-parallelism":
        return `set ${action.job.metadata.name} to ${action.parallelism}`;
      case "put-secret":
        return `give ${action.job.metadata.name} its secret`;
      case "delete-job":
        return `delete ${action.job.metadata.name}`;
      case "abandon-checks":
        return `abandon ${action.kind} checks`;
      case "set-phase":
      case "end":
        return `${action.type} ${action.phase}`;
      default:
        return action.type;
    }
  });
}

const table: [
  string,
  Situation,
  { actions: string[]; phase: string; again: number | undefined; stopReason?: string },
][] = [
  [
    "waits without a slot",
    { row: { phase: "Pending", crawlState: "pending" }, grant: { run: false, checkers: {} } },
    { actions: [], phase: "Pending", again: 15_000 },
  ],
  [
    "takes its slot by its phase, and then creates the Jobs of all stages at once",
    { row: { phase: "Pending", crawlState: "pending" }, a11y: true },
    {
      actions: [
        "set-phase Crawling",
        "create crawler 1 (attempt 1) x1",
        "create html-checker 1 (attempt 1) x1",
        "create a11y-checker 1 (attempt 1) x1",
      ],
      phase: "Crawling",
      again: 2_000,
    },
  ],
  [
    "takes no slot for a report that has nothing left to do when its turn comes",
    { row: { ...over, phase: "Pending" } },
    { actions: ["end Complete"], phase: "Complete", again: 0 },
  ],
  [
    "creates no checker Job while no pod is free for it",
    { grant: { run: true, checkers: {} } },
    { actions: ["create crawler 1 (attempt 1) x1"], phase: "Crawling", again: 2_000 },
  ],
  [
    "creates the missing Secret of a Job, then the other Jobs",
    { jobs: [job("crawler", "active")], withoutSecret: [job("crawler", "active")] },
    {
      actions: ["give crawler-1 its secret", "create html-checker 1 (attempt 1) x1"],
      phase: "Crawling",
      again: 2_000,
    },
  ],
  [
    "creates no Secret for a Job that it removes",
    {
      jobs: [job("crawler", "active", { template: "of-before" })],
      withoutSecret: [job("crawler", "active", { template: "of-before" })],
      idle: { "crawler-1": "starting" },
      grant: { run: true, checkers: {} },
    },
    { actions: ["delete crawler-1", "create crawler 2 (attempt 1) x1"], phase: "Crawling", again: 2_000 },
  ],
  [
    "creates what a killed controller did not create",
    { jobs: [job("crawler", "active")] },
    { actions: ["create html-checker 1 (attempt 1) x1"], phase: "Crawling", again: 2_000 },
  ],
  [
    "leaves running Jobs alone",
    { row: crawling, jobs: [job("crawler", "active"), job("html-checker", "active")] },
    { actions: [], phase: "Crawling", again: 2_000 },
  ],
  [
    "raises a checker Job's parallelism",
    {
      jobs: [job("crawler", "active"), job("html-checker", "active")],
      grant: { run: true, checkers: { "html-checker": 4 } },
    },
    { actions: ["set html-checker-1 to 4"], phase: "Crawling", again: 2_000 },
  ],
  [
    "lowers it, to 0 if necessary",
    {
      a11y: true,
      jobs: [
        job("crawler", "active"),
        job("html-checker", "active", { parallelism: 6 }),
        job("a11y-checker", "active", { parallelism: 1 }),
      ],
      grant: { run: true, checkers: { "html-checker": 2, "a11y-checker": 0 } },
    },
    { actions: ["set html-checker-1 to 2", "set a11y-checker-1 to 0"], phase: "Crawling", again: 2_000 },
  ],
  [
    "leaves it unchanged for a stage for which nothing is decided yet",
    {
      jobs: [job("crawler", "active"), job("html-checker", "active", { parallelism: 6 })],
      grant: { run: true, checkers: {} },
    },
    { actions: [], phase: "Crawling", again: 2_000 },
  ],
  [
    "removes a Job that has no pods to end it, once its work is done",
    {
      row: { ...over, html: { checked: 2 } },
      jobs: [job("crawler", "complete"), job("html-checker", "active", { parallelism: 0 })],
      grant: { run: true, checkers: {} },
    },
    { actions: ["delete html-checker-1", "end Complete"], phase: "Complete", again: 0 },
  ],
  [
    "creates no Job for a stage whose slot was taken back",
    {
      jobs: [job("crawler", "active"), job("html-checker", "failed", { parallelism: 1 })],
      grant: { run: true, checkers: { "html-checker": 0 } },
    },
    { actions: [], phase: "Crawling", again: 2_000 },
  ],
  [
    "goes on checking when the crawl is over",
    { row: { ...over, html: { pending: 2 } }, jobs: [job("crawler", "complete"), job("html-checker", "active")] },
    { actions: ["set-phase Checking"], phase: "Checking", again: 2_000 },
  ],
  [
    "does not recreate a crawler Job that ended and was removed",
    {
      row: { ...over, phase: "Checking", html: { pending: 2 } },
      jobs: [job("html-checker", "active")],
      runs: { crawler: 1, "html-checker": 1 },
    },
    { actions: [], phase: "Checking", again: 2_000 },
  ],
  [
    "is complete when no check is left, even if a Job is still ending",
    {
      row: { ...over, phase: "Checking", html: { checked: 3 } },
      jobs: [job("crawler", "complete"), job("html-checker", "active")],
    },
    { actions: ["end Complete"], phase: "Complete", again: 0 },
  ],
  [
    "fails a report whose starting page failed",
    {
      row: { crawlState: "failed", failureCode: "http_error", failureDetail: "404 was received.", html: { failed: 1 } },
      jobs: [job("crawler", "complete"), job("html-checker", "active")],
    },
    { actions: ["end Failed"], phase: "Failed", again: 0, stopReason: "HttpError" },
  ],
  [
    "creates another crawler Job when one has used up its retries",
    { jobs: [job("crawler", "failed"), job("html-checker", "active")] },
    { actions: ["create crawler 2 (attempt 2) x1"], phase: "Crawling", again: 2_000 },
  ],
  [
    "creates the second Job of a stage at once, and waits before the third",
    {
      row: crawling,
      jobs: [
        job("crawler", "failed", { run: 1, secondsAgo: 0 }),
        job("html-checker", "failed", { run: 2, secondsAgo: 9 }),
      ],
    },
    { actions: ["create crawler 2 (attempt 2) x1"], phase: "Crawling", again: 2_000 },
  ],
  [
    "waits longer before each further Job",
    {
      row: crawling,
      jobs: [
        job("crawler", "failed", { run: 5, secondsAgo: 49 }),
        job("html-checker", "failed", { run: 3, secondsAgo: 20 }),
      ],
    },
    { actions: ["create html-checker 4 (attempt 4) x1"], phase: "Crawling", again: 2_000 },
  ],
  [
    "goes on when the wait is over",
    { row: crawling, jobs: [job("crawler", "failed", { run: 5, secondsAgo: 50 }), job("html-checker", "active")] },
    { actions: ["create crawler 6 (attempt 6) x1"], phase: "Crawling", again: 2_000 },
  ],
  [
    "gives up the crawl after the sixth crawler Job",
    { jobs: [job("crawler", "failed", { run: 6 }), job("html-checker", "active")] },
    { actions: ["abandon-crawl"], phase: "Crawling", again: 0, stopReason: "CrawlerFailed" },
  ],
  [
    "goes on until the report's own deadline",
    { row: crawling, deadlineSeconds: 246, jobs: [job("crawler", "active"), job("html-checker", "active")] },
    { actions: [], phase: "Crawling", again: 2_000 },
  ],
  [
    "gives up crawl and checks at the report's own deadline, and removes their Jobs",
    { row: crawling, deadlineSeconds: 245, jobs: [job("crawler", "active"), job("html-checker", "active")] },
    {
      actions: ["delete crawler-1", "abandon-crawl", "delete html-checker-1", "abandon html checks"],
      phase: "Crawling",
      again: 0,
      stopReason: "DeadlineExceeded",
    },
  ],
  [
    "gives up the checks that are left when the deadline passes after the crawl",
    {
      row: { ...over, html: { checked: 3 }, a11y: { pending: 2 } },
      deadlineSeconds: 1,
      a11y: true,
      jobs: [job("crawler", "complete"), job("html-checker", "complete"), job("a11y-checker", "active")],
    },
    {
      actions: ["set-phase Checking", "delete a11y-checker-1", "abandon a11y checks"],
      phase: "Checking",
      again: 0,
      stopReason: "DeadlineExceeded",
    },
  ],
  [
    "does not hold a page that is checked again to the deadline of the report's run",
    {
      row: {
        ...over,
        phase: "Checking",
        html: { checked: 2, pending: 1 },
        runBase: { "html-checker": { run: 1, attempt: 1, done: 0 } },
      },
      deadlineSeconds: 1,
      jobs: [job("html-checker", "active", { run: 2 })],
    },
    { actions: [], phase: "Checking", again: 2_000 },
  ],
  [
    "gives up crawl and checks of a report that is cancelled, and removes their Jobs",
    { row: crawling, cancelled: true, jobs: [job("crawler", "active"), job("html-checker", "active")] },
    {
      actions: ["delete crawler-1", "abandon-crawl", "delete html-checker-1", "abandon html checks"],
      phase: "Crawling",
      again: 0,
      stopReason: "Cancelled",
    },
  ],
  [
    "gives up the checks that are left of a report that is cancelled after its crawl",
    {
      row: { ...over, html: { checked: 3 }, a11y: { pending: 2 } },
      cancelled: true,
      a11y: true,
      jobs: [job("crawler", "complete"), job("html-checker", "complete"), job("a11y-checker", "active")],
    },
    {
      actions: ["set-phase Checking", "delete a11y-checker-1", "abandon a11y checks"],
      phase: "Checking",
      again: 0,
      stopReason: "Cancelled",
    },
  ],
  [
    "creates no Job for a report that is cancelled before it ran",
    { row: { phase: "Pending", crawlState: "pending" }, cancelled: true, grant: { run: false, checkers: {} } },
    { actions: ["abandon-crawl", "abandon html checks"], phase: "Pending", again: 0, stopReason: "Cancelled" },
  ],
  [
    "ends a cancelled report that has nothing left to do, whatever it found",
    { row: { ...over, html: { checked: 1, failed: 2 } }, cancelled: true, stopReason: "Cancelled" },
    { actions: ["end Complete"], phase: "Complete", again: 0, stopReason: "Cancelled" },
  ],
  [
    "completes a report whose crawl was cut short because it was cancelled",
    {
      row: { ...over, failureCode: "cancelled", failureDetail: "Pages are missing.", html: { failed: 2 } },
      cancelled: true,
      stopReason: "Cancelled",
    },
    { actions: ["end Complete"], phase: "Complete", again: 0, stopReason: "Cancelled" },
  ],
  [
    "checks a page of a cancelled report again",
    {
      row: {
        ...over,
        phase: "Checking",
        html: { checked: 2, pending: 1 },
        runBase: { "html-checker": { run: 1, attempt: 1, done: 0 } },
      },
      cancelled: true,
      jobs: [job("html-checker", "active", { run: 2 })],
    },
    { actions: [], phase: "Checking", again: 2_000 },
  ],
  [
    "gives up the crawl at once when the crawler says that a retry cannot help",
    { jobs: [job("crawler", "usage"), job("html-checker", "active")] },
    { actions: ["abandon-crawl"], phase: "Crawling", again: 0, stopReason: "CrawlerFailed" },
  ],
  [
    "counts attempts from the start after a Job that made much progress",
    {
      row: { ...crawling, pages: 40, html: { pending: 6, checked: 33, failed: 1 } },
      jobs: [
        job("crawler", "failed", { run: 6, done: 15 }),
        job("html-checker", "failed", { run: 6, attempt: 6, done: 9 }),
      ],
    },
    {
      actions: ["create crawler 7 (attempt 1) x1", "create html-checker 7 (attempt 1) x1"],
      phase: "Crawling",
      again: 2_000,
    },
  ],
  [
    "goes on counting attempts after a Job that made little progress",
    {
      row: { ...over, phase: "Checking", html: { pending: 6, checked: 24 } },
      jobs: [job("html-checker", "failed", { run: 6, attempt: 6 })],
      runs: { crawler: 1 },
    },
    { actions: ["abandon html checks"], phase: "Checking", again: 0, stopReason: "CheckerFailed" },
  ],
  [
    "replaces a Job whose pods ended or were lost, and removes it first",
    {
      row: crawling,
      jobs: [job("crawler", "active"), job("html-checker", "active", { run: 2 })],
      idle: { "crawler-1": "stalled", "html-checker-2": "stalled" },
    },
    {
      actions: [
        "delete crawler-1",
        "create crawler 2 (attempt 2) x1",
        "delete html-checker-2",
        "create html-checker 3 (attempt 3) x1",
      ],
      phase: "Crawling",
      again: 2_000,
    },
  ],
  [
    "gives up after the sixth Job whose pods were lost, and removes it",
    {
      row: { ...over, phase: "Checking", html: { pending: 6 } },
      jobs: [job("html-checker", "active", { run: 6 })],
      runs: { crawler: 1 },
      idle: { "html-checker-6": "stalled" },
    },
    {
      actions: ["delete html-checker-6", "abandon html checks"],
      phase: "Checking",
      again: 0,
      stopReason: "CheckerFailed",
    },
  ],
  [
    "takes the slot from a stalled checker Job, without counting an attempt",
    {
      row: crawling,
      jobs: [job("crawler", "active"), job("html-checker", "active", { run: 2 })],
      idle: { "html-checker-2": "stalled" },
      grant: { run: true, checkers: { "html-checker": 0 } },
    },
    { actions: ["set html-checker-2 to 0"], phase: "Crawling", again: 2_000 },
  ],
  [
    "takes the slot from a checker Job whose pods cannot start and whose settings have changed",
    {
      row: crawling,
      jobs: [job("crawler", "active"), job("html-checker", "active", { template: "before" })],
      idle: { "html-checker-1": "starting" },
      grant: { run: true, checkers: { "html-checker": 0 } },
    },
    { actions: ["set html-checker-1 to 0"], phase: "Crawling", again: 2_000 },
  ],
  [
    "leaves a Job alone whose pods start",
    {
      row: crawling,
      jobs: [job("crawler", "active"), job("html-checker", "active")],
      idle: { "crawler-1": "starting", "html-checker-1": "starting" },
    },
    { actions: [], phase: "Crawling", again: 2_000 },
  ],
  [
    "replaces a Job whose pods cannot start, once their settings have changed, as the same attempt",
    {
      row: crawling,
      jobs: [job("crawler", "active", { template: "before" }), job("html-checker", "active", { template: "before" })],
      idle: { "crawler-1": "starting" },
    },
    { actions: ["delete crawler-1", "create crawler 2 (attempt 1) x1"], phase: "Crawling", again: 2_000 },
  ],
  [
    "creates another crawler Job when one was removed before the crawl was over",
    { jobs: [job("html-checker", "active")], runs: { crawler: 1, "html-checker": 1 } },
    { actions: ["create crawler 2 (attempt 2) x1"], phase: "Crawling", again: 2_000 },
  ],
  [
    "creates another checker Job when one ended while checks remain",
    {
      row: { ...over, phase: "Checking", html: { pending: 1 } },
      jobs: [job("crawler", "complete"), job("html-checker", "failed")],
    },
    { actions: ["create html-checker 2 (attempt 2) x1"], phase: "Checking", again: 2_000 },
  ],
  [
    "creates another checker Job when one ended before the crawl did",
    { jobs: [job("crawler", "active"), job("html-checker", "complete")] },
    { actions: ["create html-checker 2 (attempt 2) x1"], phase: "Crawling", again: 2_000 },
  ],
  [
    "gives up the checks after the sixth checker Job",
    {
      row: { ...over, phase: "Checking", html: { pending: 1 } },
      jobs: [job("html-checker", "failed", { run: 5 }), job("html-checker", "failed", { run: 6 })],
      runs: { crawler: 1, "html-checker": 6 },
    },
    { actions: ["abandon html checks"], phase: "Checking", again: 0, stopReason: "CheckerFailed" },
  ],
  [
    "goes on after a removed checker Job that made much progress, however many there were before it",
    {
      row: {
        ...{ ...over, phase: "Checking", html: { pending: 6, checked: 200 } },
        lastJobs: { "html-checker": { run: 9, attempt: 1, done: 170 } },
      },
      runs: { crawler: 1, "html-checker": 9 },
    },
    { actions: ["create html-checker 10 (attempt 1) x1"], phase: "Checking", again: 2_000 },
  ],
  [
    "goes on counting attempts after a removed checker Job that made little progress",
    {
      row: {
        ...{ ...over, phase: "Checking", html: { pending: 6, checked: 200 } },
        lastJobs: { "html-checker": { run: 9, attempt: 2, done: 190 } },
      },
      runs: { crawler: 1, "html-checker": 9 },
    },
    { actions: ["create html-checker 10 (attempt 3) x1"], phase: "Checking", again: 2_000 },
  ],
  [
    "gives up the checks after the sixth removed checker Job without progress",
    {
      row: {
        ...{ ...over, phase: "Checking", html: { pending: 6, checked: 200 } },
        lastJobs: { "html-checker": { run: 9, attempt: 6, done: 190 } },
      },
      runs: { crawler: 1, "html-checker": 9 },
    },
    { actions: ["abandon html checks"], phase: "Checking", again: 0, stopReason: "CheckerFailed" },
  ],
  [
    "counts only the Jobs for the same work",
    {
      row: { ...over, phase: "Checking", html: { pending: 1 } },
      jobs: [job("html-checker", "failed", { run: 9, attempt: 1 })],
      runs: { crawler: 1, "html-checker": 9 },
    },
    { actions: ["create html-checker 10 (attempt 2) x1"], phase: "Checking", again: 2_000 },
  ],
  [
    "gives up the checks at once when the checker says that a retry cannot help",
    {
      row: { ...over, phase: "Checking", a11y: { pending: 3 } },
      a11y: true,
      jobs: [job("a11y-checker", "usage")],
      runs: { crawler: 1 },
    },
    { actions: ["abandon a11y checks"], phase: "Checking", again: 0, stopReason: "CheckerFailed" },
  ],
  [
    "waits for the end of the crawl after the checks were given up",
    { jobs: [job("crawler", "active"), job("html-checker", "usage")] },
    { actions: [], phase: "Crawling", again: 2_000, stopReason: "CheckerFailed" },
  ],
  [
    "keeps the reason for which it stopped",
    {
      row: { ...over, phase: "Checking", html: { failed: 3 } },
      runs: { crawler: 1, "html-checker": 4 },
      stopReason: "CheckerFailed",
    },
    { actions: ["end Complete"], phase: "Complete", again: 0, stopReason: "CheckerFailed" },
  ],
  [
    "leaves an ended report alone until its time to live is over",
    { row: { ...over, phase: "Complete", completedAt: EARLIER } },
    { actions: [], phase: "Complete", again: 3_355_000 },
  ],
  [
    "removes an ended report when its time to live is over",
    { row: { ...over, phase: "Complete", completedAt: new Date("2026-01-02T02:00:00.000Z") } },
    { actions: ["expire"], phase: "Complete", again: undefined },
  ],
  [
    "never removes an ended report that a person applied",
    { row: { ...over, phase: "Failed", completedAt: new Date("2020-01-01T00:00:00.000Z") }, byHand: true },
    { actions: [], phase: "Failed", again: undefined, stopReason: "ReportFailed" },
  ],
];

describe("planReport", () => {
  for (const [name, given, { actions, phase, again, stopReason }] of table) {
    it(name, () => {
      const plan = planReport(situation(given), NOW);
      expect(actionsOf(plan)).to.deep.equal(actions);
      expect(plan.status.phase).to.equal(phase);
      expect(plan.requeueAfterMs).to.equal(again);
      expect(plan.status.stopReason).to.equal(stopReason);
    });
  }

  for (const runs of [{ crawler: 99, "html-checker": 99 }, { crawler: 0 }, {}])
    it(`believes the recorded Jobs, whatever the status says of runs: ${JSON.stringify(runs)}`, () => {
      const { resource, ...snapshot } = situation({
        row: { ...over, phase: "Checking", html: { pending: 6 } },
        runs: { crawler: 1, "html-checker": 2 },
      });
      const plan = planReport({ ...snapshot, resource: { ...resource, status: { ...resource.status, runs } } }, NOW);
      expect(actionsOf(plan)).to.deep.equal(["create html-checker 3 (attempt 3) x1"]);
      expect(plan.status.runs).to.deep.equal({ crawler: 1, "html-checker": 3 });
    });

  it("is the same whatever the order of the Jobs", () => {
    const jobs = [job("html-checker", "failed"), job("html-checker", "active", { run: 2 }), job("crawler", "active")];
    const plan = planReport(situation({ jobs }), NOW);
    expect(actionsOf(plan)).to.deep.equal([]);
    expect(plan.status.runs).to.deep.equal({ crawler: 1, "html-checker": 2 });
    expect(planReport(situation({ jobs: jobs.toReversed() }), NOW).status.runs).to.deep.equal(plan.status.runs);
  });

  it("says when a stage has to wait before its next Job, which no event ends", () => {
    const jobs = (secondsAgo: number) => [
      job("crawler", "failed", { run: 5, secondsAgo }),
      job("html-checker", "active"),
    ];
    expect(planReport(situation({ row: crawling, jobs: jobs(49) }), NOW)).to.deep.include({
      actions: [],
      pauses: true,
    });
    expect(planReport(situation({ row: crawling, jobs: jobs(50) }), NOW)).to.have.property("pauses", false);
    const checker = [job("crawler", "active"), job("html-checker", "failed", { run: 5, secondsAgo: 49 })];
    expect(planReport(situation({ row: crawling, jobs: checker }), NOW)).to.deep.include({ actions: [], pauses: true });
  });
});
