import { expect } from "chai";
import { decideGrants } from "../../../src/controller/scheduling/decide-grants.ts";
import type { Demand, Limits, PerStage } from "../../../src/controller/scheduling/grant.ts";

const html = (length: number) => ({ "html-checker": length });
const both = (length: number) => ({ "html-checker": length, "a11y-checker": length });

/** Waits, holds nothing, needs HTML checks. */
const waiting = (id: string, accountId: string, rest: Partial<Demand> = {}): Demand => ({
  id,
  accountId,
  waiting: true,
  queues: html(0),
  granted: {},
  held: {},
  ...rest,
});

/** Runs, and its pods hold what they were granted. */
const running = (id: string, accountId: string, granted: PerStage, rest: Partial<Demand> = {}): Demand =>
  waiting(id, accountId, { waiting: false, granted, held: granted, ...rest });

type SomeLimits = Omit<Limits, "maxCheckersPerJob"> & Partial<Limits>;
type Case = [name: string, limits: SomeLimits, demands: Demand[], expected: Record<string, "waits" | PerStage>];

const slots: Case[] = [
  ["has nothing to grant without reports", { maxRunningReports: 2, maxCheckers: 4 }, [], {}],
  [
    "starts the oldest first",
    { maxRunningReports: 2, maxCheckers: 9 },
    [waiting("a", "x"), waiting("b", "x"), waiting("c", "x")],
    { a: html(1), b: html(1), c: "waits" },
  ],
  [
    "does not let one account's many reports delay another's only one",
    { maxRunningReports: 2, maxCheckers: 9 },
    [waiting("a", "x"), waiting("b", "x"), waiting("c", "y")],
    { a: html(1), b: "waits", c: html(1) },
  ],
  [
    "counts running reports when it decides whose turn it is",
    { maxRunningReports: 3, maxCheckers: 9 },
    [running("a", "x", html(1)), running("b", "x", html(1)), waiting("c", "x"), waiting("d", "y")],
    { a: html(1), b: html(1), c: "waits", d: html(1) },
  ],
  [
    "gives the slots of reports that are only being compared to others, of the same account, too",
    { maxRunningReports: 1, maxCheckers: 9 },
    [
      running("a", "x", {}, { over: true, queues: {} }),
      running("b", "x", {}, { over: true, queues: {} }),
      waiting("c", "x"),
      waiting("d", "x"),
    ],
    { a: {}, b: {}, c: html(1), d: "waits" },
  ],
  [
    "counts no report that is only being compared when it decides whose turn it is",
    { maxRunningReports: 1, maxCheckers: 9 },
    [running("a", "x", {}, { over: true, queues: {} }), waiting("b", "x"), waiting("c", "y")],
    { a: {}, b: html(1), c: "waits" },
  ],
  [
    "stops no report when the limit is lowered",
    { maxRunningReports: 1, maxCheckers: 9 },
    [running("a", "x", html(1)), running("b", "y", html(1)), waiting("c", "z")],
    { a: html(1), b: html(1), c: "waits" },
  ],
];

const giving: Case[] = [
  [
    "gives each engine a pod from the start",
    { maxRunningReports: 1, maxCheckers: 9 },
    [waiting("a", "x", { queues: both(0) })],
    { a: both(1) },
  ],
  [
    "gives more pods to a longer queue",
    { maxRunningReports: 1, maxCheckers: 9 },
    [running("a", "x", html(1), { queues: html(250) })],
    { a: html(3) },
  ],
  [
    "gives every queue its first pod before any gets a second one",
    { maxRunningReports: 2, maxCheckers: 3 },
    [running("a", "x", html(1), { queues: html(1000) }), waiting("b", "x", { queues: both(0) })],
    { a: html(1), b: both(1) },
  ],
  [
    "gives every report its first pod before any queue gets its own",
    { maxRunningReports: 2, maxCheckers: 2 },
    [waiting("a", "x", { queues: both(9) }), waiting("b", "x", { queues: both(9) })],
    { a: { "html-checker": 1, "a11y-checker": 0 }, b: { "html-checker": 1, "a11y-checker": 0 } },
  ],
  [
    "shares what is left between accounts, not between reports",
    { maxRunningReports: 3, maxCheckers: 7 },
    [
      running("a", "x", html(1), { queues: html(1000) }),
      running("b", "x", html(1), { queues: html(1000) }),
      running("c", "y", html(1), { queues: html(1000) }),
    ],
    // Each had one; of the four that are left y gets more, until both accounts have as many.
    { a: html(2), b: html(2), c: html(3) },
  ],
  [
    "gives a Job no more pods than it may have",
    { maxRunningReports: 2, maxCheckers: 9, maxCheckersPerJob: 2 },
    [running("a", "x", html(1), { queues: html(1000) })],
    { a: html(2) },
  ],
  [
    "decides nothing for a queue that is no longer needed",
    { maxRunningReports: 1, maxCheckers: 9 },
    [running("a", "x", html(2), { queues: {} })],
    { a: {} },
  ],
];

