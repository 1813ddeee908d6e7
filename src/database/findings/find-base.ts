import { type Kysely, sql } from "kysely";
import type { Database } from "../tables.ts";

/** Settings that decide what is found: reports that differ in one are not compared by themselves. */
const settings = [
  ...["performHtmlChecks", "performA11yChecks", "htmlEngine", "storeIncompleteChecks"],
  ...["dynamicCrawler", "deviceId", "deviceRotated"],
];

/**
 * The report that a report is compared with by itself: the newest one before it that is complete, of the same schedule
 * and creator; of a report without a schedule, with the same starting URL and settings.
 */
export async function findBase(db: Kysely<Database>, reportId: string): Promise<string | undefined> {
  const same = sql.join(
    settings.map((name) => sql`b.spec -> ${sql.lit(name)} is not distinct from r.spec -> ${sql.lit(name)}`),
    sql` and `,
  );
  const { rows } = await sql<{ id: string }>`
    select b.id from reports r join reports b on b.account_id = r.account_id
    where r.id = ${reportId} and b.id <> r.id and b.phase = 'Complete' and b.deleted_at is null
      and b.inserted_at < r.inserted_at and b.guest_token is not distinct from r.guest_token
      and case when r.schedule_id is null then b.starting_url = r.starting_url and ${same}
        else b.schedule_id = r.schedule_id end
    order by b.inserted_at desc, b.id limit 1`.execute(db);
  return rows[0]?.id;
}
