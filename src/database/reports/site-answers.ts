import { type Kysely, sql } from "kysely";
import type { CriterionAnswer } from "../../domain/conformance/judge-site.ts";
import { AT_RANDOM, MAX_TEMPLATES, OF_A_TEMPLATE, type SampledPage } from "../../domain/conformance/sample.ts";
import type { StatementDetails } from "../../domain/conformance/statement.ts";
import type { Database } from "../tables.ts";
import { isOfSite, type SiteKey } from "./site-key.ts";

/** What persons have said of a site's criteria, by number. */
export async function readAnswers(db: Kysely<Database>, site: SiteKey): Promise<Map<string, CriterionAnswer>> {
  const { rows } = await sql<CriterionAnswer & { criterion: string }>`
    select criterion, outcome, evidence, answered_by, answered_at, to_char(due_on, 'YYYY-MM-DD') as due_on, pages from criterion_answers where ${isOfSite(site)}`.execute(
    db,
  );
  return new Map(rows.map(({ criterion, ...answer }) => [criterion, answer]));
}

/** Stores what a person says of a criterion; undefined takes it back. */
export async function storeAnswer(
  db: Kysely<Database>,
  site: SiteKey,
  criterion: string,
  answer: CriterionAnswer | undefined,
): Promise<void> {
  if (!answer) {
    await sql`delete from criterion_answers where ${isOfSite(site)} and criterion = ${criterion}`.execute(db);
    return;
  }
  const { accountId, guestToken, startingUrl } = site;
  const { outcome, evidence, answered_by, answered_at, due_on, pages } = answer;
  await sql`
    insert into criterion_answers (account_id, guest_token, starting_url, criterion, outcome, evidence, answered_by, answered_at, due_on, pages)
    values (${accountId}, coalesce(${guestToken}::text, ''), ${startingUrl}, ${criterion}, ${outcome}, ${evidence}, ${answered_by},
      ${answered_at}, ${due_on}::date, ${JSON.stringify(pages)}::jsonb)
    on conflict (account_id, guest_token, starting_url, criterion) do update set outcome = excluded.outcome,
      evidence = excluded.evidence, answered_by = excluded.answered_by, answered_at = excluded.answered_at, due_on = excluded.due_on, pages = excluded.pages`.execute(
    db,
  );
}

const NO_DETAILS: StatementDetails = { operator: null, contact: null, answer_within_days: null };

export async function readStatementDetails(db: Kysely<Database>, site: SiteKey): Promise<StatementDetails> {
  const { rows } = await sql<StatementDetails>`
    select operator, contact, answer_within_days from site_statements where ${isOfSite(site)}`.execute(db);
  return rows[0] ?? NO_DETAILS;
}

export async function storeStatementDetails(
  db: Kysely<Database>,
  { accountId, guestToken, startingUrl }: SiteKey,
  { operator, contact, answer_within_days }: StatementDetails,
): Promise<void> {
  await sql`
    insert into site_statements (account_id, guest_token, starting_url, operator, contact, answer_within_days)
    values (${accountId}, coalesce(${guestToken}::text, ''), ${startingUrl}, ${operator}, ${contact}, ${answer_within_days})
    on conflict (account_id, guest_token, starting_url) do update set operator = excluded.operator, contact = excluded.contact,
      answer_within_days = excluded.answer_within_days`.execute(db);
}

/**
 * Draws pages of a report that could be fetched, as they load, in the order of a digest of seed and address: the same seed draws the
 * same ones. Where structures were not compared, the site's folders stand for templates.
 */
export async function drawSample(db: Kysely<Database>, reportId: string, seed: string): Promise<SampledPage[]> {
  const { rows } = await sql<SampledPage>`
    with page as (
      select url, template, coalesce(template, section, '') as part, md5(${seed} || ' ' || url) as place
      from web_pages where report_id = ${reportId} and fetched and device is null and state is null
    ), numbered as (
      select *, row_number() over (partition by part order by place, url) as number, count(*) over (partition by part) as size from page
    ), ranked as (
      select *, dense_rank() over (order by size desc, part collate "C") as rank from numbered
    ), drawn as (
      select *, number <= ${OF_A_TEMPLATE} and rank <= ${MAX_TEMPLATES} as of_template from ranked
    )
    (select url, template, 'template' as drawn from drawn where of_template order by rank, number)
    union all
    (select url, template, 'random' as drawn from drawn where not of_template order by place, url limit ${AT_RANDOM})`.execute(
    db,
  );
  return rows;
}
