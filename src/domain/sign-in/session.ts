import { PageError } from "../failure.ts";
import { plural } from "../plural.ts";
import type { SignedOutWhen } from "./read-sign-in.ts";

/** What a browser keeps of a sign-in. */
export type SignedIn = {
  cookies: readonly BrowserCookie[];
  /** What scripts have stored. */
  storage?: SiteStorage | undefined;
};

/** A name and its value. */
export type StorageItem = readonly [name: string, value: string];

/** What the scripts of an origin have stored. */
export type SiteStorage = {
  origin: string;
  /** localStorage */
  local: readonly StorageItem[];
  /** sessionStorage */
  session: readonly StorageItem[];
  /** IndexedDB */
  databases: readonly StoredDatabase[];
};

/** A database of IndexedDB. Keys and values are as `packValue` writes them (browser/storage.ts). */
export type StoredDatabase = {
  name: string;
  version: number;
  stores: readonly {
    name: string;
    keyPath: string | string[] | null;
    autoIncrement: boolean;
    indexes: readonly { name: string; keyPath: string | string[]; unique: boolean; multiEntry: boolean }[];
    records: readonly { key: unknown; value: unknown }[];
  }[];
};

/** A cookie as browsers describe it. */
export type BrowserCookie = {
  name: string;
  value: string;
  /** With a dot at its start for subdomains, too. */
  domain: string;
  path: string;
  secure: boolean;
  httpOnly: boolean;
  /** In seconds since 1970; -1 until the browser ends. */
  expires: number;
};

/** The session of a report, as its programs keep it together. */
export type StoredSession = SignedIn & {
  /** How often somebody has signed in. */
  generation: number;
  /** Another one after each change. */
  revision: number;
  /** Addresses that were found to end it. */
  endedBy: readonly string[];
};

/** What a site, or its scripts, have renewed. */
export type SessionChange = { cookies: readonly BrowserCookie[]; items: Pick<SiteStorage, "local" | "session"> };

/**
 * Uses a new session before others do.
 *
 * @param again signs in once more, if that has ended it
 * @returns the session to be stored, and addresses that were found to end it
 */
export type TryOut = (
  signedIn: SignedIn,
  again: () => Promise<SignedIn>,
) => Promise<{ signedIn: SignedIn; endings: readonly string[] }>;

/** Where the programs of a report keep its session. */
export type SessionStore = {
  /** The session, unless its revision is this one; undefined before anybody has signed in, too. */
  read(known: number): Promise<StoredSession | undefined>;
  /**
   * The session after the one that has ended: somebody else may have begun it, or begins it now. One program at a time signs
   * in, and a program that was overtaken cannot store its own.
   *
   * @param ended its generation; 0 for the first
   * @param tryOut called with a session that this program has begun, before others may use it
   * @throws PageError `sign_in_failed` when nobody could sign in, and it is not to be tried again
   */
  renew(ended: number, tryOut?: TryOut): Promise<StoredSession>;
  /**
   * Keeps what was renewed in a session; nothing if another one has begun since, and no value that replaces one which another
   * program has renewed meanwhile: a long visit would give all of them a name that is old.
   *
   * @param known the session as the program knows it, without the change
   * @returns the new revision, if all was kept
   */
  keep(known: StoredSession, change: SessionChange): Promise<number | undefined>;
};

/** How a page is visited in the session. */
export type Visits<Result> = {
  visit: () => Promise<Result>;
  /** Whether a result shows that the session has ended; a PageError `login_required` does, too. */
  isSignedOut?: (result: Result) => boolean;
  /** Visits a page that was visited before, to see whether it asks to sign in. @throws what says nothing about that */
  look: (url: string) => Promise<boolean>;
};

/** A session of a site, as one program uses it: begun when it is first needed, and again when it has ended. */
export type SiteSession = {
  /** What a page shows when it has ended, if that is known. */
  signedOutWhen?: SignedOutWhen | undefined;
  /** Waits until somebody has signed in, and reads what other programs have renewed. @throws PageError `sign_in_failed` */
  ready(): Promise<void>;
  /** Reads what other programs have stored, without a visit: nobody signs in for it. */
  refresh(): Promise<void>;
  /** Whether an address was found to end the session: it is not visited any more. */
  isEndedBy(url: string): boolean;
  /** The value of the header Cookie for a request; undefined without any. */
  cookieHeader(url: string): string | undefined;
  cookies(url: string): BrowserCookie[];
  storage(): SiteStorage | undefined;
  /** Keeps the cookies of a response: sites give new ones now and then. */
  receive(url: string, setCookie: readonly string[]): void;
  /**
   * The same, as a browser has them after a visit.
   *
   * @param given what `cookies` and `storage` returned for it, when the visit began
   */
  keep(url: string, now: SignedIn, given: SignedIn): void;
  /**
   * Visits a page in the session; again, after signing in again, if the session had ended.
   *
   * @throws what `visit` throws; PageError `excluded` for a page that was found to end the session
   */
  run<Result>(url: string, visits: Visits<Result>): Promise<Result>;
  /** Waits until all that was renewed is kept. */
  close(): Promise<void>;
};

