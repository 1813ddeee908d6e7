import { type Kysely, sql } from "kysely";

/**
 * What a Job may see, for sessions of the role that Jobs use (job-role.ts): the rows of its own report. A Job names
 * its report by a token that only the owner of the database can make. For all other roles nothing changes.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ schema: string }>`select quote_ident(current_schema()) as schema`.execute(db);
  for (const statement of statements(rows[0]?.schema ?? "public")) await sql.raw(statement).execute(db);
}

/** Each refers to the report, or is found by its page. */
const byReport = [
  ...["rate_limits", "frontier", "web_pages", "excluded_urls", "checks"],
  ...["common_html_issues", "html_issues", "common_a11y_issues", "a11y_issues"],
];
const byPage = ["page_sources", "raw_checks", "screenshots"];

const mine = "(select job_report())";
/** Runs with the rights of the caller, who sees only the row of the own report. */
const ofReport = (column: string): string => `(select r.${column} from reports r where r.id = ${mine})`;

const rules: [table: string, rule: string][] = [
  ["reports", `id = ${mine}`],
  ...byReport.map((table): [string, string] => [table, `report_id = ${mine}`]),
  ...byPage.map((table): [string, string] => [
    table,
    `exists (select from web_pages w where w.id = web_page_id and w.report_id = ${mine})`,
  ]),
  ["accounts", `id = ${ofReport("account_id")}`],
  ["mutings", `account_id = ${ofReport("account_id")}`],
  ["guest_accounts", `token = ${ofReport("guest_token")}`],
  [
    "credit_usage",
    `account_id = ${ofReport("account_id")} and guest_token in ('', coalesce(${ofReport("guest_token")}, ''))`,
  ],
];

function statements(schema: string): string[] {
  // pg_temp comes last: a Job may create temporary tables, which must not stand in for these.
  const path = `set search_path = pg_catalog, ${schema}, pg_temp`;
  return [
    // One row. Two keys, as in NMAC, the general form of HMAC.
    `create table job_keys (
      singleton boolean primary key default true check (singleton),
      inner_key bytea not null,
      outer_key bytea not null
    )`,
    `insert into job_keys (inner_key, outer_key) select ${randomKey}, ${randomKey}`,
    // The report's id and its signature. Needs the right to read the keys, which only the owner has.
    `create function job_token(report uuid) returns text language sql stable ${path} as $$
      select report || '.' || encode(sha256(k.outer_key || sha256(k.inner_key || convert_to(report::text, 'UTF8'))), 'hex')
      from job_keys k
    $$`,
    `revoke all on function job_token(uuid) from public`,
    // The report of this session's token, or null.
    `create function job_report() returns uuid language plpgsql stable security definer ${path} as $$
      declare
        given text := current_setting('site_validator.job_token', true);
      begin
        if given ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}[.][0-9a-f]{64}$' and given = job_token(left(given, 36)::uuid) then
          return left(given, 36)::uuid;
        end if;
        return null;
      end
    $$`,
    // Whether this session is a Job's. The role may not exist: then Jobs use the owner's.
    `create function is_job() returns boolean language sql stable ${path} as $$
      select exists (
        select from pg_roles r where r.rolname = 'site_validator_job' and pg_has_role(current_user, r.oid, 'member')
      )
    $$`,
    ...rules.flatMap(([table, rule]) => [
      `create policy own_report on ${table} using (not (select is_job()) or ${rule})`,
      `alter table ${table} enable row level security`,
    ]),
  ];
}

const randomKey = "decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex')";
