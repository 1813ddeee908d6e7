import { expect } from "chai";
import fc from "fast-check";
import { decideGrants } from "../../../src/controller/scheduling/decide-grants.ts";
import {
  busyPods,
  type CheckerStage,
  checkerStages,
  type Demand,
  type Grant,
  type Limits,
  type PerStage,
  sum,
  wantedPods,
} from "../../../src/controller/scheduling/grant.ts";
import { chooseRunning } from "../../../src/controller/scheduling/running-reports.ts";

type World = { reports: Demand[]; limits: Limits };

/** Passes in which a slot that is taken back for a new report reaches it: one takes, one gives. */
const PASSES_TO_A_FIRST_POD = 2;
/** Passes after which nothing changes any more, while pods go as fast as they are told to. */
const PASSES_TO_REST = 4;

const podsIn = (pods: PerStage) => sum(Object.values(pods));

/** Makes a pass, and does what it decided: pods come at once, and go when they go. */
function pass({ reports, limits }: World): Map<string, Grant> {
  const grants = decideGrants(reports, limits);
  for (const report of reports) {
    const { run, checkers } = grants.get(report.id) ?? { run: false, checkers: {} };
    report.waiting = !run;
    for (const stage of checkerStages) {
      const pods = checkers[stage];
      if (pods === undefined) continue;
      report.granted[stage] = pods;
      report.held[stage] = Math.max(report.held[stage] ?? 0, pods);
    }
  }
  return grants;
}

/** Pods end whose slots were taken back, or whose queue is over. */
function podsGo({ reports }: World, stages: readonly CheckerStage[] = checkerStages): void {
  for (const report of reports)
    for (const stage of stages) {
      if (report.queues[stage] === undefined) delete report.granted[stage];
      if (report.held[stage] !== undefined) report.held[stage] = report.granted[stage] ?? 0;
    }
}

function expectWithinLimits({ reports, limits }: World): void {
  expect(reports.filter(({ waiting }) => !waiting)).to.have.length.at.most(limits.maxRunningReports);
  expect(sum(reports.map(({ held }) => podsIn(held)))).to.be.at.most(limits.maxCheckers);
}

const queues = fc.record({ html: fc.option(fc.nat(1_500)), a11y: fc.option(fc.nat(300)) }).map(
  ({ html, a11y }): PerStage => ({
    ...(html !== null && { "html-checker": html }),
    ...(a11y !== null && { "a11y-checker": a11y }),
  }),
);
const limits = fc.record({
  maxRunningReports: fc.integer({ min: 1, max: 12 }),
  maxCheckers: fc.integer({ min: 1, max: 24 }),
  maxCheckersPerJob: fc.integer({ min: 1, max: 10 }),
});
const accountId = fc.constantFrom("x", "y", "z");
type Step =
  | { type: "come"; accountId: string; queues: PerStage }
  | { type: "end"; which: number }
  | { type: "change"; which: number; queues: PerStage }
  | { type: "go"; stages: CheckerStage[] };
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ type: fc.constant("come" as const), accountId, queues }),
  fc.record({ type: fc.constant("end" as const), which: fc.nat() }),
  fc.record({ type: fc.constant("change" as const), which: fc.nat(), queues }),
  fc.record({ type: fc.constant("go" as const), stages: fc.subarray([...checkerStages]) }),
);

let lastId = 0;
function take({ reports }: World, event: Step): void {
  if (event.type === "come") {
    const { accountId: account, queues: given } = event;
    const id = `report-${++lastId}`;
    reports.push({ id, accountId: account, waiting: true, queues: { ...given }, granted: {}, held: {} });
  }
  if (event.type === "go") podsGo({ reports, limits: noLimits }, event.stages);
  if (event.type !== "end" && event.type !== "change") return;
  const index = reports.length === 0 ? -1 : event.which % reports.length;
  const report = reports[index];
  if (!report) return;
  if (event.type === "end") reports.splice(index, 1);
  else report.queues = { ...event.queues };
}
const noLimits: Limits = { maxRunningReports: 1, maxCheckers: 1, maxCheckersPerJob: 1 };

