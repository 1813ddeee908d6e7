import type { Logger } from "../../telemetry/log.ts";
import { isClusterError } from "../port.ts";
import type { ApiServerConfig } from "./api-server-config.ts";
import { createApiServer } from "./request.ts";

/** The times of leader election, in milliseconds; each is much shorter than the previous one. */
export type LeaderTimes = {
  /** Others may take over when the Lease has not been renewed for this long. */
  leaseDuration: number;
  /** The leader gives up when it has not renewed the Lease for this long: before others may take over. */
  renewDeadline: number;
  /** Between two attempts to renew or to take over. */
  retryPeriod: number;
};

export const defaultLeaderTimes: LeaderTimes = { leaseDuration: 15_000, renewDeadline: 10_000, retryPeriod: 2_000 };

export type LeaseOptions = {
  config: ApiServerConfig;
  namespace: string;
  /** Name of the Lease. */
  name: string;
  /** The identity of this process, unique among the replicas, for example the pod's name. */
  identity: string;
  log: Logger;
};

/** The part of coordination.k8s.io/v1 Lease that is used here. */
type LeaseObject = {
  apiVersion: "coordination.k8s.io/v1";
  kind: "Lease";
  metadata: { name: string; namespace: string; resourceVersion?: string; creationTimestamp?: string };
  spec: {
    holderIdentity?: string;
    leaseDurationSeconds?: number;
    acquireTime?: string;
    renewTime?: string;
    leaseTransitions?: number;
  };
};

export type Hold = {
  /** Increases with each leader. */
  term: number;
  /** When the request was sent (performance.now): others may have seen the renewal from then on. */
  since: number;
};

/** More transitions than any Lease will have. */
const MAX_TRANSITIONS = 1_000_000;

/**
 * The term starts with the seconds of the Lease's creation, since a Lease that is deleted and
 * created again counts its transitions from 0. The last six digits are the transitions.
 */
function termOf({ metadata, spec }: LeaseObject): number {
  const created = Math.floor(Date.parse(metadata.creationTimestamp ?? "") / 1_000);
  return created * MAX_TRANSITIONS + (spec.leaseTransitions ?? 0);
}

export type Lease = ReturnType<typeof createLease>;

/** A Lease on the API server, from the view of one replica. */
export function createLease({ config, namespace, name, identity, log }: LeaseOptions, times: LeaderTimes) {
  // One connection per attempt: one that swallows packets must not spoil the next attempt.
  const server = createApiServer(config, { reuse: false });
  const collection = `/apis/coordination.k8s.io/v1/namespaces/${encodeURIComponent(namespace)}/leases`;
  const path = `${collection}/${encodeURIComponent(name)}`;
  let seen: { version: string | undefined; at: number } | undefined;
  let held = false;

  // A request that hangs leaves time for another one before the deadline.
  const timely = (deadline?: AbortSignal) => {
    const own = AbortSignal.timeout(times.renewDeadline / 2);
    return { signal: deadline ? AbortSignal.any([deadline, own]) : own };
  };

  async function read(deadline?: AbortSignal): Promise<LeaseObject | undefined> {
    try {
      return (await server.request("GET", path, timely(deadline))) as LeaseObject;
    } catch (error) {
      if (isClusterError(error, "NotFound")) return undefined;
      throw error;
    }
  }

  /** True when someone else holds the Lease and, as observed here, has renewed it within its duration. */
  function heldByOther(lease: LeaseObject): boolean {
    const holder = lease.spec.holderIdentity;
    if (!holder || holder === identity) return false;
    const version = lease.metadata.resourceVersion;
    if (seen?.version !== version) seen = { version, at: performance.now() };
    return performance.now() - (seen?.at ?? 0) < times.leaseDuration;
  }

  function mine(lease: LeaseObject | undefined): LeaseObject {
    const now = new Date().toISOString().replace("Z", "000Z");
    // A Lease with our identity from an earlier term or process is acquired again.
    const same = held && lease?.spec.holderIdentity === identity;
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
    /**
     * Takes or renews the Lease.
     *
     * @returns undefined when another replica holds it, or this one does not and cannot take it
     * @throws ClusterError when this replica holds it and the API server did not respond before `deadline`
     */
    async tryHold(deadline: AbortSignal): Promise<Hold | undefined> {
      try {
        const current = await read(deadline);
        if (current && heldByOther(current)) {
          held = false;
          return undefined;
        }
        const body = mine(current);
        const since = performance.now();
        const written = await (current
          ? server.request("PUT", path, { body, ...timely(deadline) })
          : server.request("POST", collection, { body, ...timely(deadline) }));
        held = true;
        return { term: termOf(written as LeaseObject), since };
      } catch (error) {
        // Another replica was faster: it holds the Lease now.
        if (isClusterError(error, "Conflict") || isClusterError(error, "AlreadyExists")) {
          held = false;
          return undefined;
        }
        if (held) throw error;
        log.warn("the Lease could not be read", { error });
        return undefined;
      }
    },

    /** Marks the Lease as lost: it must be acquired again, even if it still has our identity. */
    forget(): void {
      held = false;
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
