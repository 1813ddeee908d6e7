import { expect } from "chai";
import { type KyselyPlugin, sql } from "kysely";
import { createToken } from "../../../src/database/accounts/tokens.ts";
import { markReportDeleted } from "../../../src/database/reports/reports.ts";
import { insertAccount, insertReport } from "../../support/builders.ts";
import { NOW, runReport } from "../../support/compared-sites.ts";
import { type RunningService, startController, testSettings } from "../../support/controller.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { eventually } from "../../support/wait.ts";

describe("the controller's maintenance", () => {
  let database: TestDatabase;
  let account: string;
  let controller: RunningService | undefined;

  beforeEach(async () => {
    database = await createTestDatabase();
    account = await insertAccount(database.db);
  });
  afterEach(async () => {
    await controller?.stop();
    controller = undefined;
    await database.drop();
  });

  const settings = { ...testSettings, deletionGraceSeconds: 0 };
  const start = () => {
    controller = startController(database, { settings });
  };
  /** The reports of one account after each other, each compared with the one before. @returns their ids, lowest first */
  async function runs(howMany: number): Promise<string[]> {
    const ids: string[] = [];
    for (let n = 0; n < howMany; n++) {
      const at = new Date(NOW.getTime() + n * 1_000);
      ids.push(await runReport(database.db, account, { "/": ["alt img main"] }, { at }));
    }
    return ids.sort();
  }
  /** From now on the database refuses to write some rows. */
  async function refuse(what: "delete" | "update", table: string, condition: string): Promise<void> {
    await sql`create function fault() returns trigger language plpgsql as
      ${sql.lit("begin raise exception 'This row cannot be written.'; end")}`.execute(database.db);
    await sql`create trigger fault before ${sql.raw(what)} on ${sql.table(table)} for each row
      when (${sql.raw(condition)}) execute function fault()`.execute(database.db);
  }
  const left = async (table: "reports" | "frontier", column: "id" | "report_id") => {
    const { rows } = await sql<{ id: string }>`select ${sql.ref(column)} as id from ${sql.table(table)}`.execute(
      database.db,
    );
    return rows.map(({ id }) => id);
  };

  /** No statement about reopened reports succeeds, of which the first steps ask. */
  const withoutReopened: KyselyPlugin = {
    transformQuery({ node }) {
      if (JSON.stringify(node).includes("reopened")) throw new Error("not now");
      return node;
    },
    transformResult: async ({ result }) => result,
  };

  /** Statements with this text get no response until the returned function is called. */
  function withoutResponse(text: string): { plugin: KyselyPlugin; hangs(): boolean; respond(): void } {
    const held = new WeakSet<object>();
    const { promise, resolve } = Promise.withResolvers<void>();
    let hangs = false;
    const plugin: KyselyPlugin = {
      transformQuery({ node, queryId }) {
        if (JSON.stringify(node).includes(text)) held.add(queryId);
        return node;
      },
      async transformResult({ result, queryId }) {
        if (!held.has(queryId)) return result;
        hangs = true;
        await promise;
        return result;
      },
    };
    return { plugin, hangs: () => hangs, respond: resolve };
  }

  const slow: [step: string, text: string][] = [
    ["waking reopened reports", '"reopened"'],
    ["looking for working rows", "from frontier order by"],
  ];
  for (const [step, text] of slow)
    it(`carries out all other steps while ${step} takes long`, async () => {
      const { plugin, hangs, respond } = withoutResponse(text);
      controller = startController(database, { settings, db: database.db.withPlugin(plugin) });
      try {
        await eventually(hangs);
        // Later than the first pass.
        const id = await insertReport(database.db, { accountId: account });
        await markReportDeleted(database.db, id, new Date(0));
        const { id: token_id } = await createToken(database.db, { accountId: account, name: "idle", scope: "write" });
        await database.db
          .insertInto("idempotency_keys")
          .values({ token_id, key: "k", request_hash: Buffer.from("hash"), body: "{}", inserted_at: new Date(0) })
          .execute();
        await eventually(async () => (await left("reports", "id")).length === 0);
        await eventually(
          async () => (await database.db.selectFrom("idempotency_keys").select("key").execute()).length === 0,
        );
      } finally {
        respond();
      }
    });

  it("carries out all other steps when one fails", async () => {
    const id = await insertReport(database.db, { accountId: account });
    await markReportDeleted(database.db, id, new Date(0));
    controller = startController(database, { settings, db: database.db.withPlugin(withoutReopened) });
    await eventually(async () => (await left("reports", "id")).length === 0);
  });
  it("purges deleted reports behind one that cannot be purged", async () => {
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) {
      const id = await insertReport(database.db, { accountId: account });
      ids.push(id);
      await markReportDeleted(database.db, id, new Date(n));
    }
    const [first = ""] = ids;
    await refuse("delete", "reports", `old.id = '${first}'`);
    start();
    await eventually(async () => (await left("reports", "id")).length === 1);
    expect(await left("reports", "id")).to.deep.equal([first]);
  });

  it("deletes idempotency keys that have expired, also of tokens that are not used any more", async () => {
    const { id: tokenId } = await createToken(database.db, { accountId: account, name: "idle", scope: "write" });
    const insert = (key: string, inserted_at: Date) =>
      database.db
        .insertInto("idempotency_keys")
        .values({ token_id: tokenId, key, request_hash: Buffer.from("hash"), body: "{}", inserted_at })
        .execute();
    await insert("expired", new Date(Date.now() - 25 * 60 * 60 * 1000));
    // A day ahead, so that it is kept however long this test takes.
    await insert("recent", new Date(Date.now() + 24 * 60 * 60 * 1000));
    start();
    const keys = async () =>
      (await database.db.selectFrom("idempotency_keys").select("key").execute()).map((row) => row.key);
    await eventually(async () => (await keys()).length === 1);
    expect(await keys()).to.deep.equal(["recent"]);
  });

  it("deletes working rows behind those that cannot be deleted", async () => {
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) {
      const id = await insertReport(database.db, { accountId: account });
      ids.push(id);
      await sql`update reports set crawl_state = 'ended', phase = 'Complete' where id = ${id}`.execute(database.db);
      await sql`insert into frontier (report_id, url, position, depth) values (${id}, 'u', 1, 0)`.execute(database.db);
    }
    const [first = ""] = ids.sort();
    await refuse("delete", "frontier", `old.report_id = '${first}'`);
    start();
    await eventually(async () => (await left("frontier", "report_id")).length === 1);
    expect(await left("frontier", "report_id")).to.deep.equal([first]);
  });

  describe("on comparisons that are to be counted again", () => {
    const uncounted = async () => {
      const { rows } = await sql<{ id: string }>`
        select id from comparisons where not issues_counted order by id`.execute(database.db);
      return rows.map(({ id }) => id);
    };
    beforeEach(async () => {
      await runs(4);
      await sql`update comparisons set issues_counted = false`.execute(database.db);
    });

    it("counts those behind one that cannot be counted", async () => {
      const [first = "", ...others] = await uncounted();
      expect(others).to.have.length(2);
      await refuse("update", "comparisons", `old.id = ${first}`);
      start();
      await eventually(async () => (await uncounted()).length === 1);
      expect(await uncounted()).to.deep.equal([first]);
    });

    it("gives each as much time as a comparison has", async () => {
      await database.db.transaction().execute(async (trx) => {
        await sql`lock table compared_issues in exclusive mode`.execute(trx);
        start();
        await eventually(async () => {
          const { rows } = await sql`select from pg_stat_activity where datname = current_database()
            and application_name = 'site-validator comparison' and wait_event_type = 'Lock'`.execute(database.db);
          return rows.length === 1;
        });
      });
      await eventually(async () => (await uncounted()).length === 0);
    });
  });
});
