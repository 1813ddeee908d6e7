import { type Kysely, type RawBuilder, type Selectable, sql } from "kysely";
import type { CheckKind } from "../../checks/kinds.ts";
import type { Folder } from "../../domain/addresses/section.ts";
import type { FindingState } from "../../domain/findings/finding-state.ts";
import { type Impact, type IssueElement, impactOrder } from "../../domain/findings/findings.ts";
import type { Role } from "../../domain/findings/role.ts";
import { fittingSize } from "../lists.ts";
import { pagesIn } from "../reports/folders.ts";
import type { Database } from "../tables.ts";
import { faultOfFinding } from "./faults.ts";
import { haveRole, roleOfFinding } from "./roles.ts";

/** How many elements are in which state; null when they are not compared. */
export type StateElements = Partial<Record<FindingState, number>> | null;

/** A report's automatic comparison, with the report before it. */
export function comparisonOf(reportId: RawBuilder<unknown>): RawBuilder<string | null> {
  return sql<string | null>`(select r.comparison_id from reports r where r.id = ${reportId})`;
}

export type FindingFilter = {
  /** The comparison that states are taken from; null when the report is not compared. */
  comparisonId: string | null;
  kind?: CheckKind;
  /** Only what is outside of the report's standard, or only what is not. */
  outsideStandard?: boolean;
  rule?: string;
  impact?: Impact;
  issueType?: "error" | "warning";
  state?: FindingState;
  /** Digest in hex. */
  component?: string;
  /** Digest in hex. */
  cause?: string;
  /** On pages in this folder. */
  folder?: Folder;
  role?: Role;
  /** On this page. */
  webPageId?: string;
  /** Only those that follow from others of their page, or only those that do not. */
  follows?: boolean;
  /** The muted findings instead of the others. */
  muted: boolean;
};

/** Orders the most severe first; HTML findings have no impact. The index for lists uses this expression. */
const severityOrder = sql<number>`(4 - coalesce(f.impact_order, 0))`;
/** Orders names of rules by code points, whatever the database's locale. */
const ruleOrder = sql<string>`f.rule collate "C"`;

/** A FROM clause with conditions for a report's findings `f`; with a state, `c` is the state of each. */
export function findingsWhere(reportId: string, filter: FindingFilter): RawBuilder<unknown> {
  const { kind, outsideStandard, rule, impact, issueType, component, cause, folder, role, webPageId, muted } = filter;
  const { follows } = filter;
  const conditions = [
    sql`f.report_id = ${reportId}::uuid`,
    muted ? sql`f.muting_id is not null` : sql`f.muting_id is null`,
    ...(kind === undefined ? [] : [sql`f.kind = ${kind}`]),
    ...(outsideStandard === undefined ? [] : [sql`f.outside_standard = ${outsideStandard}`]),
    ...(rule === undefined ? [] : [sql`${ruleOrder} = ${rule}`]),
    ...(impact === undefined ? [] : [sql`${severityOrder} = ${4 - impactOrder(impact)}`]),
    ...(issueType === undefined ? [] : [sql`f.issue_type = ${issueType}`]),
    ...(component === undefined ? [] : [sql`f.component = decode(${component}, 'hex')`]),
    ...(cause === undefined ? [] : [sql`f.cause = decode(${cause}, 'hex')`]),
    ...(role === undefined ? [] : [haveRole(reportId, role)]),
    ...(follows === undefined ? [] : [sql`${follows} = (f.consequences = f.how_many)`]),
    ...(webPageId === undefined ? [] : [sql`f.web_page_id = ${webPageId}::bigint`]),
    // As an array: for a join, the planner reads the findings of all pages. Those of a component are few.
    ...(folder === undefined
      ? []
      : component === undefined
        ? [sql`f.web_page_id = any(array(${pagesIn(sql`${reportId}::uuid`, folder)}))`]
        : [sql`f.web_page_id in (${pagesIn(sql`${reportId}::uuid`, folder)})`]),
  ];
  return sql`findings f ${inState(filter)} where ${sql.join(conditions, sql` and `)}`;
}

function inState({ state, comparisonId }: FindingFilter): RawBuilder<unknown> {
  if (state === undefined) return sql``;
  return sql`join compared_findings c
    on c.comparison_id = ${comparisonId}::bigint and c.finding_id = f.id and c.state = ${state}`;
}

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
  | "consequences"
  | "found_at"
  | "issue_id"
