import { type Kysely, type RawBuilder, sql } from "kysely";
import { type CheckKind, manifestOf, sourceKinds } from "../../checks/kinds.ts";
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
  if (manifestOf(outcome.kind).needs !== "source" || !("issues" in outcome) || !source) return false;
  if (source.bytes > MAX_STORED_BYTES.source || source.length > MAX_SOURCE_LENGTH) return false;
  return outcome.issues.some((issue) => countOf(issue) > 0);
}

/**
 * What becomes of stored sources with a check that ends, as parts of a statement with `ended`: a source is kept if there
 * are findings in it, and dropped otherwise. If other kinds of checks need it too, the last of a page's checks decides.
 */
export function settledSources(kind: CheckKind): RawBuilder<unknown> {
  const others = sourceKinds.filter((other) => other !== kind);
  const kinds = sql.join(others.map((other) => sql.lit(other)));
  const has = (table: string) =>
    sql`select from ${sql.table(table)} o where o.web_page_id = s.web_page_id and o.kind in (${kinds})`;
  const isLast =
    others.length === 0 ? sql`true` : sql`not exists (${has("checks")} and o.status in ('queued', 'leased'))`;
  const isKept = others.length === 0 ? sql`ended.keeps_source` : sql`(ended.keeps_source or exists (${has("issues")}))`;
  return sql`, dropped as (
      delete from page_sources s using ended where s.web_page_id = ended.web_page_id and ${isLast} and not ${isKept}
    ), kept as (
      update page_sources s set kept = true from ended
      where s.web_page_id = ended.web_page_id and ${isLast} and ${isKept} and not s.kept
    )`;
}

/** Of two checks of a page that end at the same time, one waits here, so that it is the last. */
export async function lockSources(trx: Kysely<Database>, pages: readonly string[]): Promise<void> {
  if (sourceKinds.length < 2) return;
  await sql`select from page_sources where web_page_id = any(${pages}::bigint[]) order by web_page_id for update`.execute(
    trx,
  );
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
