import { type Kysely, sql } from "kysely";
import type { Database } from "../src/database/tables.ts";
import { insertReport } from "../test/support/builders.ts";

const ISSUES_OF_PAGE = 20;
const FINDINGS_OF_ISSUE = 5;
const fingerprint = sql`substr(sha256((w.url || c.rule || n)::bytea), 1, 10)`;

/** A report that has ended, with its pages and issues. @param run of several runs one in twenty elements is another */
export async function insertLargeReport(
  db: Kysely<Database>,
  { accountId, run, findings }: { accountId: string; run: number; findings: number },
): Promise<string> {
  const pages = Math.ceil(findings / ISSUES_OF_PAGE / FINDINGS_OF_ISSUE);
  const id = await insertReport(db, { accountId });
  await sql`update reports set crawl_state = 'ended', last_checked_at = now(), inserted_at = now() + ${run} * interval '1 hour',
    engines = '{"html":{"name":"conformance","version":"1"}}' where id = ${id}`.execute(db);
  await sql`insert into web_pages (report_id, url, section)
    select ${id}::uuid, 'https://example.com/part-' || n % 20 || '/' || n, '/part-' || n % 20 || '/'
    from generate_series(1, ${pages}::int) n`.execute(db);
  await sql`insert into checks (report_id, web_page_id, kind, status, finished_at, errors, stored_bytes)
    select ${id}::uuid, id, 'html', 'checked', now(), ${ISSUES_OF_PAGE * FINDINGS_OF_ISSUE}::int, 30000
    from web_pages where report_id = ${id}`.execute(db);
  await sql`insert into common_issues (report_id, kind, key, issue_type, rule, message)
    select ${id}::uuid, 'html', ('k' || n)::bytea, 'error', 'rule-' || n, 'Message ' || n || ' of a rule.'
    from generate_series(1, ${ISSUES_OF_PAGE}::int) n`.execute(db);
  await sql`insert into issues (report_id, kind, web_page_id, common_id, issue_type, rule, message, html, how_many)
    select ${id}::uuid, 'html', w.id, c.id, 'error', c.rule, c.message, (
      select jsonb_agg(jsonb_build_object('extract', '<img class="product" src="/images/' || n || '.png">',
        'coordinates', jsonb_build_object('first_line', n, 'first_column', 1, 'last_line', n, 'last_column', 40,
          'hilite_start', 0, 'hilite_length', 40),
        'fingerprint', encode(${fingerprint}, 'hex')))
      from generate_series(1, ${FINDINGS_OF_ISSUE}::int) k, lateral (select ${element(run)} as n) x
    ), ${FINDINGS_OF_ISSUE}::int
    from web_pages w, common_issues c where w.report_id = ${id} and c.report_id = ${id}`.execute(db);
  return id;
}

/** The number of an element; one in twenty is another in each run. */
function element(run: number) {
  return sql`case when (w.id * 31 + k * 7) % 20 = 0 then ${run}::int * 1000 + k else k end`;
}

/** The findings of its issues, in a single statement. */
export function insertLargeFindings(db: Kysely<Database>, id: string, run: number) {
  return sql`
    insert into findings (report_id, web_page_id, kind, issue_id, rule, issue_type, tag, path, fingerprint,
      component, cause, how_many, found_at)
    select ${id}::uuid, w.id, 'html', c.id, c.rule, 'error', substr(sha256(('t' || n)::bytea), 1, 10),
      substr(sha256(('p' || n % 7)::bytea), 1, 10), ${fingerprint},
      substr(sha256((c.rule || n)::bytea), 1, 10), substr(sha256((c.rule || n % 20)::bytea), 1, 10), 1, now()
    from issues c join web_pages w on w.id = c.web_page_id,
      generate_series(1, ${FINDINGS_OF_ISSUE}::int) k, lateral (select ${element(run)} as n) x
    where c.report_id = ${id}`.execute(db);
}
