import { type Kysely, sql } from "kysely";
import { type CheckKind, needsSource } from "../../checks/kinds.ts";
import type { Payer } from "../../domain/accounts/credits.ts";
import type { CrawlState } from "../../domain/report-over.ts";
import type { StoredSource } from "../crawl/page-sources.ts";
import type { Database } from "../tables.ts";

/** How long a checker may be silent before others take its checks: those of a killed one continue within a minute. */
export const LEASE_SECONDS = 20;
/** A check whose process died this often while it was the only one running is assumed to kill its processes. */
export const MAX_CRASHES = 3;

/** The right to end one check, until another process leases it. */
export type Lease = { checkId: string; token: string };

export type LeasedCheck = Lease & {
  webPageId: string;
  url: string;
  /** For checks that need it; undefined when it is no longer stored. */
  source: StoredSource | undefined;
  /** Whether the crawler saw a form to sign in. */
  showsSignIn: boolean;
  /** It is like pages before it, so that acting leaves it out. */
  likeOthers: boolean;
  /** To be run in isolation: in a new process, while no other check runs. */
  alone: boolean;
};

/** The checks of one kind of a report. */
export type Queue = { reportId: string; kind: CheckKind };

/** Also true of a lease longer than any lease: the server's clock was set back. Its holder, if alive, renews it. */
export const isExpired = sql`(lease_until < now() or lease_until > now() + make_interval(secs => ${2 * LEASE_SECONDS}))`;

/** It was running alone when its checker died, as often as a check may. */
export const isCrashed = sql`crashes >= ${MAX_CRASHES}`;

/** May run at the same time as others. A check that had not begun when its checker died did not cause that. */
const concurrent = {
  queued: sql`status = 'queued' and not alone`,
  expired: sql`status = 'leased' and ${isExpired} and started_at is null and not alone`,
};
/** Must run alone: a check that was running when its checker died may have caused that. */
const isolated = {
  queued: sql`status = 'queued' and alone`,
  expired: sql`status = 'leased' and ${isExpired} and (started_at is not null or alone) and crashes < ${MAX_CRASHES}`,
};

/** A check that may be leased, and whose it is. `reserved`: a credit is reserved for it. */
export type LeasableCheck = Payer & { id: string; reserved: boolean };

/**
 * Locks up to `limit` checks, oldest first: queued ones, and those whose checker died. Those that have to run alone, or
 * only the others.
 */
export async function lockLeasable(
  trx: Kysely<Database>,
  { reportId, kind }: Queue,
  { limit, alone }: { limit: number; alone: boolean },
): Promise<LeasableCheck[]> {
  const which = alone ? isolated : concurrent;
  const { rows } = await sql<LeasableCheck>`
    with expired as materialized (
      select id, reserved_month from checks
      where report_id = ${reportId} and kind = ${kind} and ${which.expired}
      order by id limit ${limit} for update skip locked
    ), queued as materialized (
      select id, reserved_month from checks
      where report_id = ${reportId} and kind = ${kind} and ${which.queued}
      order by id limit ${limit} for update skip locked
    )
    select c.id, c.reserved_month is not null as reserved, r.account_id as "accountId", r.guest_token as "guestToken"
    from (select * from expired union all select * from queued) c
    cross join reports r
    where r.id = ${reportId} and r.deleted_at is null
    order by c.id limit ${limit}`.execute(trx);
  return rows;
}

/** Leases locked checks, with a credit of this month reserved for each. */
export async function lease(
  trx: Kysely<Database>,
  kind: CheckKind,
  ids: string[],
  { month, alone }: { month: string; alone: boolean },
): Promise<LeasedCheck[]> {
  const withSource = needsSource(kind);
  const { rows } = await sql<{
    check_id: string;
    token: string;
    web_page_id: string;
    url: string;
    encoding: StoredSource["encoding"] | null;
    body: Buffer | null;
    content_type: string | null;
    charset: StoredSource["charset"];
    shows_sign_in: boolean;
    like_others: boolean;
  }>`
    update checks c set
      status = 'leased', attempts = c.attempts + 1, lease_token = nextval('lease_tokens'),
      lease_until = now() + make_interval(secs => ${LEASE_SECONDS}), started_at = null, alone = ${alone},
      reserved_month = coalesce(c.reserved_month, ${month}::date)
    from web_pages w left join page_sources s on ${withSource} and s.web_page_id = w.id and not s.kept
    where c.id = any(${ids}::bigint[]) and w.id = c.web_page_id
    returning c.id as check_id, c.lease_token as token, w.id as web_page_id, w.url,
      s.encoding, s.body, s.content_type, s.charset, w.shows_sign_in, w.like_others`.execute(trx);
  return rows
    .sort((a, b) => Number(BigInt(a.check_id) - BigInt(b.check_id)))
    .map(
      ({
        check_id,
        token,
        web_page_id,
        url,
        encoding,
        body,
        content_type: contentType,
        charset,
        shows_sign_in,
        like_others,
      }) => ({
        checkId: check_id,
        token,
        webPageId: web_page_id,
        url,
        source: encoding && body && contentType !== null ? { encoding, body, contentType, charset } : undefined,
        showsSignIn: shows_sign_in,
        likeOthers: like_others,
        alone,
      }),
    );
}

