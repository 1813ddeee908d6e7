import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Database } from "../tables.ts";

/** A part of what is stored of pages, that they can do without. */
type StoredPart = "pictures" | "raw";

/** The statements that delete a part of some pages, each with the bytes of a row. */
const deletes: Record<StoredPart, (pages: RawBuilder<unknown>) => RawBuilder<unknown>[]> = {
  // Both are of the same check of a page: the first of its kinds that opens a browser.
  pictures: (pages) => [
    sql`delete from screenshots s using ${pages} p where s.web_page_id = p.id returning s.web_page_id, null::text as kind, octet_length(s.png) as bytes`,
    sql`delete from element_pictures s using ${pages} p where s.web_page_id = p.id returning s.web_page_id, null::text as kind, octet_length(s.webp) as bytes`,
  ],
  raw: (pages) => [
    sql`delete from raw_checks s using ${pages} p where s.web_page_id = p.id returning s.web_page_id, s.kind, octet_length(s.raw_zstd) as bytes`,
  ],
};

/** Locks the checks of pages, which whatever locks their report locks first. */
export async function lockChecks(trx: Kysely<Database>, pages: readonly string[]): Promise<void> {
  await sql`
    select from checks where web_page_id = any(${[...pages]}::bigint[]) order by id for no key update`.execute(trx);
}

/**
 * Deletes a part of some pages of a report, and counts it no more towards the limit of the account.
 *
 * @param pages their ids; of one report
 * @param pictureKind the kind of check that has taken the pictures
 * @returns the bytes
 */
export async function deletePart(
  trx: Kysely<Database>,
  {
    reportId,
    part,
    pages,
    pictureKind,
  }: { reportId: string; part: StoredPart; pages: readonly string[]; pictureKind: string | undefined },
): Promise<number> {
  const statements = deletes[part](sql`pages`).map((statement, n) => sql`${sql.raw(`gone_${n}`)} as (${statement})`);
  const all = sql.join(
    statements.map((_, n) => sql`select * from ${sql.raw(`gone_${n}`)}`),
    sql` union all `,
  );
  const { rows } = await sql<{ bytes: string }>`
    with pages as (select unnest(${[...pages]}::bigint[]) as id), ${sql.join(statements)}, sums as (
      select web_page_id, coalesce(kind, ${pictureKind ?? null}::text) as kind, sum(bytes)::bigint as bytes from (${all}) gone group by 1, 2
    ), checked as (
      update checks c set stored_bytes = greatest(0, c.stored_bytes - sums.bytes)
      from sums where c.web_page_id = sums.web_page_id and c.kind = sums.kind
    ), counted as (
      update reports set stored_bytes = greatest(0, stored_bytes - (select sum(bytes) from sums))
      where id = ${reportId} and exists (select from sums)
    )
    select coalesce(sum(bytes), 0) as bytes from sums`.execute(trx);
  return Number(rows[0]?.bytes ?? 0);
}
