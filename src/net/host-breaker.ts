import { type FailureCode, PageError } from "../domain/failure.ts";

/** Stops asking a host that does not respond, and asks it again now and then (a circuit breaker). */
export type HostBreaker = {
  /**
   * Runs a visit of a page, unless its host is considered unresponsive at the moment.
   *
   * @throws PageError `host_unresponsive` if it is; otherwise what `visit` throws
   */
  run<Result>(url: string, visit: () => Promise<Result>): Promise<Result>;
};

/** A host is considered unresponsive after this many visits in a row without a response. */
const MAX_FAILURES = 10;
/** This many pages fail before one is tried again. The number doubles each time, so that few wait for a timeout. */
const FIRST_SKIPS = 10;

/** The codes of failures without a complete response. */
const SILENCE: ReadonlySet<FailureCode> = new Set<FailureCode>(["timeout", "unreachable", "dns_error"]);

type Host = {
  /** Visits in a row without a response. */
  failures: number;
  /** How many pages fail without a request before the next one is tried, and how many have so far (`skipped`). */
  skips: number;
  skipped: number;
  /** The visit that finds out whether the host is back. */
  probe: Promise<void> | undefined;
  reason: string;
};

export function createHostBreaker(): HostBreaker {
  const hosts = new Map<string, Host>();
  const hostOf = (url: string): Host => {
    const name = URL.parse(url)?.host ?? "";
    const known = hosts.get(name);
    if (known) return known;
    const host = { failures: 0, skips: FIRST_SKIPS, skipped: 0, probe: undefined, reason: "" };
    hosts.set(name, host);
    return host;
  };
  return {
    async run(url, visit) {
      const host = hostOf(url);
      // Waits for the visit that finds out whether the host is back.
      while (host.probe) await host.probe;
      if (host.failures < MAX_FAILURES) return observed(host, visit);
      if (host.skipped < host.skips) {
        host.skipped += 1;
        throw unresponsive(url, host);
      }
      const probe = Promise.withResolvers<void>();
      host.probe = probe.promise;
      host.skipped = 0;
      host.skips *= 2;
      try {
        return await observed(host, visit);
      } finally {
        host.probe = undefined;
        probe.resolve();
      }
    },
  };
}

/** Counts visits without a response. Errors that say nothing about the host change nothing. */
async function observed<Result>(host: Host, visit: () => Promise<Result>): Promise<Result> {
  try {
    const result = await visit();
    respond(host);
    return result;
  } catch (error) {
    if (!(error instanceof PageError)) throw error;
    if (error.waitedFor === "browser") throw error;
    if (SILENCE.has(error.code) && error.waitedFor === "server") {
      host.failures += 1;
      host.reason = error.message;
    } else if (error.code !== "blocked_address") respond(host);
    throw error;
  }
}

function respond(host: Host): void {
  host.failures = 0;
  host.skips = FIRST_SKIPS;
}

function unresponsive(url: string, { failures, reason }: Host): PageError {
  return new PageError(
    "host_unresponsive",
    `${url} was not requested, because ${failures} requests in a row got no complete response. The last error: ${reason}`,
  );
}
