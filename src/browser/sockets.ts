import type { CDPSession } from "puppeteer-core";
import type { ActRule } from "../domain/acts/acts.ts";
import { within } from "../time/within.ts";

/**
 * Judges the WebSockets of a tab that is visited in a session. The browser pauses none. So the proxy asks before it connects one, and
 * events say which address it is for, if a document opens it: of those of workers only the host is known.
 */
export type Sockets = {
  mayConnect(target: URL): Promise<boolean>;
  /** Follows a tab. */
  watch(session: Pick<CDPSession, "on">): void;
  /** Begins a visit. @param isFree whether the user's own steps are being done, which may open any */
  begin(isFree: () => boolean): void;
  /** Those that were refused, in words. */
  stopped(): string[];
};

/** How long to wait for an event that the browser sends by another way. */
const LATE_EVENT_MS = 2_000;
/** Of what was refused so many are named. */
const MAX_NAMED = 1_000;

/** Of a socket that a document opens, until it is connected or has failed. */
type Opening = { host: string; isAllowed: boolean; isTaken: boolean };

export function createSockets({ maySend }: Pick<ActRule, "maySend">): Sockets {
  const opening = new Map<string, Opening>();
  const stopped = new Set<string>();
  /** By host, how many more were asked for than documents have opened. */
  const ofWorkers = new Map<string, number>();
  let isFree = () => false;
  let changed = Promise.withResolvers<void>();
  const openingTo = (host: string): Opening[] =>
    [...opening.values()].filter((one) => one.host === host && !one.isTaken);
  const count = (host: string, more: number): void => {
    if (ofWorkers.size < MAX_NAMED || ofWorkers.has(host)) ofWorkers.set(host, (ofWorkers.get(host) ?? 0) + more);
  };
  return {
    watch: (session) => {
      session.on("Network.webSocketCreated", ({ requestId, url }) => {
        const isAllowed = isFree() || maySend({ method: "GET", url, authorized: false, of: "socket" });
        if (!isAllowed && stopped.size < MAX_NAMED) stopped.add(`WebSocket ${url.replace(/[?#].*/s, "")}`);
        const host = hostOf(url);
        count(host, -1);
        opening.set(requestId, { host, isAllowed, isTaken: false });
        changed.resolve();
        changed = Promise.withResolvers();
      });
      const forget = ({ requestId }: { requestId: string }): void => void opening.delete(requestId);
      session.on("Network.webSocketHandshakeResponseReceived", forget);
      session.on("Network.webSocketClosed", forget);
    },
    mayConnect: async (target) => {
      const host = hostOf(target.href);
      // At once: the page may be left before more is known.
      count(host, 1);
      const known = async (): Promise<void> => {
        while (openingTo(host).length === 0) await changed.promise;
      };
      await within(LATE_EVENT_MS, known(), undefined);
      const [first, ...others] = openingTo(host);
      // Which of several this is, nobody knows.
      if (!first || ![first, ...others].every(({ isAllowed }) => isAllowed)) return false;
      first.isTaken = true;
      return true;
    },
    begin: (free) => {
      isFree = free;
      for (const known of [opening, stopped, ofWorkers]) known.clear();
    },
    stopped: () => {
      const hosts = [...ofWorkers].flatMap(([host, howMany]) => (howMany > 0 ? [host] : []));
      return [...stopped, ...hosts.map((host) => `WebSockets of workers to ${host}`)];
    },
  };
}

/** With the port, also where it is that of the scheme: the proxy knows no scheme. */
function hostOf(url: string): string {
  const { protocol, hostname, port } = new URL(url);
  return `${hostname}:${port || (protocol === "ws:" ? 80 : 443)}`;
}
