import { PageError } from "../failure.ts";
import { normaliseUrl } from "../scope/url-scope.ts";
import { isSignIn, leadsToSignIn, type SignInPage } from "../sign-in/sign-in-page.ts";

/**
 * What is found on a page must not be stored under an address that only leads there.
 *
 * @param settings.ignoredParameters those that do not make another page
 * @throws PageError for a redirect to another page
 */
export function requireSamePage(
  url: string,
  asked: string,
  { ignoredParameters }: { ignoredParameters: readonly string[] },
): void {
  const names = ignoredParameters.map((name) => name.toLowerCase());
  // A browser may prefer https.
  const address = (of: string): string => normaliseUrl(of, names).replace(/^https?:/, "");
  if (address(url) === address(asked)) return;
  requireNoSignIn(url, asked);
  throw new PageError("redirected", `${asked} redirects to another page: ${url}.`);
}

/** @throws PageError for a redirect to a sign-in */
export function requireNoSignIn(url: string, asked: string): void {
  if (leadsToSignIn(asked, url)) throw new PageError("login_required", `${asked} leads to a sign-in now: ${url}.`);
}

/** @throws PageError for a form to sign in where the crawler saw none */
export function requireNoForm(asked: string, page: SignInPage, inSession: boolean): void {
  if (isSignIn({ asked, reached: asked, status: 200, page }, [], inSession))
    throw new PageError("login_required", `${asked} shows a form to sign in now.`);
}

/** The failure of a page that leads to what acts (domain/acts), which is not requested. */
export function leadsToAct(url: string): PageError {
  const what = "an address that changes something on the site, which was not requested";
  return new PageError("excluded", `${url} redirects to ${what}.`);
}
