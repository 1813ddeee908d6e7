import { expect } from "chai";
import { sql } from "kysely";
import { createRecounter } from "../../../src/controller/muting-recounter.ts";
import { listOutdatedReports } from "../../../src/database/reports/recounts.ts";
import type { CheckKind, CheckOutcome } from "../../../src/domain/findings/findings.ts";
import { recordOutcomes } from "../../../src/transactions/end-checks.ts";
import { leaseChecks } from "../../../src/transactions/lease-checks.ts";
import {
  accountWithToken,
  type Call,
  guestWithToken,
  type Reply,
  startTestApi,
  type TestApi,
} from "../../support/api.ts";
import { insertReport, reportSpec } from "../../support/builders.ts";
import { readReport } from "../../support/check-counts.ts";
import { expectConsistent } from "../../support/consistency.ts";
import { startController, testLog } from "../../support/controller.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { a11yIssue, engine, htmlIssue } from "../../support/fake-runner.ts";
import { recountAll } from "../../support/mutings.ts";
import { queuePages } from "../../support/queue-pages.ts";
import { eventually } from "../../support/wait.ts";

const now = new Date(Math.floor(Date.now() / 1_000) * 1_000);
const month = `${now.toISOString().slice(0, 7)}-01`;

describe("mutings", () => {
  let database: TestDatabase;
  let api: TestApi;
  let owner: { accountId: string; token: string };
  let call: Call;

  before(async () => {
    database = await createTestDatabase();
    api = await startTestApi(database);
  });
  after(async () => {
    await api.close();
    await database.drop();
  });
  beforeEach(async () => {
    owner = await accountWithToken(database);
    call = api.as(owner.token);
  });

  const checkedReport = async (pages: number, options: { guestToken?: string } = {}) => {
    const spec = { performA11yChecks: true };
    const id = await insertReport(database.db, { accountId: owner.accountId, spec });
    const { guestToken = null } = options;
    await database.db.updateTable("reports").set({ guest_token: guestToken }).where("id", "=", id).execute();
    await queuePages(database.db, id, new Array(pages).fill("p"), ["html", "a11y"]);
    for (const kind of ["html", "a11y"] as const) await checkAll(id, kind);
    return id;
  };
  async function checkAll(reportId: string, kind: CheckKind, at = database.db): Promise<void> {
    const { checks } = await leaseChecks(at, { reportId, kind }, 1_000, month);
    const outcome: CheckOutcome =
      kind === "html"
        ? { kind, engine, issues: [htmlIssue("Obsolete <center>", 2), htmlIssue("No title")] }
        : { kind, engine, issues: [a11yIssue("serious", 1)] };
    await recordOutcomes(
      at,
      { reportId, kind, spec: reportSpec() },
      checks.map((lease) => ({ lease, outcome })),
      now,
    );
  }
  const mute = async (url_match: string, message: string, by = call) =>
    (await by("POST", "/mutings", { attributes: { url_match, message } })).json.data;
  const counts = async (id: string) => (await call("GET", `/reports/${id}`)).json.data.attributes.checks;
  const errors = async (id: string): Promise<number> => (await readReport(database.db, id)).html_errors;

  it("are created, listed, read and deleted, with their id as an integer, too", async () => {
    const attributes = { url_match: "/blog", message: "obsolete", comment: "Later" };
    const made = await call("POST", "/mutings", { attributes });
    expect(made.status, made.text).to.equal(201);
    const { id, type, attributes: shown } = made.json.data;
    expect([type, shown.id]).to.deep.equal(["muting", Number(id)]);
    expect(shown).to.include(attributes);
    expect(made.headers.get("location")).to.equal(`${api.url}/api/v1/mutings/${id}`);
    expect((await call("GET", `/mutings/${id}`)).json.data).to.deep.equal(made.json.data);
    expect((await call("GET", "/mutings")).json.data).to.deep.equal([made.json.data]);
    const other = api.as((await accountWithToken(database)).token);
    for (const method of ["GET", "DELETE"]) expect((await other(method, `/mutings/${id}`)).status).to.equal(404);
    expect((await call("DELETE", `/mutings/${id}`)).status).to.equal(204);
    for (const bad of [id, "0", "x", "99999999999999999999"])
      expect((await call("GET", `/mutings/${bad}`)).status, bad).to.equal(404);
  });

  it("must name a page and a message: an empty text would silence everything", async () => {
    const reply = await call("POST", "/mutings", { attributes: { url_match: "", message: " ", level: 1 } });
    expect(reply.status).to.equal(422);
    expect(reply.json.errors.map(({ source }) => source?.pointer)).to.have.members([
      "/data/attributes/url_match",
      "/data/attributes/message",
      "/data/attributes/level",
    ]);
    const none = await call("POST", "/mutings", { attributes: { comment: null } });
    expect(none.json.errors.map(({ code }) => code)).to.deep.equal(["required", "required"]);
  });

  it("may name what is more lasting than a text, in whatever combination", async () => {
    const wrong = async (attributes: object) => {
      const reply = await call("POST", "/mutings", { attributes });
      return reply.status === 201
        ? []
        : reply.json.errors.map(({ code, source }) => `${code} ${source?.pointer?.slice(17)}`);
    };
    expect(await wrong({ rule: "alt" })).to.deep.equal([]);
    expect(await wrong({ rule: "alt", url_match: "/blog", message: null })).to.deep.equal([]);
    expect(await wrong({ url_match: "/blog", rule: null })).to.deep.equal(["required message"]);
    expect(
      await wrong({ rule: 5, selector: "a:hover", fingerprint: "0", reason: 7, expires_at: "2020-01-01T00:00:00" }),
    ).to.have.members([
      ...["invalid_type rule", "invalid_format selector", "invalid_format fingerprint", "invalid_type reason"],
      "out_of_range expires_at",
    ]);
    for (const [expires_at, expected] of [
      ["9999-12-31T23:59:59", []],
      ["9999-12-31T23:59:59-12:00", ["out_of_range expires_at"]],
    ] as const)
      expect(await wrong({ rule: "alt", expires_at })).to.deep.equal(expected);
    expect(await wrong({ selector: "x".repeat(1_001), rule: "y".repeat(201) })).to.deep.equal([
      "too_long rule",
      "too_long selector",
    ]);
  });

  it("are changed in parts, each with its own check of the whole", async () => {
    const { id } = await mute("example", "obsolete");
    const change = (attributes: object) => call("PATCH", `/mutings/${id}`, { attributes });
    expect((await change({ message: null })).json.errors.map(({ code }) => code)).to.deep.equal(["required"]);
    expect((await change({ rule: "rule", message: null })).json.data.attributes).to.include({
      ...{ url_match: "example", message: null, rule: "rule", selector: null },
    });
    expect((await change({ selector: "p > a", comment: "c", reason: "r" })).status).to.equal(200);
    expect((await change({ url_match: null })).json.data.attributes).to.include({
      ...{ url_match: null, rule: "rule", selector: "p > a", comment: "c", reason: "r" },
    });
    expect((await change({})).status).to.equal(200);
    const other = api.as((await accountWithToken(database)).token);
    expect((await other("PATCH", `/mutings/${id}`, { attributes: { comment: "x" } })).status).to.equal(404);
  });

  it("are 1,000 at most, 100 of them with a selector", async () => {
    const insert = (count: number, criteria: object) =>
      sql`
      insert into mutings (account_id, criteria)
      select ${owner.accountId}, ${JSON.stringify(criteria)}::jsonb
      from generate_series(1, ${count}::integer)`.execute(database.db);
    const refused = async (reply: Promise<Reply>) => {
      const { status, json } = await reply;
      return [status, json.errors[0]?.code, json.errors[0]?.detail];
    };
    const create = (attributes: object) => call("POST", "/mutings", { attributes });
    await insert(99, { selector: "img", steps: "img" });
    const { id } = (await create({ rule: "a" })).json.data;
    expect((await create({ selector: "p" })).status).to.equal(201);
    const selectors = [
      409,
      "too_many_mutings",
      "There are already 100 mutings with a selector; delete one of them first.",
    ];
    expect(await refused(create({ selector: "p" }))).to.deep.equal(selectors);
    expect(await refused(call("PATCH", `/mutings/${id}`, { attributes: { selector: "p" } }))).to.deep.equal(selectors);
    await insert(898, { url_match: "x", message: "y" });
    expect((await create({ rule: "a" })).status).to.equal(201);
    expect(await refused(create({ rule: "a" }))).to.deep.equal([
      ...[409, "too_many_mutings", "There are already 1,000 mutings; delete one of them first."],
    ]);
    expect((await call("PATCH", `/mutings/${id}`, { attributes: { comment: "c" } })).status).to.equal(200);
  });

  it("end by themselves, without a request: the controller brings their findings back", async () => {
    const id = await checkedReport(3);
    const ends = new Date(now.getTime() + 3_600_000);
    let time = now;
    const controller = startController(database, { now: () => time });
    try {
      const attributes = { rule: "rule", url_match: "example", expires_at: ends.toISOString() };
      const { json } = await call("POST", "/mutings", { attributes });
      expect(json.data.attributes.expires_at).to.equal(ends.toISOString().slice(0, 19));
      await eventually(async () => (await errors(id)) === 0);
      time = ends;
      await eventually(async () => (await errors(id)) === 9);
      await expectConsistent(database.db, id);
      expect((await call("GET", `/reports/${id}/mutings`)).json.data).to.deep.equal([]);
      const longer = { expires_at: new Date(ends.getTime() + 3_600_000).toISOString() };
      await call("PATCH", `/mutings/${json.data.id}`, { attributes: longer });
      await eventually(async () => (await errors(id)) === 0);
    } finally {
      await controller.stop();
    }
  });

  it("of a guest belong to the guest, and the host sees them", async () => {
    const guest = await guestWithToken(database, owner.accountId);
    const by = api.as(guest.token);
    const hosts = await mute("x", "host's");
    const guests = await mute("x", "guest's", by);
    expect((await by("GET", "/mutings")).json.data.map(({ id }) => id)).to.deep.equal([guests.id]);
    expect((await by("DELETE", `/mutings/${hosts.id}`)).status).to.equal(404);
    const seen = (await call("GET", "/mutings")).json.data;
    expect(seen.map(({ attributes }) => attributes.guest_token)).to.deep.equal([undefined, guest.guestToken]);
    const [own, theirs] = [await checkedReport(1), await checkedReport(1, { guestToken: guest.guestToken })];
    await mute("example", "obsolete", by);
    await recountAll(database.db);
    expect([await errors(own), await errors(theirs)]).to.deep.equal([3, 1]);
    for (const id of [own, theirs]) await expectConsistent(database.db, id);
  });

  it("apply to existing results, until they are deleted", async () => {
    const id = await checkedReport(230);
    const other = await accountWithToken(database);
    const untouched = await insertReport(database.db, { accountId: other.accountId });
    const before = await counts(id);
    const html = await mute("EXAMPLE.COM", "obsolete");
    const a11y = await mute("example.com/1", "help");
    await recountAll(database.db);
    await expectConsistent(database.db, id);
    expect(await errors(id)).to.equal(230);
    const applied = (await call("GET", `/reports/${id}/mutings`)).json.data.map((muting) => muting.id);
    expect(applied).to.deep.equal([html.id, a11y.id]);
    expect((await call("GET", `/reports/${untouched}/mutings`)).status).to.equal(404);
    const muted = await call("GET", `/reports/${id}/common_html_issues?filter[muted]=true`);
    expect(muted.json.data.map(({ attributes }) => [attributes.message, attributes.how_many])).to.deep.equal([
      ["Obsolete <center>", 460],
    ]);
    const left = await call("GET", `/reports/${id}/common_html_issues`);
    expect(left.json.data.map(({ attributes }) => attributes.message)).to.deep.equal(["No title"]);
    for (const muting of [html, a11y]) await call("DELETE", `/mutings/${muting.id}`);
    await recountAll(database.db);
    await expectConsistent(database.db, id);
    expect(await counts(id)).to.deep.equal(before);
    expect((await call("GET", `/reports/${id}/mutings`)).json.data).to.deep.equal([]);
  });

  it("apply to later checks at once", async () => {
    const id = await insertReport(database.db, { accountId: owner.accountId });
    await mute("example", "obsolete");
    await queuePages(database.db, id, ["p"]);
    await checkAll(id, "html");
    expect(await errors(id)).to.equal(1);
    await expectConsistent(database.db, id);
  });

  it("apply, a little later, to a check that was judged just before they were created", async () => {
    const id = await insertReport(database.db, { accountId: owner.accountId });
    await queuePages(database.db, id, ["p"]);
    let recounted: Promise<void> | undefined;
    await database.db.transaction().execute(async (trx) => {
      await checkAll(id, "html", inside(trx));
      await mute("example", "obsolete");
      recounted = recountAll(database.db);
    });
    await recounted;
    expect(await errors(id)).to.equal(1);
    await expectConsistent(database.db, id);
  });

  it("are applied while checkers record outcomes, without a deadlock", async () => {
    const id = await insertReport(database.db, { accountId: owner.accountId, spec: { performA11yChecks: true } });
    await queuePages(database.db, id, new Array(120).fill("p"), ["html", "a11y"]);
    const work = async (kind: CheckKind) => {
      for (;;) {
        const { checks } = await leaseChecks(database.db, { reportId: id, kind }, 7, month);
        if (checks.length === 0) return;
        const outcome: CheckOutcome =
          kind === "html"
            ? { kind, engine, issues: [htmlIssue("b obsolete"), htmlIssue("a obsolete"), htmlIssue("c")] }
            : { kind, engine, issues: [a11yIssue("serious", 1)] };
        const results = checks.map((lease) => ({ lease, outcome }));
        await recordOutcomes(database.db, { reportId: id, kind, spec: reportSpec() }, results, now);
      }
    };
    const muting = async () => {
      for (let i = 0; i < 6; i++) {
        const { id: made } = await mute("example", i % 2 ? "obsolete" : "help");
        await recountAll(database.db);
        if (i % 3 === 0) await call("DELETE", `/mutings/${made}`);
      }
    };
    await Promise.all([work("html"), work("html"), work("a11y"), muting()]);
    await recountAll(database.db);
    await expectConsistent(database.db, id);
    expect(await errors(id)).to.equal(120);
  });

  it("are applied by the controller, which is notified of them", async () => {
    const id = await checkedReport(3);
    const controller = startController(database);
    try {
      await eventually(async () => (await listOutdatedReports(database.db)).length === 0);
      await mute("example", "obsolete");
      await eventually(async () => (await errors(id)) === 3);
      await expectConsistent(database.db, id);
    } finally {
      await controller.stop();
    }
  });

  it("are applied by a recounter that was not notified, and it stops when asked to", async () => {
    const id = await checkedReport(1);
    await mute("example", "obsolete");
    const stop = new AbortController();
    const running = createRecounter({ db: database.db, databaseUrl: database.url, log: testLog, now: () => now }).run(
      stop.signal,
    );
    await eventually(async () => (await errors(id)) === 1);
    stop.abort();
    await running;
  });
});

