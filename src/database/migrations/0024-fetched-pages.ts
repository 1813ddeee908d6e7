import { type Kysely, sql } from "kysely";

/**
 * Whether the crawler could fetch a page. A check may fail for reasons that say nothing about its page, such as missing
 * credits, so this cannot be told from the checks. Only crawls that have not ended ask for it: for their pages it is
 * derived once, from the checks that failed before their first attempt for a reason that the crawler gives.
 *
 * A crawler of before this migration that still runs stores its failed pages without the column, so as fetched. That is
 * accepted, because no release has such crawlers. Once there is one, a new column needs a default that means "unknown".
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table web_pages add column fetched boolean not null default true`.execute(db);
  await sql`
    update web_pages w set fetched = false from reports r
    where r.id = w.report_id and r.crawl_state = 'crawling'
      and exists (select from checks c where c.web_page_id = w.id)
      and not exists (
        select from checks c where c.web_page_id = w.id and (c.status <> 'failed' or c.attempts > 0 or c.failure_code in
          ('credits_exhausted', 'cancelled', 'deadline_exceeded', 'checker_crashed', 'source_missing'))
      )`.execute(db);
}
