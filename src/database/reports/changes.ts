import type { ConnectionLimits } from "../connection/connection-options.ts";
import { subscribe } from "../connection/subscribe.ts";

const CHANNEL = "site_validator";
/** How long the connection stays for the next follower: those who wait come again at once. */
const LINGER_MS = 10_000;

/** Tells one follower that its report may have changed. */
export type Bell = {
  /** Resolves when the report may have changed since the last call, after `ms`, or with the signal. */
  changed(ms: number, signal: AbortSignal): Promise<void>;
  /** Ends following. */
  end(): void;
};

export type ReportChanges = {
  follow(reportId: string): Bell;
  /** Ends the connection, and following for all. */
  close(): Promise<void>;
};

/**
 * What the database says about changes of reports, for many followers over one connection,
 * which is there while somebody follows. Notifications may be lost with it, and not every
 * change is told: followers look for themselves now and then.
 */
export function reportChanges(options: {
  /** The database; followers are told of nothing without it. */
  url: string | undefined;
  onLoss: (error: unknown) => void;
  /** Of the connection; the default's when not given. */
  limits?: Partial<ConnectionLimits> | undefined;
}): ReportChanges {
  const rings = new Map<string, Set<() => void>>();
  let listening: { stop: AbortController; ended: Promise<void> } | undefined;
  let linger: NodeJS.Timeout | undefined;

  const ringAll = () => {
    for (const ofReport of rings.values()) for (const ring of ofReport) ring();
  };

  const listenOn = (url: string, { signal }: AbortController): Promise<void> =>
    subscribe([CHANNEL], {
      ...{ url, limits: options.limits, applicationName: "site-validator api (listen)", signal },
      onNotification: (reportId) => {
        for (const ring of rings.get(reportId) ?? []) ring();
      },
      onConnected: ringAll,
      onLoss: options.onLoss,
    });

  function open(): void {
    clearTimeout(linger);
    linger = undefined;
    if (listening || options.url === undefined) return;
    const stop = new AbortController();
    listening = { stop, ended: listenOn(options.url, stop) };
  }

  async function close(): Promise<void> {
    clearTimeout(linger);
    const ending = listening;
    listening = undefined;
    ending?.stop.abort();
    await ending?.ended;
  }

  function forget(reportId: string, ring: () => void): void {
    const ofReport = rings.get(reportId);
    ofReport?.delete(ring);
    if (ofReport?.size === 0) rings.delete(reportId);
    if (rings.size > 0 || linger) return;
    linger = setTimeout(close, LINGER_MS);
    linger.unref();
  }

  return {
    close,
    follow(reportId) {
      let rung = false;
      let wake: (() => void) | undefined;
      const ring = () => {
        rung = true;
        wake?.();
      };
      const ofReport = rings.get(reportId) ?? new Set();
      rings.set(reportId, ofReport.add(ring));
      open();
      return {
        end: () => forget(reportId, ring),
        async changed(ms, signal) {
          if (!rung && !signal.aborted)
            await new Promise<void>((resolve) => {
              const done = () => {
                clearTimeout(timer);
                signal.removeEventListener("abort", done);
                wake = undefined;
                resolve();
              };
              const timer = setTimeout(done, ms);
              signal.addEventListener("abort", done, { once: true });
              wake = done;
            });
          rung = false;
        },
      };
    },
  };
}
