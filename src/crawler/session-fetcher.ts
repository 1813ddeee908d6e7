import { PageError } from "../domain/failure.ts";
import { shownText } from "../domain/page/shown-text.ts";
import type { SignedOutWhen } from "../domain/sign-in/read-sign-in.ts";
import type { SiteSession } from "../domain/sign-in/session.ts";
import { isSignIn } from "../domain/sign-in/sign-in-page.ts";
import type { FetchedPage, FetchOptions, PageFetcher } from "./page-fetcher.ts";

/** Fetches pages in a session, which is begun again when a page asks to sign in. */
export function sessionFetcher(fetcher: PageFetcher, session: SiteSession | undefined): PageFetcher {
  if (!session) return fetcher;
  const { signedOutWhen } = session;
  const fetch = async (url: string, options: FetchOptions) => {
    const page = await fetcher.fetch(url, options);
    if (signedOutWhen && showsSignedOut(page, signedOutWhen))
      throw new PageError("login_required", `${page.url} shows what signed_out_when names.`);
    return page;
  };
  return {
    fetch: (url, options) =>
      session.run(url, {
        visit: () => fetch(url, options),
        isSignedOut: (page) => asksToSignIn(url, page),
        look: async (other) => {
          // Of the page's own request, that of another one has the time and the rate limit.
          const given = { signal: options.signal, beforeRequest: () => options.beforeRequest(url) };
          try {
            return asksToSignIn(other, await fetch(other, given));
          } catch (error) {
            if (error instanceof PageError && error.code === "login_required") return true;
            throw error;
          }
        },
      }),
    close: () => fetcher.close(),
  };
}

/** Whether a page that was asked for in a session asks to sign in. */
export function asksToSignIn(asked: string, { url: reached, status, signIn }: FetchedPage): boolean {
  return signIn !== undefined && isSignIn({ asked, reached, status, page: signIn }, [], true);
}

/** As far as the source of a page says so: where a selector is given, only the checks in a browser know. */
function showsSignedOut(page: FetchedPage, { selector, text, url }: SignedOutWhen): boolean {
  if (selector !== undefined) return false;
  const html = page.rendered || page.document?.source || "";
  if (url !== undefined && !page.url.includes(url)) return false;
  return text === undefined || shownText(html).includes(text.replace(/\s+/g, " ").trim());
}
