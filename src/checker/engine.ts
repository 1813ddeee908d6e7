import type { DecodedDocument } from "html-conformance/documents";
import type { BrowserSettings } from "../browser/browser.ts";
import type { ActRule } from "../domain/acts/acts.ts";
import type { Answer, KnownAddress } from "../domain/addresses/known-address.ts";
import type { CheckKind, CheckOutcome } from "../domain/findings/findings.ts";
import type { Reference } from "../domain/page/references.ts";
import type { GuardedFetch } from "../net/guarded-fetch.ts";
import type { ReportSpec } from "../schema/report.ts";
import type { Logger } from "../telemetry/log.ts";
import type { CoreSlots } from "./processes/core-slots.ts";

/** One page to check, with everything that an engine needs. */
export type PageTask = {
  /** The id of its row. */
  pageId?: string;
  url: string;
  /** The page as it was received, for checks that need the source. */
  document: DecodedDocument | undefined;
  spec: ReportSpec;
  /** Whether the crawler saw a form to sign in, so that one is what was asked for. */
  showsSignIn?: boolean;
  /** Whether it is like pages before it, so that acting leaves it out. */
  likeOthers?: boolean;
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
  /** The most `check` calls at the same time; may change from one to the next. */
  readonly concurrency: number;
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
  site: () => Promise<CrawledSite>;
};

/** What the crawl has found, and the means to find out more, for kinds that need the whole crawl. */
export type CrawledSite = {
  /**
   * What a page needs, as the crawler read it; or, if it is checked again, as it is now, to be stored at the end of its
   * check: if that is interrupted, the next one is checked again, too.
   *
   * @throws PageError
   */
  referencesOf(
    task: PageTask,
    options: CheckOptions,
  ): Promise<{ references: Reference[]; leftOut: number; store?: () => Promise<void> }>;
  /** How many pages were found. */
  numPages(): Promise<number>;
  /** What can be linked to in a page, and whether there is more than is known; undefined for what is no page of the report. */
  idsOf(url: string): Promise<{ ids: string[]; hasMoreIds: boolean; mayHaveMoreIds?: boolean } | undefined>;
  /** The same of a page whose scripts have run; undefined where there is no browser, and for what it cannot show. */
  idsWhenRendered(url: string, options: CheckOptions): Promise<{ ids: string[]; hasMoreIds: boolean } | undefined>;
  /** Whether names of the internet can be looked up here. */
  resolvesNames(): Promise<boolean>;
  /** What the report knows of addresses; those that it knows nothing of are left out. */
  known(urls: readonly string[]): Promise<Map<string, KnownAddress>>;
  /** Stores what was found out. */
  keep(answers: readonly Answer[]): Promise<void>;
  /** Whether the report's own settings, and the site's robots.txt, allow to request an address of the site. */
  allows(url: string): Promise<boolean>;
  /** Whether the site is visited with credentials, and an address would end that session. */
  endsSession(url: string): boolean;
  /** What may be asked for with them. */
  acts: ActRule;
  /** Sends the site's credentials to the site alone. */
  http: GuardedFetch;
  close(): Promise<void>;
};

/** `src/checks/<kind>/engine.ts`. */
export type EngineModule = {
  /** @throws UsageError when the engine cannot run here */
  createRunner: (start: EngineStart) => Promise<EngineRunner>;
};
