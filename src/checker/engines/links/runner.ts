import { setTimeout as sleep } from "node:timers/promises";
import type { KnownAddress } from "../../../domain/addresses/known-address.ts";
import { withoutFragment } from "../../../domain/addresses/without-fragment.ts";
import type { CheckNotice, StoredCode } from "../../../domain/coverage/notices.ts";
import type { Engine, Issue, IssueElement } from "../../../domain/findings/findings.ts";
import { elementKey } from "../../../domain/identity/element-key.ts";
import { describeStartTag } from "../../../domain/identity/start-tag.ts";
import { isTrap, matchedExclusion, normaliseUrl } from "../../../domain/scope/url-scope.ts";
import type { CheckOptions, CrawledSite, EngineModule, PageTask } from "../../engine.ts";
import { type Address, type Addresses, createAddresses, type Finding, wayOf } from "./addresses.ts";
import { type Asker, createAsker } from "./ask.ts";
import { findOut } from "./find-out.ts";
import { createPlaces, type Places } from "./places.ts";
import {
  type Found,
  type Ids,
  isExternal,
  isRequestable,
  judge,
  type Needed,
  names,
  needsName,
  placeOf,
  type Wrong,
  wrongAddress,
} from "./rules.ts";

const engine: Engine = { name: "link-checker", version: "1.0.0" };
/** Pages that are checked at the same time. Each waits for answers, most of all. */
const CONCURRENCY = 20;
/** Style sheets that import others are read so deep. No chain is endless: each is read once for a page. */
const MAX_IMPORTS = 50;
/** What the style sheets of one page may name. */
const MAX_NAMED = 20_000;

export const createLinksRunner: EngineModule["createRunner"] = async ({ spec, site: open }) => {
  const site = await open();
  const asker = createAsker({
    http: site.http,
    keep: site.keep,
    pages: await site.numPages(),
    resolvesNames: site.resolvesNames,
    now: Date.now,
    sleep: (ms, signal) => sleep(ms, undefined, { signal }),
  });
  const places = createPlaces(site, spec);
  const shared = createAddresses(spec);
  return {
    kind: "links",
    concurrency: CONCURRENCY,
    check: async (task, options) => {
      const { references, leftOut, store } = await site.referencesOf(task, options);
      const isAgain = store !== undefined;
      if (isAgain) places.forget(task.url);
      // What may be asked for in a session depends on the element; and a page that is checked again asks again.
      const isAlone = isAgain || site.acts.signedIn(task.url);
      if (isAgain) shared.clear();
      const addresses = isAlone ? createAddresses(spec) : shared;
      const checking = { task, options, site, asker, places, addresses, isAgain };
      const { checked, limits } = await checkReferences(references, checking);
      if (leftOut > 0) limits.push({ howMany: leftOut, what: "the page has more" });
      await store?.();
      return {
        kind: "links",
        engine,
        issues: issuesOf(checked, task.url),
        notices: noticesOf(checked, limits),
        ...(spec.storeRawLinkChecks && { raw: { references: checked.map(rawOf) } }),
      };
    },
    close: async () => site.close(),
  };
};

type Checked = {
  reference: Needed;
  /** Undefined where nothing was to be found out. */
  found: Found | undefined;
  wrong: readonly Wrong[];
  /** It is one that scripts make, or leads to a place that they may make. */
  needsScripts?: boolean;
};
/** Addresses that were not looked at, and why, without a full stop. */
type Limit = { howMany: number; what: string };
type Checking = {
  task: PageTask;
  options: CheckOptions;
  site: CrawledSite;
  asker: Asker;
  places: Places;
  addresses: Addresses;
  /** The page is checked again. */
  isAgain: boolean;
};

