import { type Kysely, sql } from "kysely";
import type { Database } from "../tables.ts";

type Element = { fingerprint: string; selector?: string };
type MutedRow<One extends Element> = {
  id: string;
  how_many: number;
  muted_count: number;
  muting_id: string | null;
  html: One[];
};

/** A condition for issues with something that is muted, or with something that is not. */
export function hasMuted(muted: boolean) {
  return muted ? sql<boolean>`(muting_id is not null or muted_count > 0)` : sql<boolean>`muting_id is null`;
}

/** How many elements of an issue are muted, or are not. */
export function elementsMuted(muted: boolean) {
  return muted ? sql<number>`case when muting_id is null then muted_count else how_many end` : sql<number>`how_many`;
}

/**
 * Keeps only the muted elements of each issue, or only the others, both in the count `how_many` and in the list `html`.
 *
 * @param rows the issues as stored
 */
export async function withElementsMuted<One extends Element, Row extends MutedRow<One>>(
  db: Kysely<Database>,
  rows: readonly Row[],
  muted: boolean,
): Promise<Row[]> {
  const keys = await readMuted(
    db,
    rows.filter((row) => row.muted_count > 0).map(({ id }) => id),
  );
  return rows.map((row) => {
    if (row.muting_id !== null) return row;
    if (!muted && row.muted_count === 0) return row;
    const ofIssue = keys.get(row.id) ?? new Set();
    const html = row.html.filter((element) => ofIssue.has(keyOf(element)) === muted);
    return { ...row, html, how_many: muted ? row.muted_count : row.how_many };
  });
}

/** Distinguishes the elements of an issue as far as a muting can: by fingerprint and selector. */
const keyOf = ({ fingerprint, selector = "" }: Element): string => `${fingerprint} ${selector}`;

async function readMuted(db: Kysely<Database>, issues: readonly string[]): Promise<Map<string, Set<string>>> {
  if (issues.length === 0) return new Map();
  const { rows } = await sql<{ issue: string; fingerprint: string; selector: string | null }>`
    select issue_id as issue, encode(fingerprint, 'hex') as fingerprint, selector
    from findings where issue_id = any(${issues}::bigint[]) and muting_id is not null`.execute(db);
  const byIssue = Map.groupBy(rows, ({ issue }) => issue);
  return new Map(
    [...byIssue].map(([id, found]) => [
      id,
      new Set(found.map(({ fingerprint, selector }) => keyOf({ fingerprint, selector: selector ?? "" }))),
    ]),
  );
}
