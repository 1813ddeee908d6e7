import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout } from "node:timers/promises";
import { Cookie, CookieJar } from "tough-cookie";
import { withoutFragment } from "../domain/addresses/without-fragment.ts";
import { PageError } from "../domain/failure.ts";
import { findEnding } from "../domain/sign-in/find-ending.ts";
import type { SignedOutWhen } from "../domain/sign-in/read-sign-in.ts";
import {
  type BrowserCookie,
  changeSince,
  idOf,
  renewedCookies,
  renewedItems,
  type SessionChange,
  type SessionStore,
  type SignedIn,
  type SiteSession,
  type StoredSession,
  sizeOf,
  type TryOut,
  type Visits,
  withChange,
} from "../domain/sign-in/session.ts";
import { createReadWriteLock } from "../time/read-write-lock.ts";
import { createVisitMemory } from "./visit-memory.ts";

/** How often a page is tried with a session that has ended before its turn came. */
const MAX_TRIES = 8;
/** Where nobody knows whether a session has ended, somebody signs in again: after so many times in vain, no more. */
const MAX_USELESS = 3;
/** How often, and how long each time, it is waited for what another program has renewed and not stored yet. */
const LATE_LOOKS = 4;
const LATE_MS = 500;
/** Sessions end by themselves, too: after so many searches in vain, nobody looks for a page that ended one. */
const MAX_SEARCHES = 2;

type Options = {
  /** Whether the session's credentials go to an address. */
  covers: (url: string) => boolean;
  /** Whether an address may be visited again only to see what that does. */
  mayRepeat: (url: string) => boolean;
  /** Whether an address asks those to sign in who have no session. */
  asksStrangers: (url: string) => Promise<boolean>;
  /** What a page shows when it has ended, if that is known. */
  signedOutWhen?: SignedOutWhen | undefined;
  sleep?: (ms: number) => Promise<unknown>;
};

/** What a visit has renewed: for others only if the page did not ask to sign in, because it may have been too late. */
type Renewed = { cookie: BrowserCookie; before: string | undefined }[];