async function checkReferences(
  references: readonly Needed[],
  checking: Checking,
): Promise<{ checked: Checked[]; limits: Limit[] }> {
  const { task, site } = checking;
  if (site.acts.signedIn(task.url)) {
    const links = references.filter(({ as, invalid, url }) => as === "link" && !invalid && isRequestable(url));
    site.acts.seeLinks(
      links.map(({ url }) => url),
      task.url,
    );
  }
  const known = new Map<string, KnownAddress | undefined>();
  const check = createCheck(checking, known);
  const checked: Checked[] = [];
  const limits: Limit[] = [];
  const read = new Set<string>();
  let level: readonly Needed[] = references;
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_IMPORTS) {
      const what = `style sheets import each other more than ${MAX_IMPORTS} deep, such as ${level[0]?.sheet}`;
      limits.push({ howMany: level.length, what });
      break;
    }
    const wanted = level.flatMap((reference): Wanted[] => {
      const address = checking.addresses.of(reference, task.url);
      return reference.invalid || reference.template || address.isWanted ? [{ reference, address }] : [];
    });
    const asked = wanted.filter(({ reference, address }) => !address.isWrong && !reference.template);
    const unread = asked.flatMap(({ reference, address }) =>
      address.found.has(wayOf(reference)) || known.has(address.url) ? [] : [address.url],
    );
    const stored = await site.known([...new Set(unread)]);
    for (const address of unread) known.set(address, stored.get(address));
    const results = wanted.map(check);
    let at = 0;
    const waited = await Promise.all(results.filter((result) => result instanceof Promise));
    for (const result of results) checked.push(result instanceof Promise ? (waited[at++] as Checked) : result);
    level = namedBy(asked, { read, room: MAX_NAMED + references.length - checked.length, limits });
  }
  return { checked, limits };
}

/** @returns a function that checks what a page needs, at once where all is known */
function createCheck(checking: Checking, known: ReadonlyMap<string, KnownAddress | undefined>) {
  const { task, places, options } = checking;
  const find = createFinder(checking, known);
  const judged = (reference: Needed, found: Found, ids: { ids: Ids; needsScripts?: boolean } | undefined): Checked => {
    const wrong = judge(reference, found, { page: task.url, ids: ids?.ids });
    return ids?.needsScripts ? { reference, found, wrong, needsScripts: true } : { reference, found, wrong };
  };
  const later = async (reference: Needed, promise: Promise<Found>): Promise<Checked> => {
    const found = await promise;
    const place = placeIn(reference, found, task.url);
    return judged(reference, found, place === undefined ? undefined : await places.of(found.url, place, options));
  };
  return ({ reference, address }: Wanted): Checked | Promise<Checked> => {
    if (reference.template) {
      // Of links the crawl has said it.
      const isSaid = /^<a(?:rea)?\b/i.test(reference.extract);
      return { reference, found: undefined, wrong: [], needsScripts: !isSaid };
    }
    const wrong = address.isWrong ? wrongAddress(reference, task.url) : undefined;
    if (wrong) return { reference, found: undefined, wrong: [wrong] };
    const { promise, value } = find(reference, address);
    if (!value) return later(reference, promise);
    const place = placeIn(reference, value, task.url);
    const ids = place === undefined ? undefined : places.now(value.url, place);
    return place === undefined || ids ? judged(reference, value, ids) : later(reference, promise);
  };
}

/** Which place of a page of the report a link leads to. */
function placeIn(reference: Needed, found: Found, page: string): string | undefined {
  const place = found.end.is === "there" ? placeOf(reference, found) : undefined;
  return place === undefined || isExternal(found.url, page) ? undefined : place;
}

type Wanted = { reference: Needed; address: Address };
type Reading = { read: Set<string>; room: number; limits: Limit[] };

/** What style sheets and manifests name that were not read before; what there is no room for is among the limits. */
function namedBy(asked: readonly Wanted[], { read, room, limits }: Reading): Needed[] {
  const found: Needed[] = [];
  for (const { reference, address } of asked) {
    if (!names(reference.as)) continue;
    const named = read.has(address.url) ? undefined : address.found.get(wayOf(reference))?.named;
    read.add(address.url);
    if (!named) continue;
    const urls = named.urls.slice(0, Math.max(0, room - found.length));
    const more = named.leftOut + named.urls.length - urls.length;
    if (more > 0) limits.push({ howMany: more, what: `${reference.url} names more` });
    const by = reference.as === "manifest" ? { manifest: reference.url } : { sheet: reference.url };
    found.push(...urls.map((one): Needed => ({ ...reference, ...one, ...by })));
  }
  return found;
}

