import { type Kysely, sql } from "kysely";
import type { ReportPhase } from "../../schema/status.ts";
import type { Page, Paginated } from "../lists.ts";
import type { Database } from "../tables.ts";
import { sumOfCounts } from "./check-counts.ts";
import { findReports, type ReportRow } from "./queries.ts";

/** The counters of one run, finished or not. */
export type SiteRun = { id: string; inserted_at: Date; phase: ReportPhase; errors: number; warnings: number };

/** The latest runs that start at one URL. */
export type Site = {
  /** The starting URL's digest. */
  id: string;
  starting_url: string;
  num_reports: number;
  latest: ReportRow;
  /** The newest runs, the oldest of them first. */
  runs: SiteRun[];
  /** When the next run starts, and which schedule starts it; null without an active schedule. */
  next_run: { schedule_id: string; at: Date | null } | null;
};

/** Whose sites: an account's own, or a guest's. */
export type SiteScope = { accountId: string; guestToken: string | null };

/** `url`: only the site that starts at it. */
export type SiteQuery = SiteScope & { url?: string | undefined };

/** The most runs of each site. */
const MAX_RUNS = 20;

type Grouped = { id: string; starting_url: string; num_reports: number; latest_id: string; total: string };

/** The sites that have reports, the most recently checked first. */
export async function listSites(db: Kysely<Database>, scope: SiteQuery, page: Page): Promise<Paginated<Site>> {
  const { accountId, guestToken, url } = scope;
  const { rows } = await sql<Grouped>`
    select md5(starting_url) as id, starting_url, count(*)::integer as num_reports,
      (array_agg(id order by inserted_at desc, id))[1] as latest_id, count(*) over () as total
    from reports
    where account_id = ${accountId} and guest_token is not distinct from ${guestToken} and deleted_at is null
      and ${url === undefined ? sql`true` : sql`starting_url = ${url}`}
    group by starting_url
    order by max(inserted_at) desc, starting_url collate "C"
    limit ${page.limit} offset ${page.offset}
  `.execute(db);
  if (rows.length === 0) return { rows: [], total: page.offset === 0 ? 0 : await countSites(db, scope) };
  const ids = rows.map(({ latest_id }) => latest_id);
  const urls = rows.map(({ starting_url }) => starting_url);
  const latest = new Map((await findReports(db, ids)).map((report) => [report.id, report]));
  const runs = await runsOf(db, scope, urls);
  const nextRuns = await nextRunsOf(db, scope, urls);
  const sites = rows.flatMap(({ id, starting_url, num_reports, latest_id }) => {
    const report = latest.get(latest_id);
    // Deleted in the meantime: the next read has the site without it.
    if (!report) return [];
    const next_run = nextRuns.get(starting_url) ?? null;
    return [{ id, starting_url, num_reports, latest: report, runs: runs.get(starting_url) ?? [], next_run }];
  });
  return { rows: sites, total: Number(rows[0]?.total) };
}

async function countSites(db: Kysely<Database>, { accountId, guestToken, url }: SiteQuery): Promise<number> {
  const { rows } = await sql<{ total: string }>`
    select count(distinct starting_url) as total from reports
    where account_id = ${accountId} and guest_token is not distinct from ${guestToken} and deleted_at is null
      and ${url === undefined ? sql`true` : sql`starting_url = ${url}`}
  `.execute(db);
  return Number(rows[0]?.total);
}

async function runsOf(db: Kysely<Database>, { accountId, guestToken }: SiteScope, urls: string[]) {
  const { rows } = await sql<SiteRun & { starting_url: string }>`
    select starting_url, id, inserted_at, phase, ${sumOfCounts("numbered.id", "errors")} as errors,
      ${sumOfCounts("numbered.id", "warnings")} as warnings
    from (
      select *, row_number() over (partition by starting_url order by inserted_at desc, id) as newest
      from reports
      where account_id = ${accountId} and guest_token is not distinct from ${guestToken} and deleted_at is null
        and starting_url = any(${urls})
    ) numbered
    where newest <= ${MAX_RUNS}
    order by inserted_at, id desc
  `.execute(db);
  return Map.groupBy(rows, ({ starting_url }) => starting_url);
}

/** The next run of each site: of several active schedules, the one that is due first. */
async function nextRunsOf(db: Kysely<Database>, { accountId, guestToken }: SiteScope, urls: string[]) {
  const { rows } = await sql<{ starting_url: string; schedule_id: string; at: Date | null }>`
    select distinct on (starting_url) starting_url, id as schedule_id, next_run_at as at
    from schedules
    where account_id = ${accountId} and guest_token is not distinct from ${guestToken} and deleted_at is null
      and active and starting_url = any(${urls})
    order by starting_url, next_run_at, id
  `.execute(db);
  return new Map(rows.map(({ starting_url, schedule_id, at }) => [starting_url, { schedule_id, at }]));
}
