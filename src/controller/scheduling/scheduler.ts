import { isDeepStrictEqual } from "node:util";
import { listUnfinished, type ReportProgress, type UnfinishedReport } from "../../database/reports/progress.ts";
import type { JobResource } from "../../schema/resources.ts";
import type { ControllerDeps } from "../deps.ts";
import { rowKey } from "../jobs/manifest.ts";
import { createQueue } from "../queue.ts";
import { decideGrants } from "./decide-grants.ts";
import { type CheckerStage, checkerStages, type Grant, type PerStage, sum } from "./grant.ts";
import { byStage, maxByStage, placesOf } from "./job-places.ts";
import { createKnownJobs } from "./known-jobs.ts";
import { demandOf, type ReportMemory, wantedBy } from "./report-demand.ts";

export type Scheduler = {
  /** Makes passes until `signal` aborts: at once, when one is asked for, and at a steady interval. */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves after the first pass: before it nobody may be given a grant. */
  readonly ready: Promise<void>;
  /** One pass: reads the unfinished reports, decides for all, and wakes those whose grant has changed. */
  pass(): Promise<void>;
  /** Takes all Jobs that there are. */
  setJobs(jobs: readonly JobResource[]): void;
  /** A Job was made, has changed or is gone. */
  noteJob(type: "ADDED" | "MODIFIED" | "DELETED", job: JobResource): void;
  /**
   * What the last pass granted a report, without any I/O. A report that it did not know of asks
   * for another, and waits or goes on with what it has.
   *
   * @param jobs the report's Jobs, listed after all that its last reconcile wrote
   */
  grantOf(row: ReportProgress, jobs: readonly JobResource[]): Grant;
  /** A report that waits could not use its place yet: others may have it until it asks again. */
  withdraw(id: string): void;
  /** A report has ended or is gone: others may take its place. */
  release(id: string): void;
};

/** Reports whose Jobs' pods fail, end or come without anybody telling are found that often. */
const TICK_MS = 5_000;
/** Between two passes: whatever asks for one meanwhile asks for the same one. */
const MIN_GAP_MS = 200;
/** Pods that are not seen by then are not coming soon: their place may be taken back. */
const SETTLING_MS = 10_000;

const TICK = "pass";
const WAITING: Grant = { run: false, checkers: {} };

/**
 * Decides who may run, and with how many checkers, for all reports at once: the cost of a pass
 * is one statement, whatever their number. Grants are kept in memory; a running report's place
 * is in its row (the phase), a checker's in its Job. There is one controller at a time.
 *
 * What a report holds never falls by a decision, only by a look at its Jobs (`grantOf`) after
 * that decision was carried out: so no place is given twice, however late it is given back.
 *
 * @param wake called with the keys of reports whose grant has changed
 */
export function createScheduler(
  { db, settings, metrics, log, now }: ControllerDeps,
  wake: (key: string) => void,
): Scheduler {
  const memories = new Map<string, ReportMemory>();
  const jobs = createKnownJobs();
  const first = Promise.withResolvers<void>();
  const ticks = createQueue({
    work: () => pass().then(() => TICK_MS),
    onError: (_, error, failures) => log.error("scheduling pass failed", { failures, error: String(error) }),
    concurrency: 1,
    minIntervalMs: MIN_GAP_MS,
  });
  const request = () => ticks.add(TICK);

  async function pass(): Promise<void> {
    const reports = await listUnfinished(db);
    // From here on nothing waits: a reconcile sees the grants of one pass or of the next.
    const unfinished = new Set(reports.map(({ id }) => id));
    for (const id of memories.keys()) if (!unfinished.has(id)) memories.delete(id);
    const waiting = reports.filter((report) => report.waiting).length;
    metrics?.unfinishedReports.set({ state: "waiting" }, waiting);
    metrics?.unfinishedReports.set({ state: "running" }, reports.length - waiting);

    const time = now().getTime();
    const jobsBy = jobs.byReport();
    const asking = reports.filter(({ id, waiting: waits }) => !(waits && memories.get(id)?.withdrawn));
    const demands = asking.map((report) =>
      demandOf(report, memories.get(report.id), jobsBy.get(report.id) ?? [], time),
    );
    // Pods of a report that has ended or is deleted have their places until they are gone.
    const others = [...jobsBy].filter(([id]) => !unfinished.has(id)).flatMap(([, places]) => places);
    const maxCheckers = settings.maxCheckers - sum(others.map(({ held }) => held));
    const grants = decideGrants(demands, { ...settings, maxCheckers });
    const demandBy = new Map(demands.map((demand) => [demand.id, demand]));
    for (const report of reports) {
      const demand = demandBy.get(report.id);
      publish(report, grants.get(report.id) ?? WAITING, demand?.held ?? {}, demand?.queues ?? {}, time);
    }
    first.resolve();
  }

  function publish(report: UnfinishedReport, grant: Grant, held: PerStage, queues: PerStage, time: number): void {
    const before = memories.get(report.id);
    const settling = new Map<CheckerStage, number>(before?.settling);
    for (const stage of checkerStages)
      if ((grant.checkers[stage] ?? 0) > (before?.grant.checkers[stage] ?? 0)) settling.set(stage, time + SETTLING_MS);
    memories.set(report.id, {
      grant,
      held: maxByStage(held, grant.checkers),
      wanted: wantedBy(queues, settings),
      settling,
      withdrawn: before?.withdrawn ?? false,
    });
    if (isDeepStrictEqual(grant, before?.grant ?? WAITING)) return;
    wake(report.reopened ? rowKey(report.id) : `${report.namespace}/${report.name}`);
  }

  function grantOf(row: ReportProgress, listed: readonly JobResource[]): Grant {
    const memory = memories.get(row.id);
    const hasPlace = row.phase !== "Pending";
    if (!memory) {
      request();
      return { run: hasPlace, checkers: {} };
    }
    const { grant, held, wanted, settling } = memory;
    const places = listed.flatMap((job) => placesOf(job) ?? []);
    memory.held = maxByStage(byStage(places, "held"), grant.checkers);
    for (const { stage, settled, parallelism } of places)
      if (settled && parallelism >= (grant.checkers[stage] ?? 0)) settling.delete(stage);
    const pending = { "html-checker": row.checks.html.pending, "a11y-checker": row.checks.a11y.pending };
    const wantedNow = wantedBy(pending, settings);
    const grows = grant.run && checkerStages.some((stage) => (wantedNow[stage] ?? 0) > (wanted[stage] ?? Infinity));
    const shrank = checkerStages.some((stage) => (memory.held[stage] ?? 0) < (held[stage] ?? 0));
    if (grows || shrank || memory.withdrawn) request();
    memory.withdrawn = false;
    return grant.run || !hasPlace ? grant : { ...grant, run: true };
  }

  return {
    ready: first.promise,
    pass,
    grantOf,
    async run(signal) {
      signal.addEventListener("abort", () => first.resolve(), { once: true });
      if (signal.aborted) first.resolve();
      request();
      await ticks.run(signal);
    },
    setJobs(all) {
      jobs.replace(all);
      request();
    },
    noteJob(type, job) {
      if (jobs.note(type, job)) request();
    },
    withdraw(id) {
      const memory = memories.get(id);
      if (!memory) return;
      memory.withdrawn = true;
      if (!memory.grant.run) return;
      memory.grant = WAITING;
      request();
    },
    release(id) {
      if (memories.delete(id)) request();
    },
  };
}