/** The style sheet or manifest that names what a page needs, if it is not the page. */
function namedIn({ sheet, manifest }: Needed): string[] {
  return [sheet, manifest].filter((one) => one !== undefined);
}

/**
 * @param known what the report knows of addresses, with those of which it knows nothing
 * @returns a function that finds out what is at an address, once for all pages
 */
function createFinder(
  { task, options, site, asker, isAgain }: Checking,
  known: ReadonlyMap<string, KnownAddress | undefined>,
) {
  const since = isAgain ? Date.now() : 0;
  const find = async (reference: Needed, address: Address, finding: Omit<Finding, "promise">): Promise<Found> => {
    const { as } = reference;
    const asking = { ...options, page: task.url, mayAsk: (url: string) => mayAsk(url, task, site, reference), since };
    const ignored = as === "link" ? task.spec.ignoredParameters : [];
    const found = await findOut(
      { ...reference, url: address.url },
      {
        asksAgain: isAgain,
        normal: (url) => (isExternal(url, task.url) ? url : normaliseUrl(url, ignored)),
        known: async (url) => {
          const stored = known.has(url) ? known.get(url) : (await site.known([url])).get(url);
          // What a style sheet or manifest names is known only to the process that has read it.
          return names(as) && stored?.answer?.location === null ? undefined : stored;
        },
        mayAsk: asking.mayAsk,
        ask: async (url, redirects) => {
          // What a style sheet or a manifest of another host names is asked for by that host.
          const asked = await asker.ask(url, as, { ...asking, from: [...namedIn(reference), ...redirects] });
          if (asked && names(as)) finding.named = asked.named;
          return asked?.answers;
        },
        goRound: (url) => asker.goRound(url, { ...asking, from: namedIn(reference) }),
      },
    );
    const isUnknown = needsName(found, task.url) && !(await asker.resolvesNames());
    return isUnknown ? { ...found, end: { is: "unknown", why: "no_names" } } : found;
  };
  return (reference: Needed, address: Address): Finding => {
    const way = wayOf(reference);
    const begun = address.found.get(way);
    if (begun) return begun;
    const begins: Omit<Finding, "promise"> = {};
    const finding: Finding = Object.assign(begins, { promise: find(reference, address, begins) });
    address.found.set(way, finding);
    finding.promise.then(
      (found) => {
        finding.value = found;
      },
      () => address.found.delete(way),
    );
    return finding;
  };
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
function elementOf({ as, url, extract, at, manifest }: Needed, origin: string): IssueElement {
  const tag = describeStartTag(extract);
  // One tag may name several addresses, and so may its style sheet. The key is the same for all hosts of a site.
  const named = as === "link" && manifest === undefined ? [] : [["cite", url] as const];
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

function noticesOf(checked: readonly Checked[], limits: readonly Limit[]): CheckNotice[] {
  const unknown = (why: string) => checked.filter(({ found }) => found?.end.is === "unknown" && found.end.why === why);
  const notice = (code: StoredCode, urls: readonly string[]): CheckNotice[] =>
    urls.length > 0 ? [{ code, howMany: urls.length, detail: exampleOf(urls) }] : [];
  const urlsOf = (some: readonly Checked[]) => [
    ...new Set(some.map(({ reference, found }) => found?.url ?? reference.url)),
  ];
  const tooMany = unknown("limit").map(({ reference }) => `${reference.url} is one address too many`);
  const all = [...limits, ...tooMany.map((what) => ({ howMany: 1, what }))];
  const places = [...new Set(checked.flatMap(({ needsScripts, reference }) => (needsScripts ? [reference.url] : [])))];
  return [
    ...(all[0] ? [{ code: "links_not_checked", howMany: sum(all), detail: `${capital(all[0].what)}.` } as const] : []),
    ...notice("links_need_scripts", places),
    ...notice("no_names", urlsOf(unknown("no_names"))),
    ...notice("links_not_requested", urlsOf(unknown("left_out"))),
  ];
}

function sum(limits: readonly Limit[]): number {
  return limits.reduce((total, { howMany }) => total + howMany, 0);
}

function capital(text: string): string {
  return /^https?:/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1);
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
