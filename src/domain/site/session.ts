import type { SignedOutWhen } from "./read-sign-in.ts";

/** What a browser keeps of a sign-in. */
export type SignedIn = {
  cookies: readonly BrowserCookie[];
  /** What scripts have stored (localStorage). */
  storage?: { origin: string; items: readonly (readonly [string, string])[] };
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

/** A session of a site: begun when it is first needed, and again when it has ended. */
export type SiteSession = {
  /** What a page shows when it has ended, if that is known. */
  signedOutWhen?: SignedOutWhen | undefined;
  /** Waits until somebody has signed in. @throws PageError `sign_in_failed` */
  ready(): Promise<void>;
  /** The value of the header Cookie for a request; undefined without any. */
  cookieHeader(url: string): string | undefined;
  cookies(url: string): BrowserCookie[];
  storage(): SignedIn["storage"];
  /** Keeps the cookies of a response: sites give new ones now and then. */
  receive(url: string, setCookie: readonly string[]): void;
  /** The same, as a browser has them after a visit. @param given what `cookies` returned for it, when the visit began */
  keep(url: string, cookies: readonly BrowserCookie[], given: readonly BrowserCookie[]): void;
  /**
   * Does something in the session; once more, after signing in again, if the page asks to sign in.
   *
   * @param isSignedOut whether the result shows that the session has ended; a PageError `login_required` does, too
   */
  run<Result>(work: () => Promise<Result>, isSignedOut?: (result: Result) => boolean): Promise<Result>;
};
