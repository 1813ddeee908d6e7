import { expect } from "chai";
import type { ReportPlan, ReportSnapshot } from "../../../src/controller/report/plan.ts";
import { requeueAfter } from "../../../src/controller/report/requeue-delay.ts";
import type { ReportStatus } from "../../../src/schema/resources.ts";
import { reportResource } from "../../support/builders.ts";

const now = new Date("2026-11-23T12:00:00Z");
const status: ReportStatus = { phase: "Crawling", startTime: "2026-11-23T11:59:00Z" };
const working = { idle: new Map() };
const runningJob = { spec: { parallelism: 2 }, status: { ready: 1 } };

/** A report whose Job runs and whose status is up to date, unless something else is given. */
function look(
  given: {
    pods?: ReportSnapshot["pods"];
    actions?: ReportPlan["actions"];
    planned?: ReportStatus;
    deadline?: number;
    jobs?: unknown[];
    pauses?: boolean;
  } = {},
  before?: number,
) {
  const { pods = working, actions = [], planned = status, deadline = 0, jobs = [runningJob], pauses = false } = given;
  const resource = { ...reportResource({ activeDeadlineSeconds: deadline }), status };
  const snapshot = { resource, row: { completedAt: null }, jobs, pods } as unknown as ReportSnapshot;
  return requeueAfter(snapshot, { actions, status: planned, events: [], pauses, requeueAfterMs: 2_000 }, before, now);
}

describe("the pace at which a running report is looked at", () => {
  it("halves with each look that finds nothing, down to one in half a minute", () => {
    const pauses: (number | undefined)[] = [];
    for (let before: number | undefined, n = 0; n < 6; n++) {
      before = look({}, before).ms;
      pauses.push(before);
    }
    expect(pauses).to.deep.equal([2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  });

  const busy: [string, Parameters<typeof look>[0]][] = [
    ["there is something to do", { actions: [{ type: "set-phase", phase: "Checking" }] }],
    ["its counters are still to be written", { planned: { ...status, pages: 3 } }],
    ["a pod of it is still starting", { pods: { idle: new Map([["job", "starting"]]) } }],
    ["its pods have a problem", { pods: { idle: new Map(), trouble: { reason: "OOMKilled", message: "" } } }],
    ["a Job has no ready pod any more, whatever was known of its pods", { jobs: [{ spec: {}, status: { ready: 0 } }] }],
    ["the next Job of one of its stages has to wait", { pauses: true }],
    ["all its Jobs have ended", { jobs: [{ status: { conditions: [{ type: "Failed", status: "True" }] } }] }],
  ];
  for (const [what, given] of busy)
    it(`stays at every two seconds while ${what}`, () => {
      expect(look(given, 16_000)).to.deep.equal({ ms: 2_000, quiet: false });
    });

  const calm: [string, unknown][] = [
    ["is told to have none", { spec: { parallelism: 0 }, status: { ready: 0 } }],
    ["is almost done", { spec: { parallelism: 2 }, status: { ready: 0, succeeded: 1 } }],
    ["is on a cluster that does not count them", { spec: { parallelism: 2 }, status: { active: 1 } }],
  ];
  for (const [what, job] of calm)
    it(`misses no ready pod of a Job that ${what}`, () => {
      expect(look({ jobs: [runningJob, job] }, 4_000)).to.deep.equal({ ms: 8_000, quiet: true });
    });

  it("stays at every two seconds while nobody knows its pods", () => {
    const resource = { ...reportResource(), status };
    const snapshot = { resource, row: { completedAt: null }, jobs: [runningJob] } as unknown as ReportSnapshot;
    const plan: ReportPlan = { actions: [], status, events: [], requeueAfterMs: 2_000 };
    expect(requeueAfter(snapshot, plan, 16_000, now)).to.deep.equal({ ms: 2_000, quiet: false });
  });

  it("does not miss the report's own deadline", () => {
    expect(look({ deadline: 65 }, 16_000).ms).to.equal(5_000);
  });
});
