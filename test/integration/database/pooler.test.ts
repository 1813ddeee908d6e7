import { expect } from "chai";
import { type Kysely, sql } from "kysely";
import { withRequestLock } from "../../../src/database/accounts/api-requests.ts";
import { connect } from "../../../src/database/connection/connect.ts";
import { missingLimits } from "../../../src/database/connection/pooler.ts";
import { executePrepared, withStatementLimit } from "../../../src/database/connection/statements.ts";
import type { Database } from "../../../src/database/tables.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { followsPrepared, PGBOUNCER, type Pooler, startPooler } from "../../support/pooler.ts";

const CONNECTIONS = 2;
const follows = PGBOUNCER !== undefined && followsPrepared(PGBOUNCER);

/** `npm run test:pooler` (docs/tests.md): no npm package has a pooler. */
(PGBOUNCER === undefined ? describe.skip : describe)("statements through a pooler in transaction mode", () => {
  let database: TestDatabase;
  let pooler: Pooler;
  let db: Kysely<Database>;
  let name: string;

  before(async () => {
    database = await createTestDatabase();
    // Of the pooler's connections, which begin after this.
    name = new URL(database.url).pathname.slice(1);
    await sql`alter database ${sql.id(name)} set timezone = 'Asia/Tokyo'`.execute(database.db);
  });
  after(() => database.drop());
  afterEach(async () => {
    await db.destroy();
    await pooler.stop();
  });

  const open = async (prepared: number): Promise<void> => {
    pooler = await startPooler(PGBOUNCER ?? "", database.url, { connections: CONNECTIONS, prepared });
    const poolerUrl = pooler.urlOf(database.url);
    db = connect({ url: database.url, poolerUrl, applicationName: "test", maxConnections: 10, onIdleError: () => {} });
  };
  const shown = async (name: string, of: Kysely<Database> = db): Promise<string | undefined> => {
    const { rows } = await sql<Record<string, string>>`select current_setting(${name}) as shown`.execute(of);
    return rows[0]?.shown;
  };
  /** Of as many connections as the pool has, which take turns on those of the pooler. */
  const ofEach = (name: string) => Promise.all(Array.from({ length: 10 }, () => shown(name)));
  const counted = (among: number) =>
    executePrepared(db, sql<{ sum: string }>`select sum(n)::text from generate_series(1, ${among}::integer) n`);
  const sums = async () =>
    (await Promise.all(Array.from({ length: 60 }, (_, at) => counted(at)))).map(({ rows }) => Number(rows[0]?.sum));
  const expected = Array.from({ length: 60 }, (_, at) => (at * (at + 1)) / 2);

  (follows ? it : it.skip)("are prepared where the pooler follows them from connection to connection", async () => {
    await open(100);
    expect(await sums()).to.deep.equal(expected);
    const { rows } = await sql<{ count: number }>`select count(*)::integer from pg_prepared_statements`.execute(db);
    expect(rows[0]?.count).to.be.greaterThan(0);
  });

  it("run where it does not follow prepared ones, as before PgBouncer 1.21", async () => {
    await open(0);
    expect(await sums()).to.deep.equal(expected);
  });

  it("have the time zone of the service, whatever the database's is", async () => {
    await open(0);
    expect(await ofEach("timezone")).to.deep.equal(Array(10).fill("UTC"));
  });

  it("have no limit that was set for a comparison, which has a session of its own", async () => {
    await open(0);
    const during = await withStatementLimit(db, 1_500, async (limited) => [
      ...(await Promise.all([shown("statement_timeout", limited), ...(await ofEach("statement_timeout"))])),
      await limited.transaction().execute((trx) => shown("statement_timeout", trx)),
    ]);
    expect(during).to.deep.equal(["1500ms", ...Array(10).fill("0"), "1500ms"]);
  });

  it("do not hold the lock of a request, which a session holds beside it", async () => {
    await open(0);
    const request = { tokenId: "00000000-0000-4000-8000-000000000000", key: "once", hash: Buffer.alloc(32) };
    const take = (body: () => Promise<unknown>) => withRequestLock(db, request, body);
    expect(await take(() => take(async () => "both"))).to.equal(undefined);
    expect(await take(async () => "again")).to.equal("again");
  });

  it("tell which limits their database's user lacks", async () => {
    await sql`alter role current_user in database ${sql.id(name)} set lock_timeout = '8s'`.execute(database.db);
    await open(0);
    expect(await missingLimits(db)).to.deep.equal([
      ["idle_in_transaction_session_timeout", 30_000],
      ["statement_timeout", 12_000],
    ]);
  });
});