describe("an account whose mutings cannot end", () => {
  it("does not keep those of others from ending, nor reports from being recounted", async () => {
    const database = await createTestDatabase();
    const stop = new AbortController();
    let running: Promise<void> | undefined;
    try {
      const accounts = [];
      for (let n = 0; n < 3; n++) accounts.push((await accountWithToken(database)).accountId);
      const [faulty = "", ...others] = accounts;
      for (const account of accounts)
        await sql`insert into mutings (account_id, criteria, expires_at)
          values (${account}, '{"rule": "x"}', ${now})`.execute(database.db);
      await sql`create function fault() returns trigger language plpgsql as
        ${sql.lit("begin raise exception 'This muting cannot be written.'; end")}`.execute(database.db);
      await sql`create trigger fault before update on mutings for each row
        when (new.account_id = ${sql.lit(faulty)}::uuid) execute function fault()`.execute(database.db);
      const id = await insertReport(database.db, { accountId: others[0] ?? "" });
      running = createRecounter({ db: database.db, databaseUrl: database.url, log: testLog, now: () => now }).run(
        stop.signal,
      );
      const rows = () => database.db.selectFrom("mutings").select(["account_id", "expired"]).execute();
      await eventually(async () =>
        (await rows()).every(({ account_id, expired }) => expired === (account_id !== faulty)),
      );
      await eventually(async () => {
        const { muting_revision } = await database.db
          .selectFrom("reports")
          .select("muting_revision")
          .where("id", "=", id)
          .executeTakeFirstOrThrow();
        return muting_revision === 1;
      });
    } finally {
      stop.abort();
      await running;
      await database.drop();
    }
  });
});

