import { type Kysely, sql } from "kysely";
import { MAX_SOURCE_LENGTH, MAX_STORED_BYTES } from "../../domain/findings/bound-findings.ts";
import { type CheckOutcome, countOf } from "../../domain/findings/findings.ts";
import { type StoredSource, sourceRow } from "../crawl/page-sources.ts";
import type { Database } from "../tables.ts";

/** The source of a page that was checked, as it may be kept. */
export type KeepableSource = {
  /** As stored, compressed. */
  bytes: number;
  /** Of the text, in UTF-16 units. */
  length: number;
  /** A source that is not stored yet: the page was fetched for this check. */
  fetched?: StoredSource | undefined;
};

/** Whether a page's source is kept after its check, to show findings in it, within the limits. */
export function keepsSource(outcome: CheckOutcome, source: KeepableSource | undefined): source is KeepableSource {
  if (outcome.kind !== "html" || !("issues" in outcome) || !source) return false;
  if (source.bytes > MAX_STORED_BYTES.source || source.length > MAX_SOURCE_LENGTH) return false;
  return outcome.issues.some((issue) => countOf(issue) > 0);
}

/** Stores the sources that were fetched for a check. They replace those of the previous findings. */
export async function keepFetchedSources(
  trx: Kysely<Database>,
  ended: readonly { check: { web_page_id: string }; outcome: CheckOutcome; source?: KeepableSource | undefined }[],
): Promise<void> {
  const rows = ended.flatMap(({ check, outcome, source }) =>
    keepsSource(outcome, source) && source.fetched
      ? { ...sourceRow(check.web_page_id, source.fetched), kept: true }
      : [],
  );
  if (rows.length === 0) return;
  await trx
    .insertInto("page_sources")
    .values(rows)
    .onConflict((conflict) =>
      conflict.column("web_page_id").doUpdateSet({
        encoding: sql.ref("excluded.encoding"),
        body: sql.ref("excluded.body"),
        content_type: sql.ref("excluded.content_type"),
        charset: sql.ref("excluded.charset"),
        kept: true,
      }),
    )
    .execute();
}
