import type { Kysely } from "kysely";
import type { CheckOptions, CrawledSite } from "../../checker/engine.ts";
import type { Config } from "../../config.ts";
import { createRobotsReader } from "../../crawler/robots-txt.ts";
import type { ReadAgain } from "../../crawler/source-fetcher.ts";
import { withReconnect } from "../../database/connection/session.ts";
import { keepAnswers, readKnownAddresses } from "../../database/crawl/answers.ts";
import { countPages } from "../../database/crawl/crawl.ts";
import {
  decodeIds,
  decodeReferences,
  encodeReferences,
  readIds,
  readStoredReferences,
  replaceReferences,
} from "../../database/crawl/page-references.ts";
import type { Database } from "../../database/tables.ts";
import { createActRule } from "../../domain/acts/rule.ts";
import { BrokenEnvironmentError, UsageError } from "../../domain/errors.ts";
import { PageError } from "../../domain/failure.ts";
import { credentialsFor } from "../../domain/headers/site-credentials.ts";
import { productToken } from "../../domain/headers/user-agent.ts";
import { readPage } from "../../domain/page/references.ts";
import { isAllowedByRobots } from "../../domain/scope/robots.ts";
import { endsSession } from "../../domain/sign-in/sign-in-page.ts";
import type { AddressPolicy } from "../../net/addresses.ts";
import { createGuardedFetch } from "../../net/guarded-fetch.ts";
import { resolvesNames } from "../../net/resolves-names.ts";
import { createRetryPolicy } from "../../net/retry-policy.ts";
import { standingOf } from "../../net/standing.ts";
import { withCredentials } from "../../net/with-credentials.ts";
import { withRetries } from "../../net/with-retries.ts";
import type { ReportSpec } from "../../schema/report.ts";
import { gather } from "../../time/gather.ts";

/** Pages of which one statement reads what they need, or what can be linked to in them: some have megabytes of it. */
const MOST_AT_ONCE = 50;

type Options = {
  db: Kysely<Database>;
  reportId: string;
  spec: ReportSpec;
  policy: AddressPolicy;
  credentials: Config["credentials"];
  /** Reads a page that is checked again. */
  readAgain: ReadAgain;
  /** Reads one as its scripts leave it; undefined where there is no browser. */
  render?: ReadAgain | undefined;
  signal: AbortSignal;
};

/** What the crawl of a report has stored, and a client for what it has not. */
export function createCrawledSite({
  db,
  reportId,
  spec,
  policy,
  readAgain,
  render,
  signal,
  ...options
}: Options): CrawledSite {
  const credentials = credentialsFor(spec.startingUrl, options.credentials);
  const acts = createActRule(spec, standingOf({ credentials, policy }));
  const timeoutMs = spec.pageTimeoutSeconds * 1_000;
  const http = withCredentials(createGuardedFetch(policy, { userAgent: spec.userAgent, timeoutMs }), credentials);
  const retrying = <T>(operation: () => Promise<T>): Promise<T> => withReconnect(operation, { signal });
  const robotsOf = createRobotsReader(withRetries(http, createRetryPolicy()), {
    signal,
    awaitSlot: async () => {},
    product: productToken(spec.userAgent),
  });
  const storedOf = gather((ids) => retrying(() => readStoredReferences(db, ids)), MOST_AT_ONCE);
  const idsAt = gather((urls) => retrying(() => readIds(db, reportId, urls)), MOST_AT_ONCE);
  return {
    http,
    endsSession: (url) =>
      ((credentials !== undefined || acts.signedIn(url)) && endsSession(url)) ||
      (credentials?.session?.isEndedBy(url) ?? false),
    acts,
    referencesOf: async ({ pageId = "", url, showsSignIn }, given: CheckOptions) => {
      const stored = pageId === "" ? undefined : await storedOf(pageId);
      if (stored) return decodeReferences(stored);
      const { document, rendered } = await readAgain(url, { ...given, ...(showsSignIn && { showsSignIn }) });
      const read = readPage(url, document, rendered);
      const encoded = await encodeReferences(read);
      const store = () => retrying(() => replaceReferences(db, reportId, pageId, encoded));
      return { references: read.references, leftOut: read.leftOut, store };
    },
    numPages: () => retrying(() => countPages(db, reportId)),
    idsOf: async (url) => {
      const stored = await idsAt(url);
      return stored && decodeIds(stored);
    },
    idsWhenRendered: async (url, given) => {
      const page = await render?.(url, given).catch((error: unknown) => {
        signal.throwIfAborted();
        if (!(error instanceof PageError || error instanceof UsageError || error instanceof BrokenEnvironmentError))
          throw error;
        return undefined;
      });
      return page?.rendered ? readPage(url, page.document, page.rendered) : undefined;
    },
    resolvesNames,
    known: (urls) => retrying(() => readKnownAddresses(db, reportId, urls)),
    keep: (answers) => retrying(() => keepAnswers(db, reportId, answers)),
    allows: async (url) => !spec.respectRobots || isAllowedByRobots(await robotsOf(new URL(url).origin), url),
    close: () => http.close(),
  };
}
