import { expect } from "chai";
import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";
import { connect } from "../../../src/database/connection/connect.ts";
import { migrationLimits } from "../../../src/database/connection/connection-options.ts";
import { type LockWait, migrate, migrations } from "../../../src/database/migrations/migrate.ts";
import { readProgress } from "../../../src/database/reports/progress.ts";
import type { Database } from "../../../src/database/tables.ts";
import { insertReport } from "../../support/builders.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { queuePages } from "../../support/queue-pages.ts";
import { eventually } from "../../support/wait.ts";

describe("migrations", () => {
  const withLater = () => ({ ...migrations, "0002-expand": steps["0002-expand"] });
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

  it("says why it failed when its connection is lost", async () => {
    const { db, url } = database;
    await emptied(db);
    await migrate(db);
    const options = { applicationName: "test lost", maxConnections: 2, onIdleError: () => {} };
    const migrating = connect({ url, ...options, limits: migrationLimits });
    try {
      const error = await db.transaction().execute(async (trx) => {
        await sql`lock table reports in access share mode`.execute(trx);
        const failed = migrate(migrating, { own: withLater() }).catch((reason: unknown) => reason);
        await eventually(async () => {
          const { rows } = await sql`
            select pg_terminate_backend(pid) from pg_stat_activity
            where application_name = 'test lost' and wait_event_type = 'Lock' and query ilike 'alter table%'`.execute(
            db,
          );
          return rows.length > 0;
        });
        return failed;
      });
      expect(error).to.have.property("code", "57P01");
    } finally {
      await migrating.destroy();
    }
  });

  it("waits for a lock without blocking queries for long, and says who holds it", async () => {
    const { db, url } = database;
    await emptied(db);
    await migrate(db);
    const options = { applicationName: "test migrate", maxConnections: 2, onIdleError: () => {} };
    const migrating = connect({ url, ...options, limits: migrationLimits });
    const waits: LockWait[] = [];
    let running: Promise<string[]> | undefined;
    try {
      await db.transaction().execute(async (trx) => {
        await sql`lock table reports in access share mode`.execute(trx);
        running = migrate(migrating, { own: withLater(), onLocked: (wait) => waits.push(wait) });
        await eventually(async () => {
          const { rows } = await sql`select from pg_locks where not granted`.execute(db);
          return rows.length > 0;
        });
        // Queues behind the migration, and fails if it waits for longer than an ordinary lock_timeout.
        await sql`select count(*) from reports`.execute(db);
        const { holders } = await eventually(() => waits[0]);
        // Autovacuum may hold others, and queries that were let pass hold theirs for a moment: the longest comes first.
        const holder = holders.find(({ table }) => table === "reports");
        const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx);
        expect(holder).to.include({ application: "test", pid: rows[0]?.pid });
      });
      expect(await running).to.deep.equal(["0002-expand"]);
    } finally {
      await Promise.allSettled([running]);
      await migrating.destroy();
    }
  });

  it("change the schema in steps of which each serves the programs of the version before", async () => {
    const { db } = database;
    await emptied(db);
    await migrate(db);
    const before = await insertReport(db);
    /** What the programs of the version before do with a column that they do not know. */
    const usedByEarlier = async () => {
      const report = await insertReport(db, { spec: { tags: ["first"] } });
      await queuePages(db, report, [""]);
      expect((await readProgress(db, report))?.pages).to.equal(1);
      return report;
    };
    const language = async () => {
      const { rows } = await sql<{ id: string; language: string | null }>`select id, language from reports`.execute(db);
      return Object.fromEntries(rows.map(({ id, language }) => [id, language]));
    };
    /** One release after the other: the migrations of the ones before come with it. */
    const release = (...names: (keyof typeof steps)[]) =>
      migrate(db, { own: { ...migrations, ...Object.fromEntries(names.map((name) => [name, steps[name]])) } });

    expect(await release("0002-expand")).to.deep.equal(["0002-expand"]);
    const between = await usedByEarlier();
    expect(await language()).to.deep.equal({ [before]: null, [between]: null });
    // The programs of release 2 write the column. Those of release 1 are gone by now, and what they left is filled in.
    expect(await release("0002-expand", "0003-fill")).to.deep.equal(["0003-fill"]);
    expect(await language()).to.deep.equal({ [before]: "en", [between]: "en" });
    const rolledBack = await usedByEarlier();
    expect((await language())[rolledBack]).to.equal("en");
    expect(await release("0002-expand", "0003-fill", "0004-contract")).to.deep.equal(["0004-contract"]);
    const last = await usedByEarlier();
    expect((await language())[last]).to.equal("en");
    expect(await migrate(db), "after a rollback").to.deep.equal([]);
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

/** Without any table, as at the first start. */
async function emptied(db: Kysely<Database>): Promise<void> {
  await sql`drop schema public cascade`.execute(db);
  await sql`create schema public`.execute(db);
}

/** A made change in three releases, as src/database/migrations/README.md says. */
const steps = {
  "0002-expand": { up: (db) => run(db, "alter table reports add column language text") },
  "0003-fill": {
    up: async (db) => {
      await run(db, "alter table reports alter column language set default 'en'");
      await run(db, "update reports set language = 'en' where language is null");
    },
  },
  "0004-contract": {
    up: (db) => run(db, "alter table reports alter column language set not null"),
  },
} satisfies Record<string, Migration>;

async function run(db: Kysely<unknown>, statement: string): Promise<void> {
  await sql.raw(statement).execute(db);
}