> & {
  fingerprint: string;
  component: string;
  cause: string;
  fault: string;
  url: string;
  message: string;
  help_url: string | null;
  tags: string[];
  /** The first of its elements; null where the issue does not list it. */
  element: FindingElement | null;
  role: Role | null;
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
    select f.id, f.report_id, f.web_page_id, f.kind, f.rule, f.issue_type, f.outside_standard, f.impact_order, f.how_many, f.consequences, f.found_at,
      f.issue_id, encode(f.fingerprint, 'hex') as fingerprint, encode(f.component, 'hex') as component,
      encode(coalesce(f.cause, f.component), 'hex') as cause, encode(${faultOfFinding}, 'hex') as fault, p.url,
      i.message, i.help_url, i.tags, ${roleOfFinding} as role,
      -- Findings of one issue may share a fingerprint and differ in their selectors, by which they can be muted.
      jsonb_path_query_first(i.html,
        '$[*] ? (@.fingerprint == $fingerprint && ($selector == null || @.selector == $selector))',
        jsonb_build_object('fingerprint', encode(f.fingerprint, 'hex'), 'selector', f.selector)) as element,
      compared.states, coalesce(compared.first_seen_at, f.found_at) as first_seen_at
    from unnest(${[...ids]}::bigint[]) with ordinality as listed (id, place)
    -- One by one, by their ids, however many PostgreSQL takes them for: else it may read all reports'.
    cross join lateral (select * from findings where id = listed.id offset 0) f
    cross join lateral (select url from web_pages where id = f.web_page_id offset 0) p
    cross join lateral (select message, help_url, tags, html from issues where id = f.issue_id offset 0) i
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

/** A page of the list begins after this finding. Its place is known even when it is gone. */
export type FindingPlace = { issueType: string; severity: number; rule: string; id: string };

/** `next`: where the page after this one begins; undefined for the last one. */
export type FindingPage = { rows: FindingDetails[]; next: FindingPlace | undefined };

/**
 * A page of a report's findings: errors first, the most severe first, then by rule, then in the order found. Reads only
 * the findings of this page, however far into the list it is.
 *
 * @param reportIds the report, its base, or both: each has findings in other states
 */
export async function listFindings(
  db: Kysely<Database>,
  reportIds: readonly string[],
  filter: FindingFilter,
  { size, after }: { size: number; after?: FindingPlace },
): Promise<FindingPage> {
  const beyond = after
    ? sql`and (f.issue_type, ${severityOrder}, ${ruleOrder}, f.id)
        > (${after.issueType}::text, ${after.severity}::integer, ${after.rule}::text, ${after.id}::bigint)`
    : sql``;
  if (reportIds.length === 0) return { rows: [], next: undefined };
  // Ordered after they are found: else PostgreSQL, which counts on finding some early, reads all findings in their order.
  const found = (id: string) =>
    filter.component === undefined && filter.cause === undefined
      ? sql`${findingsWhere(id, filter)} ${beyond}`
      : sql`(select f.* from ${findingsWhere(id, filter)} ${beyond} offset 0) f`;
  // Separately for each report, because no index has the findings of two reports in one order.
  const ofReports = reportIds.map(
    (id) => sql`(
      select f.issue_type, ${severityOrder} as severity, f.rule, f.id
      from ${found(id)}
      order by f.issue_type, ${severityOrder}, ${ruleOrder}, f.id limit ${size + 1}
    )`,
  );
  const { rows: places } = await sql<FindingPlace>`
    select issue_type as "issueType", severity, rule, id from (${sql.join(ofReports, sql` union all `)}) f
    order by issue_type, severity, ${ruleOrder}, id limit ${size + 1}`.execute(db);
  const page = places.slice(0, size);
  const ids = page.map(({ id }) => id);
  const rows = await readFindings(db, ids, filter.comparisonId);
  // Pages are not numbered, so a page of large rows may be shorter.
  const fitting = fittingSize(rows.map(bytesOfFinding), { limit: size, offset: 0 });
  if (fitting >= rows.length) return { rows, next: places.length > size ? page.at(-1) : undefined };
  const last = rows[fitting - 1]?.id;
  return { rows: rows.slice(0, fitting), next: page.find(({ id }) => id === last) };
}
