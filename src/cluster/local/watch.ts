import type { Kysely } from "kysely";
import { subscribe } from "../../database/connection/client.ts";
import type { ConnectionLimits } from "../../database/connection/connection-options.ts";
import { isConnectionLoss } from "../../database/connection/errors.ts";
import type { Database } from "../../database/tables.ts";
import type { Kind, Resource, Resources } from "../../schema/resources.ts";
import { createNotifier } from "../../time/notifier.ts";
import { ClusterError, type WatchEvent, type WatchOptions } from "../port.ts";
import { changesAfter } from "./read-objects.ts";
import { availableOrThrow } from "./unavailable.ts";
import { CHANNEL } from "./write-objects.ts";

/** Polls as well, because notifications may be lost with a connection. */
const POLL_MS = 1_000;
const BATCH = 200;

/**
 * Yields the changes after a version from cluster_changes. The order of committed versions alone
 * decides what is sent; a notification only says that it is time to read.
 *
 * An object whose labels change so that it no longer matches is not reported as deleted: labels
 * used for watches are set once, at creation.
 */
export async function* watch<K extends Kind>(
  db: Kysely<Database>,
  { url, limits }: { url: string; limits?: Partial<ConnectionLimits> | undefined },
  kind: K,
  options: WatchOptions,
): AsyncGenerator<WatchEvent<Resources[K]>> {
  const { signal } = options;
  if (signal.aborted) return;
  let cursor = parseVersion(options.resourceVersion);
  const notifier = createNotifier();
  const { connected, lost, close } = listenFor(kind, { url, limits }, signal, notifier.notify);
  await availableOrThrow(() => connected);
  try {
    while (!signal.aborted && !lost.aborted) {
      const { changes, upTo } = await changesAfter(db, kind, cursor, BATCH);
      for (const { type, object } of changes) {
        cursor = BigInt(object.metadata.resourceVersion);
        if (signal.aborted) return;
        if (matches(object, options)) yield { type, object: object as Resources[K] };
      }
      if (upTo > cursor) {
        cursor = upTo;
        yield { type: "BOOKMARK", resourceVersion: String(upTo) };
      }
      if (changes.length < BATCH) await notifier.wait(POLL_MS, signal);
    }
  } catch (error) {
    // As the port requires, a lost connection ends the watch, and the caller continues from its version.
    if (!isConnectionLoss(error)) throw error;
  } finally {
    await close();
  }
}

/** Listens on one connection: when it is lost the watch ends, and its caller starts another. */
function listenFor(
  kind: Kind,
  address: { url: string; limits?: Partial<ConnectionLimits> | undefined },
  signal: AbortSignal,
  notify: () => void,
): { connected: Promise<void>; lost: AbortSignal; close(): Promise<void> } {
  const over = new AbortController();
  const { promise: connected, resolve, reject } = Promise.withResolvers<void>();
  const running = subscribe([CHANNEL], {
    ...address,
    applicationName: `site-validator watch ${kind}`,
    signal: AbortSignal.any([signal, over.signal]),
    onNotification: notify,
    onConnected: resolve,
    onLoss(error) {
      reject(error);
      over.abort();
      notify();
    },
  });
  running.then(resolve);
  return {
    connected,
    lost: over.signal,
    close() {
      over.abort();
      return running;
    },
  };
}

function parseVersion(text: string): bigint {
  if (/^[0-9]{1,18}$/.test(text)) return BigInt(text);
  throw new ClusterError("Expired", `The resource version ${JSON.stringify(text)} is not one of this cluster.`);
}

function matches(object: Resource, options: WatchOptions): boolean {
  if (options.namespace && object.metadata.namespace !== options.namespace) return false;
  return Object.entries(options.labels ?? {}).every(([name, value]) => object.metadata.labels?.[name] === value);
}
