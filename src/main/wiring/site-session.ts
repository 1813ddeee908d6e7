import type { BrowserSettings } from "../../browser/browser.ts";
import type { SiteSession } from "../../domain/site/session.ts";
import type { KeepPictures } from "../../domain/site/sign-in-picture.ts";
import { createSiteSession } from "../../net/site-session.ts";

/**
 * The session of a site whose credentials have steps to sign in; undefined for others. Each process begins its own.
 */
export function siteSession(
  settings: BrowserSettings,
  signal: AbortSignal,
  pictures: KeepPictures,
): SiteSession | undefined {
  const { credentials } = settings;
  const { signIn: steps } = credentials ?? {};
  if (!credentials || !steps) return undefined;
  return createSiteSession(async () => {
    // Loading the browser code takes a second, so only when needed.
    const { signIn } = await import("../../browser/sign-in.ts");
    settings.log.info("signing in", { host: credentials.host });
    return signIn(settings, steps, signal, pictures);
  }, steps.signedOutWhen);
}
