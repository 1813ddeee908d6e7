import { PageError } from "../domain/failure.ts";
import type { SignedOutWhen } from "../domain/site/read-sign-in.ts";
import type { SiteSession } from "../domain/site/session.ts";
import { shownText } from "../domain/site/shown-text.ts";
import { isSignIn } from "../domain/site/sign-in.ts";
import type { FetchedPage, PageFetcher } from "./page-fetcher.ts";

/** Fetches pages in a session, which is begun again when a page asks to sign in. */
export function sessionFetcher(fetcher: PageFetcher, session: SiteSession | undefined): PageFetcher {
  if (!session) return fetcher;
  const { signedOutWhen } = session;
  return {
    fetch: (url, options) =>
      session.run(
        async () => {
          const page = await fetcher.fetch(url, options);
          if (signedOutWhen && showsSignedOut(page, signedOutWhen))
            throw new PageError("login_required", `${page.url} shows what signed_out_when names.`);
          return page;
        },
        ({ url: reached, status, signIn }) =>
          signIn !== undefined && isSignIn({ asked: url, reached, status, page: signIn }, [], true),
      ),
    close: () => fetcher.close(),
  };
}

/** As far as the source of a page says so: where a selector is given, only the checks in a browser know. */
function showsSignedOut(page: FetchedPage, { selector, text, url }: SignedOutWhen): boolean {
  if (selector !== undefined) return false;
  const html = page.rendered || page.document?.source || "";
  if (url !== undefined && !page.url.includes(url)) return false;
  return text === undefined || shownText(html).includes(text.replace(/\s+/g, " ").trim());
}
