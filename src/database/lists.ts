import { type Expression, type RawBuilder, type SelectQueryBuilder, type Simplify, type SqlBool, sql } from "kysely";

/** One page of a list. */
export type Page = { limit: number; offset: number };

/** The rows of one page, and the number of rows on all pages. */
export type Paginated<Row> = {
  rows: Row[];
  total: number;
  /** Rows per page, when they are fewer than asked for because rows are large. */
  size?: number;
};

/** A filter by tags. */
export type TagFilter = { mode: "any" | "all" | "none"; list: string[] };

/** A condition for rows whose `column`, a text[], has any, all or none of the tags. */
export function hasTags(column: string, filter: TagFilter): Expression<SqlBool> {
  const tags = sql.ref(column);
  if (filter.mode === "all") return sql<SqlBool>`${tags} @> ${filter.list}::text[]`;
  if (filter.mode === "any") return sql<SqlBool>`${tags} && ${filter.list}::text[]`;
  return sql<SqlBool>`not (${tags} && ${filter.list}::text[])`;
}

/** A condition for rows whose `column` contains the text, regardless of case. */
export function contains(column: string, text: string): Expression<SqlBool> {
  return sql<SqlBool>`strpos(lower(${sql.ref(column)}), lower(${text})) > 0`;
}

/**
 * Reads one page of `rows`, which is `found` with columns and an order, and counts all rows of `found`.
 *
 * @param bytes the size of what may be large in a row: a page of large rows has fewer of them
 */
export async function readPage<Tables, Table extends keyof Tables, Row>(
  found: SelectQueryBuilder<Tables, Table, Record<never, never>>,
  rows: SelectQueryBuilder<Tables, Table, Row>,
  page: Page,
  bytes?: RawBuilder<number>,
): Promise<Paginated<Simplify<Row>>> {
  const counted = found.select(sql<string>`count(*)`.as("total")).$castTo<{ total: string }>();
  const { total } = await counted.executeTakeFirstOrThrow();
  const { limit, offset } = page;
  if (!bytes) return { rows: await rows.limit(limit).offset(offset).execute(), total: Number(total) };
  const sizes = await rows
    .clearSelect()
    .select(bytes.as("bytes"))
    .$castTo<{ bytes: number }>()
    .limit(limit)
    .offset(offset)
    .execute();
  const size = fittingSize(
    sizes.map((row) => row.bytes),
    page,
  );
  return { rows: await rows.limit(size).offset(offset).execute(), total: Number(total), size };
}

/** The bytes of a jsonb column. */
export function bytesOf(column: string): RawBuilder<number> {
  return sql<number>`octet_length(${sql.ref(column)}::text)`;
}

/** The most bytes of the large parts of rows on one page of a list: a response is built in memory. */
export const MAX_PAGE_BYTES = 2_000_000;

/**
 * How many rows a page of a list has: as many as requested, or fewer when they are large. Pages are numbered, so a
 * smaller page keeps its place in the list only if the rows before it fill whole pages of that size.
 *
 * @param bytes the size of each row of the page, at most `limit`
 * @returns the largest size of which `offset` is a multiple and that fits; at least 1
 */
export function fittingSize(
  bytes: readonly number[],
  { limit, offset }: { limit: number; offset: number },
  max: number = MAX_PAGE_BYTES,
): number {
  let rows = 0;
  for (let sum = bytes[0] ?? 0; rows < bytes.length && sum <= max; sum += bytes[rows] ?? 0) rows += 1;
  if (rows === bytes.length) return limit;
  let size = Math.max(1, rows);
  while (offset % size !== 0) size -= 1;
  return size;
}