/**
 * Records which checks the engine begins and which it has finished: only a running check can have killed its checker.
 * A check that runs alone counts as a crash from its start until its result is stored.
 *
 * @returns the ids of the begun checks whose lease is still held
 */
export async function markRuns(
  db: Kysely<Database>,
  begun: readonly Lease[],
  ended: readonly Lease[] = [],
): Promise<Set<string>> {
  const both = [...begun, ...ended];
  const begins = both.map((_, index) => index < begun.length);
  // Does not wait for the disk: what a crash of the server loses counts as not begun.
  const { rows } = await sql<{ id: string; begins: boolean }>`
    with fast as materialized (select set_config('synchronous_commit', 'off', true)),
    mine as materialized (
      select c.id, l.begins from checks c
      join unnest(${ids(both)}::bigint[], ${tokens(both)}::bigint[], ${begins}::boolean[]) as l(id, token, begins)
        on c.id = l.id and c.lease_token = l.token
      cross join fast
      where c.status = 'leased' and (l.begins or not c.alone)
      order by c.web_page_id for update of c
    )
    update checks c set started_at = case when mine.begins then coalesce(c.started_at, now()) end,
      crashes = c.crashes + (c.alone and c.started_at is null)::integer
    from mine where c.id = mine.id
    returning c.id, mine.begins`.execute(db);
  return new Set(rows.flatMap(({ id, begins }) => (begins ? [id] : [])));
}

/** Renews leases for their full duration, except those that other processes have taken. */
export async function renewLeases(db: Kysely<Database>, leases: readonly Lease[]): Promise<void> {
  if (leases.length === 0) return;
  // Locked in the order of the pages, as everywhere: an outcome may be stored at the same time.
  await sql`
    with mine as materialized (
      select c.id from checks c
      join unnest(${ids(leases)}::bigint[], ${tokens(leases)}::bigint[]) as l(id, token)
        on c.id = l.id and c.lease_token = l.token
      where c.status = 'leased'
      order by c.web_page_id for update of c
    )
    update checks c set lease_until = now() + make_interval(secs => ${LEASE_SECONDS})
    from mine where c.id = mine.id`.execute(db);
}

/**
 * Expires all leases. For the start of a service that has its database to itself: the holders
 * of the leases ended with the previous service, or are about to.
 */
export async function expireLeases(db: Kysely<Database>): Promise<void> {
  // Locked in the order of the pages, as everywhere: such a holder may be storing its last outcomes.
  await sql`
    with leased as materialized (
      select id from checks where status = 'leased' order by web_page_id, id for update
    )
    update checks c set lease_until = now() from leased where c.id = leased.id`.execute(db);
}

/**
 * Returns unfinished checks to the queue as if they had never been leased.
 *
 * @param alone whether they must run alone from now on
 * @returns how many credits of which payers and months were reserved for them
 */
export async function returnToQueue(
  trx: Kysely<Database>,
  leases: readonly Lease[],
  { alone }: { alone: boolean },
): Promise<(Payer & { month: string | null; released: number })[]> {
  const { rows } = await sql<Payer & { month: string | null; released: number }>`
    with mine as materialized (
      select c.id, c.report_id, c.reserved_month
      from checks c join unnest(${ids(leases)}::bigint[], ${tokens(leases)}::bigint[]) as l(id, token)
        on c.id = l.id and c.lease_token = l.token
      where c.status = 'leased'
      order by c.web_page_id for update of c
    ), released as (
      update checks c set status = 'queued', attempts = greatest(0, c.attempts - 1),
        crashes = c.crashes - (c.alone and c.started_at is not null)::integer, started_at = null,
        alone = c.alone or ${alone}, lease_token = null, lease_until = null, reserved_month = null
      from mine where c.id = mine.id
    )
    select r.account_id as "accountId", r.guest_token as "guestToken", to_char(mine.reserved_month, 'YYYY-MM-DD') as month, count(*)::integer as released
    from mine join reports r on r.id = mine.report_id
    group by 1, 2, 3 order by 3`.execute(trx);
  return rows;
}

/** The state of a report's queue of one kind. */
export type QueueState = {
  crawlState: CrawlState;
  deleted: boolean;
  /** At least one check is queued. */
  queued: boolean;
  /** At least one check is leased, by this or another process. */
  leased: boolean;
  /** At least one lease has expired. */
  expired: boolean;
  /** At least one check waits to run alone. */
  alone: boolean;
};

/** @returns undefined when there is no such report */
export async function readQueue(db: Kysely<Database>, { reportId, kind }: Queue): Promise<QueueState | undefined> {
  const one = (condition: ReturnType<typeof sql>) =>
    sql`exists (select from checks c where c.report_id = r.id and c.kind = ${kind} and ${condition})`;
  const { rows } = await sql<QueueState>`
    select r.crawl_state as "crawlState", r.deleted_at is not null as deleted,
      ${one(sql`c.status = 'queued'`)} as queued,
      ${one(sql`c.status = 'leased'`)} as leased,
      ${one(sql`c.status = 'leased' and ${isExpired}`)} as expired,
      (${one(isolated.queued)} or ${one(isolated.expired)}) as alone
    from reports r where r.id = ${reportId}`.execute(db);
  return rows[0];
}

const ids = (leases: readonly Lease[]): string[] => leases.map((lease) => lease.checkId);
const tokens = (leases: readonly Lease[]): string[] => leases.map((lease) => lease.token);
