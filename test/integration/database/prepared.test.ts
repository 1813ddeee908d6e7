import { expect } from "chai";
import { sql } from "kysely";
import { connect } from "../../../src/database/connection/connect.ts";
import { executePrepared } from "../../../src/database/connection/statements.ts";
import type { Database } from "../../../src/database/tables.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

describe("a prepared statement", () => {
  let database: TestDatabase;
  let db: TestDatabase["db"];

  before(async () => {
    database = await createTestDatabase();
    // One connection: what it has prepared can be looked at.
    db = connect({ url: database.url, applicationName: "test", maxConnections: 1, onIdleError: () => {} });
    await sql`create table tried (id integer primary key, name text)`.execute(db);
    await sql`insert into tried values (1, 'one'), (2, 'two')`.execute(db);
  });
  after(async () => {
    await db?.destroy();
    await database?.drop();
  });

  const find = (id: number, on = db) => executePrepared<object>(on, sql<object>`select * from tried where id = ${id}`);
  const prepared = async () => {
    const { rows } = await sql<{ statement: string; runs: string }>`
      select statement, generic_plans + custom_plans as runs from pg_prepared_statements`.execute(db);
    return rows.filter(({ statement }) => statement.includes("tried"));
  };

  it("is parsed once by a connection, and run with the values of each call", async () => {
    expect((await find(1)).rows).to.deep.equal([{ id: 1, name: "one" }]);
    expect((await find(2)).rows).to.deep.equal([{ id: 2, name: "two" }]);
    expect((await find(3)).rows).to.deep.equal([]);
    expect(await prepared()).to.deep.equal([{ statement: "select * from tried where id = $1", runs: "3" }]);
  });

  it("is prepared again when a migration has changed its columns", async () => {
    await find(1);
    await sql`alter table tried add column size integer default 7`.execute(db);
    expect((await find(1)).rows).to.deep.equal([{ id: 1, name: "one", size: 7 }]);
    expect((await find(2)).rows).to.deep.equal([{ id: 2, name: "two", size: 7 }]);
  });

  it("runs unprepared in a transaction, which a change of its columns would end", async () => {
    await find(1);
    await sql`alter table tried add column colour text`.execute(db);
    const found = await db.transaction().execute(async (trx) => (await find(1, trx as typeof db)).rows);
    expect(found).to.deep.equal([{ id: 1, name: "one", size: 7, colour: null }]);
  });

  it("fails with the server's error, and once", async () => {
    const broken = () => executePrepared<Database>(db, sql`select 1 / ${0}::integer`);
    for (let time = 0; time < 2; time += 1) {
      const error = await broken().then(
        () => undefined,
        (failed: { code: string }) => failed,
      );
      expect(error?.code).to.equal("22012");
    }
  });
});