/** A program's part of the session of its report. */
export function createSiteSession(
  store: SessionStore,
  { covers, mayRepeat, asksStrangers, signedOutWhen, sleep = setTimeout }: Options,
): SiteSession {
  const nobody: StoredSession = { generation: 0, revision: 0, endedBy: [], cookies: [], storage: undefined };
  let session = nobody;
  /** As others last knew it, too: without what was renewed here and is not kept yet. */
  let stored = nobody;
  let jar = jarOf([]);
  const memory = createVisitMemory();
  let useless = 0;
  let searches = 0;
  /** The site has renewed something since this session was begun: its cookies have an end by that. */
  let isRenewed = false;
  /** A session is used that others do not know yet. */
  let trying = false;
  const lock = createReadWriteLock();
  let unkept: SessionChange[] = [];
  let keeping: Promise<void> = Promise.resolve();
  const visiting = new AsyncLocalStorage<Renewed>();

  const adopt = (found: StoredSession | undefined): void => {
    if (!found || found.revision === session.revision) return;
    const isAnother = found.generation !== session.generation;
    if (isAnother) memory.clear();
    isRenewed = !isAnother;
    session = found;
    stored = found;
    jar = jarOf(found.cookies);
  };
  /** Stores what was renewed, one change after the other; what comes meanwhile is stored together. */
  const flush = (): Promise<void> => {
    const { generation } = session;
    keeping = keeping
      .catch(() => {})
      .then(async () => {
        const changes = unkept;
        unkept = [];
        if (changes.length === 0 || generation !== session.generation) return;
        const known = stored;
        const change = {
          cookies: [...new Map(changes.flatMap(({ cookies }) => cookies).map((one) => [idOf(one), one])).values()],
          items: {
            local: [...new Map(changes.flatMap(({ items }) => items.local))],
            session: [...new Map(changes.flatMap(({ items }) => items.session))],
          },
        };
        const revision = await store.keep(known, change);
        isRenewed = true;
        // Otherwise others have changed something, too, which the next page reads.
        if (revision !== known.revision + 1 || stored !== known) return;
        stored = { ...withChange(known, change), revision };
        session = { ...session, revision };
      });
    // The next page waits for it, and fails by it.
    keeping.catch(() => {});
    return keeping;
  };
  const begin = shared(async () => adopt(await store.renew(0)));
  const read = shared(async () => {
    await keeping;
    adopt(await store.read(session.revision));
  });
  const ready = async (): Promise<void> => {
    if (trying) return;
    await read();
    if (session.generation === 0) await begin();
  };

  const put = (cookies: readonly BrowserCookie[], url: string): void => {
    const before = new Map(jar.getCookiesSync(url, { allPaths: true }).map((one) => [idOf(fromJar(one)), one.value]));
    const renewed = visiting.getStore();
    for (const cookie of cookies) {
      putInto(jar, cookie, url);
      renewed?.push({ cookie, before: before.get(idOf(cookie)) });
    }
    if (!renewed && cookies.length > 0) void keepCookies(cookies);
  };
  const keepCookies = (cookies: readonly BrowserCookie[]): Promise<void> => {
    if (cookies.length === 0) return keeping;
    unkept.push({ cookies, items: { local: [], session: [] } });
    return flush();
  };
  /** Keeps what a visit has renewed, or undoes it. */
  const settle = (renewed: Renewed, url: string, signedOut: boolean): void => {
    if (renewed.length === 0) return;
    // Otherwise another visit, or another program, was given something newer meanwhile.
    const isLatest = ({ cookie }: Renewed[number]) =>
      jar
        .getCookiesSync(url, { allPaths: true })
        .some((one) => idOf(fromJar(one)) === idOf(cookie) && one.value === cookie.value);
    if (!signedOut) return void keepCookies(renewed.filter(isLatest).map(({ cookie }) => cookie));
    for (const { cookie, before } of renewed.reverse()) {
      if (!isLatest({ cookie, before })) continue;
      putInto(jar, before === undefined ? { ...cookie, expires: 0 } : { ...cookie, value: before }, url);
    }
  };

  const isEndedBy = (url: string): boolean => session.endedBy.includes(withoutFragment(url));

  const attempt = async <Result>(url: string, { visit, isSignedOut }: Visits<Result>) => {
    await ready();
    if (isEndedBy(url)) throw endsSessionError(url);
    const { generation, revision } = session;
    const renewed: Renewed = [];
    const outcome = await visiting.run(renewed, () => outcomeOf(visit, isSignedOut));
    if (generation === session.generation) {
      memory.saw(url, outcome.signedOut);
      settle(renewed, url, outcome.signedOut);
      if (!outcome.signedOut && !("error" in outcome)) memory.note(url, false);
    }
    return { ...outcome, generation, revision };
  };

  /** Whether the session has ended, by pages that did not ask to sign in before; undefined when none of them tells. */
  const hasEnded = async (look: Look): Promise<boolean | undefined> => {
    for (const [url, tells] of memory.witnesses()) {
      const asks = await look(url).catch(() => undefined);
      if (asks) memory.note(url, true);
      if (asks) return true;
      if (asks === undefined) continue;
      if (!tells && !(await asksStrangers(url).catch(() => false))) continue;
      memory.note(url, true);
      return false;
    }
    return undefined;
  };

  /**
   * Signs in again, and looks for the page that has ended the session among those that were visited, the newest first: it has if
   * a page asks to sign in that did not before.
   *
   * @param asked the page that asked to sign in
   */
  const renew = async (asked: string, look: Look): Promise<void> => {
    const before = session;
    const suspects = memory.suspects(asked).filter(mayRepeat);
    const witness = memory.telling(asked);
    const hasItEnded = async () => (await look(witness ?? "").catch(() => undefined)) ?? false;
    const tryOut: TryOut = async (signedIn, signIn) => {
      trying = true;
      const use = (begun: SignedIn) => {
        session = { ...session, ...begun, revision: -1 };
        jar = jarOf(begun.cookies);
      };
      use(signedIn);
      const again = async () => use(await signIn());
      const isSearched = witness !== undefined && searches < MAX_SEARCHES;
      const lookAt = async (url: string) => {
        const asks = await look(url);
        if (url !== asked) return;
        // Nobody else uses this session: what does not ask in it is a page that tells when it has ended.
        useless = asks ? useless + 1 : 0;
        if (!asks) memory.note(url, true);
      };
      const search = { look: lookAt, hasEnded: hasItEnded, again };
      if (!isSearched) await lookAt(asked).catch(() => {});
      const ending = isSearched ? await findEnding(suspects, search) : undefined;
      if (isSearched) searches = ending === undefined ? searches + 1 : 0;
      const endings = ending === undefined ? [] : [withoutFragment(ending)];
      return { signedIn: { cookies: cookiesIn(jar), storage: session.storage }, endings };
    };
    try {
      const begun = await store.renew(session.generation, (...given) => visiting.run([], () => tryOut(...given)));
      trying = false;
      adopt(begun);
    } finally {
      if (trying) session = before;
      trying = false;
    }
  };

  /**
   * Finds out why a page asked to sign in, and signs in again if the session has ended.
   *
   * @returns the page's next attempt; `again` for one beside others; undefined when there is no use in one
   */
  const afterSignedOut = async <Result>(
    url: string,
    { generation, revision }: { generation: number; revision: number },
    visits: Visits<Result>,
  ) => {
    // It was sent with what others have renewed before it arrived: sites accept old cookies for a while only.
    const isOld = async () => {
      await read();
      return session.generation !== generation || session.revision !== revision;
    };
    if (await isOld()) return "again";
    const ended = await hasEnded(visits.look);
    // What another program was given may still be on its way to those that share the session.
    for (let looks = 0; isRenewed && ended !== false && looks < LATE_LOOKS; looks += 1) {
      await sleep(LATE_MS);
      if (await isOld()) return "again";
    }
    if (ended === false) memory.clear();
    if (ended === false || (ended === undefined && useless >= MAX_USELESS)) return undefined;
    await renew(url, visits.look);
    // Before others use up the new one.
    return isEndedBy(url) ? undefined : attempt(url, visits);
  };

  return {
    signedOutWhen,
    ready,
    refresh: async () => {
      if (!trying) await read();
    },
    isEndedBy,
    cookieHeader: (url) => jar.getCookieStringSync(url) || undefined,
    cookies: (url) => jar.getCookiesSync(url).map(fromJar),
    storage: () => session.storage,
    receive: (url, setCookie) => {
      if (setCookie.length === 0) return;
      const cookiesOf = (of: CookieJar) => of.getCookiesSync(url, { allPaths: true }).map(fromJar);
      const before = cookiesOf(jar);
      const after = jarOf(before);
      for (const line of setCookie) after.setCookieSync(line, url, { ignoreError: true });
      put(renewedCookies(before, cookiesOf(after)), url);
    },
    keep: (url, now, given) => {
      const { storage } = session;
      const itemsOf = (kind: "local" | "session") =>
        given.storage && now.storage && storage?.origin === now.storage.origin
          ? renewedItems(given.storage[kind], now.storage[kind])
          : [];
      const renewed = { local: itemsOf("local"), session: itemsOf("session") };
      // What another visit has renewed meanwhile is newer than what this one has seen.
      const is = { cookies: jar.getCookiesSync(url).map(fromJar), storage };
      const change = { cookies: renewedCookies(given.cookies, now.cookies), items: renewed };
      const { cookies, items } = changeSince(given, is, change);
      put(cookies, url);
      if (!storage || sizeOf({ cookies: [], items }) === 0) return;
      session = withChange(session, { cookies: [], items });
      unkept.push({ cookies: [], items });
      void flush();
    },
    run: async (url, visits) => {
      if (!covers(url)) return visits.visit();
      let last = await lock.shared(() => attempt(url, visits));
      for (let tries = 1; last.signedOut && tries < MAX_TRIES; tries += 1) {
        const next = await lock.exclusive(() => afterSignedOut(url, last, visits));
        if (isEndedBy(url)) throw endsSessionError(url);
        if (next === undefined) break;
        last = next === "again" ? await lock.shared(() => attempt(url, visits)) : next;
      }
      return resultOf(last);
    },
    close: () => keeping.catch(() => {}),
  };
}

