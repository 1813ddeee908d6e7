import { type Kysely, sql } from "kysely";
import type { Box } from "../../../domain/findings/box.ts";
import type { FindingState } from "../../../domain/findings/finding-state.ts";
import { type CheckKind, checkKinds, type Impact, impactOrder } from "../../../domain/findings/findings.ts";
import type { Database } from "../../tables.ts";

/** Which findings are exported. */
export type ExportQuery = {
  kind?: CheckKind | undefined;
  rule?: string | undefined;
  issueType?: "error" | "warning" | undefined;
  impact?: Impact | undefined;
  state?: FindingState | undefined;
  /** The muted ones instead of the others. */
  muted: boolean;
};

/** An issue with those of its findings that are exported: one for each state that its elements are in. */
export type ExportedIssue = {
  web_page_id: string;
  kind: CheckKind;
  url: string;
  message: string;
  help_url: string | null;
  tags: string[];
  html: StoredElement[];
  muted: boolean;
  findings: FoundRow[];
};

export type StoredElement = {
  fingerprint: string;
  selector?: string;
  extract: string;
  target?: string;
  box?: Box | null;
  coordinates?: { first_line: number; first_column: number | null; hilite_start: number; hilite_length: number };
};

type FoundRow = {
  fingerprint: string;
  component: string;
  selector: string | null;
  rule: string;
  issue_type: "error" | "warning";
  outside_standard: boolean;
  impact_order: number | null;
  how_many: number;
  state: FindingState | null;
  /** Seconds since 1970. */
  first_seen_at: number;
};

/** The issues of some pages of a report, by page. */
export async function readIssues(
  db: Kysely<Database>,
  pageIds: readonly string[],
  { kind, rule, issueType, impact, state, muted, comparisonId }: ExportQuery & { comparisonId: string | null },
): Promise<ExportedIssue[]> {
  const conditions = [
    sql`f.web_page_id = any(${[...pageIds]}::bigint[])`,
    muted ? sql`f.muting_id is not null` : sql`f.muting_id is null`,
    ...(kind === undefined ? [] : [sql`f.kind = ${kind}`]),
    ...(rule === undefined ? [] : [sql`f.rule = ${rule}`]),
    ...(issueType === undefined ? [] : [sql`f.issue_type = ${issueType}`]),
    ...(impact === undefined ? [] : [sql`f.impact_order = ${impactOrder(impact)}`]),
    ...(state === undefined ? [] : [sql`c.state = ${state}`]),
  ];
  const { rows } = await sql<ExportedIssue>`
    with found as (
      select f.issue_id, json_agg(json_build_object(
        'fingerprint', encode(f.fingerprint, 'hex'), 'component', encode(f.component, 'hex'),
        'selector', f.selector, 'rule', f.rule, 'issue_type', f.issue_type, 'outside_standard', f.outside_standard,
        'impact_order', f.impact_order, 'how_many', coalesce(c.how_many, f.how_many), 'state', c.state,
        'first_seen_at', extract(epoch from coalesce(c.first_seen_at, f.found_at))
      ) order by f.id, c.state) as findings
      from findings f
      left join compared_findings c on c.comparison_id = ${comparisonId}::bigint and c.finding_id = f.id
      where ${sql.join(conditions, sql` and `)}
      group by 1
    )
    select i.web_page_id, i.kind, p.url, i.message, i.help_url, i.tags, i.html, found.findings, ${muted}::boolean as muted
    from found join issues i on i.id = found.issue_id
    join web_pages p on p.id = i.web_page_id
    order by i.web_page_id, array_position(array[${sql.join(checkKinds)}], i.kind), i.id`.execute(db);
  return rows;
}
