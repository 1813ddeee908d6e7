// More than ten seconds of processor time: a mail is opened in a browser for axe-core.
import { expect } from "chai";
import { storeAssignment } from "../../../src/database/findings/assignments.ts";
import { askMonthFile, endMonthFile, findMonthFile } from "../../../src/database/months/month-files.ts";
import { insertReceiver } from "../../../src/database/receivers/receivers.ts";
import { createEncryptor } from "../../../src/domain/accounts/encryption.ts";
import { escaped } from "../../../src/domain/escaped-html.ts";
import { type MonthSite, monthReport } from "../../../src/domain/months/month-report.ts";
import { type MonthTold, monthTold } from "../../../src/domain/months/told.ts";
import type { EventType } from "../../../src/domain/notifications/events.ts";
import { mailOf } from "../../../src/domain/notifications/mail.ts";
import { tellMonths } from "../../../src/transactions/tell.ts";
import { insertAccount } from "../../support/builders.ts";
import { runReport, type Site } from "../../support/compared-sites.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { findHtml, openOwnAxe } from "../../support/own-verdicts.ts";
import { serveSnapshots } from "../../support/snapshots.ts";

const encryptor = createEncryptor("a key for tests of months");
const at = (time: string) => new Date(`${time}Z`);

/** A name as messages have it. */
function cutName(name: string): string {
  const site: MonthSite = {
    ...{ id: "a", starting_url: "https://a.example/", name, owner: null, tags: [], is_scheduled: true, num_runs: 0 },
    ...{ now: null, before: null, last_known: null, without_result: null, months: [], weeks: [] },
  };
  const report = monthReport("2026-11", { sites: [site], rules: [], criteria: [] });
  return monthTold("2026-11", report, { numSites: 1, criteria: new Set() }).not_checked[0]?.name ?? "";
}

