import { isDeepStrictEqual } from "node:util";
import { listUnfinished, type ReportProgress, type UnfinishedReport } from "../../database/reports/progress.ts";
import type { JobResource } from "../../schema/resources.ts";
import type { ControllerDeps } from "../deps.ts";
import { rowKey } from "../jobs/manifest.ts";
import { createQueue } from "../queue.ts";
import { decideGrants } from "./decide-grants.ts";
import { type Grant, sum } from "./grant.ts";
import { createKnownJobs } from "./known-jobs.ts";
import { demandOf, isOver } from "./report-demand.ts";
import { isUnused, type ReportMemory, remember, updateMemory, WAITING, withdraw } from "./report-memory.ts";

export type Scheduler = {
  /** Runs passes until `signal` aborts: at once, on request, and at a steady interval. */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves after the first pass: before it no grant may be used. */
  readonly ready: Promise<void>;
  /** Runs one pass: reads the unfinished reports, decides for all, and wakes those whose grant has changed. */
  pass(): Promise<void>;
  /** Replaces the known Jobs with those of a list. */
  setJobs(jobs: readonly JobResource[]): void;
  /** Applies an event about a Job. */
  updateJob(type: "ADDED" | "MODIFIED" | "DELETED", job: JobResource): void;
  /**
   * Requests a pass for a waiting report that none has seen yet: it wakes the report.
   *
   * @returns whether a pass has decided about the report already
   */
  requestGrant(row: Pick<ReportProgress, "id" | "phase">): boolean;
  /**
   * The grant of the last pass for a report, without any I/O. A report that the pass did not know
   * requests another pass, and waits or continues with what it has.
   *
   * @param jobs the report's Jobs, listed after all writes of its last reconcile
   */
  grantOf(row: ReportProgress, jobs: readonly JobResource[]): Grant;
  /** A waiting report cannot run yet: others may run instead until it is reconciled again. */
  withdraw(id: string): void;
  /** A report has ended or is gone: others may run instead. */
  release(id: string): void;
};

/** The interval between passes without a request. */
const TICK_MS = 5_000;
/** The shortest time between two passes: requests in between share one pass. A pass for few reports costs little. */
const MIN_GAP_MS = { perReport: 2, atMost: 200 };

const TICK = "pass";

/**
 * Decides which reports may run, and with how many checkers, for all reports at once: a pass costs
 * one statement, whatever their number. Grants are kept in memory; a running report's slot is in
 * its row (the phase), a checker's in its Job. There is one controller at a time.
 *
 * A decision never lowers what a report holds. Only `grantOf` does, with Jobs that were listed after
 * the decision was carried out: so no slot is given twice, however late it is returned.
 *
 * @param wake called with the keys of reports whose grant has changed
 * @param clock milliseconds that never decrease
 */
export function createScheduler(
  { db, settings, metrics, log }: ControllerDeps,
  wake: (key: string) => void,
  clock: () => number = () => performance.now(),
): Scheduler {
  const memories = new Map<string, ReportMemory>();
  /** Reports to be woken by the first pass that sees them. */
  const asked = new Set<string>();
  const jobs = createKnownJobs();
  const first = Promise.withResolvers<void>();
  const ticks = createQueue({
    work: () => pass().then(() => TICK_MS),
    onError: (_, error, failures) => log.error("scheduling pass failed", { failures, error }),
    concurrency: 1,
    minIntervalMs: () => Math.min(MIN_GAP_MS.atMost, memories.size * MIN_GAP_MS.perReport),
  });
  const request = () => ticks.add(TICK);

  async function pass(): Promise<void> {
    const reports = await listUnfinished(db);
    // No await from here on: a reconcile sees the grants of one pass or of the next.
    count(reports);
    const time = clock();
    const unfinished = new Set(reports.map(({ id }) => id));
    for (const id of memories.keys()) if (!unfinished.has(id)) forget(id);
    for (const { id, waiting } of reports) {
      const memory = memories.get(id);
      if (waiting && memory && isUnused(memory, time)) withdraw(memory);
    }

    const jobsBy = jobs.byReport();
    const demands = reports
      .filter(({ id, waiting }) => !(waiting && memories.get(id)?.withdrawn))
      .map((report) => demandOf(report, memories.get(report.id), jobsBy.get(report.id) ?? [], time));
    // Pods of reports that have ended or are deleted keep their slots until they are gone.
    const others = [...jobsBy].filter(([id]) => !unfinished.has(id)).flatMap(([, slots]) => slots);
    const maxCheckers = settings.maxCheckers - sum(others.map(({ held }) => held));
    const grants = decideGrants(demands, { ...settings, maxCheckers });

    const demandBy = new Map(demands.map((demand) => [demand.id, demand]));
    for (const report of reports) {
      const known = memories.get(report.id);
      const grant = grants.get(report.id) ?? WAITING;
      memories.set(report.id, remember(known, { demand: demandBy.get(report.id), grant, limits: settings }, time));
      const changed = !isDeepStrictEqual(grant, known?.grant ?? WAITING);
      if (asked.delete(report.id) || changed) wake(keyOf(report));
    }
    first.resolve();
  }

  /** Forgets a report, except for its Jobs. @returns false when it was not known */
  function forget(id: string): boolean {
    jobs.add(memories.get(id)?.jobs ?? []);
    return memories.delete(id);
  }

  function count(reports: readonly UnfinishedReport[]): void {
    const waiting = reports.filter((report) => report.waiting).length;
    metrics?.unfinishedReports.set({ state: "waiting" }, waiting);
    const comparing = reports.filter((report) => !report.waiting && isOver(report)).length;
    metrics?.unfinishedReports.set({ state: "comparing" }, comparing);
    metrics?.unfinishedReports.set({ state: "running" }, reports.length - waiting - comparing);
  }

  function grantOf(row: ReportProgress, listed: readonly JobResource[]): Grant {
    const memory = memories.get(row.id);
    // The row says whether the report runs.
    const run = row.phase !== "Pending";
    if (!memory || updateMemory(memory, row, listed, settings)) request();
    return { run: run || (memory?.grant.run ?? false), checkers: memory?.grant.checkers ?? {} };
  }

  return {
    ready: first.promise,
    pass,
    grantOf,
    requestGrant({ id, phase }) {
      if (phase !== "Pending" || memories.has(id)) return true;
      asked.add(id);
      request();
      return false;
    },
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
    updateJob(type, job) {
      if (jobs.update(type, job)) request();
    },
    withdraw(id) {
      const memory = memories.get(id);
      if (!memory || memory.withdrawn) return;
      withdraw(memory);
      request();
    },
    release(id) {
      asked.delete(id);
      if (forget(id)) request();
    },
  };
}

/** The key of a report in the queue; a reopened report may have only its row. */
function keyOf({ id, namespace, name, reopened }: UnfinishedReport): string {
  return reopened ? rowKey(id) : `${namespace}/${name}`;
}
