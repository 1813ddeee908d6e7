import { type Kysely, sql } from "kysely";
import { byKind } from "../../domain/findings/check-counts.ts";
import { type CheckKind, checkKinds } from "../../domain/findings/findings.ts";
import type { Database } from "../tables.ts";

/** The most pages that are read, so that a large report takes no longer than a small one. */
const MAX_PAGES = 300;

/**
 * When the newest checks of a report ended, by kind. Checks run in the order of their pages, so the newest ended ones
 * belong to the pages before the first one that waits. Checks that must run alone wait for all others, and are ignored.
 */
export async function recentEnds(db: Kysely<Database>, reportId: string): Promise<Record<CheckKind, Date[]>> {
  const { rows } = await sql<{ kind: CheckKind; finished_at: Date }>`
    select kinds.kind, c.finished_at from unnest(${sql.val(checkKinds)}::text[]) as kinds (kind)
    cross join lateral (
      select w.id from web_pages w
      where w.report_id = ${reportId} and w.id <= coalesce((
        select q.web_page_id from checks q
        where q.report_id = ${reportId} and q.kind = kinds.kind and q.status = 'queued' and not q.alone
        order by q.id limit 1
      ), 9223372036854775807)
      order by w.id desc limit ${MAX_PAGES}
    ) pages
    join checks c on c.web_page_id = pages.id and c.kind = kinds.kind
    where c.finished_at is not null`.execute(db);
  return byKind((kind) => rows.filter((row) => row.kind === kind).map(({ finished_at }) => finished_at));
}
