import type { CrawlBatch, CrawlProgress } from "../database/crawl/crawl.ts";
import type { SeenLinks } from "../database/crawl/inbound-links.ts";
import { MAX_PAGES_KEPT } from "../domain/site/linked-pages.ts";

/**
 * Which pages link to what is not a page, or not yet: an address of which nobody knows yet whether it is one is counted, too.
 * Links to pages are not. No I/O; part of the frontier.
 */

type Links = {
  howMany: number;
  pages: string[];
  /** The page that was read last: its other links to the address do not count. */
  last: string | undefined;
  /** The addresses that it is of: one, and those that it redirects to. */
  urls: string[];
};

export type Inbound = {
  records: Map<string, Links>;
  /** Addresses that failed or were left out: what is stored. */
  kept: Set<string>;
  /** The pages whose links are counted. None is read twice, but some lists are, by several redirects. */
  read: Set<string>;
  /** The page that is being read, and whether its links count. */
  current: { from: string; counts: boolean } | undefined;
  /** What is to be stored: addresses whose counts have changed, and what was seen. */
  changed: Set<string>;
  seen: SeenLinks[];
  /** How many links and redirects were seen. */
  pending: number;
  /** The number of the next batch of what was seen. */
  next: number;
};

export function createInbound(): Inbound {
  return {
    records: new Map(),
    kept: new Set(),
    read: new Set(),
    current: undefined,
    changed: new Set(),
    seen: [],
    pending: 0,
    next: 0,
  };
}

/** Counts a link to an address that is not known to be a page. The links of one page come one after the other. */
export function seeLink(inbound: Inbound, url: string, from: string): void {
  if (inbound.current?.from !== from) {
    inbound.current = { from, counts: !inbound.read.has(from) };
    inbound.read.add(from);
  }
  if (!inbound.current.counts || !count(inbound, url, from)) return;
  const last = inbound.seen.at(-1);
  if (last && "from" in last && last.from === from) last.to.push(url);
  else inbound.seen.push({ from, to: [url] });
  inbound.pending += 1;
}

/** @returns false for a further link of the same page */
function count(inbound: Inbound, url: string, from: string): boolean {
  const record = inbound.records.get(url) ?? { howMany: 0, pages: [], last: undefined, urls: [url] };
  inbound.records.set(url, record);
  if (record.last === from) return false;
  record.last = from;
  record.howMany += 1;
  if (record.pages.length < MAX_PAGES_KEPT) record.pages.push(from);
  for (const one of record.urls) if (inbound.kept.has(one)) inbound.changed.add(one);
  return true;
}

/** Links to `url` are links to `to` from now on, and those before were, unless `to` has links of its own. */
export function seeRedirect(inbound: Inbound, url: string, to: string): void {
  if (!share(inbound, url, to)) return;
  inbound.seen.push({ redirect: url, to });
  inbound.pending += 1;
}

function share({ records }: Inbound, url: string, to: string): boolean {
  const record = records.get(url);
  if (!record || records.has(to)) return false;
  record.urls.push(to);
  records.set(to, record);
  return true;
}

/** Keeps the links to an address that failed or was left out. */
export function keepLinks(inbound: Inbound, url: string): void {
  inbound.kept.add(url);
  if (inbound.records.has(url)) inbound.changed.add(url);
}

/** Forgets the links to an address that is a page. */
export function forgetLinks({ records }: Inbound, url: string): void {
  records.delete(url);
}

/**
 * What has changed since the last call.
 *
 * @param linkedFrom what is stored with an address itself; undefined for the first page that links to it
 */
export function takeInbound(
  inbound: Inbound,
  linkedFrom: (url: string) => string | null | undefined,
): Pick<CrawlBatch, "inbound" | "seen"> {
  const links = [...inbound.changed].flatMap((url) => {
    const { howMany, pages = [] } = inbound.records.get(url) ?? {};
    if (howMany === undefined) return [];
    const stored = linkedFrom(url);
    if (howMany === 1 && (stored === undefined || stored === pages[0])) return [];
    return [{ url, howMany, pages: [...pages] }];
  });
  const seen = inbound.seen.length === 0 ? undefined : { number: inbound.next++, seen: inbound.seen };
  inbound.changed = new Set();
  inbound.seen = [];
  inbound.pending = 0;
  return { inbound: links, seen };
}

/**
 * Counts again what an earlier run has seen.
 *
 * @param counts whether links to an address count: it is not a page
 */
export function restoreInbound(
  inbound: Inbound,
  { pages, excluded, seen, nextSeen }: CrawlProgress,
  counts: (url: string) => boolean,
): void {
  for (const { url, ok } of pages) if (!ok) inbound.kept.add(url);
  for (const url of excluded) inbound.kept.add(url);
  for (const one of seen)
    if ("redirect" in one) share(inbound, one.redirect, one.to);
    else {
      inbound.read.add(one.from);
      for (const url of one.to) if (counts(url)) count(inbound, url, one.from);
    }
  inbound.changed = new Set();
  inbound.next = nextSeen;
}
