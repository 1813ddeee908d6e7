import { expect } from "chai";
import { sql } from "kysely";
import { checkKinds } from "../../../src/checks/kinds.ts";
import { createLocalCluster } from "../../../src/cluster/local/local-cluster.ts";
import { createToken } from "../../../src/database/accounts/tokens.ts";
import { markReportDeleted } from "../../../src/database/reports/reports.ts";
import { readDaysOfSites, readSiteDays } from "../../../src/database/reports/site-history.ts";
import { findDeletion, nextItem, stopDeletion } from "../../../src/database/retention/deletions.ts";
import { changeRetention } from "../../../src/database/retention/limits.ts";
import { pinReport } from "../../../src/database/retention/pins.ts";
import { noLimits } from "../../../src/domain/retention/limits.ts";
import { beginDeletion, beginNight, deleteItem } from "../../../src/transactions/retention.ts";
import { insertAccount, insertReport, reportResource } from "../../support/builders.ts";
import { runReport } from "../../support/compared-sites.ts";
import { type RunningService, startController, testLog, testSettings } from "../../support/controller.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { eventually } from "../../support/wait.ts";

const DAY_MS = 86_400_000;
const START = new Date("2026-01-01T10:00:00Z");
const day = (n: number) => new Date(START.getTime() + n * DAY_MS);
/** Errors of the site become fewer by one a day. */
const site = (errors: number) => ({ "/": Array.from({ length: errors }, (_, n) => `alt img main>${n}`) });