/** What makes a cookie another one (RFC 6265, section 5.3). */
export const idOf = ({ name, domain, path }: BrowserCookie): string => JSON.stringify([name, domain, path]);

/**
 * The cookies that were renewed. One that is gone, or empty, is kept as it was: what ends a session is found out by pages that
 * ask to sign in, and a page that was asked for too late must not end it for others.
 */
export function renewedCookies(before: readonly BrowserCookie[], now: readonly BrowserCookie[]): BrowserCookie[] {
  const was = new Map(before.map((one) => [idOf(one), one.value]));
  return now.filter((one) => one.value !== "" && was.get(idOf(one)) !== one.value);
}

/** The items of a sign-in whose values were renewed: pages store much else, which is not of the session. */
export function renewedItems(before: readonly StorageItem[], now: readonly StorageItem[]): StorageItem[] {
  const was = new Map(before);
  return now.filter(([name, value]) => was.has(name) && was.get(name) !== value);
}

/** The part of a change that replaces what is as it was when a program last knew it. */
export function changeSince(known: SignedIn, now: SignedIn, { cookies, items }: SessionChange): SessionChange {
  const valuesOf = (of: SignedIn) => new Map(of.cookies.map((one) => [idOf(one), one.value]));
  const [was, is] = [valuesOf(known), valuesOf(now)];
  const itemsOf = (kind: "local" | "session") => {
    const [before, after] = [new Map(known.storage?.[kind]), new Map(now.storage?.[kind])];
    return items[kind].filter(([name]) => before.get(name) === after.get(name));
  };
  return {
    cookies: cookies.filter((one) => was.get(idOf(one)) === is.get(idOf(one))),
    items: { local: itemsOf("local"), session: itemsOf("session") },
  };
}

/** How many values a change has. */
export const sizeOf = ({ cookies, items }: SessionChange): number =>
  cookies.length + items.local.length + items.session.length;

/** A session with what was renewed in it. */
export function withChange<Session extends SignedIn>(session: Session, { cookies, items }: SessionChange): Session {
  const changed = new Map(cookies.map((one) => [idOf(one), one]));
  const kept = session.cookies.filter((one) => !changed.has(idOf(one)));
  const { storage } = session;
  return {
    ...session,
    cookies: [...kept, ...cookies],
    storage: storage && {
      ...storage,
      local: [...new Map([...storage.local, ...items.local])],
      session: [...new Map([...storage.session, ...items.session])],
    },
  };
}

/** Nobody could sign in. */
export class SignInFailure extends PageError {
  /** Whether another try may succeed: it was not the site that refused, nor a step that found nothing on a page that had loaded. */
  readonly mayPass: boolean;

  constructor(reason: string, { mayPass, ...options }: ErrorOptions & { mayPass: boolean }) {
    super("sign_in_failed", reason, options);
    this.mayPass = mayPass;
  }
}

type FailedTry = {
  tries: number;
  maxTries: number;
  mayPass: boolean;
  /** How often somebody had signed in before. */
  generation: number;
  program: string;
  now: Date;
};

/** Why nobody could sign in, with who tried when, and what the others did. */
export function signInFailureText(
  reason: string,
  { tries, maxTries, mayPass, generation, program, now }: FailedTry,
): string {
  const time = `${now.toISOString().slice(11, 19)} UTC`;
  const before =
    generation === 0 ? "Nobody had signed in before." : `Before, ${plural(generation, "sign-in")} succeeded.`;
  const more = mayPass ? "" : " It is not tried again: it would fail alike, and accounts get locked.";
  const sentence = /[.!?]$/.test(reason) ? reason : `${reason}.`;
  return `${sentence} This was try ${tries} of ${maxTries}, by the ${program} at ${time}.${more} ${before}`;
}