type Look = (url: string) => Promise<boolean>;

/** The failure of a page that ends the session. */
function endsSessionError(url: string): PageError {
  return new PageError("excluded", `A visit to ${url} ends the session in which the site is checked.`);
}

/** Of calls at the same time, all get the result of the first. */
function shared(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => {
    running ??= work().finally(() => {
      running = undefined;
    });
    return running;
  };
}

function jarOf(cookies: readonly BrowserCookie[]): CookieJar {
  const jar = new CookieJar(undefined, { rejectPublicSuffixes: false });
  for (const cookie of cookies) putInto(jar, cookie);
  return jar;
}

function putInto(
  jar: CookieJar,
  { name, value, domain, path, secure, httpOnly, expires }: BrowserCookie,
  url?: string,
): void {
  const host = domain.replace(/^\./, "");
  const cookie = new Cookie({
    key: name,
    ...{ value, path, secure, httpOnly },
    ...(domain.startsWith(".") && { domain: host }),
    expires: expires < 0 ? "Infinity" : new Date(expires * 1_000),
  });
  jar.setCookieSync(cookie, url ?? `${secure ? "https" : "http"}://${host}${path}`, { ignoreError: true });
}

function cookiesIn(jar: CookieJar): BrowserCookie[] {
  return (jar.serializeSync()?.cookies ?? []).flatMap((one) => Cookie.fromJSON(one) ?? []).map(fromJar);
}

function fromJar({ key, value, domain, path, secure, httpOnly, hostOnly, expires }: Cookie): BrowserCookie {
  return {
    ...{ name: key, value, path: path ?? "/", secure, httpOnly },
    domain: `${hostOnly ? "" : "."}${domain ?? ""}`,
    expires: expires instanceof Date ? expires.getTime() / 1_000 : -1,
  };
}

type Outcome<Result> = { signedOut: boolean } & ({ result: Result } | { error: unknown });

async function outcomeOf<Result>(
  work: () => Promise<Result>,
  isSignedOut: (result: Result) => boolean = () => false,
): Promise<Outcome<Result>> {
  try {
    const result = await work();
    return { result, signedOut: isSignedOut(result) };
  } catch (error) {
    return { error, signedOut: error instanceof PageError && error.code === "login_required" };
  }
}

function resultOf<Result>(outcome: Outcome<Result>): Result {
  if ("error" in outcome) throw outcome.error;
  return outcome.result;
}
