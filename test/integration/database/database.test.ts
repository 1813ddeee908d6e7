import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { type Kysely, sql } from "kysely";
import { Migrator } from "kysely/migration";
import { createLocalCluster } from "../../../src/cluster/local/local-cluster.ts";
import { connect } from "../../../src/database/connection/connect.ts";
import { migrationLimits } from "../../../src/database/connection/connection-options.ts";
import { migrations } from "../../../src/database/migrations/index.ts";
import { type LockWait, migrate } from "../../../src/database/migrations/migrate.ts";
import { readSpec } from "../../../src/database/reports/reports.ts";
import { readSchedule, upsertSchedule } from "../../../src/database/schedules/schedules.ts";
import type { Database } from "../../../src/database/tables.ts";
import { insertAccount, insertReport, reportResource, reportSpec } from "../../support/builders.ts";
import { testLog } from "../../support/controller.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { scheduleResource } from "../../support/schedules.ts";
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

  it("says why it failed when its connection is lost", async () => {
    const { db, url } = database;
    await migrateTo(db, "0001-initial");
    const options = { applicationName: "test lost", maxConnections: 2, onIdleError: () => {} };
    const migrating = connect({ url, ...options, limits: migrationLimits });
    try {
      const error = await db.transaction().execute(async (trx) => {
        await sql`lock table reports in access share mode`.execute(trx);
        const failed = migrate(migrating).catch((reason: unknown) => reason);
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
    await migrateTo(db, "0001-initial");
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
        // Autovacuum may hold others, and queries that were let pass hold theirs for a moment: the longest comes first.
        const holder = holders.find(({ table }) => table === "reports");
        const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx);
        expect(holder).to.include({ application: "test", pid: rows[0]?.pid });
      });
      expect(await running).to.deep.equal(namesAfter("0001-initial"));
    } finally {
      await Promise.allSettled([running]);
      await migrating.destroy();
    }
  });

  it("leaves reports and schedules with the engine that they had before there was a choice", async () => {
    const { db } = database;
    await migrateTo(db, "0002-fencing");
    const accountId = await insertAccount(db);
    // As the version of that schema stored them: today's statement names later tables.
    const reports = await Promise.all(
      ([{ htmlEngine: "conformance" }, { htmlEngine: "html-validate" }, {}] as const).map(async (spec) => {
        const id = randomUUID();
        await sql`insert into reports (id, account_id, namespace, name, uid, generation, spec, starting_url, domain, inserted_at)
          values (${id}, ${accountId}, 'default', ${`report-${id}`}, ${id}, 1, ${JSON.stringify(reportSpec(spec))},
            'https://example.com/', 'example.com', now())`.execute(db);
        return id;
      }),
    );
    const schedule = scheduleResource();
    await upsertSchedule(db, schedule, accountId, new Date());
    const cluster = createLocalCluster(db, { url: database.url, log: testLog });
    const { metadata } = await cluster.create<"Report">({
      ...reportResource(),
      metadata: { name: "old", namespace: "default" },
    });
    await sql`update reports set spec = spec - 'htmlEngine' where id = ${reports[2]}`.execute(db);
    await sql`update schedules set spec = spec - 'htmlEngine'`.execute(db);
    await sql`update cluster_objects set object = object #- '{spec,htmlEngine}'`.execute(db);

    expect(await migrate(db)).to.deep.equal(namesAfter("0002-fencing"));

    const engineOf = async (id: string | undefined) => (await readSpec(db, id ?? ""))?.htmlEngine;
    expect(await Promise.all(reports.map(engineOf))).to.deep.equal(["conformance", "html-validate", "html-validate"]);
    expect((await readSchedule(db, schedule.metadata.uid))?.spec.htmlEngine).to.equal("html-validate");
    const kept = await cluster.get("Report", "default", metadata.name);
    expect(kept?.spec.htmlEngine).to.equal("html-validate");
  });

  it("tells pages that a crawl could not fetch from those whose checks failed for other reasons", async () => {
    const { db } = database;
    await migrateTo(db, "0022-identities");
    const accountId = await insertAccount(db);
    const [crawling, ended] = [await insertReport(db, { accountId }), await insertReport(db, { accountId })];
    await sql`update reports set crawl_state = case when id = ${crawling} then 'crawling' else 'ended' end`.execute(db);
    const pages = ["http_error 0", "credits_exhausted 0", "checker_crashed 0", "timeout 1"];
    for (const [id, page] of [...pages.map((page) => [crawling, page] as const), [ended, "http_error 0"] as const]) {
      const [code, attempts] = page.split(" ");
      await sql`
        with page as (insert into web_pages (report_id, url) values (${id}, ${page}) returning id)
        insert into checks (report_id, web_page_id, kind, status, failure_code, attempts)
        select ${id}::uuid, id, 'html', 'failed', ${code}, ${attempts}::int from page`.execute(db);
    }
    await migrate(db);
    const { rows } = await sql<{ url: string }>`select url from web_pages where not fetched and report_id = ${crawling}
      order by url`.execute(db);
    expect(rows).to.deep.equal([{ url: "http_error 0" }]);
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

/** An empty database as the versions up to the migration of this name left it. */
async function migrateTo(db: Kysely<Database>, last: string): Promise<void> {
  await sql`drop schema public cascade`.execute(db);
  await sql`create schema public`.execute(db);
  const known = Object.fromEntries(Object.entries(migrations).filter(([name]) => name <= last));
  const { error } = await new Migrator({ db, provider: { getMigrations: async () => known } }).migrateToLatest();
  if (error) throw error;
}

const namesAfter = (last: string): string[] => Object.keys(migrations).filter((name) => name > last);
