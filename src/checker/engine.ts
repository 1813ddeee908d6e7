import type { DecodedDocument } from "html-conformance/documents";
import type { BrowserSettings } from "../browser/browser.ts";
import type { CheckKind, CheckOutcome } from "../domain/findings/findings.ts";
import type { ReportSpec } from "../schema/report.ts";
import type { Logger } from "../telemetry/log.ts";
import type { CoreSlots } from "./processes/core-slots.ts";

/** One page to check, with everything that an engine needs. */
export type PageTask = {
  url: string;
  /** The page as it was received, for checks that need the source. */
  document: DecodedDocument | undefined;
  spec: ReportSpec;
  /** Whether the crawler saw a form to sign in, so that one is what was asked for. */
  showsSignIn?: boolean;
};

export type CheckOptions = {
  signal: AbortSignal;
  /** Awaited before every page request. */
  beforeRequest: () => Promise<void>;
  /** Checks the page in a new child process, while no other page is checked. */
  alone?: boolean;
};

/**
 * Runs an engine in child processes (workers or a browser), and replaces them when they end.
 */
export type EngineRunner = {
  kind: CheckKind;
  /** The most `check` calls at the same time. */
  concurrency: number;
  /**
   * Checks one page. An error of the page or of the child process becomes an outcome with a
   * `failure`. A rejection is a bug, a BrokenEnvironmentError or the signal's reason.
   */
  check(task: PageTask, options: CheckOptions): Promise<CheckOutcome>;
  close(): Promise<void>;
};

/** What an engine may need to start. */
export type EngineStart = {
  spec: ReportSpec;
  log: Logger;
  cacheDir: string;
  javaExecutables: readonly string[] | undefined;
  /** The right to keep cores of this machine busy; undefined for a process that has its cores to itself. */
  cores: CoreSlots | undefined;
  browser: () => Promise<BrowserSettings & { spec: ReportSpec }>;
};

/** `src/checks/<kind>/engine.ts`. */
export type EngineModule = {
  /** @throws UsageError when the engine cannot run here */
  createRunner: (start: EngineStart) => Promise<EngineRunner>;
};
