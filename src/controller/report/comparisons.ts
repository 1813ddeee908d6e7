import { isConnectionLoss, isStatementTimeout } from "../../database/connection/connection-loss.ts";
import { DeposedError } from "../../database/connection/leader-term.ts";
import { type Compared, compareReports, findComparison } from "../../database/findings/compare.ts";
import { findBase } from "../../database/findings/find-base.ts";
import { storeComponents } from "../../database/findings/list-components.ts";
import type { NotCompared } from "../../database/reports/judge.ts";
import type { Logger } from "../../telemetry/log.ts";
import type { ControllerDeps } from "../deps.ts";
import { logRetry } from "../failures.ts";
import { withLongStatements } from "../long-statements.ts";
import { createQueue } from "../queue.ts";

/** How many reports are compared at the same time. */
const AT_ONCE = 4;

/**
 * Says what is new in reports, before they end: whoever waits for their end may ask at once. A comparison may take
 * minutes, so it is made beside the queue of reports, whose few workers have all other reports to attend to.
 */
export type Comparisons = {
  /**
   * A report's comparison with the one before it, or why it has none. Its findings are grouped by then, too.
   *
   * @returns undefined when that has to be done first: it is under way now, and the report is woken after it
   */
  resultOf(id: string, log: Logger): Promise<Compared | NotCompared | undefined>;
  /** Call this when the report has ended, is gone, or has something left to do again. */
  forget(id: string): void;
  /** Compares until `signal` aborts, then waits for pending work. */
  run(signal: AbortSignal): Promise<void>;
};

/** What reports are reconciled with. */
export type ReportDeps = ControllerDeps & { comparisons: Comparisons };

/**
 * What is remembered only spares work. Without it, after a restart, a comparison that was made is found again.
 *
 * @param wake called with the id of a report whose result is known
 */
export function createComparisons(deps: ControllerDeps, wake: (id: string) => void): Comparisons {
  const results = new Map<string, Compared | NotCompared>();
  /** The logs of reports that wait for their turn, or are being compared. */
  const underWay = new Map<string, Logger>();
  const queue = createQueue({
    work: prepare,
    onError: (id, error, failures) =>
      logRetry(underWay.get(id) ?? deps.log, "comparison failed", { key: id, error, failures }),
    concurrency: AT_ONCE,
    minIntervalMs: 0,
  });

  async function prepare(id: string): Promise<undefined> {
    const log = underWay.get(id) ?? deps.log;
    const result = await compareWithBase(deps, id, log);
    await groupComponents(deps, id, log);
    results.set(id, result);
    underWay.delete(id);
    wake(id);
  }

  return {
    run: (signal) => queue.run(signal),
    forget: (id) => void results.delete(id),
    async resultOf(id, log) {
      const result = results.get(id);
      if (typeof result === "string") return result;
      // One of the two may have been checked again since, or be deleted.
      const current = result && (await findComparison(deps.db, id, result.baseId));
      if (current) return current;
      if (!underWay.has(id)) queue.add(id);
      underWay.set(id, log);
      return undefined;
    },
  };
}

/** @returns the comparison, or why there is none: a fault of its own does not keep the report from ending */
async function compareWithBase(deps: ControllerDeps, id: string, log: Logger): Promise<Compared | NotCompared> {
  try {
    const base = await findBase(deps.db, id);
    if (base === undefined) return "no_base";
    return (await withLongStatements(deps, (db) => compareReports(db, id, base))) ?? "not_compared";
  } catch (error) {
    // The report's own results are whole without it. What takes too long once would do so each time.
    if (error instanceof DeposedError || (isConnectionLoss(error) && !isStatementTimeout(error))) throw error;
    log.error("report not compared with the one before", { error });
    return "not_compared";
  }
}

/** Groups the findings by what has to be mended once. Without it whoever asks first waits for it. */
async function groupComponents({ db }: ControllerDeps, id: string, log: Logger): Promise<void> {
  try {
    if (await storeComponents(db, id)) return;
    log.warn("components not grouped: it takes too long");
  } catch (error) {
    if (isConnectionLoss(error)) throw error;
    log.error("components not grouped", { error });
  }
}
