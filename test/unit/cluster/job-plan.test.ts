import { expect } from "chai";
import { type JobDecision, type JobState, planJob } from "../../../src/cluster/local/job-plan.ts";

const NOW = 1_000_000;

const base: JobState = {
  parallelism: 2,
  backoffLimit: 3,
  active: 0,
  terminating: 0,
  succeeded: 0,
  failed: 0,
  startedAt: NOW - 10_000,
  backoffMs: 1_000,
};

const idle = { start: 0, stopAll: false };

const table: [string, Partial<JobState>, JobDecision | { finished: string }][] = [
  ["starts as many pods as may run at once", {}, { start: 2, stopAll: false }],
  ["starts what is missing", { active: 1 }, { start: 1, stopAll: false }],
  ["starts more when parallelism was raised", { active: 2, parallelism: 5 }, { start: 3, stopAll: false }],
  ["leaves a full Job alone", { active: 2 }, idle],
  ["stops excess processes when parallelism was lowered", { active: 5 }, { ...idle, stop: 3 }],
  ["stops all processes when parallelism was lowered to 0", { active: 2, parallelism: 0 }, { ...idle, stop: 2 }],
  [
    "stops excess processes before it waits after a failure",
    { active: 3, failed: 1, lastFailureAt: NOW },
    { ...idle, stop: 1 },
  ],
  ["starts nothing in place of a pod that is still ending", { active: 1, terminating: 1 }, idle],
  ["lets pods end by themselves after the first success", { active: 3, succeeded: 1 }, idle],
  ["is not complete while a pod is still ending", { terminating: 1, succeeded: 1 }, idle],
  ["has not failed while a pod is still ending", { terminating: 1, failed: 4 }, { start: 0, stopAll: true }],
  ["starts none after the first success", { active: 1, succeeded: 1 }, idle],
  [
    "is complete when one pod succeeded and the others ended",
    { succeeded: 1, failed: 2 },
    { finished: "CompletionsReached" },
  ],
  ["waits a second after the first failure", { failed: 1, lastFailureAt: NOW }, { ...idle, recheckAt: NOW + 1_000 }],
  ["waits twice as long after the second", { failed: 2, lastFailureAt: NOW }, { ...idle, recheckAt: NOW + 2_000 }],
  [
    "waits longer with each pod in a row that its machine did not let work",
    { interrupted: 3, lastFailureAt: NOW },
    { ...idle, recheckAt: NOW + 4_000 },
  ],
  [
    "but no longer than half a minute, and without ever giving up",
    { interrupted: 500, lastFailureAt: NOW },
    { ...idle, recheckAt: NOW + 30_000 },
  ],
  ["starts again when the wait is over", { failed: 1, lastFailureAt: NOW - 1_000 }, { start: 2, stopAll: false }],
  ["starts at once after a restart that forgot the time", { failed: 1 }, { start: 2, stopAll: false }],
  ["has failed when its retries are used up", { failed: 4 }, { finished: "BackoffLimitExceeded" }],
  ["stops the other pods before it has failed", { failed: 4, active: 1 }, { start: 0, stopAll: true }],
  ["has failed at once when no retry can help", { failed: 1, fatal: "exit code 2" }, { finished: "PodFailurePolicy" }],
  ["stops at its deadline", { active: 1, activeDeadlineSeconds: 10 }, { start: 0, stopAll: true }],
  ["has failed at its deadline", { activeDeadlineSeconds: 10 }, { finished: "DeadlineExceeded" }],
  [
    "is looked at again at its deadline",
    { active: 2, activeDeadlineSeconds: 20 },
    { ...idle, recheckAt: base.startedAt + 20_000 },
  ],
];

describe("planJob", () => {
  for (const [name, state, expected] of table) {
    it(name, () => {
      const decision = planJob({ ...base, ...state }, NOW);
      if ("finished" in expected) expect(decision.finish?.reason).to.equal(expected.finished);
      else expect(decision).to.deep.equal(expected);
    });
  }
});
