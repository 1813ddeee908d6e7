import type { CheckKind, CheckOutcome } from "../domain/findings.ts";
import type { ReportSpec } from "../schema/report.ts";

/** One page to check, with all that an engine may need to know. */
export type PageTask = {
  url: string;
  /** The page's source decoded to text; html checks only. */
  source: string | undefined;
  spec: ReportSpec;
};

/**
 * An engine behind its supervisor: the work is done in children (worker processes,
 * a browser), which are replaced when they end.
 */
export type EngineRunner = {
  kind: CheckKind;
  /** How many checks to hand over at once. */
  concurrency: number;
  /**
   * Checks one page. Faults of the page or of the child end as an outcome with a
   * `failure`; a rejection is a bug, or a BrokenEnvironmentError. `beforeRequest` is awaited before every page request.
   */
  check(task: PageTask, options: { signal: AbortSignal; beforeRequest: () => Promise<void> }): Promise<CheckOutcome>;
  close(): Promise<void>;
};