type History = { limits: Limits; steps: Step[] };
const history: fc.Arbitrary<History> = fc.record({ limits, steps: fc.array(step, { maxLength: 40 }) });

/** A world after a history in which each step was followed by a pass. */
function live({ limits: given, steps }: History): World {
  const world: World = { reports: [], limits: given };
  for (const event of steps) {
    take(world, event);
    pass(world);
    expectWithinLimits(world);
  }
  return world;
}

/** Lets pods go, until nothing more is to be decided. */
function rest(world: World): void {
  for (let n = 0; n < PASSES_TO_REST; n++) {
    podsGo(world);
    pass(world);
  }
  podsGo(world);
}

describe("grants, whatever has happened", () => {
  it("never allow more reports or pods than the maxima, also while pods are still ending", () => {
    // Held to after each step of a history.
    fc.assert(
      fc.property(history, (past) => {
        const world = live(past);
        rest(world);
        expectWithinLimits(world);
      }),
      { numRuns: 500 },
    );
  });

  it("come to rest: the same input twice gives the same grants", () => {
    fc.assert(
      fc.property(history, (past) => {
        const world = live(past);
        rest(world);
        const before = structuredClone(world.reports);
        for (let n = 0; n < 3; n++) pass(world);
        expect(world.reports).to.deep.equal(before);
      }),
      { numRuns: 500 },
    );
  });

  it("use all slots while a queue wants more pods", () => {
    fc.assert(
      fc.property(history, (past) => {
        const world = live(past);
        rest(world);
        const used = sum(world.reports.map(({ held }) => podsIn(held)));
        const lacks = grantsOf(world).some(({ pods, wanted }) => pods < wanted);
        if (lacks) expect(used).to.equal(world.limits.maxCheckers);
      }),
      { numRuns: 500 },
    );
  });

  it("leave no account with work more than one slot behind another that can spare one", () => {
    fc.assert(
      fc.property(history, (past) => {
        const world = live(past);
        rest(world);
        const all = grantsOf(world);
        const total = (id: string) => sum(all.filter((queue) => queue.accountId === id).map(({ pods }) => pods));
        for (const poor of all.filter(({ pods, busy }) => pods < busy))
          for (const rich of all.filter(({ pods }) => pods > 1)) {
            expect(rich.pods, "what a short queue has no use for").to.be.at.most(rich.wanted);
            expect(poor.pods, "a queue without a pod beside one with two").to.be.at.least(1);
            if (rich.accountId !== poor.accountId)
              expect(total(rich.accountId) - total(poor.accountId), "accounts").to.be.at.most(1);
          }
      }),
      { numRuns: 500 },
    );
  });

  it("leave no account's reports all waiting while another has two pods", () => {
    fc.assert(
      fc.property(history, (past) => {
        const world = live(past);
        rest(world);
        const all = grantsOf(world);
        const total = (id: string) => sum(all.filter((queue) => queue.accountId === id).map(({ pods }) => pods));
        for (const { accountId: account } of all)
          if (total(account) === 0) for (const other of all) expect(total(other.accountId)).to.be.at.most(1);
      }),
      { numRuns: 500 },
    );
  });

  it("never lower a queue's pods below one while there are as many slots as queues", () => {
    fc.assert(
      fc.property(history, accountId, queues, (past, account, given) => {
        const world = live(past);
        rest(world);
        const before = new Map(grantsOf(world).map((queue) => [queue.key, queue.pods]));
        take(world, { type: "come", accountId: account, queues: given });
        for (let n = 0; n < 6; n++) {
          pass(world);
          const all = grantsOf(world);
          const over = sum(world.reports.map(({ held }) => podsIn(held))) - sum(all.map(({ pods }) => pods));
          if (all.length > world.limits.maxCheckers - over) return;
          for (const { key, pods } of all) if ((before.get(key) ?? 0) > 0) expect(pods, key).to.be.at.least(1);
          podsGo(world);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("give a new running report its first pod within two passes, if there are slots for all", () => {
    fc.assert(
      fc.property(history, accountId, fc.integer({ min: 0, max: 500 }), (past, account, length) => {
        const world = live(past);
        rest(world);
        world.limits = { ...world.limits, maxRunningReports: 100 };
        take(world, { type: "come", accountId: account, queues: { "html-checker": length } });
        for (let n = 0; n < PASSES_TO_A_FIRST_POD; n++) {
          pass(world);
          podsGo(world);
        }
        const all = grantsOf(world);
        const reports = new Set(all.map(({ id }) => id));
        fc.pre(reports.size <= world.limits.maxCheckers);
        const mine = all.find(({ id }) => id === world.reports.at(-1)?.id);
        expect(mine?.pods).to.be.at.least(1);
      }),
      { numRuns: 500 },
    );
  });

  it("do not move a slot to and fro for a queue that grows and shrinks by a few checks", () => {
    fc.assert(
      fc.property(history, fc.nat(), fc.constantFrom(...checkerStages), (past, which, stage) => {
        const world = live(past);
        rest(world);
        const report = world.reports[which % Math.max(1, world.reports.length)];
        const length = report?.queues[stage];
        fc.pre(report !== undefined && length !== undefined);
        let changes = 0;
        let before = JSON.stringify(world.reports.map(({ granted }) => granted));
        for (let n = 0; n < 20; n++) {
          report.queues[stage] = length + (n % 2);
          pass(world);
          podsGo(world);
          const after = JSON.stringify(world.reports.map(({ granted }) => granted));
          if (after !== before) changes++;
          before = after;
        }
        expect(changes).to.be.at.most(PASSES_TO_REST);
      }),
      { numRuns: 500 },
    );
  });
});

describe("the running reports, whatever has happened", () => {
  const reports = fc.array(fc.record({ accountId, waiting: fc.boolean() }), { maxLength: 40 });

  it("are as many as allowed, are never stopped, and start fairly by account", () => {
    fc.assert(
      fc.property(reports, fc.integer({ min: 1, max: 20 }), (given, maxRunningReports) => {
        const demands = given.map(
          (report, n): Demand => ({ ...report, id: String(n), queues: {}, granted: {}, held: {} }),
        );
        const chosen = chooseRunning(demands, maxRunningReports);
        const before = demands.filter(({ waiting }) => !waiting);
        expect(chosen.size).to.equal(Math.max(before.length, Math.min(maxRunningReports, demands.length)));
        for (const { id } of before) expect(chosen.has(id)).to.equal(true);

        const runs = (account: string) =>
          demands.filter((demand) => demand.accountId === account && chosen.has(demand.id)).length;
        const started = demands.filter(({ id, waiting }) => waiting && chosen.has(id));
        const left = demands.filter(({ id }) => !chosen.has(id));
        for (const poor of left)
          for (const rich of started) {
            expect(runs(rich.accountId) - runs(poor.accountId)).to.be.at.most(1);
            // Within an account the oldest goes first.
            if (rich.accountId === poor.accountId) expect(Number(rich.id)).to.be.lessThan(Number(poor.id));
          }
      }),
      { numRuns: 500 },
    );
  });
});

/** The queues of running reports, and what they have. */
function grantsOf({ reports, limits: given }: World) {
  return reports
    .filter(({ waiting }) => !waiting)
    .flatMap(({ id, accountId: account, queues: lengths, granted }) =>
      checkerStages.flatMap((stage) => {
        const length = lengths[stage];
        if (length === undefined) return [];
        const [wanted, busy] = [wantedPods(stage, length, given), busyPods(stage, length, given)];
        return { key: `${id} ${stage}`, id, accountId: account, pods: granted[stage] ?? 0, wanted, busy };
      }),
    );
}
