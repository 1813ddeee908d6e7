import { type Kysely, sql } from "kysely";
import type { Database } from "../../src/database/tables.ts";
import { setReport } from "./check-counts.ts";

export type ManyFindings = { pages: number; issuesOfPage: number; findingsOfIssue: number };

/** Checked pages with findings, written by a few statements: for large reports. */
export async function insertManyFindings(
  db: Kysely<Database>,
  reportId: string,
  { pages, issuesOfPage, findingsOfIssue }: ManyFindings,
): Promise<void> {
  await sql`
    with pages as (
      insert into web_pages (report_id, url) select ${reportId}::uuid, 'https://example.com/' || n
      from generate_series(1, ${pages}::int) n returning id
    ), checked as (
      insert into checks (report_id, web_page_id, kind, status, finished_at)
      select ${reportId}::uuid, id, 'html', 'checked', now() from pages
    ), sources as (
      insert into page_sources (web_page_id, encoding, body, content_type, kept)
      select id, 'identity', 'x'::bytea, 'text/html', true from pages
    ), common as (
      insert into common_issues (report_id, kind, key, issue_type, message, how_many)
      select ${reportId}::uuid, 'html', sha256(n::text::bytea), 'error', 'Message ' || n, ${pages * findingsOfIssue}::int
      from generate_series(1, ${issuesOfPage}::int) n returning id
    ), issues as (
      insert into issues (report_id, kind, web_page_id, common_id, issue_type, message, html, how_many)
      select ${reportId}::uuid, 'html', pages.id, common.id, 'error', 'Message', '[]', ${findingsOfIssue}::int from pages, common
      returning id, web_page_id
    )
    insert into findings (report_id, web_page_id, kind, issue_id, rule, issue_type, fingerprint, component, how_many, found_at)
    select ${reportId}::uuid, i.web_page_id, 'html', i.id, 'rule', 'error', substr(sha256((i.id || '-' || n)::bytea), 1, 10),
      substr(sha256(n::text::bytea), 1, 10), 1, now()
    from issues i, generate_series(1, ${findingsOfIssue}::int) n`.execute(db);
  const checked = pages * issuesOfPage * findingsOfIssue;
  const ended = { crawl_state: "ended", phase: "Complete" } as const;
  await setReport(db, reportId, { ...ended, num_pages: pages, html_checked: pages, html_errors: checked });
}
