import { type Kysely, sql } from "kysely";
import type { CriterionAnswer } from "../../domain/conformance/judge-site.ts";
import type { SampledPage } from "../../domain/conformance/sample.ts";
import type { StatementDetails } from "../../domain/conformance/statement.ts";
import type { AssignmentScope } from "../findings/assignments.ts";
import type { Database } from "../tables.ts";

/** The site that persons judge: all reports of it have the answers alike. */
export type SiteScope = AssignmentScope;

const isOf = ({ accountId, guestToken, startingUrl }: SiteScope) =>
  sql`account_id = ${accountId} and guest_token = coalesce(${guestToken}::text, '') and starting_url = ${startingUrl}`;

/** What persons have said of a site's criteria, by number. */
export async function readAnswers(db: Kysely<Database>, scope: SiteScope): Promise<Map<string, CriterionAnswer>> {
  const { rows } = await sql<CriterionAnswer & { criterion: string }>`
    select criterion, outcome, evidence, answered_by, answered_at, pages from criterion_answers where ${isOf(scope)}`.execute(
    db,
  );
  return new Map(rows.map(({ criterion, ...answer }) => [criterion, answer]));
}

/** Stores what a person says of a criterion; undefined takes it back. */
export async function storeAnswer(
  db: Kysely<Database>,
  scope: SiteScope,
  criterion: string,
  answer: CriterionAnswer | undefined,
): Promise<void> {
  if (!answer) {
    await sql`delete from criterion_answers where ${isOf(scope)} and criterion = ${criterion}`.execute(db);
    return;
  }
  const { accountId, guestToken, startingUrl } = scope;
  const { outcome, evidence, answered_by, answered_at, pages } = answer;
  await sql`
    insert into criterion_answers (account_id, guest_token, starting_url, criterion, outcome, evidence, answered_by, answered_at, pages)
    values (${accountId}, coalesce(${guestToken}::text, ''), ${startingUrl}, ${criterion}, ${outcome}, ${evidence}, ${answered_by},
      ${answered_at}, ${JSON.stringify(pages)}::jsonb)
    on conflict (account_id, guest_token, starting_url, criterion) do update set outcome = excluded.outcome,
      evidence = excluded.evidence, answered_by = excluded.answered_by, answered_at = excluded.answered_at, pages = excluded.pages`.execute(
    db,
  );
}

const NO_DETAILS: StatementDetails = { operator: null, contact: null, answer_within_days: null };

export async function readStatementDetails(db: Kysely<Database>, scope: SiteScope): Promise<StatementDetails> {
  const { rows } = await sql<StatementDetails>`
    select operator, contact, answer_within_days from site_statements where ${isOf(scope)}`.execute(db);
  return rows[0] ?? NO_DETAILS;
}

export async function storeStatementDetails(
  db: Kysely<Database>,
  { accountId, guestToken, startingUrl }: SiteScope,
  { operator, contact, answer_within_days }: StatementDetails,
): Promise<void> {
  await sql`
    insert into site_statements (account_id, guest_token, starting_url, operator, contact, answer_within_days)
    values (${accountId}, coalesce(${guestToken}::text, ''), ${startingUrl}, ${operator}, ${contact}, ${answer_within_days})
    on conflict (account_id, guest_token, starting_url) do update set operator = excluded.operator, contact = excluded.contact,
      answer_within_days = excluded.answer_within_days`.execute(db);
}

/** The pages of a report that could be fetched, as they load: what a sample is drawn of. At most so many. */
export async function pagesToSample(db: Kysely<Database>, reportId: string, limit: number): Promise<SampledPage[]> {
  const { rows } = await sql<SampledPage>`
    select url, template from web_pages where report_id = ${reportId} and fetched and device is null and state is null
    order by id limit ${limit}`.execute(db);
  return rows;
}
