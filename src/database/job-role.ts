import { createHash, randomBytes } from "node:crypto";
import { type Kysely, sql } from "kysely";
import pg from "pg";
import { countFields } from "../domain/findings/check-counts.ts";
import { projectedColumns } from "./reports/projected-columns.ts";
import type { Database } from "./tables.ts";

/** The role that has the rights of Jobs; users that log in are its members. The schema says which rows they see. */
const JOB_ROLE = "site_validator_job";

/** The rights of Jobs on each table, besides those on the columns below. */
const tableRights: Record<string, string> = {
  reports: "select",
  rate_limits: "select, update",
  frontier: "select, insert, update, delete",
  web_pages: "select, insert, update",
  page_sources: "select, insert, update, delete",
  excluded_urls: "select, insert, update",
  report_notices: "select, insert, update, delete",
  page_facts: "select, insert, update, delete",
  inbound_links: "select, insert, update",
  seen_links: "select, insert, delete",
  page_references: "select, insert, update",
  answers: "select, insert, update",
  checks: "select, insert, update",
  common_issues: "select, insert, update, delete",
  issues: "select, insert, update, delete",
  findings: "select, insert, delete",
  raw_checks: "select, insert, delete",
  reusable_outcomes: "select, insert, update",
  screenshots: "select, insert, delete",
  element_pictures: "select, insert, delete",
  sign_in_pictures: "select, insert, delete",
  site_sessions: "select, insert, update",
  mutings: "select",
  credit_usage: "select, insert, update",
};

const columnRights: Record<string, string> = {
  accounts: "select (id, monthly_credits, muting_revision)",
  check_counts: `select, update (${countFields.join(", ")})`,
  month_files: "select (id, html, state), update (pdf, state, failure, ended_at)",
  guest_accounts: "select (token, account_id, max_usage, deleted_at)",
};

/** Columns that say what a report is and who may see it: Jobs may change all others. */
const fixedReportColumns = [
  ...[...projectedColumns.fixed, ...projectedColumns.following, "phase", "run_base", "last_jobs"],
  ...["completed_at", "deleted_at", "comparison_id", "passed", "gate_results", "coverage", "site_reviewed"],
];

export type Login = { user: string; password: string };

/** The user and password of a URL; undefined when it has none. */
export function loginOf(url: string): Login | undefined {
  const [, user, password] = /^postgres(?:ql)?:\/\/([^:@/?#]+):([^@/?#]*)@/i.exec(url) ?? [];
  if (user === undefined || password === undefined) return undefined;
  return { user: decodeURIComponent(user), password: decodeURIComponent(password) };
}

/** The URL with another user and password. */
export function withLogin(url: string, { user, password }: Login): string {
  const login = `${encodeURIComponent(user)}:${encodeURIComponent(password)}@`;
  return url.replace(/^(postgres(?:ql)?:\/\/)(?:[^@/?#]*@)?/i, (_, scheme: string) => scheme + login);
}

/** A user for the Jobs of this database only, with a new password at each start. Roles belong to the whole server. */
export function ownLogin(database: string): Login {
  const unique = createHash("sha256").update(database).digest("hex").slice(0, 12);
  return { user: `${JOB_ROLE}_${unique}`, password: randomBytes(24).toString("hex") };
}

/**
 * Creates the role of Jobs and a user with it, and grants what Jobs need. Safe to repeat, and to run concurrently.
 *
 * @returns false when this user may not create roles and they do not exist: then somebody else has to (docs/cluster.md)
 */
export async function ensureJobRole(db: Kysely<Database>, login: Login): Promise<boolean> {
  return db.connection().execute(async (session) => {
    await sql`select pg_advisory_lock(hashtext('site-validator job role'))`.execute(session);
    try {
      if (!(await ensureRole(session, JOB_ROLE, "nologin"))) return false;
      await grantRights(session);
      const password = `password ${pg.escapeLiteral(login.password)}`;
      if (!(await ensureRole(session, login.user, `login ${password}`))) return false;
      await attempt(session, `alter role ${pg.escapeIdentifier(login.user)} ${password}`);
      await attempt(session, `grant ${JOB_ROLE} to ${pg.escapeIdentifier(login.user)}`);
      const { rows } = await sql<{ member: boolean }>`
        select pg_has_role(${login.user}::name, ${JOB_ROLE}::name, 'member') as member`.execute(session);
      return rows[0]?.member === true;
    } finally {
      await sql`select pg_advisory_unlock(hashtext('site-validator job role'))`.execute(session);
    }
  });
}

/**
 * Gives the user of Jobs a new password, in a database where `ensureJobRole` has run before.
 *
 * @throws an error of PostgreSQL when there is no such user
 */
export async function renewPassword(db: Kysely<Database>, { user, password }: Login): Promise<void> {
  await sql.raw(`alter role ${pg.escapeIdentifier(user)} password ${pg.escapeLiteral(password)}`).execute(db);
}

/** The token with which a Job names its report. */
export async function jobToken(db: Kysely<Database>, reportId: string): Promise<string> {
  const { rows } = await sql<{ token: string }>`select job_token(${reportId}::uuid) as token`.execute(db);
  const [row] = rows;
  if (!row) throw new Error("The database has no key for the tokens of Jobs.");
  return row.token;
}

async function ensureRole(session: Kysely<Database>, name: string, options: string): Promise<boolean> {
  const exists = async () => (await sql`select from pg_roles where rolname = ${name}`.execute(session)).rows.length > 0;
  if (await exists()) return true;
  // Another database of the server may create the same role now.
  await attempt(session, `create role ${pg.escapeIdentifier(name)} ${options}`, "42710", "23505");
  return exists();
}

/** Runs a statement that this user may not be allowed to run. */
async function attempt(session: Kysely<Database>, statement: string, ...ignored: string[]): Promise<void> {
  try {
    await sql.raw(statement).execute(session);
  } catch (error) {
    const { code = "" } = error as { code?: string };
    if (![...ignored, "42501"].includes(code)) throw error;
  }
}

async function grantRights(session: Kysely<Database>): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select column_name as name from information_schema.columns
    where table_schema = current_schema() and table_name = 'reports' and not (column_name = any(${fixedReportColumns}))
    order by 1`.execute(session);
  const columns = rows.map(({ name }) => pg.escapeIdentifier(name)).join(", ");
  const statements = [
    // Columns may have become fixed since they were granted.
    `revoke update on reports from ${JOB_ROLE}`,
    ...Object.entries({ ...tableRights, ...columnRights }).map(
      ([table, rights]) => `grant ${rights} on ${table} to ${JOB_ROLE}`,
    ),
    `grant update (${columns}) on reports to ${JOB_ROLE}`,
    `grant usage on sequence lease_tokens to ${JOB_ROLE}`,
  ];
  // All at once: one after the other, they would take longer than everything else here.
  await sql.raw(statements.join(";\n")).execute(session);
}
