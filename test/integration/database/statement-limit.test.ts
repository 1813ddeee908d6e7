import { expect } from "chai";
import { type Kysely, sql } from "kysely";
import { connect } from "../../../src/database/connection/connect.ts";
import { isStatementTimeout } from "../../../src/database/connection/errors.ts";
import { withStatementLimit } from "../../../src/database/connection/statements.ts";
import type { Database } from "../../../src/database/tables.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

describe("a shorter limit for some statements", () => {
  let database: TestDatabase;
  let db: Kysely<Database>;

  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());
  afterEach(() => db.destroy());

  const open = (statementMs: number): void => {
    const limits = { statementMs };
    db = connect({ url: database.url, applicationName: "test", maxConnections: 1, limits, onIdleError: () => {} });
  };
  const limitOf = async (of: Kysely<Database>): Promise<string> => {
    const { rows } = await sql<{ statement_timeout: string }>`show statement_timeout`.execute(of);
    return rows[0]?.statement_timeout ?? "";
  };
  const inTransaction = (of: Kysely<Database>) => of.transaction().execute(limitOf);

  it("holds for them, also in transactions, and not after them", async () => {
    open(60_000);
    const during = await withStatementLimit(db, 1_500, async (limited) => [
      await limitOf(limited),
      await inTransaction(limited),
    ]);
    expect([...during, await limitOf(db)]).to.deep.equal(["1500ms", "1500ms", "1min"]);
  });

  it("ends them, and not those after it", async () => {
    open(60_000);
    const stuck = withStatementLimit(db, 50, (limited) =>
      limited.transaction().execute((trx) => sql`select pg_sleep(600)`.execute(trx)),
    );
    expect(isStatementTimeout(await stuck.catch((error: unknown) => error))).to.equal(true);
    expect(await limitOf(db)).to.equal("1min");
  });

  it("holds where there was none, and leaves a shorter one alone", async () => {
    open(0);
    expect(await withStatementLimit(db, 2_000, limitOf)).to.equal("2s");
    await db.destroy();
    open(1_000);
    expect(await withStatementLimit(db, 2_000, limitOf)).to.equal("1s");
  });
});
