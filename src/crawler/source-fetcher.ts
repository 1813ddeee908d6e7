import type { DecodedDocument } from "html-conformance/documents";
import type { Kysely } from "kysely";
import { recordHttpStatus } from "../database/crawl/page-sources.ts";
import type { Database } from "../database/tables.ts";
import type { ActRule } from "../domain/acts/acts.ts";
import { noResponseCodes, PageError } from "../domain/failure.ts";
import type { SiteCredentials } from "../domain/headers/site-credentials.ts";
import { leadsToAct, requireNoForm, requireNoSignIn, requireSamePage } from "../domain/page/reached-page.ts";
import type { AddressPolicy } from "../net/addresses.ts";
import { createGuardedFetch } from "../net/guarded-fetch.ts";
import { createHostBreaker } from "../net/host-breaker.ts";
import { createRetryPolicy } from "../net/retry-policy.ts";
import { withCredentials } from "../net/with-credentials.ts";
import type { PageFetcher } from "./page-fetcher.ts";
import { retryingFetcher } from "./retrying-fetcher.ts";
import { sessionFetcher } from "./session-fetcher.ts";
import { createStaticFetcher } from "./static-fetcher.ts";

/** @throws PageError when the page no longer responds with HTML */
export type ReadAgain = (
  url: string,
  options: { signal: AbortSignal; beforeRequest: () => Promise<void>; showsSignIn?: boolean },
) => Promise<{ document: DecodedDocument; rendered?: string }>;

export type SourceFetcher = {
  readAgain: ReadAgain;
  close(): Promise<void>;
};

/**
 * Fetches a page of a report again, as the crawler does, and records its new HTTP status.
 *
 * @param options.fetcher fetches pages with scripts, if the crawler does; by default no script runs
 */
export function createSourceFetcher(options: {
  db: Kysely<Database>;
  reportId: string;
  policy: AddressPolicy;
  userAgent?: string | undefined;
  timeoutMs?: number | undefined;
  ignoredParameters?: readonly string[];
  credentials?: SiteCredentials | undefined;
  fetcher?: PageFetcher | undefined;
  /** What may be asked for with the credentials; all by default. */
  acts?: ActRule | undefined;
  /** Whether what a page responds is recorded; it is by default. */
  records?: boolean;
}): SourceFetcher {
  const { db, reportId, policy, userAgent, timeoutMs, ignoredParameters = [], credentials, acts } = options;
  const fetcher =
    options.fetcher ??
    createStaticFetcher(withCredentials(createGuardedFetch(policy, { userAgent, timeoutMs }), credentials));
  const retrying = retryingFetcher(createRetryPolicy(), createHostBreaker(), fetcher);
  const pages = sessionFetcher(retrying, credentials?.session);
  const recordStatus = async (url: string, status: number | null): Promise<void> => {
    if (options.records ?? true) await recordHttpStatus(db, { reportId, url }, status);
  };
  return {
    async readAgain(url, { signal, beforeRequest, showsSignIn = false }) {
      const asked = new URL(url);
      const options = {
        signal,
        beforeRequest: async (next: string) => {
          if (new URL(next).host !== asked.host) {
            requireNoSignIn(next, url);
            throw new PageError("off_site", `${url} redirects to another site: ${next}.`);
          }
          if (next !== url && acts?.leavesOut(next)) throw leadsToAct(url);
          await beforeRequest();
        },
      };
      const page = await pages.fetch(url, options).catch(async (error) => {
        if (error instanceof PageError && noResponseCodes.has(error.code)) await recordStatus(url, null);
        throw error;
      });
      await recordStatus(url, page.status);
      if (page.status >= 400) throw new PageError("http_error", `${page.url} responded with status ${page.status}.`);
      requireSamePage(page.url, url, { ignoredParameters });
      if (page.kind !== "html")
        throw new PageError(
          "not_html",
          `${page.url} is not an HTML document: its Content-Type is ${page.contentType || "missing"}.`,
        );
      if (page.signIn && !showsSignIn) requireNoForm(url, page.signIn, credentials !== undefined);
      if (!page.document?.source) throw new PageError("empty", `${page.url} responded without content.`);
      return { document: page.document, ...(page.rendered !== undefined && { rendered: page.rendered }) };
    },
    close: () => pages.close(),
  };
}
