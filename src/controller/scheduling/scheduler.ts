import { isDeepStrictEqual } from "node:util";
import { listUnfinished, type ReportProgress, type UnfinishedReport } from "../../database/reports/progress.ts";
import type { JobResource } from "../../schema/resources.ts";
import type { ControllerDeps } from "../deps.ts";
import { rowKey } from "../jobs/manifest.ts";
import { createQueue } from "../queue.ts";
import { decideGrants } from "./decide-grants.ts";
import { type Grant, sum } from "./grant.ts";
import { createKnownJobs } from "./known-jobs.ts";
import { demandOf } from "./report-demand.ts";
import { isUnclaimed, look, type ReportMemory, remember, WAITING, withdraw } from "./report-memory.ts";

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

/** What nobody asked a pass for is found that often. */
const TICK_MS = 5_000;
/** Between two passes: whatever asks for one meanwhile asks for the same one. */
const MIN_GAP_MS = 200;

const TICK = "pass";

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
    count(reports);
    const time = now().getTime();
    const unfinished = new Set(reports.map(({ id }) => id));
    for (const id of memories.keys()) if (!unfinished.has(id)) memories.delete(id);
    for (const { id, waiting } of reports) {
      const memory = memories.get(id);
      if (waiting && memory && isUnclaimed(memory, time)) withdraw(memory);
    }

    const jobsBy = jobs.byReport();
    const demands = reports
      .filter(({ id, waiting }) => !(waiting && memories.get(id)?.withdrawn))
      .map((report) => demandOf(report, memories.get(report.id), jobsBy.get(report.id) ?? [], time));
    // Pods of a report that has ended or is deleted have their places until they are gone.
    const others = [...jobsBy].filter(([id]) => !unfinished.has(id)).flatMap(([, places]) => places);
    const maxCheckers = settings.maxCheckers - sum(others.map(({ held }) => held));
    const grants = decideGrants(demands, { ...settings, maxCheckers });

    const demandBy = new Map(demands.map((demand) => [demand.id, demand]));
    for (const report of reports) {
      const before = memories.get(report.id);
      const grant = grants.get(report.id) ?? WAITING;
      memories.set(report.id, remember(before, { demand: demandBy.get(report.id), grant, limits: settings }, time));
      if (!isDeepStrictEqual(grant, before?.grant ?? WAITING)) wake(keyOf(report));
    }
    first.resolve();
  }

  function count(reports: readonly UnfinishedReport[]): void {
    const waiting = reports.filter((report) => report.waiting).length;
    metrics?.unfinishedReports.set({ state: "waiting" }, waiting);
    metrics?.unfinishedReports.set({ state: "running" }, reports.length - waiting);
  }

  function grantOf(row: ReportProgress, listed: readonly JobResource[]): Grant {
    const memory = memories.get(row.id);
    // Its row says whether it has a place.
    const run = row.phase !== "Pending";
    if (!memory || look(memory, row, listed, settings)) request();
    return { run: run || (memory?.grant.run ?? false), checkers: memory?.grant.checkers ?? {} };
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
      if (!memory || memory.withdrawn) return;
      withdraw(memory);
      request();
    },
    release(id) {
      if (memories.delete(id)) request();
    },
  };
}

/** Under which key the controller works on a report; one that is checked again may have only its row. */
function keyOf({ id, namespace, name, reopened }: UnfinishedReport): string {
  return reopened ? rowKey(id) : `${namespace}/${name}`;
}
