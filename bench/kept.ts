import { sql } from "kysely";
import { checkKinds } from "../src/checks/kinds.ts";
import { createToken } from "../src/database/accounts/tokens.ts";
import { selectCounts } from "../src/database/reports/check-counts.ts";
import { listReports } from "../src/database/reports/read-reports.ts";
import { readDaysOfSites, readSiteDays } from "../src/database/reports/site-history.ts";
import { listSites } from "../src/database/reports/sites.ts";
import { nextDeletion, nextItem } from "../src/database/retention/deletions.ts";
import { changeRetention } from "../src/database/retention/limits.ts";
import { noLimits } from "../src/domain/retention/limits.ts";
import { purgeDeletedReports, purgeWorkingRows } from "../src/transactions/purge.ts";
import { beginNight, deleteItem } from "../src/transactions/retention.ts";
import { insertAccount, reportSpec } from "../test/support/builders.ts";
import { createTestDatabase, stopTestServer } from "../test/support/database.ts";
import { record } from "./results.ts";
import { isSmoke } from "./smoke.ts";

/**
 * Years in minutes: daily reports on many sites, of which those of the last month are kept. The clock is given; reports are
 * written by SQL, as they are when they have ended. The database has to stay as large as it is after two months, lists
 * as fast, and charts without a gap.
 *
 *     node bench/kept.ts [days] [sites]
 */

const DAYS = Number(process.argv[2] ?? (isSmoke ? 12 : 400));
const SITES = Number(process.argv[3] ?? (isSmoke ? 3 : 40));
const KEPT_DAYS = isSmoke ? 4 : 30;
/** The first day on which as much is deleted as comes. */
const FULL = 2 * KEPT_DAYS;
const [PAGES, ISSUES] = [5, 4];
const DAY_MS = 86_400_000;
const START = new Date("2025-10-01T12:00:00Z");
const READS = 15;

const database = await createTestDatabase();
const { db } = database;
/** Autovacuum of each large table, if it is to be another than PostgreSQL's own: a share of its rows. */
const SCALE = process.env.VACUUM_SCALE;
if (SCALE !== undefined)
  for (const table of ["findings", "issues", "checks", "web_pages", "page_sources", "check_counts", "reports"])
    await sql`alter table ${sql.table(table)} set (autovacuum_vacuum_scale_factor = ${sql.raw(String(Number(SCALE)))})`.execute(
      db,
    );
const at = (day: number) => new Date(START.getTime() + day * DAY_MS);
const { signal } = new AbortController();
type Measured = { day: number; bytes: number; numbers: number; reports: number; lists: Record<string, number> };
const measured: Measured[] = [];
const spent = { deleting: 0, deleted: 0 };
try {
  const account = await insertAccount(db);
  const { id: tokenId } = await createToken(db, { accountId: account, name: "bench", scope: "write" });
  await changeRetention(db, account, { report_days: KEPT_DAYS }, { tokenId, now: START });
  for (let day = 0; day < DAYS; day += 1) {
    await insertDay(account, day);
    await night(account, new Date(at(day).getTime() + 16 * 3_600_000));
    if (day % 50 === 49) console.error(`day ${day + 1} after ${(performance.now() / 1000).toFixed(0)} s`);
    if (day === KEPT_DAYS || day === FULL || day === DAYS - 1) measured.push(await measure(account, day));
  }
  const [month, full, last] = measured as [Measured, Measured, Measured];
  const chart = await readSiteDays(db, scopeOf(account), siteOf(1), { since: at(-1), each: "day" });
  const all = await readDaysOfSites(db, scopeOf(account), at(-1), checkKinds);
  if (chart.length !== DAYS || all.length !== DAYS || all.some(({ sites }) => sites !== SITES))
    throw new Error(`The charts have ${chart.length} and ${all.length} of ${DAYS} days.`);
  for (const one of measured) console.log(JSON.stringify(one));
  record({
    ...{ row: "16", measure: `database after ${DAYS} days of ${SITES} sites, ${KEPT_DAYS} of them kept` },
    // The numbers of runs that are gone are to stay, for three years: they grow with each day.
    ...{ against: `day ${full.day}, both without the numbers of runs that are gone` },
    ...{ ratio: (last.bytes - last.numbers) / (full.bytes - full.numbers), target: { atMost: 1.5 } },
    figures: {
      ...Object.fromEntries(measured.map(({ day, bytes }) => [`MB on day ${day}`, bytes / 1e6])),
      ...Object.fromEntries(
        measured.map(({ day, numbers }) => [`MB of numbers of runs that are gone on day ${day}`, numbers / 1e6]),
      ),
      "reports at the end": last.reports,
      "bytes of a run that is gone": last.numbers / (DAYS * SITES - last.reports),
      "ms a deleted report": spent.deleting / spent.deleted,
    },
  });
  for (const name of Object.keys(last.lists))
    record({
      ...{ row: "16", measure: `${name} on day ${last.day}`, against: `day ${month.day}` },
      ...{ ratio: (last.lists[name] ?? 0) / (month.lists[name] ?? 1), target: { atMost: 1.5 } },
      figures: Object.fromEntries(measured.map(({ day, lists }) => [`ms on day ${day}`, lists[name] ?? 0])),
    });
} finally {
  await database.drop();
  await stopTestServer();
}

function scopeOf(accountId: string) {
  return { accountId, guestToken: null, sites: null };
}

function siteOf(n: number): string {
  return `https://site-${n}.example/`;
}