describe("a report that cannot be recounted", () => {
  const faults = {
    "stays outdated": "new.muting_revision := old.muting_revision; return new;",
    "fails each time": "raise exception 'This report cannot be written.';",
  };
  for (const [what, body] of Object.entries(faults))
    it(`does not keep other accounts' reports from being recounted: it ${what}`, async () => {
      const database = await createTestDatabase();
      const stop = new AbortController();
      let running: Promise<void> | undefined;
      try {
        const ids = [];
        for (let n = 0; n < 12; n++) {
          const { accountId } = await accountWithToken(database);
          ids.push(await insertReport(database.db, { accountId }));
        }
        // All but the last one are faulty, whichever comes first.
        const last = ids.at(-1) ?? "";
        await sql`create function fault() returns trigger language plpgsql as ${sql.lit(`begin ${body} end`)}`.execute(
          database.db,
        );
        await sql`create trigger fault before update on reports for each row when (new.id <> ${sql.lit(last)}::uuid)
          execute function fault()`.execute(database.db);
        await sql`update accounts set muting_revision = 1`.execute(database.db);
        running = createRecounter({ db: database.db, databaseUrl: database.url, log: testLog, now: () => now }).run(
          stop.signal,
        );
        const revisionOf = (id: string) =>
          database.db.selectFrom("reports").select("muting_revision").where("id", "=", id).executeTakeFirstOrThrow();
        await eventually(async () => (await revisionOf(last)).muting_revision === 1);
      } finally {
        stop.abort();
        await running;
        await database.drop();
      }
    });
});

