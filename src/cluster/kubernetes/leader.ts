import type { Logger } from "../../telemetry/log.ts";
import { pause } from "../../time/retry.ts";
import {
  createLease,
  defaultLeaderTimes,
  type Hold,
  type LeaderTimes,
  type Lease,
  type LeaseOptions,
} from "./lease.ts";

export type LeaderOptions = LeaseOptions & {
  log: Logger;
  signal: AbortSignal;
  times?: LeaderTimes;
};

/**
 * Runs `body` while this process holds the Lease. The body's signal aborts when the Lease is
 * lost or `signal` aborts; after a loss this process waits for the Lease again. On a clean stop
 * it releases the Lease, so that the next replica leads at once.
 *
 * The body's `term` is a fencing token, higher than that of every former leader.
 *
 * The clocks of other replicas are never trusted: a Lease counts as abandoned when this process
 * has seen it unchanged for its whole duration.
 */
export async function runAsLeader(
  options: LeaderOptions,
  body: (signal: AbortSignal, term: number) => Promise<void>,
): Promise<void> {
  const { signal, log, identity, name, times = defaultLeaderTimes } = options;
  const lease = createLease(options, times);
  while (!signal.aborted) {
    const hold = await lease.tryHold(AbortSignal.timeout(times.renewDeadline));
    if (!hold) {
      await pause(times.retryPeriod, signal);
      continue;
    }
    const { term } = hold;
    log.info("leading", { lease: name, identity, term });
    const leading = new AbortController();
    const running = body(AbortSignal.any([signal, leading.signal]), term).finally(() => leading.abort());
    await renewUntilLost(lease, times, hold, AbortSignal.any([signal, leading.signal]));
    leading.abort(new Error("the Lease was lost"));
    await running;
    if (signal.aborted) break;
    lease.forget();
    log.warn("no longer leading", { lease: name, identity, term });
  }
  await lease.release().catch((error) => log.warn("the Lease was not released", { error }));
}

/**
 * Returns when `signal` aborts, another replica holds the Lease, or the Lease is not renewed
 * before the deadline, which also ends a pending attempt.
 */
async function renewUntilLost(lease: Lease, times: LeaderTimes, first: Hold, signal: AbortSignal): Promise<void> {
  let { since } = first;
  const left = () => Math.max(0, Math.floor(since + times.renewDeadline - performance.now()));
  while (!signal.aborted && left() > 0) {
    await pause(Math.min(times.retryPeriod, left()), signal);
    if (signal.aborted) return;
    try {
      const hold = await lease.tryHold(AbortSignal.timeout(left()));
      if (!hold) return;
      since = hold.since;
    } catch {
      // tryHold throws when the API server cannot be reached: it may come back in time.
    }
  }
}
