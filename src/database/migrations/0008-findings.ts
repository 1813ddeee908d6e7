import { type Kysely, sql } from "kysely";

/**
 * Findings with identity: one row for each fault of an issue, whose fingerprint is the same in every run. Programs of
 * earlier versions write issues without findings: they are identified in the background (database/findings/).
 */
const statements = [
  // Digest of `pageKey`; null until it is needed.
  `alter table web_pages add column page_key bytea`,
  // When the findings of the check were identified: its finished_at, unless an earlier version has ended it since.
  `alter table checks add column identified_at timestamptz`,
  `create index checks_unidentified on checks (report_id) where status = 'checked' and identified_at is distinct from finished_at`,
  `create table findings (
    id bigint generated always as identity primary key,
    -- The issue's, which the findings end with.
    report_id uuid not null,
    web_page_id bigint not null,
    kind text not null check (kind in ('html', 'a11y')),
    -- Whichever it belongs to: a program of an earlier version that removes the issue removes its findings, too.
    html_issue_id bigint references html_issues on delete cascade,
    a11y_issue_id bigint references a11y_issues on delete cascade,
    rule text not null,
    -- An error or a warning, as issues have it; a11y issues also have an impact, from 1 (minor) to 4.
    issue_type text not null check (issue_type in ('error', 'warning')),
    impact_order smallint,
    -- Digests of 10 bytes (domain/identity/): null for a finding about the document as a whole.
    tag bytea,
    path bytea,
    fingerprint bytea not null,
    component bytea not null,
    -- Elements that nothing tells apart.
    how_many integer not null,
    -- The muting that silences it, if any.
    muting_id bigint,
    -- When this report found it. The oldest of its chain is in compared_findings.
    found_at timestamptz not null,
    check ((html_issue_id is null) <> (a11y_issue_id is null))
  )`,
  `create index on findings (web_page_id)`,
  `create index on findings (report_id, fingerprint)`,
  `create index on findings (report_id, component)`,
  `create index on findings (html_issue_id) where html_issue_id is not null`,
  `create index on findings (a11y_issue_id) where a11y_issue_id is not null`,
  `create policy own_report on findings using (not (select is_job()) or report_id = (select job_report()))`,
  `alter table findings enable row level security`,
  // A report held against an earlier one, its base.
  `create table comparisons (
    id bigint generated always as identity primary key,
    report_id uuid not null references reports on delete cascade,
    base_id uuid not null references reports on delete cascade,
    -- When pages of the two had last been checked: one that is checked later makes the comparison outdated.
    report_checked_at timestamptz not null,
    base_checked_at timestamptz not null,
    -- How many elements are in which state, without muted ones: [{kind, state, issue_type, impact_order, how_many}].
    counts jsonb not null default '[]',
    inserted_at timestamptz not null default now(),
    unique (report_id, base_id)
  )`,
  `create index on comparisons (base_id)`,
  // The states of the report's findings, and of those of the base that it has no more.
  // Without foreign keys: half a million rows are written at once. What a comparison leaves behind is purged.
  `create table compared_findings (
    comparison_id bigint not null,
    finding_id bigint not null,
    state text not null check (state in ('persisting', 'new', 'new_rule', 'fixed', 'gone', 'unknown')),
    how_many integer not null,
    -- When the oldest finding of the unbroken chain was found.
    first_seen_at timestamptz not null,
    primary key (comparison_id, finding_id, state)
  )`,
  `create index on compared_findings (comparison_id, state, finding_id) where state <> 'persisting'`,
  // The comparison with the base that the report has by itself, made when it ended.
  `alter table reports add column comparison_id bigint references comparisons on delete set null`,
  `create index on reports (comparison_id) where comparison_id is not null`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