describe("a report whose recount fails again and again", () => {
  it("is tried after ever longer pauses, while others are recounted at once", async () => {
    const database = await createTestDatabase();
    const stop = new AbortController();
    let running: Promise<void> | undefined;
    try {
      const { accountId } = await accountWithToken(database);
      const bad = await insertReport(database.db, { accountId });
      const good = await insertReport(database.db, { accountId });
      await sql`create function fault() returns trigger language plpgsql as
        ${sql.lit("begin raise exception 'This report cannot be written.'; end")}`.execute(database.db);
      await sql`create trigger fault before update on reports for each row when (new.id = ${sql.lit(bad)}::uuid)
        execute function fault()`.execute(database.db);
      let time = 0;
      let tries = 0;
      const warn = (_: string, { report }: { report?: string }) => {
        if (report === bad) tries += 1;
      };
      const log = Object.assign(Object.create(testLog), { warn });
      const deps = { db: database.db, databaseUrl: database.url, log, now: () => now };
      const recounter = createRecounter(deps, () => time);
      let revision = 0;
      const recountGood = async () => {
        revision += 1;
        await sql`update accounts set muting_revision = ${revision}`.execute(database.db);
        recounter.notify();
        const row = database.db.selectFrom("reports").select("muting_revision").where("id", "=", good);
        await eventually(async () => (await row.executeTakeFirstOrThrow()).muting_revision === revision);
      };
      /** Passes that begin from now on. A pass recounts a report once: the second time shows that one has ended. */
      const passes = async () => {
        await recountGood();
        await recountGood();
        await recountGood();
      };
      running = recounter.run(stop.signal);
      for (const [tried, pause] of [5_000, 10_000, 20_000, 40_000].entries()) {
        await passes();
        expect(tries).to.equal(tried + 1);
        // Half of each pause is random.
        time += pause / 2 - 1;
        await passes();
        expect(tries).to.equal(tried + 1);
        time += pause / 2 + 1;
      }
    } finally {
      stop.abort();
      await running;
      await database.drop();
    }
  });
});

/** recordOutcomes opens its own transaction; here it takes part in the given one. */
function inside(trx: TestDatabase["db"]): TestDatabase["db"] {
  return new Proxy(trx, {
    get: (target, name) =>
      name === "transaction"
        ? () => ({ execute: (body: (db: typeof trx) => unknown) => body(target) })
        : Reflect.get(target, name, target),
  });
}