const takingBack: Case[] = [
  [
    "leaves a queue the pods that nobody else needs, however short it is",
    { maxRunningReports: 1, maxCheckers: 9 },
    [running("a", "x", html(5))],
    { a: html(5) },
  ],
  [
    "takes a slot back for a report without one, and grants it when the pod is gone",
    { maxRunningReports: 2, maxCheckers: 4 },
    [running("a", "x", html(4), { queues: html(1000) }), waiting("b", "y")],
    { a: html(3), b: html(0) },
  ],
  [
    "does not take a second one while the first pod is still ending",
    { maxRunningReports: 2, maxCheckers: 4 },
    [
      running("a", "x", html(3), { queues: html(1000), held: html(4) }),
      running("b", "y", html(0), { queues: html(9) }),
    ],
    { a: html(3), b: html(0) },
  ],
  [
    "grants the slot when the pod is gone",
    { maxRunningReports: 2, maxCheckers: 4 },
    [running("a", "x", html(3), { queues: html(1000) }), running("b", "y", html(0), { queues: html(9) })],
    { a: html(3), b: html(1) },
  ],
  [
    "takes from the account with the most, until both have equally many",
    { maxRunningReports: 3, maxCheckers: 8 },
    [
      running("a", "x", html(4), { queues: html(1000) }),
      running("b", "x", html(3), { queues: html(1000) }),
      running("c", "y", html(1), { queues: html(1000) }),
    ],
    { a: html(2), b: html(2), c: html(1) },
  ],
  [
    "shares between the reports of one account, too",
    { maxRunningReports: 2, maxCheckers: 6 },
    [running("a", "x", html(5), { queues: html(1000) }), running("b", "x", html(1), { queues: html(1000) })],
    { a: html(3), b: html(1) },
  ],
  [
    "does not take a slot for less than a whole slot's gain in fairness",
    { maxRunningReports: 2, maxCheckers: 5 },
    [running("a", "x", html(3), { queues: html(1000) }), running("b", "y", html(2), { queues: html(1000) })],
    { a: html(3), b: html(2) },
  ],
  [
    "takes what a short queue cannot use, from an account with fewer, too",
    { maxRunningReports: 2, maxCheckers: 5 },
    [running("a", "x", html(2), { queues: html(10) }), running("b", "y", html(3), { queues: html(1000) })],
    { a: html(1), b: html(3) },
  ],
  [
    "takes nothing for a queue that would not keep another pod busy",
    { maxRunningReports: 2, maxCheckers: 5 },
    [running("a", "x", html(2), { queues: html(10) }), running("b", "y", html(3), { queues: html(399) })],
    { a: html(2), b: html(3) },
  ],
  [
    "leaves each queue one pod while there are enough slots",
    { maxRunningReports: 2, maxCheckers: 3 },
    [running("a", "x", both(1), { queues: both(1000) }), running("b", "y", html(1), { queues: html(1000) })],
    { a: both(1), b: html(1) },
  ],
  [
    "takes the only pod of a report's second queue for a report without any",
    { maxRunningReports: 2, maxCheckers: 2 },
    [running("a", "x", both(1), { queues: both(1000) }), waiting("b", "x")],
    { a: { "html-checker": 1, "a11y-checker": 0 }, b: html(0) },
  ],
  [
    "lets the youngest report of the account with the most wait when there are more reports than slots",
    { maxRunningReports: 3, maxCheckers: 2 },
    [running("a", "x", html(1)), running("b", "x", html(1)), waiting("c", "y")],
    { a: html(1), b: html(0), c: html(0) },
  ],
  [
    "lets the new report wait when its account has as many as the others",
    { maxRunningReports: 3, maxCheckers: 2 },
    [running("a", "x", html(1)), running("b", "y", html(1)), waiting("c", "y")],
    { a: html(1), b: html(1), c: html(0) },
  ],
  [
    "takes nothing from a queue whose new pods have not been seen yet",
    { maxRunningReports: 2, maxCheckers: 4 },
    [running("a", "x", html(4), { queues: html(1000), awaitingPods: ["html-checker"] }), waiting("b", "y")],
    { a: html(4), b: html(0) },
  ],
  [
    "takes back the excess when the limit is lowered",
    { maxRunningReports: 2, maxCheckers: 3 },
    [running("a", "x", html(4), { queues: html(1000) }), running("b", "y", html(1))],
    { a: html(2), b: html(1) },
  ],
  [
    "counts the pods of an ended queue until they have ended",
    { maxRunningReports: 2, maxCheckers: 3 },
    [running("a", "x", html(2), { queues: {} }), running("b", "y", html(1), { queues: html(1000) })],
    { a: {}, b: html(1) },
  ],
];

describe("what reports are granted", () => {
  const groups = { "a slot of a running report": slots, pods: giving, "pods taken back from others": takingBack };
  for (const [group, table] of Object.entries(groups)) {
    describe(group, () => {
      for (const [name, limits, demands, expected] of table) {
        it(name, () => {
          const grants = decideGrants(demands, { maxCheckersPerJob: 10, ...limits });
          const readable = [...grants].map(([id, { run, checkers }]) => [id, run ? checkers : "waits"]);
          expect(Object.fromEntries(readable)).to.deep.equal(expected);
        });
      }
    });
  }
});
