import { setTimeout as sleep } from "node:timers/promises";
import type { CheckOptions, CrawledSite, EngineModule, PageTask } from "../../checker/engine.ts";
import type { CheckNotice } from "../../domain/coverage/notices.ts";
import type { Engine, Issue, IssueElement } from "../../domain/findings/findings.ts";
import { elementKey } from "../../domain/identity/element-key.ts";
import { describeStartTag } from "../../domain/identity/start-tag.ts";
import type { KnownAddress } from "../../domain/site/known-address.ts";
import { isIncluded, isTrap, matchedExclusion, normaliseUrl } from "../../domain/site/url-scope.ts";
import { withoutFragment } from "../../domain/site/without-fragment.ts";
import type { ReportSpec } from "../../schema/report.ts";
import { type Asker, createAsker, type Named } from "./engine/ask.ts";
import { findOut } from "./engine/find-out.ts";
import {
  type Found,
  fragmentOf,
  type Ids,
  isExternal,
  isRequestable,
  judge,
  type Needed,
  type Wrong,
  wrongAddress,
} from "./engine/rules.ts";

const engine: Engine = { name: "link-checker", version: "1.0.0" };
/** Pages that are checked at the same time. Each waits for answers, most of all. */
const CONCURRENCY = 20;
/** Style sheets that import others are read so deep. */
const MAX_IMPORTS = 3;
/** What the style sheets of one page may name. */
const MAX_NAMED = 20_000;
/** IDs of pages that are kept in memory. */
const MAX_IDS_KEPT = 500_000;

export const createRunner: EngineModule["createRunner"] = async ({ spec, site: open }) => {
  const site = await open();
  const asker = createAsker({
    http: site.http,
    keep: site.keep,
    pages: await site.numPages(),
    now: Date.now,
    sleep: (ms, signal) => sleep(ms, undefined, { signal }),
  });
  const ids = keepLast(MAX_IDS_KEPT, async (url: string): Promise<Kept<Ids>> => {
    const known = await site.idsOf(url);
    if (!known || known.hasMoreIds) return { value: undefined, weight: 1 };
    return { value: new Set(known.ids), weight: 1 + known.ids.length };
  });
  return {
    kind: "links",
    concurrency: CONCURRENCY,
    check: async (task, options) => {
      const { references, leftOut, store } = await site.referencesOf(task, options);
      const isAgain = store !== undefined;
      if (isAgain) ids.forget(normaliseUrl(task.url, spec.ignoredParameters));
      const checking = { task, options, site, asker, idsOf: ids.of, isAgain };
      const { checked, leftOut: more } = await checkReferences(references, checking);
      await store?.();
      return {
        kind: "links",
        engine,
        issues: issuesOf(checked, task.url),
        notices: noticesOf(checked, leftOut + more),
        ...(spec.storeRawLinkChecks && { raw: { references: checked.map(rawOf) } }),
      };
    },
    close: async () => site.close(),
  };
};

type Checked = { reference: Needed; found: Found | undefined; wrong: readonly Wrong[] };
type Checking = {
  task: PageTask;
  options: CheckOptions;
  site: CrawledSite;
  asker: Asker;
  idsOf: (url: string) => Promise<Ids>;
  /** The page is checked again. */
  isAgain: boolean;
};

