import { getDomain } from "tldts";
import { createRetryPolicy, type RetryPolicy } from "../../../net/retry-policy.ts";
import { limitConcurrency } from "../../../time/limit-concurrency.ts";

/** Other hosts are asked for one address after the other, and all of a domain at most this often. */
const INTERVAL_MS = 200;
/** Between requests to all other hosts: many names may lead to one server. */
const TOTAL_INTERVAL_MS = 20;
/** Other hosts that are asked at the same time. */
const MAX_HOSTS = 20;
/** Requests to the site itself at the same time. Its rate limit is the report's. */
const MAX_OWN = 10;
/** All the time that other hosts may ask to wait, by Retry-After: each of them that waits keeps one of the turns. */
const MAX_TOTAL_WAIT_MS = 600_000;

/** A host, and how it is asked. */
export type Host = {
  /** Runs requests when it is their turn. */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
  retries: RetryPolicy;
  /** It said that it was asked too often, and waiting did not help: nothing more is asked. */
  isBusy: boolean;
};

export type Clock = { now: () => number; sleep: (ms: number, signal: AbortSignal) => Promise<void> };

/** Hosts, by their addresses, and whose turn it is. */
export type Hosts = {
  of(url: string, isOther: boolean): Host;
  /** Waits until another host may be asked once more. @throws the signal's reason */
  awaitTurn(url: string, signal: AbortSignal): Promise<void>;
};

export function createHosts({ now, sleep }: Clock): Hosts {
  const hosts = new Map<string, Host>();
  /** When the next request to a domain may begin: hosts with made-up names, such as those of a wildcard, are often one server. */
  const nextOfDomain = new Map<string, number>();
  let nextOfAll = 0;
  const inTurn = limitConcurrency(MAX_HOSTS);
  const budget = { leftMs: MAX_TOTAL_WAIT_MS };
  const create = (isOther: boolean): Host => {
    const ofHost = limitConcurrency(isOther ? 1 : MAX_OWN);
    return {
      run: (work) => ofHost(() => (isOther ? inTurn(work) : work())),
      retries: createRetryPolicy({ now, sleep }, isOther ? budget : undefined),
      isBusy: false,
    };
  };
  return {
    of: (url, isOther) => {
      const name = URL.parse(url)?.host ?? "";
      const host = hosts.get(name) ?? create(isOther);
      hosts.set(name, host);
      return host;
    },
    awaitTurn: async (url, signal) => {
      const domain = domainOf(url);
      const wait = () => Math.max(nextOfDomain.get(domain) ?? 0, nextOfAll) - now();
      for (let ms = wait(); ms > 0; ms = wait()) await sleep(ms, signal);
      nextOfDomain.set(domain, now() + INTERVAL_MS);
      nextOfAll = now() + TOTAL_INTERVAL_MS;
    },
  };
}

/** Addresses that are requested for a report: at least so many, and more for each of its pages, up to the most. */
const MIN_ADDRESSES = 1_000;
const ADDRESSES_OF_PAGE = 50;
const MAX_ADDRESSES = 50_000;
/** Of one other domain. */
const MAX_PER_DOMAIN = 2_000;

/** How many addresses may be requested. */
export type Allowance = {
  /** Counts an address of the site, or of another. @returns whether it may be requested */
  take(url: string, isOther: boolean): boolean;
};

/**
 * Limits requests to other sites by what is checked, so that a small report, which costs little, cannot make many; those to
 * the site besides what the crawl knows, likewise.
 *
 * @param pages how many the report has
 */
export function createAllowance(pages: number): Allowance {
  const most = Math.min(MAX_ADDRESSES, Math.max(MIN_ADDRESSES, ADDRESSES_OF_PAGE * pages));
  const total = { own: 0, other: 0 };
  const ofDomain = new Map<string, number>();
  return {
    take(url, isOther) {
      const whose = isOther ? "other" : "own";
      const domain = domainOf(url);
      const asked = ofDomain.get(domain) ?? 0;
      if (total[whose] >= most || (isOther && asked >= MAX_PER_DOMAIN)) return false;
      total[whose] += 1;
      if (isOther) ofDomain.set(domain, asked + 1);
      return true;
    },
  };
}

function domainOf(url: string): string {
  return domainName(URL.parse(url)?.hostname ?? "");
}

/** The part of a host's name that has one owner, by the list of public suffixes; an IP address, or a name that is none of these, is whole. */
export function domainName(hostname: string): string {
  return getDomain(hostname) ?? hostname;
}
