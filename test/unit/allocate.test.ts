import { expect } from "chai";
import fc from "fast-check";
import { allocate, type Demand, type Limits, type Share } from "../../src/controller/allocate.ts";

const html = (length: number) => ({ "html-checker": length });
const both = (length: number) => ({ "html-checker": length, "a11y-checker": length });

/** Waits, holds nothing, needs HTML checks. */
const waiting = (id: string, accountId: string, rest: Partial<Demand> = {}): Demand => ({
  id,
  accountId,
  waiting: true,
  queues: html(0),
  held: {},
  ...rest,
});
const running = (id: string, accountId: string, rest: Partial<Demand> = {}): Demand =>
  waiting(id, accountId, { waiting: false, held: html(1), ...rest });

type SomeLimits = Omit<Limits, "maxCheckersPerJob"> & Partial<Limits>;

const table: [string, SomeLimits, Demand[], Record<string, string | Share["checkers"]>][] = [
  ["has nothing to share without reports", { maxRunningReports: 2, maxCheckers: 4 }, [], {}],
  [
    "starts the oldest first",
    { maxRunningReports: 2, maxCheckers: 9 },
    [waiting("a", "x"), waiting("b", "x"), waiting("c", "x")],
    { a: html(1), b: html(1), c: "waits" },
  ],
  [
    "does not let one account's many reports hold up another's only one",
    { maxRunningReports: 2, maxCheckers: 9 },
    [waiting("a", "x"), waiting("b", "x"), waiting("c", "y")],
    { a: html(1), b: "waits", c: html(1) },
  ],
  [
    "counts what runs when it looks whose turn it is",
    { maxRunningReports: 3, maxCheckers: 9 },
    [running("a", "x"), running("b", "x"), waiting("c", "x"), waiting("d", "y")],
    { a: html(1), b: html(1), c: "waits", d: html(1) },
  ],
  [
    "stops nobody when the limit was lowered",
    { maxRunningReports: 1, maxCheckers: 9 },
    [running("a", "x"), running("b", "y"), waiting("c", "z")],
    { a: html(1), b: html(1), c: "waits" },
  ],
  [
    "gives each engine a pod from the start",
    { maxRunningReports: 1, maxCheckers: 9 },
    [waiting("a", "x", { queues: both(0) })],
    { a: both(1) },
  ],
  [
    "gives more pods to a longer queue",
    { maxRunningReports: 1, maxCheckers: 9 },
    [running("a", "x", { queues: html(250) })],
    { a: html(3) },
  ],
  [
    "never takes a pod back",
    { maxRunningReports: 1, maxCheckers: 9 },
    [running("a", "x", { queues: html(0), held: html(5) })],
    { a: html(5) },
  ],
  [
    "gives every queue its first pod before any gets a second one",
    { maxRunningReports: 2, maxCheckers: 3 },
    [running("a", "x", { queues: html(1000) }), waiting("b", "x", { queues: both(0) })],
    { a: html(1), b: both(1) },
  ],
  [
    "shares what is left between accounts, not between reports",
    { maxRunningReports: 3, maxCheckers: 7 },
    [
      running("a", "x", { queues: html(1000) }),
      running("b", "x", { queues: html(1000) }),
      running("c", "y", { queues: html(1000) }),
    ],
    // Each had one; of the four that are left y gets more, until both accounts have as many.
    { a: html(2), b: html(2), c: html(3) },
  ],
  [
    "gives one Job no more pods than it may have",
    { maxRunningReports: 2, maxCheckers: 9, maxCheckersPerJob: 2 },
    [running("a", "x", { queues: html(1000) })],
    { a: html(2) },
  ],
  [
    "gives no pod to a queue that is no longer needed",
    { maxRunningReports: 1, maxCheckers: 9 },
    [running("a", "x", { queues: {}, held: {} })],
    { a: {} },
  ],
  [
    "leaves a queue without a pod when all are in use",
    { maxRunningReports: 2, maxCheckers: 1 },
    [running("a", "x"), waiting("b", "y")],
    { a: html(1), b: {} },
  ],
];

describe("allocate", () => {
  for (const [name, limits, demands, expected] of table) {
    it(name, () => {
      const shares = allocate(demands, { maxCheckersPerJob: 10, ...limits });
      const readable = Object.fromEntries([...shares].map(([id, share]) => [id, share.run ? share.checkers : "waits"]));
      expect(readable).to.deep.equal(expected);
    });
  }

  it("keeps to the limits, and takes nothing back, whatever is asked for", () => {
    const demand = fc.record({
      accountId: fc.constantFrom("x", "y", "z"),
      waiting: fc.boolean(),
      html: fc.nat(2_000),
      a11y: fc.nat(2_000),
      held: fc.nat(3),
    });
    fc.assert(
      fc.property(
        fc.array(demand, { maxLength: 30 }),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 40 }),
        (list, maxRunningReports, maxCheckers) => {
          const demands = list.map(
            (entry, index): Demand => ({
              id: String(index),
              accountId: entry.accountId,
              waiting: entry.waiting,
              queues: { "html-checker": entry.html, "a11y-checker": entry.a11y },
              held: entry.waiting ? {} : { "html-checker": entry.held },
            }),
          );
          const shares = [...allocate(demands, { maxRunningReports, maxCheckers, maxCheckersPerJob: 5 }).entries()];
          const total = (values: (number | undefined)[]) =>
            values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
          const heldBefore = total(demands.flatMap((entry) => Object.values(entry.held)));
          const given = total(shares.flatMap(([, share]) => Object.values(share.checkers)));
          expect(given).to.be.at.most(Math.max(maxCheckers, heldBefore));
          const ranBefore = demands.filter((entry) => !entry.waiting).length;
          expect(shares.filter(([, share]) => share.run)).to.have.length(
            Math.max(ranBefore, Math.min(maxRunningReports, demands.length)),
          );
          for (const [id, share] of shares) {
            const before = demands[Number(id)]?.held["html-checker"] ?? 0;
            expect(share.checkers["html-checker"] ?? 0).to.be.at.least(before);
          }
        },
      ),
    );
  });
});