/** A report of each site that has ended on a day, with pages, checks, issues and findings. */
async function insertDay(account: string, day: number): Promise<void> {
  const spec = JSON.stringify(reportSpec());
  const pages = JSON.stringify({
    ...{ checked: PAGES, lost: 0, without_errors: 0, without_issues: 0, failed: 0, without_page: 0, known: PAGES },
    by_kind: { html: { checked: PAGES, without_errors: 0 } },
  });
  const errors = PAGES * ISSUES;
  await sql`
    with made as (
      insert into reports (id, account_id, namespace, name, uid, spec, starting_url, domain, phase, crawl_state, num_pages, stored_bytes,
        inserted_at, last_checked_at, completed_at)
      select gen_random_uuid(), ${account}::uuid, 'default', 'r-' || ${day}::int || '-' || n, gen_random_uuid()::text,
        ${spec}::jsonb || jsonb_build_object('startingUrl', 'https://site-' || n || '.example/'),
        'https://site-' || n || '.example/', 'site', 'Complete', 'ended', ${PAGES}::int, 10000, ${at(day)}, ${at(day)}, ${at(day)}
      from generate_series(1, ${SITES}::int) n returning id
    ), counted as (
      insert into check_counts (report_id, account_id, kind, checked, errors)
      select made.id, ${account}::uuid, kind, case kind when 'html' then ${PAGES}::int else 0 end, case kind when 'html' then ${errors}::int else 0 end
      from made, unnest(${[...checkKinds]}::text[]) kind
    ), page as (
      insert into web_pages (report_id, url) select made.id, 'https://site.example/' || p from made, generate_series(1, ${PAGES}::int) p
      returning id, report_id
    ), checked as (
      insert into checks (report_id, web_page_id, kind, status, finished_at) select report_id, id, 'html', 'checked', ${at(day)} from page
    ), sources as (
      insert into page_sources (web_page_id, encoding, body, content_type, kept)
      select id, 'identity', decode(repeat('ab', 2000), 'hex'), 'text/html', true from page
    ), common as (
      insert into common_issues (report_id, kind, key, issue_type, message, how_many)
      select made.id, 'html', sha256(i::text::bytea), 'error', 'Message ' || i, ${PAGES}::int from made, generate_series(1, ${ISSUES}::int) i
      returning id, report_id
    ), issue as (
      insert into issues (report_id, kind, web_page_id, common_id, issue_type, message, html, how_many)
      select page.report_id, 'html', page.id, common.id, 'error', 'A message about an element', '[]', 1
      from page join common on common.report_id = page.report_id returning id, web_page_id, report_id
    )
    insert into findings (report_id, web_page_id, kind, issue_id, rule, issue_type, fingerprint, component, how_many, found_at)
    select report_id, web_page_id, 'html', id, 'rule', 'error', substr(sha256(id::text::bytea), 1, 10), substr(sha256('c'), 1, 10), 1, ${at(day)}
    from issue`.execute(db);
  await sql`
    insert into report_ends (report_id, ended_at, counts, is_whole, series, pages, pages_now)
    select r.id, ${at(day)}, ${selectCounts("r.id")}, true, md5('series'), ${pages}::jsonb, ${pages}::jsonb
    from reports r where r.inserted_at = ${at(day)}`.execute(db);
}

/** What the controller does in a night: the deletion, and the rows of what was deleted the night before. */
async function night(account: string, now: Date): Promise<void> {
  const from = performance.now();
  await beginNight(db, account, noLimits, now);
  for (let deletion = await nextDeletion(db, []); deletion; deletion = undefined) {
    for (let item = await nextItem(db, deletion.id, now); item; item = await nextItem(db, deletion.id, now)) {
      await deleteItem(db, deletion, item, { now, signal });
      spent.deleted += 1;
    }
    await sql`update deletions set state = 'ended', ended_at = ${now} where id = ${deletion.id}`.execute(db);
  }
  await purgeDeletedReports(db, new Date(now.getTime() - 3_600_000), signal);
  await purgeWorkingRows(db, signal);
  spent.deleting += performance.now() - from;
}

async function measure(account: string, day: number): Promise<Measured> {
  const { rows } = await sql<{ bytes: string; numbers: string; reports: string }>`
    select pg_database_size(current_database()) as bytes, pg_total_relation_size('past_runs') as numbers, (select count(*) from reports where deleted_at is null) as reports`.execute(
    db,
  );
  const now = at(day);
  const page = { limit: 20, offset: 0 };
  const lists = {
    "the list of reports": () =>
      listReports(db, {
        ...{ accountId: account, sites: null },
        createdBy: "all",
        sort: { key: "last_checked_at", direction: "desc" },
        page,
      }),
    "the list of reports by errors": () =>
      listReports(db, {
        accountId: account,
        sites: null,
        createdBy: "all",
        sort: { key: "html_errors", direction: "desc" },
        page,
      }),
    "the list of sites": () =>
      listSites(db, { ...scopeOf(account), since: new Date(now.getTime() - 30 * DAY_MS) }, page),
    "a month of a site": () =>
      readSiteDays(db, scopeOf(account), siteOf(1), { since: new Date(now.getTime() - 30 * DAY_MS), each: "day" }),
    "a month of all sites": () =>
      readDaysOfSites(db, scopeOf(account), new Date(now.getTime() - 30 * DAY_MS), checkKinds),
  };
  const took: Record<string, number> = {};
  for (const [name, read] of Object.entries(lists)) {
    const times: number[] = [];
    for (let n = 0; n < READS; n += 1) {
      const from = performance.now();
      await read();
      times.push(performance.now() - from);
    }
    took[name] = times.sort((a, b) => a - b)[Math.floor(READS / 2)] ?? 0;
  }
  return {
    day,
    bytes: Number(rows[0]?.bytes),
    numbers: Number(rows[0]?.numbers),
    reports: Number(rows[0]?.reports),
    lists: took,
  };
}
