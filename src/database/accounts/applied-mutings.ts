import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Page, Paginated } from "../lists.ts";
import type { Database } from "../tables.ts";
import { guestKnown } from "./guest-known.ts";
import type { MutingRow } from "./mutings.ts";

/** Mutings that silence at least one finding of a report, oldest first. */
export async function listAppliedMutings(
  db: Kysely<Database>,
  reportId: string,
  page: Page,
): Promise<Paginated<MutingRow>> {
  const applied = sql<string>`(${sql.join(
    ["issues", "findings"].map((table) => mutingsIn(table, reportId)),
    sql` union `,
  )})`;
  const found = db
    .selectFrom("mutings")
    .where("account_id", "=", sql<string>`(select account_id from reports where id = ${reportId})`)
    .where("id", "in", applied);
  const { total } = await found.select((eb) => eb.fn.countAll<string>().as("total")).executeTakeFirstOrThrow();
  const selected = found.selectAll().select(guestKnown("mutings"));
  const rows = await selected.orderBy("id").limit(page.limit).offset(page.offset).execute();
  return { rows, total: Number(total) };
}

/** Skips from one muting to the next in the index: each may silence a hundred thousand findings. */
function mutingsIn(table: string, reportId: string) {
  const next = (after: RawBuilder<unknown>) => sql`
    select muting_id from ${sql.table(table)} where report_id = ${reportId} and muting_id is not null ${after}
    order by muting_id limit 1`;
  return sql`(
    with recursive known as (
      (${next(sql``)})
      union all
      select (${next(sql`and muting_id > known.muting_id`)}) from known where known.muting_id is not null
    )
    select muting_id from known where muting_id is not null
  )`;
}
