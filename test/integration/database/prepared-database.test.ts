import { expect } from "chai";
import pg from "pg";
import { connect } from "../../../src/database/connection/connect.ts";
import { type Login, ownLogin, renewPassword, withLogin } from "../../../src/database/job-role.ts";
import { DATABASE } from "../../../src/embedded/database.ts";
import type { EmbeddedPostgres } from "../../../src/embedded/postgres.ts";
import { startDisposablePostgres } from "../../../src/embedded/template.ts";
import { openScratch, type Scratch } from "../../../src/files/scratch.ts";
import { prepareAt, SCHEMA_SOURCES } from "../../../src/main/wiring/schema.ts";
import { CACHE } from "../../support/cache.ts";

describe("the database that a check copies", () => {
  let scratch: Scratch;
  let postgres: EmbeddedPostgres;

  before(async () => {
    scratch = await openScratch();
    postgres = await startDisposablePostgres({
      cacheDir: CACHE,
      sources: SCHEMA_SOURCES,
      prepare: prepareAt,
      scratch,
    });
  });
  after(async () => {
    await postgres.stop();
    await scratch.remove();
  });

  async function queryAs(login: Login, text: string): Promise<unknown[]> {
    const client = new pg.Client({ connectionString: withLogin(postgres.url, login) });
    try {
      await client.connect();
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  }

  it("has the user of Jobs, with their rights alone, and the password of this run", async () => {
    const [earlier, login] = [ownLogin(DATABASE), ownLogin(DATABASE)];
    const db = connect({ url: postgres.url, applicationName: "test", maxConnections: 1, onIdleError: () => {} });
    await renewPassword(db, earlier);
    await renewPassword(db, login);
    await db.destroy();
    const rights = `
      select rolsuper, has_table_privilege('frontier', 'insert') as crawls, has_table_privilege('api_tokens', 'select') as tokens
      from pg_roles where rolname = current_user`;
    expect(await queryAs(login, rights)).to.deep.equal([{ rolsuper: false, crawls: true, tokens: false }]);
    const refused = await queryAs(earlier, "select").catch((error: Error) => error.message);
    expect(refused).to.match(/password authentication failed/);
  });
});
