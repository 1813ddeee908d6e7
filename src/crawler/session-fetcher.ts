import type { SiteSession } from "../domain/site/session.ts";
import { isSignIn } from "../domain/site/sign-in.ts";
import type { PageFetcher } from "./page-fetcher.ts";

/** Fetches pages in a session, which is begun again when a page asks to sign in. */
export function sessionFetcher(fetcher: PageFetcher, session: SiteSession | undefined): PageFetcher {
  if (!session) return fetcher;
  return {
    fetch: (url, options) =>
      session.run(
        () => fetcher.fetch(url, options),
        ({ url: reached, status, signIn }) =>
          signIn !== undefined && isSignIn({ asked: url, reached, status, page: signIn }, [], true),
      ),
    close: () => fetcher.close(),
  };
}