async function checkReferences(
  references: readonly Needed[],
  checking: Checking,
): Promise<{ checked: Checked[]; leftOut: number }> {
  const { task, site, idsOf } = checking;
  const { spec } = task;
  // Parameters that do not make another document may make another image.
  const addressOf: AddressOf = (url, as) => {
    const address = withoutFragment(url);
    return isExternal(address, task.url) ? address : normaliseUrl(address, as === "link" ? spec.ignoredParameters : []);
  };
  const links = references.flatMap(({ as, invalid, url }) => (as === "link" && !invalid ? [url] : []));
  if (site.acts.signedIn(task.url)) site.acts.seeLinks(links, task.url);
  const sheets: Sheets = new Map();
  const known = new Map<string, KnownAddress | undefined>();
  const find = createFinder(checking, { known, sheets, addressOf });
  const check = async (reference: Needed): Promise<Checked> => {
    const wrong = wrongAddress(reference, task.url);
    if (wrong) return { reference, found: undefined, wrong: [wrong] };
    const end = await find(reference);
    const leadsInto = end.hops.length === 0 && reference.as === "link" && fragmentOf(reference.url) !== undefined;
    const ids = leadsInto && !isExternal(end.url, task.url) ? await idsOf(end.url) : undefined;
    return { reference, found: end, wrong: judge(reference, end, { page: task.url, ids }) };
  };
  const checked: Checked[] = [];
  const read = new Set<string>();
  let level: Needed[] = [...references];
  let leftOut = 0;
  for (let depth = 0; level.length > 0 && depth <= MAX_IMPORTS; depth += 1) {
    const wanted = level.filter(({ invalid, url }) => invalid || isWanted(url, spec));
    const addresses = wanted.flatMap(({ invalid, url, as }) => (invalid ? [] : [addressOf(url, as)]));
    const unread = [...new Set(addresses)].filter((address) => !known.has(address));
    const stored = await site.known(unread);
    for (const address of unread) known.set(address, stored.get(address));
    checked.push(...(await Promise.all(wanted.map(check))));
    level = [];
    for (const reference of wanted) {
      const address = addressOf(reference.url, reference.as);
      const named = read.has(address) ? undefined : sheets.get(address);
      read.add(address);
      if (!named) continue;
      const room = Math.max(0, MAX_NAMED + references.length - checked.length - level.length);
      leftOut += named.leftOut + Math.max(0, named.urls.length - room);
      level.push(...named.urls.slice(0, room).map((one): Needed => ({ ...reference, ...one, sheet: reference.url })));
    }
  }
  return { checked, leftOut: leftOut + level.length };
}

/** What each style sheet names, by its address. */
type Sheets = Map<string, Named>;
type Finding = {
  /** What the report knows of addresses, with those of which it knows nothing. */
  known: ReadonlyMap<string, KnownAddress | undefined>;
  sheets: Sheets;
  addressOf: AddressOf;
};
/** An address as the report knows it, without fragment. */
type AddressOf = (url: string, as: Needed["as"]) => string;

/** @returns a function that finds out what is at an address of the page, once */
function createFinder({ task, options, site, asker, isAgain }: Checking, { known, sheets, addressOf }: Finding) {
  const since = isAgain ? Date.now() : 0;
  const find = (reference: Needed): Promise<Found> => {
    const { as } = reference;
    const asking = { ...options, page: task.url, mayAsk: (url: string) => mayAsk(url, task, site, reference), since };
    return findOut(
      { ...reference, url: addressOf(reference.url, as) },
      {
        asksAgain: isAgain,
        normal: (url) => addressOf(url, as),
        known: async (url) => {
          const stored = known.has(url) ? known.get(url) : (await site.known([url])).get(url);
          // What a style sheet names is known only to the process that has read it.
          return as === "style sheet" && stored?.answer?.location === null ? undefined : stored;
        },
        mayAsk: asking.mayAsk,
        ask: async (url) => {
          const asked = await asker.ask(url, as, asking);
          if (asked && as === "style sheet") sheets.set(addressOf(reference.url, as), asked.named);
          return asked?.answers;
        },
      },
    );
  };
  const found = new Map<string, Promise<Found>>();
  return (reference: Needed): Promise<Found> => {
    const key = `${reference.as === "style sheet"} ${reference.nofollow ?? false} ${addressOf(reference.url, reference.as)}`;
    const promise = found.get(key) ?? find(reference);
    found.set(key, promise);
    return promise;
  };
}

/** Whether the report's globs ask for an address to be checked. */
function isWanted(url: string, { includeLinks, excludeLinks }: ReportSpec): boolean {
  const scope = { host: "", exclusions: [], includeGlobs: includeLinks, excludeGlobs: excludeLinks };
  const address = withoutFragment(url);
  return isIncluded(address, scope) && matchedExclusion(address, scope) === undefined;
}

/**
 * What the report leaves out is not requested, even if no page of it was found; nor is what changes something, or opens a form
 * that the crawl has not visited.
 */
