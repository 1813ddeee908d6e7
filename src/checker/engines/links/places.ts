import { normaliseUrl } from "../../../domain/scope/url-scope.ts";
import type { ReportSpec } from "../../../schema/report.ts";
import type { CheckOptions, CrawledSite } from "../../engine.ts";
import { hasPlace, type Ids } from "./rules.ts";

/** IDs of pages that are kept in memory. */
const MAX_IDS_KEPT = 100_000;
/** Pages whose scripts run, in a browser, because a link leads to a place that they may make. */
const MAX_RENDERED = 100;
/** When the scripts of so many pages have made none of the places that were missing, those of others are not run. */
const MAX_USELESS = 20;

/** What can be linked to in pages. */
export type Places = {
  /**
   * What can be linked to in a page, for a place that is looked for; undefined ids: nobody knows.
   *
   * @returns `needsScripts` where that is because scripts of the page may make the place
   */
  of(url: string, place: string, options: CheckOptions): Promise<{ ids: Ids; needsScripts?: boolean }>;
  /** The same at once; undefined where it is to be waited for. */
  now(url: string, place: string): { ids: Ids } | undefined;
  /** The page was read again. */
  forget(url: string): void;
};

type Known = { ids: Ids; mayHaveMore: boolean };
const UNKNOWN: Known = { ids: undefined, mayHaveMore: false };

export function createPlaces(site: CrawledSite, { ignoredParameters }: ReportSpec): Places {
  const known = keepLast(MAX_IDS_KEPT, async (url: string): Promise<Kept<Known>> => {
    const stored = await site.idsOf(url);
    if (!stored || stored.hasMoreIds) return { value: UNKNOWN, weight: 1 };
    const value = { ids: new Set(stored.ids), mayHaveMore: stored.mayHaveMoreIds ?? false };
    return { value, weight: 1 + stored.ids.length };
  });
  /** Of pages whose scripts have run; undefined where that could not be done. */
  const rendered = new Map<string, Promise<Ids>>();
  let useless = 0;
  const render = async (url: string, options: CheckOptions): Promise<Ids> => {
    const page = await site.idsWhenRendered(url, options);
    return page && !page.hasMoreIds ? new Set(page.ids) : undefined;
  };
  return {
    now(url, place) {
      const { ids, mayHaveMore } = known.now(url) ?? {};
      return ids && (!mayHaveMore || hasPlace(ids, place)) ? { ids } : undefined;
    },
    async of(url, place, options) {
      const { ids, mayHaveMore } = await known.of(url);
      if (!ids || !mayHaveMore || hasPlace(ids, place)) return { ids };
      if (!rendered.has(url)) {
        if (useless >= MAX_USELESS) return { ids };
        if (rendered.size >= MAX_RENDERED) return { ids: undefined, needsScripts: true };
        rendered.set(url, render(url, options));
      }
      const all = await rendered.get(url);
      if (!all) return { ids: undefined, needsScripts: true };
      useless = hasPlace(all, place) ? 0 : useless + 1;
      return { ids: all };
    },
    forget(url) {
      const address = normaliseUrl(url, ignoredParameters);
      known.forget(address);
      rendered.delete(address);
    },
  };
}

type Kept<Value> = { value: Value; weight: number };

/** Remembers the last results of a function, as many as weigh no more than this together. */
function keepLast<Value>(max: number, read: (key: string) => Promise<Kept<Value>>) {
  type Entry = { promise: Promise<Value>; value?: Value; weight: number };
  const kept = new Map<string, Entry>();
  let total = 0;
  const forget = (key: string): void => {
    total -= kept.get(key)?.weight ?? 0;
    kept.delete(key);
  };
  const load = (key: string): Entry => {
    const promise = read(key).then(({ value, weight }) => {
      if (kept.get(key) !== entry) return value;
      entry.value = value;
      entry.weight = weight;
      total += weight;
      for (const oldest of kept.keys()) if (total > max) forget(oldest);
      return value;
    });
    const entry: Entry = { promise, weight: 0 };
    promise.catch(() => forget(key));
    return entry;
  };
  const of = (key: string): Promise<Value> => {
    const entry = kept.get(key) ?? load(key);
    kept.delete(key);
    kept.set(key, entry);
    return entry.promise;
  };
  return { of, now: (key: string): Value | undefined => kept.get(key)?.value, forget };
}
