import { sql } from "kysely";

/** Of a report `r`: changes whenever its findings change, or which of them are muted. */
export const resultsVersion = sql<string>`md5(concat_ws(' ', r.num_pages, (
    select string_agg(concat_ws(' ', k.kind, k.checked, k.errors, k.warnings, k.outside_standard), ' ' order by k.kind)
    from check_counts k where k.report_id = r.id
  ), r.muting_revision, extract(epoch from r.last_checked_at)))`;
