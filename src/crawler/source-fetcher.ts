import type { Kysely } from "kysely";
import type { Database } from "../database/tables.ts";
import type { BasicAuth } from "../domain/basic-auth.ts";
import { PageError, withoutAnswer } from "../domain/failure.ts";
import type { AddressPolicy } from "../net/addresses.ts";
import { createGuardedFetch } from "../net/guarded-fetch.ts";
import { createRetryPolicy } from "../net/retry-policy.ts";
import { withBasicAuth } from "../net/with-basic-auth.ts";
import { retryingFetcher } from "./retrying-fetcher.ts";
import { createStaticFetcher } from "./static-fetcher.ts";

export type SourceFetcher = {
  /** @throws PageError when there is no HTML to check any more */
  fetchSource(url: string, options: { signal: AbortSignal; beforeRequest: () => Promise<void> }): Promise<string>;
  close(): Promise<void>;
};

/** Gets one page of a report again, as the Spider got it, and notes how it answered now. */
export function createSourceFetcher(options: {
  db: Kysely<Database>;
  reportId: string;
  policy: AddressPolicy;
  basicAuth?: BasicAuth | undefined;
}): SourceFetcher {
  const { db, reportId, policy, basicAuth } = options;
  const http = withBasicAuth(createGuardedFetch(policy), basicAuth);
  const pages = retryingFetcher(createRetryPolicy(), createStaticFetcher(http));
  async function note(url: string, status: number | null): Promise<void> {
    await db
      .updateTable("web_pages")
      .set({ http_status: status })
      .where("report_id", "=", reportId)
      .where("url", "=", url)
      .execute();
  }
  return {
    async fetchSource(url, { signal, beforeRequest }) {
      const asked = new URL(url);
      const options = {
        signal,
        beforeRequest: async (next: string) => {
          if (new URL(next).host !== asked.host)
            throw new PageError("off_site", `${url} leads to another site: ${next}.`);
          await beforeRequest();
        },
      };
      const page = await pages.fetch(url, options).catch(async (error) => {
        if (error instanceof PageError && withoutAnswer.has(error.code)) await note(url, null);
        throw error;
      });
      await note(url, page.status);
      if (page.status >= 400) throw new PageError("http_error", `${page.url} answered with status ${page.status}.`);
      if (page.kind !== "html")
        throw new PageError(
          "not_html",
          `${page.url} is no HTML document but ${page.contentType || "of no stated type"}.`,
        );
      if (!page.source) throw new PageError("empty", `${page.url} answered without content.`);
      return page.source;
    },
    close: () => pages.close(),
  };
}