describe("what is kept, and for how long", () => {
  let database: TestDatabase;
  let account: string;
  let tokenId: string;
  let controller: RunningService | undefined;
  let now = START;

  beforeEach(async () => {
    database = await createTestDatabase();
    account = await insertAccount(database.db);
    tokenId = (await createToken(database.db, { accountId: account, name: "Web team", scope: "write" })).id;
  });
  afterEach(async () => {
    await controller?.stop();
    controller = undefined;
    await database.drop();
  });

  const start = (retention = noLimits) => {
    controller = startController(database, { settings: { ...testSettings, retention }, now: () => now });
  };
  /** A report each day, each compared with the one before. @returns their ids, the oldest first */
  async function days(howMany: number, of = account): Promise<string[]> {
    const ids: string[] = [];
    for (let n = 0; n < howMany; n += 1) ids.push(await runReport(database.db, of, site(howMany - n), { at: day(n) }));
    now = new Date(day(howMany - 1).getTime() + 3_600_000);
    return ids;
  }
  const keep = (limits: object, of = account) => changeRetention(database.db, of, limits, { tokenId, now });
  const left = async (of = account): Promise<string[]> => {
    const rows = await database.db
      .selectFrom("reports")
      .select("id")
      .where("account_id", "=", of)
      .where("deleted_at", "is", null)
      .orderBy("inserted_at")
      .execute();
    return rows.map(({ id }) => id);
  };
  const deletions = () => database.db.selectFrom("deletions").selectAll().execute();
  const ended = () =>
    eventually(async () => {
      const all = await deletions();
      return all.length > 0 && all.every(({ state }) => state === "ended");
    });
  const later = (hours: number) => {
    now = new Date(now.getTime() + hours * 3_600_000);
  };
  const chosen = (ids: string[], part: "report" | "pictures" | "raw" = "report") =>
    beginDeletion(database.db, account, { ids, part, tokenId, now });
  const outcomes = async (id: string) => (await findDeletion(database.db, account, id))?.outcomes;
  /** Deletes all that waits, as the controller does. */
  async function carryOut(id: string): Promise<void> {
    const { signal } = new AbortController();
    for (;;) {
      const item = await nextItem(database.db, id, now);
      if (!item) return;
      await deleteItem(database.db, { id, accountId: account }, item, { now, signal });
    }
  }

  it("is everything, unless somebody says otherwise", async () => {
    const ids = await days(4);
    now = day(5_000);
    start();
    const other = await insertReport(database.db, { accountId: account });
    await markReportDeleted(database.db, other, new Date(0));
    // A later pass of the same controller has been through.
    await eventually(async () => (await left()).length === 4);
    expect(await beginNight(database.db, account, noLimits, now)).to.equal(0);
    expect(await left()).to.deep.equal(ids);
    expect(await deletions()).to.deep.equal([]);
  });

  it("is deleted in the night after a change, and not before", async () => {
    const ids = await days(6);
    await keep({ report_days: 3 });
    expect(await beginNight(database.db, account, noLimits, now)).to.equal(0);
    later(24);
    start();
    await ended();
    // Two days and an hour later, the fourth is four days old; the last is of today, and compared with the fifth.
    expect(await left()).to.deep.equal(ids.slice(3));
  });

  it("takes effect for those who have said nothing in the night after the operator has", async () => {
    const ids = await days(6);
    later(24 * 10);
    start({ ...noLimits, report_days: 2 });
    await eventually(async () => (await database.db.selectFrom("retentions").selectAll().execute()).length === 1);
    expect(await left()).to.deep.equal(ids);
    await controller?.stop();
    later(24);
    start({ ...noLimits, report_days: 2 });
    await ended();
    // All are too old: the newest stays, without which the site had no result, with what it is compared with.
    expect(await left()).to.deep.equal(ids.slice(-2));
  });

  it("leaves the reports of other accounts alone", async () => {
    const other = await insertAccount(database.db);
    const others = await days(4, other);
    const own = await days(4);
    await keep({ report_days: 1 });
    later(48);
    start();
    await ended();
    expect(await left()).to.deep.equal(own.slice(-2));
    expect(await left(other)).to.deep.equal(others);
  });

  it("never takes a pinned report, also one that is pinned when its deletion has begun", async () => {
    const [first = "", second = "", third = "", ...rest] = await days(6);
    const pin = (report_id: string) =>
      pinReport(database.db, {
        report_id,
        account_id: account,
        reason: "For the tender.",
        tokenId,
        sites: null,
        inserted_at: now,
      });
    expect(await pin(first)).to.equal("pinned");
    const id = await chosen([first, second, third]);
    expect(await outcomes(id)).to.deep.equal({ pinned: 1, compared: 1, waiting: 1 });
    expect(await pin(second)).to.equal("pinned");
    await carryOut(id);
    expect(await outcomes(id)).to.deep.equal({ pinned: 2, compared: 1 });
    expect(await left()).to.deep.equal([first, second, third, ...rest]);
  });

  it("never takes a pinned report whose resource somebody removes", async () => {
    const [first = ""] = await days(2);
    await pinReport(database.db, {
      report_id: first,
      account_id: account,
      reason: "Ours.",
      tokenId,
      sites: null,
      inserted_at: now,
    });
    expect(await markReportDeleted(database.db, first, now)).to.equal(false);
    expect(await left()).to.include(first);
  });

  it("never takes what a schedule compares its next run with", async () => {
    const schedule = await insertSchedule();
    const runs: string[] = [];
    for (let n = 0; n < 4; n += 1)
      runs.push(await runReport(database.db, account, site(3), { at: day(n), scheduleId: schedule }));
    const byHand = await runReport(database.db, account, site(2), { at: day(90) });
    now = day(90);
    await keep({ report_days: 30, schedule_runs: 1 });
    later(24);
    start();
    await ended();
    expect(await left()).to.deep.equal([runs.at(-1), byHand]);
    const next = await runReport(database.db, account, site(1), { at: day(92), scheduleId: schedule });
    const row = await database.db
      .selectFrom("reports")
      .innerJoin("comparisons", "comparisons.id", "reports.comparison_id")
      .select("comparisons.base_id")
      .where("reports.id", "=", next)
      .executeTakeFirst();
    expect(row?.base_id).to.equal(runs.at(-1));
  });

  it("never takes what a run that has begun meanwhile will be compared with", async () => {
    const ids = await days(3);
    const [first = "", second = ""] = ids;
    const id = await chosen([first]);
    expect(await outcomes(id)).to.deep.equal({ compared: 1 });
    const both = await chosen([first, second]);
    expect(await outcomes(both)).to.deep.equal({ compared: 1, waiting: 1 });
    await insertReport(database.db, { accountId: account, spec: { baseId: first } });
    await carryOut(both);
    expect(await outcomes(both)).to.deep.equal({ compared: 2 });
    expect(await left()).to.include.members(ids);
  });

  it("leaves the comparisons of all reports that stay, but for that of a report that others are only compared with", async () => {
    const ids = await days(6);
    await keep({ report_days: 3 });
    later(24);
    start();
    await ended();
    await controller?.stop();
    later(1);
    controller = startController(database, { settings: { ...testSettings, deletionGraceSeconds: 0 }, now: () => now });
    await eventually(async () => (await database.db.selectFrom("reports").select("id").execute()).length === 3);
    const rows = await database.db
      .selectFrom("reports")
      .select(["id", "comparison_id"])
      .orderBy("inserted_at")
      .execute();
    expect(rows.map(({ id, comparison_id }) => [id, comparison_id !== null])).to.deep.equal([
      [ids[3], false],
      [ids[4], true],
      [ids[5], true],
    ]);
  });

  it("leaves the numbers of each run: charts are as before, also when the rows are gone", async () => {
    await days(6);
    const scope = { accountId: account, guestToken: null, sites: null };
    const charts = async () => {
      const listed = await readSiteDays(database.db, scope, "https://example.com/", { since: day(-1), each: "day" });
      return {
        days: listed.map(({ is_past: _, ...numbers }) => numbers),
        all: await readDaysOfSites(database.db, scope, day(-1), checkKinds),
        // The last run before the time says how many errors the site had by then.
        later: await readDaysOfSites(database.db, scope, day(2.5), checkKinds),
      };
    };
    const before = await charts();
    expect(before.days).to.have.length(6);
    await keep({ report_days: 2 });
    later(24);
    start();
    await ended();
    expect(await charts()).to.deep.equal(before);
    await controller?.stop();
    later(1);
    controller = startController(database, { settings: { ...testSettings, deletionGraceSeconds: 0 }, now: () => now });
    await eventually(
      async () => (await database.db.selectFrom("reports").select("id").execute()).length === (await left()).length,
    );
    expect(await charts()).to.deep.equal(before);
  });

  it("forgets the numbers with the last report of a site", async () => {
    await days(4);
    await keep({ report_days: 1 });
    later(48);
    start();
    await ended();
    for (const id of await left()) await markReportDeleted(database.db, id, now);
    const scope = { accountId: account, guestToken: null, sites: null };
    expect(await readDaysOfSites(database.db, scope, day(-1), checkKinds)).to.deep.equal([]);
  });

  it("removes the resource of a report that is deleted, and no other", async () => {
    const cluster = createLocalCluster(database.db, { url: database.url, log: testLog });
    const ids = await days(4);
    for (const id of ids) {
      const row = await database.db.selectFrom("reports").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
      const { metadata, spec } = reportResource({}, { name: row.name, uid: row.uid });
      const made = await cluster.create<"Report">({
        ...reportResource(),
        metadata: { ...metadata, finalizers: [] },
        spec,
      });
      await database.db.updateTable("reports").set({ uid: made.metadata.uid }).where("id", "=", id).execute();
    }
    start();
    await chosen(ids.slice(0, 2));
    await ended();
    await eventually(async () => (await cluster.list("Report", { namespace: "default" })).items.length === 3);
    expect(await left()).to.deep.equal(ids.slice(1));
  });

  it("can be stopped between two reports: what is left stays", async () => {
    const ids = await days(5);
    const id = await chosen(ids.slice(0, 3));
    const item = await nextItem(database.db, id, now);
    if (!item) throw new Error("Nothing waits.");
    await deleteItem(database.db, { id, accountId: account }, item, { now, signal: new AbortController().signal });
    expect(await stopDeletion(database.db, account, id, now)).to.equal(true);
    start();
    expect(await nextItem(database.db, id, now)).to.equal(undefined);
    expect(await outcomes(id)).to.deep.equal({ deleted: 1, compared: 1, waiting: 1 });
    expect(await stopDeletion(database.db, account, id, now)).to.equal(false);
    expect(await left()).to.have.length(4);
  });

  it("is gone on with by the next leader", async () => {
    const ids = await days(5);
    const id = await chosen(ids.slice(0, 3));
    const item = await nextItem(database.db, id, now);
    if (!item) throw new Error("Nothing waits.");
    await deleteItem(database.db, { id, accountId: account }, item, { now, signal: new AbortController().signal });
    start();
    await ended();
    expect(await outcomes(id)).to.deep.equal({ deleted: 2, compared: 1 });
  });

  it("can be pictures alone: the report stays, and what they took is not counted any more", async () => {
    const [first = ""] = await days(1);
    const { rows } = await sql<{ page: string; check: string; bytes: string }>`
      select c.web_page_id as page, c.id as check, r.stored_bytes as bytes from checks c join reports r on r.id = c.report_id
      where r.id = ${first} and c.kind = 'html'`.execute(database.db);
    const [{ page, check, bytes }] = rows as [(typeof rows)[number]];
    await database.db
      .insertInto("screenshots")
      .values({ web_page_id: page, png: Buffer.alloc(1_000), width: 1, height: 1, scale: 1 })
      .execute();
    await sql`update reports set stored_bytes = stored_bytes + 1000, spec = spec || '{"performA11yChecks":false,"storeScreenshot":true}' where id = ${first}`.execute(
      database.db,
    );
    await sql`update checks set stored_bytes = stored_bytes + 1000 where id = ${check}`.execute(database.db);
    const id = await chosen([first], "pictures");
    await carryOut(id);
    expect(await outcomes(id)).to.deep.equal({ deleted: 1 });
    expect(await left()).to.deep.equal([first]);
    expect(await database.db.selectFrom("screenshots").selectAll().execute()).to.deep.equal([]);
    const row = await database.db.selectFrom("reports").select("stored_bytes").executeTakeFirstOrThrow();
    expect(row.stored_bytes).to.equal(bytes);
    expect((await deletions()).map(({ bytes: gone }) => gone)).to.deep.equal(["1000"]);
  });

  async function insertSchedule(): Promise<string> {
    const { rows } = await sql<{ id: string }>`
      insert into schedules (id, account_id, namespace, name, uid, spec, starting_url)
      values (gen_random_uuid(), ${account}, 'elsewhere', 'nightly', gen_random_uuid()::text, '{"startingUrl":"https://example.com/"}', 'https://example.com/')
      returning id`.execute(database.db);
    return rows[0]?.id ?? "";
  }
});
