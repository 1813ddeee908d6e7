import { setTimeout as sleep } from "node:timers/promises";
import type { KubeConfig } from "@kubernetes/client-node";
import type { Logger } from "../../telemetry/log.ts";
import { ClusterError, isClusterError } from "../port.ts";
import { createApiServer } from "./request.ts";

/** The times of leader election, in milliseconds; each far below the one before. */
export type LeaderTimes = {
  /** Others may take over when the Lease was not renewed for this long. */
  leaseDuration: number;
  /** The leader gives up when it could not renew for this long: before others may take over. */
  renewDeadline: number;
  /** Between two tries to renew or to take over. */
  retryPeriod: number;
};

export const defaultLeaderTimes: LeaderTimes = { leaseDuration: 15_000, renewDeadline: 10_000, retryPeriod: 2_000 };

export type LeaderOptions = {
  config: KubeConfig;
  namespace: string;
  /** Name of the Lease. */
  name: string;
  /** Who we are: unique among the replicas, for example the pod's name. */
  identity: string;
  log: Logger;
  signal: AbortSignal;
  times?: LeaderTimes;
};

/** The part of coordination.k8s.io/v1 Lease that is used here. */
type Lease = {
  apiVersion: "coordination.k8s.io/v1";
  kind: "Lease";
  metadata: { name: string; namespace: string; resourceVersion?: string };
  spec: {
    holderIdentity?: string;
    leaseDurationSeconds?: number;
    acquireTime?: string;
    renewTime?: string;
    leaseTransitions?: number;
  };
};

/**
 * Runs `body` while this process holds the Lease. The body's signal aborts when the Lease
 * is lost or `signal` aborts; after the loss of the Lease it is waited for again. On a
 * clean stop the Lease is released, so that the next replica leads at once.
 *
 * The clock of another replica is never trusted: a Lease counts as abandoned when this
 * process has seen it unchanged for its whole duration.
 */
export async function runAsLeader(options: LeaderOptions, body: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const { signal, log, identity, name, times = defaultLeaderTimes } = options;
  const lease = createLease(options, times);
  while (!signal.aborted) {
    if (!(await lease.tryHold())) {
      await pause(times.retryPeriod, signal);
      continue;
    }
    log.info("leading", { lease: name, identity });
    const leading = new AbortController();
    const running = body(AbortSignal.any([signal, leading.signal])).finally(() => leading.abort());
    await renewUntilLost(lease, times, AbortSignal.any([signal, leading.signal]));
    leading.abort(new Error("the Lease was lost"));
    await running;
    if (!signal.aborted) log.warn("no longer leading", { lease: name, identity });
  }
  await lease.release().catch((error) => log.warn("the Lease was not released", { error: String(error) }));
}

/** Returns when `signal` aborts, another replica holds the Lease, or renewing failed for too long. */
async function renewUntilLost(
  lease: ReturnType<typeof createLease>,
  times: LeaderTimes,
  signal: AbortSignal,
): Promise<void> {
  let renewed = performance.now();
  while (!signal.aborted) {
    await pause(times.retryPeriod, signal);
    if (signal.aborted) return;
    try {
      if (!(await lease.tryHold())) return;
      renewed = performance.now();
    } catch {
      // tryHold throws when the API server cannot be reached: it may come back in time.
    }
    if (performance.now() - renewed > times.renewDeadline) return;
  }
}

function createLease({ config, namespace, name, identity, log }: LeaderOptions, times: LeaderTimes) {
  const server = createApiServer(config);
  const collection = `/apis/coordination.k8s.io/v1/namespaces/${encodeURIComponent(namespace)}/leases`;
  const path = `${collection}/${encodeURIComponent(name)}`;
  let seen: { version: string | undefined; at: number } | undefined;
  let held = false;

  async function read(): Promise<Lease | undefined> {
    try {
      return (await server.request("GET", path, timely())) as Lease;
    } catch (error) {
      if (isClusterError(error, "NotFound")) return undefined;
      throw error;
    }
  }
  // A request that hangs must not outlast the renew deadline.
  const timely = () => ({ signal: AbortSignal.timeout(times.renewDeadline / 2) });

  /** True when someone else holds the Lease and has renewed it within its duration, as seen from here. */
  function heldByOther(lease: Lease): boolean {
    const holder = lease.spec.holderIdentity;
    if (!holder || holder === identity) return false;
    const version = lease.metadata.resourceVersion;
    if (seen?.version !== version) seen = { version, at: performance.now() };
    return performance.now() - (seen?.at ?? 0) < times.leaseDuration;
  }

  function mine(lease: Lease | undefined): Lease {
    const now = new Date().toISOString().replace("Z", "000Z");
    const same = lease?.spec.holderIdentity === identity;
    return {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { ...lease?.metadata, name, namespace },
      spec: {
        holderIdentity: identity,
        leaseDurationSeconds: Math.max(1, Math.round(times.leaseDuration / 1000)),
        acquireTime: same ? (lease?.spec.acquireTime ?? now) : now,
        renewTime: now,
        leaseTransitions: (lease?.spec.leaseTransitions ?? 0) + (same || !lease ? 0 : 1),
      },
    };
  }

  return {
    /** Takes or renews the Lease. @throws ClusterError when held and the API server cannot be reached */
    async tryHold(): Promise<boolean> {
      try {
        const current = await read();
        if (current && heldByOther(current)) {
          held = false;
          return false;
        }
        const next = mine(current);
        if (current) await server.request("PUT", path, { body: next, ...timely() });
        else await server.request("POST", collection, { body: next, ...timely() });
        held = true;
        return true;
      } catch (error) {
        // Another replica was faster: it holds the Lease now.
        if (isClusterError(error, "Conflict") || isClusterError(error, "AlreadyExists")) {
          held = false;
          return false;
        }
        if (held) throw error;
        log.warn("the Lease could not be read", {
          error: error instanceof ClusterError ? error.message : String(error),
        });
        return false;
      }
    },

    /** Lets the next replica lead at once. */
    async release(): Promise<void> {
      if (!held) return;
      const current = await read();
      if (current?.spec.holderIdentity !== identity) return;
      const spec = { ...current.spec, holderIdentity: "", leaseDurationSeconds: 1 };
      await server.request("PUT", path, { body: { ...current, spec }, ...timely() });
      held = false;
    },
  };
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {});
}
