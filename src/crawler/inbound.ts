import { hash } from "node:crypto";
import type { CrawlBatch, CrawlProgress } from "../database/crawl/crawl.ts";
import type { SeenBatch } from "../database/crawl/inbound-links.ts";
import { MAX_PAGES_KEPT } from "../domain/scope/linked-pages.ts";

/**
 * Which pages link to what is not a page, or not yet: an address of which nobody knows yet whether it is one is counted, too.
 * Links to pages are not. No I/O; part of the frontier.
 */

/** Characters of an entry of the journal, about: when one has as many, the next begins. */
const MAX_ENTRY = 500_000;
/** Characters of a digest: 72 bits. Only a site that wants wrong counts of its own addresses finds two that are equal. */
const DIGEST = 12;

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
  /** Addresses of documents that were read under another one: their links count only where nothing else leads. */
  copies: Set<string>;
  /** The page that is being read, and whether its links count. */
  current: { from: string; counts: boolean } | undefined;
  /** What is to be stored: addresses whose counts have changed, and entries of what was seen. */
  changed: Set<string>;
  seen: SeenBatch[];
  /** How many characters the last of them has, about. */
  size: number;
  /** How many links and redirects were seen. */
  pending: number;
  /** The number of the next entry. */
  next: number;
};

export function createInbound(): Inbound {
  return {
    records: new Map(),
    kept: new Set(),
    read: new Set(),
    copies: new Set(),
    current: undefined,
    changed: new Set(),
    seen: [],
    size: 0,
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
  const isRepeated = inbound.copies.has(from) && inbound.records.has(url);
  if (!inbound.current.counts || isRepeated || !count(inbound, url, from)) return;
  const seen = openEntry(inbound, 1);
  const last = seen.at(-1);
  if (last && "from" in last && last.from === from) last.to.push(digestOf(url));
  else {
    seen.push({ from, to: [digestOf(url)] });
    inbound.size += from.length;
  }
}

/** The entry that the next link or redirect is added to, which has that many addresses. */
function openEntry(inbound: Inbound, addresses: number): SeenBatch["seen"] {
  const last = inbound.seen.at(-1);
  const isOpen = last !== undefined && inbound.size < MAX_ENTRY;
  const entry = isOpen ? last : { number: inbound.next++, seen: [] };
  if (!isOpen) {
    inbound.seen.push(entry);
    inbound.size = 0;
  }
  // With quotes, a comma and the like.
  inbound.size += addresses * (DIGEST + 10);
  inbound.pending += 1;
  return entry.seen;
}

function digestOf(url: string): string {
  return hash("sha256", url, "base64url").slice(0, DIGEST);
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
  openEntry(inbound, 2).push({ redirect: digestOf(url), to: digestOf(to) });
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
  const { seen } = inbound;
  inbound.changed = new Set();
  inbound.seen = [];
  inbound.pending = 0;
  return { inbound: links, seen };
}

/**
 * Begins to count again what an earlier run has seen.
 *
 * @param addresses all known ones to which links count: they are not pages
 * @returns what counts the next entry of the journal; to be called with each, in their order
 */
export function restoreInbound(
  inbound: Inbound,
  { pages, excluded }: Pick<CrawlProgress, "pages" | "excluded">,
  addresses: Iterable<string>,
): (entry: SeenBatch) => void {
  for (const { url, ok } of pages) if (!ok) inbound.kept.add(url);
  for (const url of excluded) inbound.kept.add(url);
  const urls = new Map<string, string>();
  for (const url of addresses) urls.set(digestOf(url), url);
  return ({ number, seen }) => {
    for (const one of seen)
      if ("redirect" in one) {
        const [url, to] = [urls.get(one.redirect), urls.get(one.to)];
        if (url !== undefined && to !== undefined) share(inbound, url, to);
      } else {
        inbound.read.add(one.from);
        for (const digest of one.to) {
          const url = urls.get(digest);
          if (url !== undefined) count(inbound, url, one.from);
        }
      }
    inbound.changed = new Set();
    inbound.next = number + 1;
  };
}
