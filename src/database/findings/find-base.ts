import { type Kysely, sql } from "kysely";
import { checkKinds, manifestOf } from "../../checks/kinds.ts";
import type { Database } from "../tables.ts";

/** Settings that decide what is found: reports that differ in one are not compared automatically. */
const settings = [
  ...checkKinds.flatMap((kind) => {
    const { perform, engine, incomplete } = manifestOf(kind).settings;
    return [perform, engine, incomplete].filter((name) => name !== undefined);
  }),
  ...(["dynamicCrawler", "deviceId", "deviceRotated", "userAgent"] as const),
];

/**
 * The base that a report is compared with automatically: the one that its definition names, if the report's creator may
 * see it; otherwise the newest earlier report of the same creator, with the same schedule or, without a schedule, with
 * the same starting URL and settings. It must be complete, and neither cut short nor cancelled.
 */
export async function findBase(db: Kysely<Database>, reportId: string): Promise<string | undefined> {
  const same = sql.join(
    settings.map((name) => sql`b.spec -> ${sql.lit(name)} = r.spec -> ${sql.lit(name)}`),
    sql` and `,
  );
  const { rows } = await sql<{ id: string }>`
    select b.id from reports r join reports b on b.account_id = r.account_id
    where r.id = ${reportId} and b.id <> r.id and b.phase = 'Complete' and b.failure_code is null and b.deleted_at is null
      and not (b.spec ->> 'cancelled')::boolean
      and case when r.spec ->> 'baseId' <> ''
          then b.id::text = r.spec ->> 'baseId' and (r.guest_token is null or b.guest_token = r.guest_token)
        else b.inserted_at < r.inserted_at and b.guest_token is not distinct from r.guest_token
          and case when r.schedule_id is null then b.starting_url = r.starting_url and ${same}
            else b.schedule_id = r.schedule_id end
      end
    order by b.inserted_at desc, b.id limit 1`.execute(db);
  return rows[0]?.id;
}
