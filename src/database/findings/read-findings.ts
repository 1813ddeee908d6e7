import { type Kysely, type Selectable, sql } from "kysely";
import type { IssueElement } from "../../domain/findings/findings.ts";
import type { Database } from "../tables.ts";
import type { StateElements } from "./state-elements.ts";

/** An element as its issue has it. */
export type FindingElement = IssueElement & { selector?: string };

/** A finding with what its issue and its page say about it. Digests are in hex. */
export type FindingDetails = Pick<
  Selectable<Database["findings"]>,
  | "id"
  | "report_id"
  | "web_page_id"
  | "kind"
  | "rule"
  | "issue_type"
  | "outside_standard"
  | "impact_order"
  | "how_many"
  | "found_at"
  | "issue_id"
> & {
  fingerprint: string;
  component: string;
  url: string;
  message: string;
  help_url: string | null;
  tags: string[];
  /** The first of its elements; null where the issue does not list it. */
  element: FindingElement | null;
  states: StateElements;
  first_seen_at: Date;
};

/** Findings in the order of their ids as given; those that are gone are left out. */
export async function readFindings(
  db: Kysely<Database>,
  ids: readonly string[],
  comparisonId: string | null,
): Promise<FindingDetails[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<FindingDetails>`
    select f.id, f.report_id, f.web_page_id, f.kind, f.rule, f.issue_type, f.outside_standard, f.impact_order, f.how_many, f.found_at,
      f.issue_id, encode(f.fingerprint, 'hex') as fingerprint, encode(f.component, 'hex') as component, p.url,
      i.message, i.help_url, i.tags,
      -- Findings of one issue may share a fingerprint and differ in their selectors, by which they can be muted.
      jsonb_path_query_first(i.html,
        '$[*] ? (@.fingerprint == $fingerprint && ($selector == null || @.selector == $selector))',
        jsonb_build_object('fingerprint', encode(f.fingerprint, 'hex'), 'selector', f.selector)) as element,
      compared.states, coalesce(compared.first_seen_at, f.found_at) as first_seen_at
    from unnest(${[...ids]}::bigint[]) with ordinality as listed (id, place)
    join findings f on f.id = listed.id
    join web_pages p on p.id = f.web_page_id
    join issues i on i.id = f.issue_id
    cross join lateral (
      select json_object_agg(c.state, c.how_many) as states, min(c.first_seen_at) as first_seen_at
      from compared_findings c where c.comparison_id = ${comparisonId}::bigint and c.finding_id = f.id
    ) compared
    order by listed.place`.execute(db);
  return rows;
}

/** A finding's bytes in a response, where texts with control characters are longer than in the database. */
export function bytesOfFinding(finding: FindingDetails): number {
  return Buffer.byteLength(JSON.stringify(finding));
}
