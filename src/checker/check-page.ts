import { setTimeout as sleep } from "node:timers/promises";
import type { DecodedDocument } from "html-conformance/documents";
import type { Kysely } from "kysely";
import { needsSource } from "../checks/kinds.ts";
import type { KeepableSource } from "../database/checks/end-checks.ts";
import { type Lease, type LeasedCheck, markRuns } from "../database/checks/leases.ts";
import { environmentFault } from "../database/connection/errors.ts";
import { decodeSource, encodeSource } from "../database/crawl/page-sources.ts";
import { takeSlots } from "../database/crawl/rate-limits.ts";
import type { Database } from "../database/tables.ts";
import { PageError } from "../domain/failure.ts";
import { MAX_SOURCE_LENGTH } from "../domain/findings/bound-findings.ts";
import type { CheckOutcome } from "../domain/findings/findings.ts";
import type { Logger } from "../telemetry/log.ts";
import { createSlotQueue } from "../time/slot-queue.ts";
import { startStopwatch } from "../time/stopwatch.ts";
import type { CheckContext, LeaseOutcome } from "../transactions/end-checks.ts";
import { releaseLeases } from "../transactions/lease-checks.ts";
import type { EngineRunner } from "./engine.ts";
import type { Reuse } from "./reuse.ts";
import { createRunMarker } from "./run-marker.ts";

/** The most pages that a process checks again after a deadline: endless loops must not take twice their time. */
const MAX_DEADLINE_RETRIES = 20;

/** Fetches a page's source again: the crawl's source is only for the first check. */
export type FetchSource = (
  url: string,
  options: { signal: AbortSignal; beforeRequest: () => Promise<void>; showsSignIn: boolean },
) => Promise<DecodedDocument>;

type Options = {
  db: Kysely<Database>;
  context: CheckContext;
  runner: EngineRunner;
  fetchSource?: FetchSource | undefined;
  /** `false`: no source is kept after its check. */
  keepsSources?: boolean | undefined;
  /** Finds what was found before on pages that have not changed. Left out: each page is checked. */
  reuse?: Reuse | undefined;
  log: Logger;
  /** Ends the engine's work. */
  signal: AbortSignal;
  /** Waits for an unreachable database. */
  retrying: <T>(operation: () => Promise<T>) => Promise<T>;
};

/** What becomes of a leased check. */
type Ended = {
  /** It has an outcome, to be stored. */
  onOutcome: (result: LeaseOutcome) => void;
  /** Another process has it, or it is queued again. */
  onLetGo: (lease: Lease) => void;
  /** The process cannot check at all: the outcome would say something wrong about the page. */
  onFault: (error: unknown) => void;
};

/** @returns a function that checks one page, and resolves when its engine has finished, however that ended */
export function createPageCheck(options: Options, { onOutcome, onLetGo, onFault }: Ended) {
  const { db, context, runner, log, signal, retrying } = options;
  const { reportId, kind, spec } = context;
  const isOnSource = needsSource(kind);
  const marker = createRunMarker((begun, ended) => retrying(() => markRuns(db, begun, ended)));
  let deadlineRetries = 0;

  const beforeRequest = createSlotQueue({
    rateLimit: spec.rateLimit,
    take: (wanted) =>
      retrying(() => takeSlots(db, reportId, spec.rateLimit, wanted)).catch((error: unknown) => {
        // The engine did not cause this error, and must not take it for an error of the page.
        throw signal.aborted ? error : (environmentFault(error) ?? error);
      }),
    sleep: (ms) => sleep(ms, undefined, { signal }),
  });

  const documentOf = async (
    { source, url, showsSignIn }: LeasedCheck,
    wait: () => Promise<void>,
  ): Promise<DecodedDocument | undefined> => {
    if (source) return decodeSource(source);
    if (!isOnSource) return undefined;
    return options.fetchSource?.(url, { signal, beforeRequest: wait, showsSignIn });
  };

  /** The checked source, if it may be kept. */
  const sourceOf = async (
    leased: LeasedCheck,
    document: DecodedDocument | undefined,
  ): Promise<KeepableSource | undefined> => {
    if (options.keepsSources === false || !isOnSource || !document) return undefined;
    const { length } = document.source;
    if (leased.source) return { bytes: leased.source.body.byteLength, length };
    if (length > MAX_SOURCE_LENGTH) return undefined;
    const fetched = await encodeSource(document);
    return { bytes: fetched.body.byteLength, length, fetched };
  };

  const findKnown = async (url: string, document: DecodedDocument) => {
    const { reuse } = options;
    return reuse && retrying(() => reuse({ url, document }));
  };

  /** @returns undefined for a check that is let go */
  const run = async (leased: LeasedCheck): Promise<LeaseOutcome | undefined> => {
    const { url, alone, showsSignIn, likeOthers } = leased;
    if (!(await marker.begin(leased))) return undefined;
    const fetching = startStopwatch();
    const document = await documentOf(leased, fetching.without(beforeRequest));
    const fetchMs = document && !leased.source ? fetching.ms() : undefined;
    const known = document && (await findKnown(url, document));
    const reuse = known && { key: known.key, stored: known.found?.stored };
    if (known?.found) {
      marker.end(leased);
      const { outcome } = known.found;
      return { lease: leased, outcome, source: await sourceOf(leased, document), reuse, fetchMs };
    }
    const checking = startStopwatch();
    const outcome = await runner.check(
      { pageId: leased.webPageId, url, document, spec, showsSignIn, likeOthers },
      { signal, beforeRequest: checking.without(beforeRequest), alone },
    );
    const durationMs = checking.ms();
    if (!alone && "deadlineExceeded" in outcome && deadlineRetries < MAX_DEADLINE_RETRIES) {
      deadlineRetries += 1;
      log.info("a page met its deadline; it is checked once more, alone", { url });
      await retrying(() => releaseLeases(db, [leased], { alone: true }));
      return undefined;
    }
    marker.end(leased);
    return { lease: leased, outcome, source: await sourceOf(leased, document), reuse, durationMs, fetchMs };
  };

  const failureOf = (leased: LeasedCheck, error: unknown): CheckOutcome => {
    if (error instanceof PageError) return { kind, failure: error.failure };
    log.error("the engine threw an error", { url: leased.url, error });
    return { kind, failure: { code: "engine_error", detail: "The checker failed while checking the page." } };
  };

  return async (leased: LeasedCheck): Promise<void> => {
    try {
      const result = await run(leased);
      if (!result) onLetGo(leased);
      else if (!signal.aborted) onOutcome(result);
    } catch (error) {
      if (signal.aborted) return;
      const broken = environmentFault(error);
      if (broken) onFault(broken);
      else onOutcome({ lease: leased, outcome: failureOf(leased, error) });
    }
  };
}
