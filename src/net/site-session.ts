import { Cookie, CookieJar } from "tough-cookie";
import { PageError } from "../domain/failure.ts";
import type { SignedOutWhen } from "../domain/site/read-sign-in.ts";
import type { BrowserCookie, SignedIn, SiteSession } from "../domain/site/session.ts";

/** Accounts are locked after some failures: after so many in a row no more are made. */
const MAX_FAILURES = 3;
/** How often a page is tried with a session that others could use, and that has ended before its turn came. */
const MAX_TRIES = 4;
/** A page that asks to sign in although somebody has just signed in is one that does so always: after so many, none is tried again. */
const MAX_USELESS = 3;

/** @param signIn begins a session @param signedOutWhen what a page shows when it has ended, if that is known */
export function createSiteSession(signIn: () => Promise<SignedIn>, signedOutWhen?: SignedOutWhen): SiteSession {
  let jar = new CookieJar(undefined, { rejectPublicSuffixes: false });
  let storage: SignedIn["storage"];
  let sessions = 0;
  /** How often a site has given new cookies. */
  let renewals = 0;
  /** What was not asked to sign in, in the session that there is. */
  let served = 0;
  let failures = 0;
  let useless = 0;
  let failure: PageError | undefined;
  let beginning: Promise<void> | undefined;

  const begin = async (): Promise<void> => {
    if (failure && failures >= MAX_FAILURES) throw failure;
    try {
      const signedIn = await signIn();
      jar = new CookieJar(undefined, { rejectPublicSuffixes: false });
      for (const cookie of signedIn.cookies) put(jar, cookie);
      storage = signedIn.storage;
      sessions += 1;
      served = 0;
      failures = 0;
    } catch (error) {
      if (error instanceof PageError) {
        failures += 1;
        failure = error;
      }
      throw error;
    }
  };
  const begun = (): Promise<void> => {
    beginning ??= begin().finally(() => {
      beginning = undefined;
    });
    return beginning;
  };
  return {
    signedOutWhen,
    // What failed once at the start fails again: nothing has changed.
    ready: async () => {
      if (beginning) return beginning;
      if (sessions > 0) return;
      if (failure) throw failure;
      return begun();
    },
    cookieHeader: (url) => jar.getCookieStringSync(url) || undefined,
    cookies: (url) => jar.getCookiesSync(url).map(fromJar),
    storage: () => storage,
    receive: (url, setCookie) => {
      for (const line of setCookie) jar.setCookieSync(line, url, { ignoreError: true });
      renewals += setCookie.length;
    },
    keep: (url, cookies, given) => {
      const valuesOf = (list: readonly BrowserCookie[]) => new Map(list.map((one) => [idOf(one), one.value]));
      const [before, now] = [valuesOf(given), valuesOf(jar.getCookiesSync(url).map(fromJar))];
      // What another visit has renewed meanwhile is newer than what this one has seen.
      const isNews = (one: BrowserCookie) => {
        const was = before.get(idOf(one));
        return one.value !== was && now.get(idOf(one)) === was;
      };
      const news = cookies.filter(isNews);
      for (const cookie of news) put(jar, cookie, url);
      renewals += news.length;
    },
    run: async (work, isSignedOut = () => false) => {
      let session = sessions;
      const attempt = async () => {
        session = sessions;
        const outcome = await outcomeOf(work, isSignedOut);
        if (!outcome.signedOut && session === sessions) served += 1;
        return outcome;
      };
      const renewalsBefore = renewals;
      let last = await attempt();
      if (!last.signedOut || session === 0 || useless >= MAX_USELESS) return resultOf(last);
      // It was sent with cookies that others have renewed before it arrived: sites accept old ones for a while only.
      if (session === sessions && renewalsBefore !== renewals) last = await attempt();
      if (!last.signedOut) return resultOf(last);
      for (let tries = 1; last.signedOut && tries < MAX_TRIES; tries += 1) {
        if (session === sessions) await begun();
        last = await attempt();
        // A session that served nobody else did not end too early.
        if (session === sessions && served === 0) break;
      }
      useless = last.signedOut ? useless + 1 : 0;
      return resultOf(last);
    },
  };
}

const idOf = ({ name, domain, path }: BrowserCookie): string => JSON.stringify([name, domain, path]);

function put(
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
  isSignedOut: (result: Result) => boolean,
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
