import type { Kysely } from "kysely";
import type { BrowserSettings } from "../../browser/browser.ts";
import { asksToSignIn } from "../../crawler/session-fetcher.ts";
import type { Database } from "../../database/tables.ts";
import { createEncryptor } from "../../domain/accounts/encryption.ts";
import { createActRule } from "../../domain/acts/rule.ts";
import { belongsTo, credentialsFor } from "../../domain/headers/site-credentials.ts";
import type { SiteSession } from "../../domain/sign-in/session.ts";
import type { KeepPictures } from "../../domain/sign-in/sign-in-picture.ts";
import { createGuardedFetch } from "../../net/guarded-fetch.ts";
import { createSiteSession } from "../../net/site-session.ts";
import { standingOf } from "../../net/standing.ts";
import type { ReportSpec } from "../../schema/report.ts";
import { createSessionStore } from "../../transactions/site-session.ts";

type Options = {
  db: Kysely<Database>;
  reportId: string;
  spec: ReportSpec;
  /** Who signs in, for messages. */
  program: string;
  pictures: KeepPictures;
  signal: AbortSignal;
};

/** A one-time code (RFC 6238) is another one after this time, and sites take each once. */
const CODE_MS = 30_000;

/**
 * The session of a site whose credentials have steps to sign in; undefined for others. All programs of a report have the same
 * one, in the database; the first that needs it signs in.
 */
export function siteSession(
  settings: BrowserSettings,
  { spec, pictures, ...options }: Options,
): SiteSession | undefined {
  const credentials = credentialsFor(spec.startingUrl, settings.credentials);
  const { signIn: steps, sessionKeys } = credentials ?? {};
  const [sessionKey, ...earlier] = sessionKeys ?? [];
  if (!credentials || !steps || sessionKey === undefined) return undefined;
  const store = createSessionStore({
    ...options,
    encryptor: createEncryptor(sessionKey, { secrets: earlier }),
    maxTries: spec.signInTries,
    pauseAfterMs: (now) => (steps.totp === undefined ? 0 : CODE_MS - (now.getTime() % CODE_MS)),
    log: settings.log,
    signIn: async (signal) => {
      // Loading the browser code takes a second, so only when needed.
      const { signIn } = await import("../../browser/sign-in.ts");
      settings.log.info("signing in", { host: credentials.host });
      return signIn(settings, steps, { limitMs: spec.signInSeconds * 1_000, signal, pictures });
    },
  });
  const acts = createActRule(spec, standingOf(settings));
  return createSiteSession(store, {
    covers: (url) => belongsTo(credentials, url),
    // The browser opens a form once more anyway.
    mayRepeat: (url) => (acts.signOf(url)?.kind ?? "form") === "form",
    asksStrangers: async (url) => {
      const { createStaticFetcher } = await import("../../crawler/static-fetcher.ts");
      const { userAgent } = spec;
      const pages = createStaticFetcher(
        createGuardedFetch(settings.policy, { userAgent, timeoutMs: spec.pageTimeoutSeconds * 1_000 }),
      );
      try {
        return asksToSignIn(url, await pages.fetch(url, { signal: options.signal, beforeRequest: async () => {} }));
      } finally {
        await pages.close();
      }
    },
    signedOutWhen: steps.signedOutWhen,
  });
}
