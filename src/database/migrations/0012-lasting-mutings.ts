import { type Kysely, sql } from "kysely";

/**
 * Mutings by rule, selector and fingerprint, which may silence some of an issue's findings, and may expire. What is
 * there already means the same as before.
 */
const statements = [
  // What it matches: {url_match, message, rule, selector, steps, fingerprint}. null: url_match and message, without an
  // end. Programs of earlier versions cannot apply anything else, so url_match is then a text that no URL contains.
  // expired: it is over, and its findings are counted again.
  `alter table mutings add column criteria jsonb, add column reason text, add column expires_at timestamptz,
    add column expired boolean not null default false`,
  `create index on mutings (account_id) where criteria is not null`,
  `create index on mutings (expires_at) where expires_at is not null and not expired`,
  // The muting_revision that this version or a later one noted: another one is of a program that does not know them all.
  `alter table checks add column judged_revision integer`,
  `create index checks_misjudged on checks (report_id)
    where status = 'checked' and judged_revision is distinct from muting_revision`,
  // The CSS selector of the element; null for a finding about the document, and for those of earlier versions.
  `alter table findings add column selector text`,
  `create index on findings (report_id, muting_id) where muting_id is not null`,
  // Elements of an issue that is not muted as a whole: how_many does not include them.
  ...["html", "a11y"].flatMap((kind) => [
    `alter table ${kind}_issues add column muted_count integer not null default 0`,
    `create index ${kind}_issues_muted on ${kind}_issues (report_id) where muting_id is not null or muted_count > 0`,
  ]),
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
