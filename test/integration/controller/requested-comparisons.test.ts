import { expect } from "chai";
import { sql } from "kysely";
import pg from "pg";
import { connect } from "../../../src/database/connection/connect.ts";
import { markReportDeleted } from "../../../src/database/reports/reports.ts";
import { MAX_OF_GUESTS, MAX_REQUESTS } from "../../../src/domain/findings/comparing.ts";
import { accountWithToken, type Call, guestWithToken, startTestApi, type TestApi } from "../../support/api.ts";
import { NOW, runReport } from "../../support/compared-sites.ts";
import { type RunningService, startController } from "../../support/controller.ts";
import { createTestDatabase, emptyDatabase, type TestDatabase } from "../../support/database.ts";
import { eventually } from "../../support/wait.ts";

describe("comparisons that take longer than a request may", () => {
  let database: TestDatabase;
  let account: { accountId: string; token: string };
  let call: Call;
  let report: string;
  let base: string;
  const apis: TestApi[] = [];
  const controllers: RunningService[] = [];

  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());
  beforeEach(async () => {
    account = await accountWithToken(database);
    call = (await startApi()).as(account.token);
    [base, report] = [await run({ "/": ["alt img main"] }, 0), await run({ "/": ["lang *"] }, 1)];
    await sql`delete from comparisons`.execute(database.db);
  });
  afterEach(async () => {
    for (const one of controllers.splice(0)) await one.stop();
    for (const one of apis.splice(0)) await one.close();
    await emptyDatabase(database.db);
  });

  /** An API for which every comparison is long. */
  async function startApi(): Promise<TestApi> {
    const api = await startTestApi(database, { comparedAtOnce: 0 });
    apis.push(api);
    return api;
  }
  function start(parameters: Record<string, number> = {}): RunningService {
    const url = new URL(database.url);
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, String(value));
    const controller = startController(database, { databaseUrl: url.href });
    controllers.push(controller);
    return controller;
  }
  const run = (site: Record<string, string[]>, hour: number, accountId = account.accountId) =>
    runReport(database.db, accountId, site, { at: new Date(NOW.getTime() + hour * 3_600_000) });
  const path = (of = report, with_ = base) => `/reports/${of}/comparison?base=${with_}`;
  const answered = (status: number, as = call, at = path()) =>
    eventually(async () => {
      const reply = await as("GET", at);
      return reply.status === status && reply;
    });
  const requests = async () =>
    (await sql<{ base_id: string; percent: number }>`select * from comparison_requests`.execute(database.db)).rows;
  const made = async () =>
    (await sql<{ id: string }>`select id from comparisons order by id`.execute(database.db)).rows;
  const comparing = async () =>
    (
      await sql<{ pid: number }>`select pid from pg_stat_activity where datname = current_database()
        and application_name = 'site-validator comparison' and wait_event_type = 'Lock'`.execute(database.db)
    ).rows.length;

  /** While no state of a finding can be stored, or no comparison begun. */
  const whileStuck = async (
    body: () => Promise<unknown>,
    at: "compared_findings" | "comparisons" = "compared_findings",
  ): Promise<void> => {
    const holder = new pg.Client({ connectionString: database.url });
    await holder.connect();
    try {
      await holder.query(`begin; lock table ${at} in share row exclusive mode`);
      await body();
    } finally {
      await holder.end();
    }
  };

  it("are accepted with an address to look at, say how far they are, and are kept", async () => {
    const accepted = await call("GET", path());
    expect([accepted.status, accepted.json.data.attributes]).to.deep.equal([
      202,
      {
        base_id: base,
        differs: [],
        changes: null,
        states: null,
        muted: null,
        status: "queued",
        percent: 0,
        failure: null,
      },
    ]);
    expect(accepted.headers.get("retry-after")).to.equal("5");
    const location = accepted.headers.get("location") ?? "";
    expect(location).to.match(new RegExp(`/api/v1/reports/${report}/comparison\\?base=${base}$`));
    const there = location.slice(location.indexOf("/reports"));
    await whileStuck(async () => {
      start({ statement_timeout: 600_000, lock_timeout: 600_000 });
      const running = await eventually(async () => {
        const { status, json } = await call("GET", there);
        expect(status).to.equal(202);
        return json.data.attributes.status === "running" && Number(json.data.attributes.percent) > 0 && json;
      });
      expect(running.data.attributes.percent).to.be.below(100);
    });
    const { json } = await answered(200, call, there);
    const pages = {
      from: 1,
      to: 1,
      failed_from: 0,
      failed_to: 0,
      added: 0,
      removed: 0,
      added_urls: [],
      removed_urls: [],
    };
    const changes = { settings: [], engines: [], pages };
    const zero = { errors: 0, warnings: 0 };
    const one = { errors: 1, warnings: 0 };
    const states = { persisting: zero, new: one, new_rule: zero, fixed: one, gone: zero, unknown: zero };
    const muted = { persisting: zero, new: zero, new_rule: zero, fixed: zero, gone: zero, unknown: zero };
    expect(json.data.attributes).to.deep.equal({
      ...{ base_id: base, differs: [], changes, states, muted, status: "complete", percent: 100, failure: null },
    });
    // The result is there a moment before its request is gone.
    await eventually(async () => (await requests()).length === 0);
  });

  it("without a named base, name it in the address to look at", async () => {
    const { status, headers } = await call("GET", `/reports/${report}/comparison`);
    expect([status, headers.get("location")?.endsWith(path())]).to.deep.equal([202, true]);
  });

  it("are still there when both programs have started again", async () => {
    const controller = start();
    await answered(202);
    const { json } = await answered(200);
    controllers.splice(0);
    await controller.stop();
    const restarted = (await startApi()).as(account.token);
    const kept = await restarted("GET", path());
    expect([kept.status, kept.json.data.attributes]).to.deep.equal([200, json.data.attributes]);
  });

  it("go on in another controller when theirs stops, at once and without its fault", async () => {
    await whileStuck(async () => {
      const first = start({ statement_timeout: 600_000, lock_timeout: 600_000 });
      await answered(202);
      await eventually(async () => (await comparing()) === 1);
      controllers.splice(0);
      await first.stop();
    }, "comparisons");
    const [request] = (await sql`select tries, started_at from comparison_requests`.execute(database.db)).rows;
    expect(request).to.deep.equal({ tries: 0, started_at: null });
    start();
    await answered(200);
  });

  it("are one piece of work, whichever replicas are asked at the same time", async () => {
    const replicas = [call, (await startApi()).as(account.token)];
    const replies = await Promise.all([...replicas, ...replicas, ...replicas].map((one) => one("GET", path())));
    expect(new Set(replies.map(({ status }) => status))).to.deep.equal(new Set([202]));
    expect(await requests()).to.have.length(1);
    start();
    const results = await Promise.all(replicas.map((one) => answered(200, one)));
    expect(results[0]?.json.data.attributes).to.deep.equal(results[1]?.json.data.attributes);
    expect(await made()).to.have.length(1);
  });

  it("of one account cannot fill the queue, and those of its guests only half of its share", async () => {
    const other = await accountWithToken(database);
    const others = [
      await run({ "/": ["lang *"] }, 0, other.accountId),
      await run({ "/": ["lang *"] }, 1, other.accountId),
    ];
    await sql`delete from comparisons`.execute(database.db);
    const bases: string[] = [];
    for (let n = 0; n <= MAX_REQUESTS; n += 1) bases.push(await run({ "/": ["alt img main"] }, -n - 1));
    const { guestToken, token } = await guestWithToken(database, account.accountId);
    await sql`update reports set guest_token = ${guestToken} where account_id = ${account.accountId}`.execute(
      database.db,
    );
    const guest = (apis[0] as TestApi).as(token);
    const ask = async (as: Call, of: string[]) => {
      const statuses: number[] = [];
      for (const one of of) statuses.push((await as("GET", path(report, one))).status);
      return statuses;
    };
    const accepted = (count: number) => Array<number>(count).fill(202);
    expect(await ask(guest, bases.slice(0, MAX_OF_GUESTS + 1))).to.deep.equal([...accepted(MAX_OF_GUESTS), 429]);
    const all = [...accepted(MAX_REQUESTS), 429];
    expect(await ask(call, bases)).to.deep.equal(all);
    const refused = await call("GET", path(report, bases.at(-1)));
    expect([refused.json.errors[0]?.code, refused.headers.get("retry-after")]).to.deep.equal([
      "too_many_at_once",
      "30",
    ]);
    expect((await call("GET", path(report, bases[0]))).status, "what is asked for already").to.equal(202);
    const apart = (apis[0] as TestApi).as(other.token);
    expect((await apart("GET", path(others[1], others[0]))).status).to.equal(202);
    start();
    await answered(200, apart, path(others[1], others[0]));
    await eventually(async () => (await requests()).length === 0);
  });

  it("of an account that asks for many do not stand before those of another", async () => {
    const other = await accountWithToken(database);
    const [theirBase, theirs] = [
      await run({ "/": ["lang *"] }, 0, other.accountId),
      await run({ "/": ["lang *"] }, 1, other.accountId),
    ];
    const older = await run({ "/": ["lang *"] }, -1);
    await sql`delete from comparisons`.execute(database.db);
    for (const one of [base, older]) await call("GET", path(report, one));
    const apart = (apis[0] as TestApi).as(other.token);
    const holder = new pg.Client({ connectionString: database.url });
    await holder.connect();
    try {
      // Stuck before anything of the first account's report can be made.
      const key = `compared ${report}`;
      await holder.query("select pg_advisory_lock(hashtextextended($1, 0))", [key]);
      start({ statement_timeout: 600_000, lock_timeout: 600_000 });
      await eventually(async () => (await comparing()) === 1);
      await answered(200, apart, path(theirs, theirBase));
      expect(await comparing()).to.equal(1);
    } finally {
      await holder.end();
    }
    for (const one of [base, older]) await answered(200, call, path(report, one));
  });

  for (const [which, deletedOf] of [
    ["report", () => report],
    ["base", () => base],
  ] as const)
    it(`end when the ${which} is deleted meanwhile, and leave nothing behind`, async () => {
      await whileStuck(async () => {
        start({ statement_timeout: 600_000, lock_timeout: 600_000 });
        await answered(202);
        await eventually(async () => (await comparing()) === 1);
        await markReportDeleted(database.db, deletedOf(), new Date());
        await eventually(async () => (await comparing()) === 0 && (await requests()).length === 0);
        expect((await call("GET", path())).status).to.equal(404);
      });
      expect(await made()).to.deep.equal([]);
    });

  it("are not begun when a report was deleted before", async () => {
    await answered(202);
    await markReportDeleted(database.db, base, new Date());
    start();
    await eventually(async () => (await requests()).length === 0);
    expect(await made()).to.deep.equal([]);
  });

  it("say that they took too long, and are made again when there are other results", async () => {
    await whileStuck(async () => {
      start({ statement_timeout: 300, lock_timeout: 300_000 });
      await answered(202);
      const { json } = await answered(200);
      const { failure, ...rest } = json.data.attributes as { failure: { code: string; detail: string } };
      expect(rest).to.deep.equal({
        base_id: base,
        differs: [],
        changes: null,
        states: null,
        muted: null,
        status: "failed",
        percent: null,
      });
      expect(failure.code).to.equal("took_too_long");
      expect(failure.detail).to.match(/too many findings/);
    });
    expect((await call("GET", path())).json.data.attributes.status).to.equal("failed");
    await sql`update reports set last_checked_at = now() where id = ${report}`.execute(database.db);
    await answered(202);
    await eventually(async () => {
      const { status, json } = await call("GET", path());
      // On a busy machine the statements may take as long again.
      if (json.data.attributes.status === "failed")
        await sql`update reports set last_checked_at = clock_timestamp() where id = ${report}`.execute(database.db);
      return status === 200 && json.data.attributes.status === "complete";
    });
  });

  it("say that they failed, after some tries, and keep nobody else's from being made", async () => {
    await sql`
      create function refuse() returns trigger language plpgsql as $$
        begin raise 'temporary file size exceeds temp_file_limit' using errcode = '53400'; end $$`.execute(database.db);
    await sql
      .raw(
        `create trigger refuse before insert on comparisons for each row when (new.base_id = '${base}') execute function refuse()`,
      )
      .execute(database.db);
    try {
      const older = await run({ "/": ["lang *"] }, -1);
      start();
      await answered(202);
      await answered(202, call, path(report, older));
      const { json } = await answered(200);
      expect(json.data.attributes).to.deep.include({ status: "failed", states: null });
      expect((json.data.attributes.failure as { code: string }).code).to.equal("not_compared");
      await answered(200, call, path(report, older));
    } finally {
      await sql`drop trigger refuse on comparisons; drop function refuse()`.execute(database.db);
    }
  });

  it("are given up when the controller ended in the middle of each try", async () => {
    await answered(202);
    await sql`update comparison_requests set tries = 5, started_at = now()`.execute(database.db);
    start();
    const { json } = await answered(200);
    expect(json.data.attributes).to.deep.include({ status: "failed" });
  });

  it("are not begun by readers of a shared report", async () => {
    await sql`update reports set shared = true`.execute(database.db);
    const { status, json } = await (apis[0] as TestApi).as(undefined)("GET", path());
    expect([status, json.data.attributes.status]).to.deep.equal([200, "none"]);
    expect(await requests()).to.deep.equal([]);
  });

  it("are those of many findings only: others are answered at once", async () => {
    const api = await startTestApi(database, { comparedAtOnce: 2 });
    apis.push(api);
    const { status, json } = await api.as(account.token)("GET", path());
    expect([status, json.data.attributes.status]).to.deep.equal([200, "complete"]);
  });

  it("are counted again by the controller, not by whoever deletes a page of many findings", async () => {
    await run({ "/": ["lang *"], "/b": ["lang *"] }, 2);
    const latest = await run({ "/": ["lang *"], "/b": ["lang *"] }, 3);
    const persisting = async () => {
      const { json } = await call("GET", `/reports/${latest}`);
      return (json.data.attributes.comparison as { states: { persisting: object } }).states.persisting;
    };
    const errors = (number: number) => JSON.stringify({ errors: number, warnings: 0 });
    const shown = async () => JSON.stringify(await persisting());
    expect(await shown()).to.equal(errors(2));
    const { json } = await call("GET", `/reports/${latest}/web_pages`);
    const [first, second] = json.data.map(({ id }) => `/reports/${latest}/web_pages/${id}`);
    expect((await call("DELETE", first ?? "")).status).to.equal(204);
    expect(await shown(), "not counted yet").to.equal(errors(2));
    start();
    await eventually(async () => (await shown()) === errors(1));
    // Now it is told, and does not wait for its next round.
    expect((await call("DELETE", second ?? "")).status).to.equal(204);
    await eventually(async () => (await shown()) === errors(0));
  });

  for (const which of ["base", "report"] as const)
    it(`are counted again by the controller when the other report has many findings, the ${which} of the page few`, async () => {
      const large = { "/": ["lang *"], "/b": ["lang *"], "/c": ["lang *"] };
      const small = { "/": ["lang *"], "/b": ["lang *"] };
      const [ofBase, ofReport] = which === "base" ? [small, large] : [large, small];
      const [earlier, latest] = [await run(ofBase, 2), await run(ofReport, 3)];
      const api = await startTestApi(database, { comparedAtOnce: 3 });
      apis.push(api);
      const changed = which === "base" ? earlier : latest;
      const { json } = await call("GET", `/reports/${changed}/web_pages`);
      const deleted = await api.as(account.token)("DELETE", `/reports/${changed}/web_pages/${json.data[0]?.id}`);
      expect(deleted.status).to.equal(204);
      const outdated = async () =>
        (await sql`select from comparisons where report_id = ${latest} and not issues_counted`.execute(database.db))
          .rows.length;
      expect(await outdated(), "left to the controller").to.equal(1);
      start();
      // It listens by now, so that it is told, and does not wait for its next round.
      expect((await call("DELETE", `/reports/${changed}/web_pages/${json.data[1]?.id}`)).status).to.equal(204);
      await eventually(async () => (await outdated()) === 0);
    });

  it("are counted again by whoever deletes a page when all reports have few findings", async () => {
    const site = { "/": ["lang *"], "/b": ["lang *"] };
    const [, latest] = [await run(site, 2), await run(site, 3)];
    const api = await startTestApi(database, { comparedAtOnce: 3 });
    apis.push(api);
    const { json } = await call("GET", `/reports/${latest}/web_pages`);
    const deleted = await api.as(account.token)("DELETE", `/reports/${latest}/web_pages/${json.data[0]?.id}`);
    expect(deleted.status).to.equal(204);
    expect((await sql`select from comparisons where not issues_counted`.execute(database.db)).rows).to.have.length(0);
  });

  it("begin when one that was thought to be short takes too long, however long other statements may take", async () => {
    const db = connect({
      ...{ url: database.url, applicationName: "test", maxConnections: 3 },
      limits: { lockMs: 600_000, statementMs: 600_000, queryMs: 600_000 },
      onIdleError: () => {},
    });
    try {
      const api = await startTestApi(database, { db });
      apis.push(api);
      await whileStuck(
        async () => expect((await api.as(account.token)("GET", path())).status).to.equal(202),
        "comparisons",
      );
    } finally {
      await db.destroy();
    }
    start();
    await answered(200);
  });
});