describe("The mail about a month", () => {
  let database: TestDatabase;
  let accountId: string;
  beforeEach(async () => {
    database = await createTestDatabase();
    accountId = await insertAccount(database.db);
  });
  afterEach(() => database?.drop());

  const receiver = (
    time_zone: string,
    more: { events?: EventType[]; account?: string; digest?: "none" | "daily" } = {},
  ) =>
    insertReceiver(
      database.db,
      encryptor,
      more.account ?? accountId,
      {
        ...{ kind: "mail", name: `Team in ${time_zone}`, url: null, mail_addresses: ["ada@example.org"], time_zone },
        ...{ events: more.events ?? ["month.ended"], site_urls: [], tags: [], digest: more.digest ?? "none" },
      },
      at("2026-11-01T00:00:00"),
    );
  const deliveries = () =>
    database.db.selectFrom("deliveries").select(["type", "state", "events", "receiver_id"]).orderBy("seq").execute();
  const inserted = () =>
    database.db
      .updateTable("receivers")
      .set({ inserted_at: at("2026-11-01T00:00:00") })
      .execute();

  async function twoMonths(account = accountId) {
    await runReport(database.db, account, { "/": ["alt img one", "alt img two"] }, { at: at("2026-10-20T12:00:00") });
    await runReport(database.db, account, { "/": ["alt img one"] }, { at: at("2026-11-20T12:00:00") });
  }

  it("is written once for each receiver, on the 1st in its time zone, also after restarts and to one that collects", async () => {
    await twoMonths();
    await receiver("UTC", { digest: "daily" });
    await receiver("America/New_York");
    await receiver("UTC", { events: ["report.failed"] });
    await inserted();
    await tellMonths(database.db, at("2026-12-01T07:59:00"));
    expect(await deliveries()).to.deep.equal([]);
    for (const time of ["2026-12-01T08:01:00", "2026-12-01T08:11:00", "2026-12-01T13:30:00", "2026-12-05T00:00:00"])
      await Promise.all([tellMonths(database.db, at(time)), tellMonths(database.db, at(time))]);
    const written = await deliveries();
    expect(written.map(({ type, state }) => `${type} ${state}`)).to.deep.equal([
      ...["month.ended waiting", "month.ended waiting"],
    ]);
    const [event] = written[0]?.events ?? [];
    expect(event?.data).to.deep.include({ month: "2026-11", num_sites: 1, away: { errors: 1 }, came: { errors: 0 } });
  });

  it("has nothing of another account, and is not written for one without a site", async () => {
    await twoMonths();
    const other = await insertAccount(database.db);
    await receiver("UTC", { account: other });
    await inserted();
    await tellMonths(database.db, at("2026-12-01T09:00:00"));
    expect(await deliveries()).to.deep.equal([]);
  });

  it("says that there is a PDF when somebody had one made", async () => {
    await twoMonths();
    const scope = { accountId, guestToken: null, sites: null };
    await askMonthFile(database.db, scope, "2026-11", { html: "<!DOCTYPE html>", now: at("2026-12-01T06:00:00") });
    const { id = "" } = (await findMonthFile(database.db, scope, "2026-11")) ?? {};
    await endMonthFile(database.db, id, { pdf: new Uint8Array([37]) });
    await receiver("UTC");
    await inserted();
    await tellMonths(database.db, at("2026-12-01T09:00:00"));
    const [{ events } = { events: [] }] = await deliveries();
    expect((events[0]?.data as MonthTold | undefined)?.pdf).to.equal(true);
  });

  it("names the change that helps a site most that got worse, and who has it", async () => {
    const run = (site: Site, at: Date) => runReport(database.db, accountId, site, { at });
    await run({ "/docs/a": ["alt img one"] }, at("2026-10-20T12:00:00"));
    await run({ "/docs/a": ["alt img one", "lang html two", "lang html three"] }, at("2026-11-20T12:00:00"));
    const site = { accountId, guestToken: null, startingUrl: "https://example.com/" };
    const editors = { assignee: "Editors", holder: "name", person_id: null, team_id: null } as const;
    const part = { kind: "section", part: "/docs/" } as const;
    await storeAssignment(database.db, site, part, { ...editors, due_on: null, note: "Ticket 4512", done_at: null });
    await receiver("UTC");
    await inserted();
    await tellMonths(database.db, at("2026-12-01T09:00:00"));
    const [{ events } = { events: [] }] = await deliveries();
    const worse = (events[0]?.data as MonthTold | undefined)?.worse[0];
    expect(worse?.helps).to.deep.include({ assignee: "Editors" });
    expect(worse?.helps?.errors).to.be.within(1, 3);
    expect(JSON.stringify(events)).to.not.include("Ticket 4512");
    expect((events[0]?.data as MonthTold | undefined)?.pdf).to.equal(false);
  });

  it("says what its page says, in short lines and in small HTML in which our own engines find nothing", async () => {
    const bad = cutName(`<b onload="x">&"'</b>${"&".repeat(80)}`);
    const moved = Array.from({ length: 5 }, (_, n) => ({
      name: bad,
      id: `${n}`.repeat(32),
      owner: bad,
      from: 2.1,
      to: 4.9,
    }));
    const data: MonthTold = {
      ...{ month: "2026-11", ended: true, num_sites: 40 },
      totals: { sites: 38, errors: 2_600, pages: 1_040, critical: 603 },
      before: { sites: 40, errors: 3_234, pages: 980, critical: 700 },
      limits: { met: 25, not_met: 9, none: 4, unknown: 0 },
      turns: { better: 9, worse: 7, as_before: 20, not_compared: 4 },
      ...{ away: { errors: 812 }, came: { errors: 178 }, num_not_checked: 7 },
      roles: { template: 1_014, content: 858, design: 728 },
      worse: moved.map((site) => ({ ...site, helps: { title: bad, errors: 1_024, assignee: bad } })),
      better: moved,
      not_checked: moved.map(({ name, id, owner }) => ({ name, id, owner, last: { day: "2026-10-12", rate: 2.7 } })),
      pdf: true,
      criteria: { all: 55, fails: 9, nothing_found: 12, not_judged: 34 },
    };
    const message = {
      type: "month.ended" as const,
      occurredAt: at("2026-12-01T08:00:00"),
      events: [{ type: "month.ended" as const, data }],
    };
    const links = { baseUrl: "https://checks.example.net" };
    const end = {
      reason: "You get this because Web team hears of it.",
      unsubscribe: "https://checks.example.net/unsubscribe/1/2",
    };
    const mail = mailOf(message, links, end);
    expect(mail.subject).to.equal("November: fewer errors, 2.5 per page after 3.3; 7 sites got worse");
    expect(mail.text).to.include("Better: 24 % fewer errors on each page, and 25 of 40 sites meet their");
    expect(mail.text).to.include("Errors per page: 2.5\n  after 3.3 in October: 2,600 errors on 1,040 pages\n");
    expect(mail.text).to.include("https://checks.example.net/months/2026-11\n");
    expect(mail.text.split("\n").filter((line) => line.length > 72 && !/https:/.test(line))).to.deep.equal([]);
    const below = `${bad}: −1,024; ${bad}`;
    expect(mail.text.replaceAll(/\s+/g, " ")).to.include(below.replaceAll(/\s+/g, " "));
    expect(mail.html).to.include(escaped(below));
    const pdf = "https://checks.example.net/months/2026-11/report.pdf";
    expect(mail.text).to.include(`As PDF, when you are signed in:\n${pdf}\n`);
    expect(mail.html).to.include(`href="${pdf}"`);
    const without = mailOf(
      { ...message, events: [{ type: "month.ended", data: { ...data, pdf: false } }] },
      links,
      end,
    );
    expect(without.text + without.html).to.not.include(".pdf");
    expect(mail.html).not.to.match(/<b onload|src=|url\(|<img|<table/);
    expect(Buffer.byteLength(mail.html)).to.be.below(12_000);
    const stop = { name: "mail", path: "/mail", status: 200, html: mail.html };
    expect(await findHtml("conformance", [stop])).to.deep.equal([]);
    expect(await findHtml("html-validate", [stop])).to.deep.equal([]);
    const served = await serveSnapshots("http://127.0.0.1:9", "", [stop]);
    const axe = await openOwnAxe();
    try {
      expect(await axe.find("mail", `${served.url}/mail`)).to.deep.equal([]);
    } finally {
      await axe.close();
      await served.close();
    }
    const nothing = { ...data, totals: { sites: 0, errors: 0, pages: 0, critical: 0 }, worse: [], better: [] };
    const empty = mailOf({ ...message, events: [{ type: "month.ended", data: nothing }] }, { baseUrl: undefined }, end);
    expect(empty.subject).to.equal("November: nothing was checked");
    expect(await findHtml("conformance", [{ name: "empty", html: empty.html }])).to.deep.equal([]);
  });
});
