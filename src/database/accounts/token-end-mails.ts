import { type Kysely, sql } from "kysely";
import { TOKEN_END_MAILS_MS } from "../../domain/accounts/token-end-mail.ts";
import { TOKEN_ENDS_SOON_DAYS } from "../../domain/accounts/token-ends.ts";
import { DAY_MS } from "../../domain/calendar-day.ts";
import type { Database } from "../tables.ts";

/** A maker of tokens who is to hear that they end, with those of which this person has not heard. */
export type DueTokenEnds = {
  person_id: string;
  mail: string;
  /** How often it was tried to tell of the one that was tried most. */
  tries: number;
  /** The next to end first. */
  tokens: { id: string; name: string; expires_at: Date }[];
};

/**
 * The next maker to tell: of tokens that end within 14 days, once for each token and end. One that was made for less than that
 * ends as was wanted, and nobody hears of it; nor does a person whose access is over.
 */
export async function nextTokenEnds(db: Kysely<Database>, now: Date): Promise<DueTokenEnds | undefined> {
  const soon = new Date(now.getTime() + TOKEN_ENDS_SOON_DAYS * DAY_MS);
  const since = new Date(now.getTime() - TOKEN_END_MAILS_MS);
  const { rows } = await sql<Omit<DueTokenEnds, "tokens"> & { ids: string[]; names: string[]; ends: Date[] }>`
    select p.id as person_id, p.mail, max(coalesce(m.tries, 0))::integer as tries,
      array_agg(t.id order by t.expires_at, t.id) as ids, array_agg(t.name order by t.expires_at, t.id) as names,
      array_agg(t.expires_at order by t.expires_at, t.id) as ends
    from api_tokens t
    join people p on p.id = t.made_by
    left join token_end_mails m on m.token_id = t.id and m.expires_at = t.expires_at
    where t.expires_at > ${now} and t.expires_at <= ${soon}
      and t.inserted_at <= t.expires_at - make_interval(days => ${TOKEN_ENDS_SOON_DAYS})
      and (p.ends_at is null or p.ends_at > ${now})
      and (
        p.role is not null
        or (p.group_role is not null and (p.group_role_ends_at is null or p.group_role_ends_at > ${now}))
        or exists (select from site_roles r where r.person_id = p.id)
      )
      and (m.token_id is null or m.next_at <= ${now})
      and not exists (
        select from token_end_mails told join api_tokens other on other.id = told.token_id
        where other.made_by = p.id and told.sent_at > ${since}
      )
    group by p.id order by min(t.expires_at) limit 1`.execute(db);
  const [row] = rows;
  if (!row) return undefined;
  const { ids, names, ends, ...due } = row;
  const tokens = ids.map((id, index) => ({ id, name: names[index] ?? "", expires_at: ends[index] ?? now }));
  return { ...due, tokens };
}

/** What became of an attempt. @param next when it is tried again; null when it was sent, or is given up */
export async function recordTokenEnds(
  db: Kysely<Database>,
  { tokens, tries }: DueTokenEnds,
  { sentAt, next }: { sentAt: Date | null; next: Date | null },
): Promise<void> {
  // One that was revoked meanwhile is not there any more.
  await sql`
    insert into token_end_mails (token_id, expires_at, tries, next_at, sent_at)
    select t.id, told.expires_at, ${tries + 1}, ${next}::timestamptz, ${sentAt}::timestamptz
    from unnest(${tokens.map(({ id }) => id)}::uuid[], ${tokens.map(({ expires_at }) => expires_at)}::timestamptz[]) told (id, expires_at)
    join api_tokens t on t.id = told.id
    on conflict (token_id) do update set
      expires_at = excluded.expires_at, tries = excluded.tries, next_at = excluded.next_at,
      sent_at = coalesce(excluded.sent_at, token_end_mails.sent_at)`.execute(db);
}
