import { expect } from "chai";
import { sql } from "kysely";
import { connect } from "../../../src/database/connection/connect.ts";
import { migrationLimits } from "../../../src/database/connection/connection-options.ts";
import { type LockWait, migrate } from "../../../src/database/migrations/migrate.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { eventually } from "../../support/wait.ts";

describe("migrations", () => {
  let database: TestDatabase;

  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());

  it("finds nothing to do on a migrated database", async () => {
    expect(await migrate(database.db)).to.deep.equal([]);
  });

  it("lets several processes start at once on an empty database, and applies each migration once", async () => {
    await sql`drop schema public cascade`.execute(database.db);
    await sql`create schema public`.execute(database.db);
    const connections = [1, 2, 3].map(() =>
      connect({ url: database.url, applicationName: "test", maxConnections: 2, onIdleError: () => {} }),
    );
    const applied = await Promise.all(connections.map((db) => migrate(db)));
    await Promise.all(connections.map((db) => db.destroy()));
    const lengths = applied.map((names) => names.length).sort();
    expect(lengths.slice(0, 2)).to.deep.equal([0, 0]);
    expect(lengths[2]).to.be.greaterThan(0);
  });

  it("leaves the migrations of a later version alone, so that programs can be rolled back", async () => {
    await sql`insert into kysely_migration (name, timestamp) values ('9999-later', now()::text)`.execute(database.db);
    expect(await migrate(database.db)).to.deep.equal([]);
    await sql`delete from kysely_migration where name = '9999-later'`.execute(database.db);
  });

  it("waits for a lock without blocking queries for long, and says who holds it", async () => {
    const { db, url } = database;
    await sql`alter table reports drop column crawl_epoch`.execute(db);
    await sql`drop table leader_terms`.execute(db);
    await sql`delete from kysely_migration where name = '0002-fencing'`.execute(db);
    const options = { applicationName: "test migrate", maxConnections: 2, onIdleError: () => {} };
    const migrating = connect({ url, ...options, limits: migrationLimits });
    const waits: LockWait[] = [];
    let running: Promise<string[]> | undefined;
    try {
      await db.transaction().execute(async (trx) => {
        await sql`lock table reports in access share mode`.execute(trx);
        running = migrate(migrating, { onLocked: (wait) => waits.push(wait) });
        await eventually(async () => {
          const { rows } = await sql`select from pg_locks where not granted`.execute(db);
          return rows.length > 0;
        });
        // Queues behind the migration, and fails if it waits for longer than an ordinary lock_timeout.
        await sql`select count(*) from reports`.execute(db);
        const { holders } = await eventually(() => waits[0]);
        expect(holders).to.have.length(1);
        expect(holders[0]).to.include({ application: "test", table: "reports" });
      });
      expect(await running).to.deep.equal(["0002-fencing"]);
    } finally {
      await Promise.allSettled([running]);
      await migrating.destroy();
    }
  });

  it("has an index for every foreign key, so that deleting a report does not scan", async () => {
    const { rows } = await sql<{ table: string; column: string }>`
      select c.conrelid::regclass::text as table, a.attname as column
      from pg_constraint c
      join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
      where c.contype = 'f' and not exists (
        select 1 from pg_index i where i.indrelid = c.conrelid and i.indkey[0] = c.conkey[1]
      )`.execute(database.db);
    expect(rows).to.deep.equal([]);
  });
});
