import { type Kysely, sql } from "kysely";
import type { Database } from "../../src/database/tables.ts";

/** Everything that a report has found and cost, without ids and times: one list a part, in an order of its own. */
export type Outcome = Record<string, string[]>;

const parts = (report: string) => ({
  report: sql`
    select phase, crawl_state, failure_code, num_pages, coverage, start_forms
    from reports where id = ${report}`,
  counts: sql`
    select kind, pending, checked, failed, errors, warnings, minor, moderate, serious, critical
    from check_counts where report_id = ${report}`,
  pages: sql`select url, linked_from, http_status, shows_sign_in, template, like_others from web_pages where report_id = ${report}`,
  "excluded URLs": sql`select url, linked_from, reason from excluded_urls where report_id = ${report}`,
  notices: sql`select code, url, how_many, detail from report_notices where report_id = ${report}`,
  "inbound links": sql`select url, how_many, pages from inbound_links where report_id = ${report}`,
  checks: sql`
    select p.url, c.kind, c.status, c.failure_code, c.errors, c.warnings, c.minor, c.moderate, c.serious, c.critical,
      c.reserved_month is null as released
    from checks c join web_pages p on p.id = c.web_page_id where c.report_id = ${report}`,
  issues: sql`
    select p.url, to_jsonb(i) - '{id,report_id,web_page_id,common_id,inserted_at,updated_at}'::text[] as issue
    from issues i join web_pages p on p.id = i.web_page_id where i.report_id = ${report}`,
  "common issues": sql`
    select to_jsonb(c) - '{id,report_id,inserted_at,updated_at}'::text[] as issue
    from common_issues c where report_id = ${report}`,
  credits: sql`select reserved, charged from credit_usage order by account_id, month`,
  reports: sql`select count(*)::integer as reports from reports`,
});

export async function readOutcome(db: Kysely<Database>, report: string): Promise<Outcome> {
  const outcome: Outcome = {};
  for (const [name, query] of Object.entries(parts(report))) {
    const { rows } = await query.execute(db);
    outcome[name] = rows.map((row) => JSON.stringify(row)).sort();
  }
  return outcome;
}

/** What differs: by part, rows that are missing and rows that are too many. Empty when both are equal. */
export function differences(expected: Outcome, actual: Outcome): string[] {
  return Object.keys(expected).flatMap((part) => {
    const missing = without(expected[part] ?? [], actual[part] ?? []);
    const extra = without(actual[part] ?? [], expected[part] ?? []);
    if (missing.length + extra.length === 0) return [];
    const show = (sign: string, rows: string[]) => rows.slice(0, 2).map((row) => `${sign} ${row.slice(0, 240)}`);
    const examples = [...show("-", missing), ...show("+", extra)];
    return [`${part}: ${missing.length} missing, ${extra.length} too many`, ...examples];
  });
}

function without(rows: string[], others: string[]): string[] {
  const left = new Map<string, number>();
  for (const row of others) left.set(row, (left.get(row) ?? 0) + 1);
  return rows.filter((row) => {
    const count = left.get(row) ?? 0;
    if (count > 0) left.set(row, count - 1);
    return count === 0;
  });
}
