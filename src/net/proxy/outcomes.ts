import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { PageError } from "../../domain/failure.ts";

/** The latest targets whose outcome is known. */
const MAX_OUTCOMES = 10_000;

/** What became of what was requested, by target: the URL, or for https the server's name and port. */
export type Outcomes = {
  /** Keeps the last failure, or that there was none. */
  record(target: string, failure?: PageError): void;
  /** Notes that somebody asks again: the target becomes the latest, and keeps its outcome. */
  touch(target: string): void;
  /** From now on the exchange waits for its server, until it is closed. */
  awaits(exchange: Duplex | ServerResponse, target: string): void;
  /** The browser has spoken again, and waits. */
  waits(exchange: Duplex, target: string): void;
  /** Its server has spoken. */
  responded(exchange: Duplex | ServerResponse): void;
  failureOf(url: string): PageError | undefined;
  has(url: string): boolean;
  isAwaiting(url: string): boolean;
};

export function createOutcomes(): Outcomes {
  const outcomes = new Map<string, PageError | undefined>();
  /** What each exchange with a server waits for. */
  const awaited = new Map<Duplex | ServerResponse, string>();
  const record = (target: string, failure?: PageError): void => {
    outcomes.delete(target);
    outcomes.set(target, failure);
    const oldest = outcomes.keys().next();
    if (outcomes.size > MAX_OUTCOMES && !oldest.done) outcomes.delete(oldest.value);
  };
  return {
    record,
    touch: (target) => record(target, outcomes.get(target)),
    awaits: (exchange, target) => {
      awaited.set(exchange, target);
      exchange.once("close", () => awaited.delete(exchange));
    },
    waits: (exchange, target) => void awaited.set(exchange, target),
    responded: (exchange) => void awaited.delete(exchange),
    failureOf: (url) => outcomes.get(targetOf(url)),
    has: (url) => outcomes.has(targetOf(url)),
    isAwaiting: (url) => URL.canParse(url) && [...awaited.values()].includes(targetOf(url)),
  };
}

/** What the proxy sees of a URL: for https only the server's name and port. */
function targetOf(url: string): string {
  const { href, hash, hostname, port, protocol } = new URL(url);
  return protocol === "https:" ? `${hostname}:${port || 443}` : href.slice(0, href.length - hash.length);
}
