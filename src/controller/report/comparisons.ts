import { isStatementTimeout } from "../../database/connection/errors.ts";
import { type Compared, findBase, findComparison, hasUncounted } from "../../database/findings/comparisons.ts";
import type { NotCompared } from "../../domain/findings/gate.ts";
import type { Logger } from "../../telemetry/log.ts";
import { compareReports, countUncounted } from "../../transactions/compare.ts";
import { storeComponents } from "../../transactions/store-components.ts";
import type { ControllerDeps } from "../deps.ts";
import { logRetry, MAX_OWN_TRIES, mayPass } from "../failures.ts";
import { withLongStatements } from "../long-statements.ts";
import { createQueue } from "../queue.ts";
import { createRequestedComparisons } from "./requested-comparisons.ts";

/** How many reports are compared at the same time. */
const AT_ONCE = 4;
/** As many of these may be comparisons that somebody asked for: reports that end do not wait behind all of them. */
const REQUESTED_KEYS = ["requested 1", "requested 2"];
/** Counts comparisons again that are outdated because a page was deleted. */
const COUNT_KEY = "count";
/** How often to look for such requests without a notification. */
const LOOK_MS = 30_000;
/** When to try again while a page of one of the two reports is being checked again. */
const CHECKED_AGAIN_MS = 1_000;

/**
 * Compares reports with earlier ones before they end: a client that waits for the end may ask for the comparison at once. It
 * may take minutes, so it has a queue of its own: the few workers of the queue of reports serve all other reports.
 */
export type Comparisons = {
  /**
   * A report's comparison with the one before it, or why it has none. Its findings are grouped by then, too.
   *
   * @returns undefined when that has to be done first: it is under way now, and the report is woken after it
   */
  resultOf(id: string, log: Logger): Promise<Compared | NotCompared | undefined>;
  /** Call this when the report has ended, is gone, or has something left to do again: what is under way is not used. */
  forget(id: string): void;
  /** Call this when somebody has asked for a comparison, or some have to be counted again: all find them in the database. */
  onRequest(): void;
  /** Call this when notifications may have been lost. What has to be counted again is left to maintenance. */
  lookForRequests(): void;
  /** Call this when a report has changed: what is being made of one that is deleted ends. */
  onChange(id: string): void;
  /** Compares until `signal` aborts, then waits for pending work. */
  run(signal: AbortSignal): Promise<void>;
};

/** A report that waits for its turn, or is being compared. */
type Run = { log: Logger; tries: number };

/** What the code that reconciles reports needs. */
export type ReportDeps = ControllerDeps & { comparisons: Comparisons };

/**
 * Results are remembered only to save work: after a restart, a comparison that was made is found again.
 *
 * @param wake called with the id of a report whose result is known
 */
export function createComparisons(deps: ControllerDeps, wake: (id: string) => void): Comparisons {
  const results = new Map<string, Compared | NotCompared>();
  const underWay = new Map<string, Run>();
  const requested = createRequestedComparisons(deps);
  /** The signal of `run`. Before that, no work begins. */
  let stopping = AbortSignal.abort();
  const queue = createQueue({
    work(key) {
      if (key === COUNT_KEY) return count();
      return REQUESTED_KEYS.includes(key) ? makeRequested() : prepare(key);
    },
    onError: (id, error, failures) =>
      logRetry(underWay.get(id)?.log ?? deps.log, "comparison failed", { key: id, error, failures }),
    concurrency: AT_ONCE,
    minIntervalMs: 0,
  });

  async function prepare(id: string): Promise<number | undefined> {
    const run = underWay.get(id);
    if (!run) return undefined;
    run.tries += 1;
    const result = await compareWithBase(deps, id, run);
    if (result === undefined) {
      run.log.info("comparison put off: one of the two reports is being checked again");
      return CHECKED_AGAIN_MS;
    }
    await groupComponents(deps, id, run, typeof result === "string" ? null : result.id);
    if (underWay.get(id) !== run) return undefined;
    underWay.delete(id);
    results.set(id, result);
    wake(id);
    return undefined;
  }

  /** The next one waits for its turn behind reports that are ending. */
  async function makeRequested(): Promise<number> {
    return (await requested.makeNext(stopping)) ? 0 : LOOK_MS;
  }

  async function count(): Promise<undefined> {
    if (!(await hasUncounted(deps.db))) return;
    // What fails is tried again by the next pass of maintenance.
    const onFailure = (id: string, error: unknown) => deps.log.warn("comparison not counted", { id, error });
    await withLongStatements(deps, (db) => countUncounted(db, { signal: stopping, onFailure }));
  }

  function lookForRequests(): void {
    for (const key of REQUESTED_KEYS) queue.add(key);
  }

  return {
    onRequest() {
      queue.add(COUNT_KEY);
      lookForRequests();
    },
    lookForRequests,
    onChange: (id) => requested.onChange(id),
    async run(signal) {
      stopping = signal;
      lookForRequests();
      await queue.run(signal);
    },
    forget(id) {
      results.delete(id);
      underWay.delete(id);
    },
    async resultOf(id, log) {
      const result = results.get(id);
      if (typeof result === "string") return result;
      // One of the two may have been checked again since, or be deleted.
      const current = result && (await findComparison(deps.db, id, result.baseId));
      if (current) return current;
      const run = underWay.get(id);
      if (run) run.log = log;
      else {
        underWay.set(id, { log, tries: 0 });
        queue.add(id);
      }
      return undefined;
    },
  };
}

/**
 * @returns the comparison, or why there is none, since a comparison that fails does not keep the report from ending;
 * undefined when one of the two reports is being checked again
 */
async function compareWithBase(
  deps: ControllerDeps,
  id: string,
  run: Run,
): Promise<Compared | NotCompared | undefined> {
  try {
    const base = await findBase(deps.db, id);
    if (base === undefined) return "no_base";
    const compared = await withLongStatements(deps, (db) => compareReports(db, id, base));
    return compared ?? (run.tries < MAX_OWN_TRIES ? undefined : "not_compared");
  } catch (error) {
    // The report's own results are complete without it. A statement that took too long would do so again.
    if (mayPass(error, run.tries) && !isStatementTimeout(error)) throw error;
    run.log.error("report not compared with the one before", { error });
    return "not_compared";
  }
}

/** Groups the findings by what has to be fixed once. Otherwise the first request for them would have to wait for it. */
async function groupComponents(
  { db }: ControllerDeps,
  id: string,
  run: Run,
  comparisonId: string | null,
): Promise<void> {
  try {
    const stored = await storeComponents(db, id, comparisonId);
    if (stored !== "all") run.log.warn("components not grouped: grouping takes too long", { stored: stored ?? "none" });
  } catch (error) {
    if (mayPass(error, run.tries)) throw error;
    run.log.error("components not grouped", { error });
  }
}
