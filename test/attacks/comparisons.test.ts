import { expect } from "chai";
import { sql } from "kysely";
import pg from "pg";
import { announceComparison } from "../../src/database/findings/comparisons.ts";
import { CHANNEL, COMPARISON_REQUESTED } from "../../src/database/notifications.ts";
import { countUncounted } from "../../src/transactions/compare.ts";
import { accountWithToken, startTestApi, type TestApi } from "../support/api.ts";
import { NOW, runReport } from "../support/compared-sites.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { eventually } from "../support/wait.ts";

describe("comparisons that somebody asks for", () => {
  let database: TestDatabase;
  let api: TestApi;

  before(async () => {
    database = await createTestDatabase();
    api = await startTestApi(database);
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  const run = (accountId: string, at = NOW) => runReport(database.db, accountId, { "/": ["alt img main"] }, { at });

  it("make the service do nothing with another account's shared report", async () => {
    const [own, other] = [await accountWithToken(database), await accountWithToken(database)];
    const report = await run(own.accountId);
    const base = await run(other.accountId);
    await sql`update reports set shared = true where id = ${base}`.execute(database.db);
    const { status, json } = await api.as(own.token)("GET", `/reports/${report}/comparison?base=${base}`);
    const nothing = {
      states: null,
      muted: null,
      differs: [],
      changes: null,
      status: "none",
      percent: null,
      failure: null,
    };
    expect([status, json.data.attributes]).to.deep.equal([200, { base_id: base, ...nothing }]);
    expect(await database.db.selectFrom("comparison_requests").selectAll().execute()).to.deep.equal([]);
    expect(await database.db.selectFrom("comparisons").selectAll().execute()).to.deep.equal([]);
  });

  it("find the same in a report and itself, however its id is spelled", async () => {
    const own = await accountWithToken(database);
    const report = await run(own.accountId);
    const { json } = await api.as(own.token)("GET", `/reports/${report}/comparison?base=${report.toUpperCase()}`);
    expect(json.data.attributes.base_id).to.equal(report);
    expect(json.data.attributes.states).to.deep.include({ persisting: { errors: 1, warnings: 0 } });
  });

  /** While a comparison on request is being made, which takes as long as `during` does. */
  const whileCompared = async <Result>(
    report: string,
    token: string,
    during: () => Promise<Result>,
  ): Promise<Result> => {
    const holder = new pg.Client({ connectionString: database.url });
    await holder.connect();
    try {
      await holder.query("begin; lock table compared_findings in access exclusive mode");
      const asked = api.as(token)("GET", `/reports/${report}/comparison?base=${report}`);
      await eventually(async () => {
        const { rows } = await holder.query("select from pg_locks where not granted and locktype = 'relation'");
        return rows.length > 0;
      });
      const result = await during();
      await holder.query("commit");
      await asked;
      return result;
    } finally {
      await holder.end();
    }
  };
  const firstPage = async (report: string): Promise<string> => {
    const { id } = await database.db
      .selectFrom("web_pages")
      .select("id")
      .where("report_id", "=", report)
      .executeTakeFirstOrThrow();
    return `/reports/${report}/web_pages/${id}`;
  };

  it("make a page that is deleted meanwhile stay, and say so", async () => {
    const own = await accountWithToken(database);
    const report = await run(own.accountId);
    const page = await firstPage(report);
    const refused = await database.db.transaction().execute(async (trx) => {
      // As a comparison does that takes longer than a statement waits for a lock.
      await announceComparison(trx, report, report);
      return api.as(own.token)("DELETE", page);
    });
    expect([refused.status, refused.json.errors?.[0]?.code]).to.deep.equal([409, "report_compared"]);
    expect(refused.headers.get("retry-after")).to.equal("5");
    expect((await api.as(own.token)("GET", page)).status).to.equal(200);
    expect((await api.as(own.token)("DELETE", page)).status).to.equal(204);
  });

  it("do not keep a report from being deleted meanwhile", async () => {
    const own = await accountWithToken(database);
    const report = await run(own.accountId);
    const deleted = await whileCompared(report, own.token, () => api.as(own.token)("DELETE", `/reports/${report}`));
    expect(deleted.status).to.equal(204);
    expect((await api.as(own.token)("GET", `/reports/${report}`)).status).to.equal(404);
  });

  it("are counted anew later, where that takes longer than whoever deletes a page can wait", async () => {
    const own = await accountWithToken(database);
    await run(own.accountId);
    const report = await run(own.accountId, new Date(NOW.getTime() + 1_000));
    const counts = async () =>
      (await api.as(own.token)("GET", `/reports/${report}`)).json.data.attributes.comparison as { states: object };
    expect((await counts()).states).to.deep.include({ persisting: { errors: 1, warnings: 0 } });
    const page = await firstPage(report);
    const [holder, controller] = [database.url, database.url].map((url) => new pg.Client({ connectionString: url }));
    if (!holder || !controller) throw new Error("no clients");
    const told: (string | undefined)[] = [];
    controller.on("notification", ({ payload }) => told.push(payload));
    for (const client of [holder, controller]) await client.connect();
    try {
      await controller.query(`listen ${CHANNEL}`);
      await holder.query("begin; lock table compared_issues in access exclusive mode");
      expect((await api.as(own.token)("DELETE", page)).status).to.equal(204);
      await eventually(() => told.includes(COMPARISON_REQUESTED));
    } finally {
      for (const client of [holder, controller]) await client.end();
    }
    expect((await api.as(own.token)("GET", page)).status).to.equal(404);
    await countUncounted(database.db, {});
    expect((await counts()).states).to.deep.include({ persisting: { errors: 0, warnings: 0 } });
  });

  it("leave connections to the database for others, however many and however long they are", async () => {
    const [own, other] = [await accountWithToken(database), await accountWithToken(database)];
    const report = await run(own.accountId);
    const bases: string[] = [];
    for (let n = 0; n < 12; n += 1) bases.push(await run(own.accountId));
    const holder = new pg.Client({ connectionString: database.url });
    await holder.connect();
    await holder.query("begin; lock table compared_findings in access exclusive mode");
    let answered = 0;
    const asked = bases.map(async (base) => {
      const { status } = await api.as(own.token)("GET", `/reports/${report}/comparison?base=${base}`);
      answered += 1;
      return status;
    });
    try {
      await eventually(async () => {
        const { rows } = await holder.query("select from pg_locks where not granted and locktype = 'relation'");
        return rows.length >= 2;
      });
      expect((await api.as(other.token)("GET", "/mutings")).status).to.equal(200);
      expect(answered).to.equal(0);
    } finally {
      await holder.end();
    }
    expect(new Set(await Promise.all(asked))).to.deep.equal(new Set([200]));
  });
});
