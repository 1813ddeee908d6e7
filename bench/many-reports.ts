import { type Kysely, sql } from "kysely";
import type { Database } from "../src/database/tables.ts";
import { compareReports } from "../src/transactions/compare.ts";
import { endReport } from "../src/transactions/end-report.ts";
import { storeComponents } from "../src/transactions/store-components.ts";
import { insertReport } from "../test/support/builders.ts";
import { insertLargeFindings, insertLargeReport } from "./large-report.ts";

export type ManyReports = { accountId: string; reports: number; findings: number };

/**
 * Fills an account with reports as a few years of nightly runs leave them: 500 sites, of each as many runs; 1 % of the
 * reports are of larger sites and have half of the findings, two more have a tenth each, of which the second is compared
 * with the first; the others have a few findings on five pages. One in ten is a guest's, a third have tags.
 *
 * @returns the id of the largest report
 */
export async function insertManyReports(db: Kysely<Database>, { accountId, reports, findings }: ManyReports) {
  const guest = "guest-of-the-bench";
  await sql`insert into guest_accounts (token, account_id, name, max_usage) values (${guest}, ${accountId}, 'guest', 1)`.execute(
    db,
  );
  const template = await insertReport(db, { accountId });
  const columns = sql`account_id, namespace, generation, spec, domain`;
  await sql`insert into reports (id, uid, name, guest_token, starting_url, tags, phase, crawl_state, num_pages,
      inserted_at, last_checked_at, completed_at, engines, ${columns})
    select id, id::text, 'report-' || n, case when n % 10 = 0 then ${guest} end,
      'https://site-' || n % 500 || '.example/', case n % 6 when 0 then '{nightly}' when 1 then '{nightly,shop}' else '{}' end::text[],
      case n % 40 when 0 then 'Failed' else 'Complete' end, 'ended', 5,
      at, at + interval '1 minute', at + interval '1 minute', '{"html":{"name":"conformance","version":"1"}}', ${columns}
    from (select *, now() - n * interval '53 minutes' as at, md5('report ' || n)::uuid as id from generate_series(1, ${reports}::int) n) n,
      (select ${columns} from reports where id = ${template}) template`.execute(db);
  await sql`insert into check_counts (report_id, account_id, kind, checked, errors, warnings)
    select id, ${accountId}, kind, 5, (n * error_factor) % error_limit, case kind when 'html' then (n * 10427) % 313 else 0 end
    from (select n, md5('report ' || n)::uuid as id from generate_series(1, ${reports}::int) n) n,
      (values ('html', 7919, 997), ('a11y', 12997, 499)) as kinds (kind, error_factor, error_limit)`.execute(db);
  await insertSmallResults(db, accountId, Math.max(1, Math.round((findings * 0.3) / reports / 5)));
  const large = Math.max(1, Math.round(reports / 100));
  for (let n = 0; n < large; n++) {
    const id = await insertLargeReport(db, { accountId, run: 1, findings: Math.round((findings * 0.5) / large) });
    await insertLargeFindings(db, id, 1);
  }
  const [base, latest] = [
    await insertLargeReport(db, { accountId, run: 1, findings: findings / 10 }),
    await insertLargeReport(db, { accountId, run: 2, findings: findings / 10 }),
  ];
  await insertLargeFindings(db, base, 1);
  await insertLargeFindings(db, latest, 2);
  await finish(db);
  await sql`vacuum analyze`.execute(db);
  const compared = await compareReports(db, latest, base);
  await endReport(db, latest, "Complete", new Date(), compared?.id);
  await storeComponents(db, latest, compared?.id ?? null);
  await sql`vacuum analyze`.execute(db);
  return latest;
}

/** Five pages of each report, each with some findings of one common issue. */
async function insertSmallResults(db: Kysely<Database>, accountId: string, perPage: number): Promise<void> {
  const of = sql`reports r where r.account_id = ${accountId} and r.num_pages = 5`;
  await sql`insert into web_pages (report_id, url)
    select r.id, r.starting_url || p from generate_series(1, 5) p, ${of}`.execute(db);
  await sql`insert into checks (report_id, web_page_id, kind, status, finished_at, errors)
    select w.report_id, w.id, 'html', 'checked', now(), ${perPage}::int from web_pages w, ${of} and w.report_id = r.id`.execute(
    db,
  );
  await sql`insert into common_issues (report_id, kind, key, issue_type, rule, message, how_many)
    select r.id, 'html', 'k'::bytea, 'error', 'rule-1', 'Message 1 of a rule.', ${5 * perPage}::int from ${of}`.execute(
    db,
  );
  await sql`insert into issues (report_id, kind, web_page_id, common_id, issue_type, rule, message, html, how_many)
    select w.report_id, 'html', w.id, c.id, 'error', 'rule-1', c.message, (
      select jsonb_agg(jsonb_build_object('extract', '<img src="/images/' || k || '.png">',
        'coordinates', jsonb_build_object('first_line', k, 'first_column', 1, 'last_line', k, 'last_column', 40, 'hilite_start', 0, 'hilite_length', 40)))
      from generate_series(1, ${perPage}::int) k), ${perPage}::int
    from web_pages w join common_issues c on c.report_id = w.report_id, ${of} and w.report_id = r.id`.execute(db);
  await sql`insert into findings (report_id, web_page_id, kind, issue_id, rule, issue_type, tag, path, fingerprint, component, how_many, found_at)
    select i.report_id, i.web_page_id, 'html', i.id, i.rule, 'error', substr(sha256('tag'), 1, 10), substr(sha256('path'), 1, 10),
      substr(sha256((i.id || '-' || k)::bytea), 1, 10), substr(sha256((k::text)::bytea), 1, 10), 1, now()
    from issues i, generate_series(1, ${perPage}::int) k, ${of} and i.report_id = r.id`.execute(db);
}

/** Sets the counters that the checkers would have kept, of the reports that have none yet. */
async function finish(db: Kysely<Database>): Promise<void> {
  await sql`update common_issues c set how_many = f.how_many from (
      select i.common_id, sum(i.how_many)::integer as how_many from issues i group by i.common_id
    ) f where c.id = f.common_id and c.how_many = 0`.execute(db);
  await sql`update reports r set phase = 'Complete', num_pages = p.pages
    from (select report_id, count(*)::integer as pages from web_pages group by report_id) p
    where r.id = p.report_id and r.num_pages = 0`.execute(db);
  await sql`update check_counts k set checked = r.num_pages, errors = f.number
    from reports r, (select report_id, count(*)::integer as number from findings group by report_id) f
    where k.report_id = r.id and k.report_id = f.report_id and k.kind = 'html' and k.checked = 0`.execute(db);
}
