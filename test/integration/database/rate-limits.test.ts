import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { sql } from "kysely";
import { takeSlots } from "../../../src/database/crawl/rate-limits.ts";
import { createSlotQueue } from "../../../src/time/slot-queue.ts";
import { insertReport } from "../../support/builders.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

describe("the rate limit of a report", () => {
  let database: TestDatabase;

  before(async () => {
    database = await createTestDatabase();
    // When slots were taken, by the clock of the database, and how many. A trigger that looked at the clock itself would
    // do so later, by milliseconds or more where others use the machine.
    await sql`create table taken (id bigint generated always as identity, report_id uuid, at timestamptz, slots integer)`.execute(
      database.db,
    );
    await sql`create function note_slot() returns trigger language plpgsql as $$ declare
        slots integer := current_setting('test.slots');
        rate double precision := current_setting('test.rate');
      begin
        insert into taken (report_id, at, slots) values (new.report_id, new.next_slot - make_interval(secs => slots / rate), slots);
        return new;
      end $$`.execute(database.db);
    await sql`create trigger note before update on rate_limits for each row execute function note_slot()`.execute(
      database.db,
    );
  });
  after(() => database.drop());

  /** Takes slots, and notes how many in the transaction. */
  const takeNoted = (id: string, rateLimit: number) => (wanted: number) =>
    database.db.transaction().execute(async (trx) => {
      await sql`select set_config('test.slots', ${wanted}::text, true), set_config('test.rate', ${rateLimit}::text, true)`.execute(
        trx,
      );
      return takeSlots(trx, id, rateLimit, wanted);
    });

  /** Sends requests through the queues of several processes at once. @returns when they left, in milliseconds, in order */
  async function leave(rateLimit: number, processes: number, requests: number): Promise<number[]> {
    const { db } = database;
    const id = await insertReport(db, { spec: { rateLimit } });
    const take = takeNoted(id, rateLimit);
    const queues = Array.from({ length: processes }, () =>
      createSlotQueue({ rateLimit, take, sleep: (ms) => sleep(ms) }),
    );
    await Promise.all(queues.flatMap((queue) => Array.from({ length: requests }, () => queue())));
    const { rows } = await sql<{ at: number; slots: number }>`
      select extract(epoch from at)::float8 * 1000 as at, slots from taken where report_id = ${id} order by id`.execute(
      db,
    );
    return rows.flatMap(({ at, slots }) => new Array<number>(slots).fill(at));
  }

  for (const [rateLimit, processes, requests] of [
    [5, 3, 3],
    [25, 4, 10],
    [200, 2, 150],
  ] as const)
    it(`of ${rateLimit} a second is kept by ${processes} processes in every second, from when requests leave`, async () => {
      const left = await leave(rateLimit, processes, requests);
      expect(left).to.have.length(processes * requests);
      for (const [index, at] of left.entries()) {
        const next = left[index + rateLimit];
        // The database rounds to microseconds.
        if (next !== undefined) expect(next - at, `request ${index + rateLimit}`).to.be.at.least(999.99);
      }
    });

  it("lets requests of one process leave in the order in which they came", async () => {
    const id = await insertReport(database.db, { spec: { rateLimit: 100 } });
    const queue = createSlotQueue({ rateLimit: 100, take: takeNoted(id, 100), sleep: (ms) => sleep(ms) });
    const order: number[] = [];
    await Promise.all([0, 1, 2, 3, 4].map((n) => queue().then(() => order.push(n))));
    expect(order).to.deep.equal([0, 1, 2, 3, 4]);
  });

  it("gives whoever waits the error of the database, and goes on with the next request", async () => {
    const errors = [new Error("away")];
    const take = async (wanted: number) => {
      const error = errors.shift();
      if (error) throw error;
      return { taken: wanted, waitMs: 0 };
    };
    const queue = createSlotQueue({ rateLimit: 1, take, sleep: async () => {} });
    const failed = await Promise.allSettled([queue(), queue()]);
    expect(failed.map(({ status }) => status)).to.deep.equal(["rejected", "rejected"]);
    await queue();
  });
});