async function mayAsk(
  url: string,
  { url: page, spec }: PageTask,
  site: CrawledSite,
  reference: Needed,
): Promise<boolean> {
  if (!isRequestable(url)) return false;
  const signedIn = site.acts.signedIn(url);
  if (isExternal(url, page) && !signedIn) return true;
  if (matchedExclusion(url, spec) !== undefined || isTrap(new URL(url))) return false;
  if (site.endsSession(url)) return false;
  if (LEADS.has(reference.as) && doesMore(url, reference, site)) return false;
  return site.allows(url);
}

/** What leads to a document. What a page consists of is requested by everybody who opens it. */
const LEADS: ReadonlySet<Needed["as"]> = new Set(["link", "frame", "object"]);

/** Whether a request for an address, or for that of this element, does more than reading. */
function doesMore(url: string, { extract, url: own }: Needed, { acts }: CrawledSite): boolean {
  // The crawl, which did not visit it, knows what of this is a token.
  if (acts.signOf(url) !== undefined || acts.isSuspect(url)) return true;
  if (url !== withoutFragment(own)) return false;
  const attributes = Object.fromEntries(describeStartTag(extract)?.attributes ?? []);
  return acts.signOfLink({ url, attributes, text: "" }) !== undefined;
}

function issuesOf(checked: readonly Checked[], page: string): Issue[] {
  const { origin } = new URL(page);
  const all = checked.flatMap(({ reference, wrong }) => wrong.map((one) => ({ reference, ...one })));
  return [...Map.groupBy(all, ({ rule, message }) => `${rule} ${message}`).values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const { type, rule, message, reference } = first;
    const tags = [isExternal(reference.url, page) && !reference.invalid ? "external" : "internal", reference.as];
    const html = group.map((one) => elementOf(one.reference, origin));
    return { issue_type: type, rule, message, help_url: null, tags, html };
  });
}

/** An element is known by its start tag alone: its address is what matters, wherever it is. */
function elementOf({ as, url, extract, at }: Needed, origin: string): IssueElement {
  const tag = describeStartTag(extract);
  // One tag may name several addresses, and so may its style sheet. The key is the same for all hosts of a site.
  const named = as === "link" ? [] : [["cite", url] as const];
  const [first_line = 1, first_column = 1, last_line = 1, last_column = 1] = at ?? [];
  const place = { first_line, first_column, last_line, last_column, hilite_start: 0, hilite_length: extract.length };
  return {
    extract,
    ...(at && { coordinates: place }),
    element: tag
      ? elementKey({ name: tag.name, attributes: [...tag.attributes, ...named], ancestors: [] }, origin)
      : null,
  };
}

function noticesOf(checked: readonly Checked[], leftOut: number): CheckNotice[] {
  const unknown = (why: string) => checked.filter(({ found }) => found?.end.is === "unknown" && found.end.why === why);
  const limited = leftOut + unknown("limit").length;
  const notAsked = new Set(unknown("left_out").map(({ found }) => found?.url ?? ""));
  return [
    ...(limited > 0 ? [{ code: "links_not_checked", howMany: limited, detail: "" } as const] : []),
    ...(notAsked.size > 0
      ? [{ code: "links_not_requested", howMany: notAsked.size, detail: exampleOf([...notAsked]) } as const]
      : []),
  ];
}

function exampleOf([first = "", ...more]: readonly string[]): string {
  return more.length === 0 ? `It is ${first}.` : `One of them is ${first}.`;
}

/** For the raw result. */
function rawOf({ reference: { at: _, ...reference }, found, wrong }: Checked) {
  const rules = wrong.map(({ rule }) => rule);
  if (!found) return { ...reference, rules };
  const redirects = found.hops.map(({ url, status }) => ({ url, status }));
  return { ...reference, redirects, ...found.end, final_url: found.url, rules };
}

type Kept<Value> = { value: Value; weight: number };

/** Remembers the last results of a function, as many as weigh no more than this together. */
function keepLast<Value>(max: number, read: (key: string) => Promise<Kept<Value>>) {
  type Entry = { promise: Promise<Value>; weight: number };
  const kept = new Map<string, Entry>();
  let total = 0;
  const forget = (key: string): void => {
    total -= kept.get(key)?.weight ?? 0;
    kept.delete(key);
  };
  const load = (key: string): Entry => {
    const promise = read(key).then(({ value, weight }) => {
      if (kept.get(key) !== entry) return value;
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
  return { of, forget };
}
