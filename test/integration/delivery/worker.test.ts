import { expect } from "chai";
import { Webhook } from "standardwebhooks";
import {
  giveUp,
  insertTest,
  listAttempts,
  listDeliveries,
  sendAgain,
} from "../../../src/database/receivers/deliveries.ts";
import {
  enableReceiver,
  findReceiver,
  insertReceiver,
  type ReceiverValues,
  rotateSecret,
} from "../../../src/database/receivers/receivers.ts";
import { createDeliveryWorker, type DeliverySettings, type DeliveryWorker } from "../../../src/delivery/worker.ts";
import { createEncryptor } from "../../../src/domain/accounts/encryption.ts";
import type { EventType } from "../../../src/domain/notifications/events.ts";
import type { ReceiverKind } from "../../../src/domain/notifications/receivers.ts";
import { addressPolicy } from "../../../src/net/addresses.ts";
import { endReport } from "../../../src/transactions/end-report.ts";
import { insertAccount, insertReport } from "../../support/builders.ts";
import { createAuthority, type Issued } from "../../support/certificates.ts";
import { testLog } from "../../support/controller.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { type ReceiverServer, serveReceiver } from "../../support/receiver-server.ts";
import { eventually } from "../../support/wait.ts";

const encryptor = createEncryptor("a key for tests of messages");
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

describe("Messages to receivers", () => {
  let database: TestDatabase;
  let accountId: string;
  let server: ReceiverServer;
  let now: Date;
  let worker: DeliveryWorker;
  let stop: AbortController;
  let running: Promise<void>;

  beforeEach(async () => {
    database = await createTestDatabase();
    accountId = await insertAccount(database.db);
    server = await serveReceiver();
    now = new Date("2026-11-26T06:32:15Z");
    start();
  });
  afterEach(async () => {
    await end();
    await server.close();
    await database.drop();
  });

  function start(settings: Partial<DeliverySettings> = {}) {
    stop = new AbortController();
    const delivery = { policy: addressPolicy(["127.0.0.0/8"]), baseUrl: "https://checks.example.net", ...settings };
    worker = createDeliveryWorker({ db: database.db, log: testLog, now: () => now, encryptor, delivery });
    running = worker.run(stop.signal);
  }

  async function end() {
    stop.abort();
    await running;
  }

  /** The clock goes on, and the worker looks. */
  function pass(ms: number) {
    now = new Date(now.getTime() + ms);
    worker.notify();
  }

  const all: EventType[] = ["report.completed", "issues.new", "report.gate_failed", "report.failed"];

  function receiver(path: string, values: Partial<ReceiverValues & { kind: ReceiverKind }> = {}) {
    return insertReceiver(
      database.db,
      encryptor,
      accountId,
      {
        ...{ kind: "webhook" as const, name: "A receiver", url: server.url + path, mail_addresses: [], events: all },
        ...{ site_urls: [], tags: [], digest: "none" as const, time_zone: "UTC", ...values },
      },
      now,
    );
  }

  async function endRun(startingUrl = "https://example.com/", phase: "Complete" | "Failed" = "Failed") {
    const id = await insertReport(database.db, { accountId, spec: { startingUrl } });
    await database.db.updateTable("reports").set({ crawl_state: "ended" }).where("id", "=", id).execute();
    expect(await endReport(database.db, id, phase, now)).to.equal(true);
    worker.notify();
    return id;
  }

  const list = async () => (await listDeliveries(database.db, { accountId }, { limit: 100, offset: 0 })).rows.reverse();
  const states = async () => (await list()).map(({ type, state, attempts }) => `${type} ${state} ${attempts}`);
  const untilStates = (...wanted: string[]) =>
    eventually(async () => JSON.stringify(await states()) === JSON.stringify(wanted)).catch(async (error) => {
      expect(await states()).to.deep.equal(wanted);
      throw error;
    });

  it("arrive with a signature that the receiver's library accepts, in their order, with what happened", async () => {
    // Libraries accept no old messages.
    now = new Date();
    const { secret } = await receiver("/in");
    const report = await endRun();
    await untilStates("report.completed delivered 1", "report.failed delivered 1");
    const [first, second] = server.got;
    const verified = new Webhook(secret ?? "").verify(first?.body ?? "", first?.headers as Record<string, string>);
    expect(verified).to.deep.include({ type: "report.completed", timestamp: now.toISOString() });
    expect(JSON.parse(second?.body ?? "")).to.deep.equal({
      type: "report.failed",
      timestamp: now.toISOString(),
      data: {
        site: { name: null, url: "https://example.com/", owner: null },
        report_id: report,
        report: `https://checks.example.net/reports/${report}`,
        ...{
          errors: null,
          errors_before: null,
          new: null,
          fixed: null,
          causes: [],
          first_failed_limit: null,
          failure: null,
        },
        pages: { checked: 0, not_checked: 0 },
      },
    });
  });

  it("are tried again after 1, 5 and 30 minutes, 2, 6 and 15 hours, with the same id, and then given up", async () => {
    await receiver("/in", { events: ["report.failed"] });
    server.answer("/in", (response) => response.writeHead(503, { "retry-after": "1" }).end("down for maintenance"));
    await endRun();
    await untilStates("report.failed failing 1");
    for (const [index, minutes] of [1, 5, 30, 120, 360, 900].entries()) {
      pass(minutes * MINUTE - 1);
      expect(server.got.length).to.equal(index + 1);
      pass(1);
      await untilStates(`report.failed ${index === 5 ? "given_up" : "failing"} ${index + 2}`);
    }
    expect(new Set(server.got.map(({ headers }) => headers["webhook-id"])).size).to.equal(1);
    const [delivery] = await list();
    const attempts = await listAttempts(database.db, delivery?.id ?? "");
    expect(attempts.map(({ status, answer }) => `${status} ${answer}`)).to.deep.equal(
      Array(7).fill("503 down for maintenance"),
    );
  });

  it("wait for the one before, so that all arrive in their order; another receiver does not wait", async () => {
    await receiver("/failing", { events: ["report.failed"] });
    await receiver("/in", { events: ["report.failed"] });
    server.answer("/failing", (response) => response.writeHead(500).end());
    const reports = [await endRun(), await endRun("https://example.org/")];
    await eventually(async () => (await states()).filter((state) => state.includes("delivered")).length === 2);
    expect(await states()).to.have.members([
      ...["report.failed failing 1", "report.failed waiting 0"],
      ...["report.failed delivered 1", "report.failed delivered 1"],
    ]);
    server.answer("/failing", (response) => response.writeHead(200).end("ok"));
    pass(MINUTE);
    await eventually(async () => (await states()).every((state) => state.includes("delivered")));
    const told = server.got
      .filter(({ path }) => path === "/failing")
      .map(({ body }) => JSON.parse(body).data.report_id);
    expect(told).to.deep.equal([reports[0], reports[0], reports[1]]);
  });

  it("go on after one that somebody gives up; it can be sent again", async () => {
    await receiver("/in", { events: ["report.failed"] });
    server.answer("/in", (response) => response.writeHead(500).end());
    await endRun();
    await untilStates("report.failed failing 1");
    await endRun("https://example.org/");
    server.answer("/in", (response) => response.writeHead(204).end());
    const [first] = await list();
    await giveUp(database.db, first?.id ?? "", now);
    worker.notify();
    await untilStates("report.failed given_up 1", "report.failed delivered 1");
    await sendAgain(database.db, first?.id ?? "", now);
    worker.notify();
    await untilStates("report.failed delivered 2", "report.failed delivered 1");
  });

  it("are not sent for a week of failures: the receiver is disabled, and switched on again with what it missed", async () => {
    const { id } = await receiver("/in", { events: ["report.failed"] });
    server.answer("/in", (response) => response.writeHead(410).end());
    await endRun();
    await untilStates("report.failed failing 1");
    await end();
    now = new Date(now.getTime() + MINUTE / 2);
    await endRun();
    now = new Date(now.getTime() + 7 * DAY - MINUTE / 4);
    start();
    await eventually(async () => (await findReceiver(database.db, accountId, id))?.disabled_at);
    await endRun("https://example.org/");
    await eventually(async () => (await findReceiver(database.db, accountId, id))?.missed === 2);
    const before = server.got.length;
    server.answer("/in", (response) => response.writeHead(204).end());
    // The first one is older than a week.
    await enableReceiver(database.db, id, { sendMissed: true, now });
    worker.notify();
    await untilStates("report.failed delivered 1", "report.failed delivered 1");
    expect(server.got.length).to.equal(before + 2);
  });

  it("do not disable a receiver for one that was given up, while nothing waits", async () => {
    const { id } = await receiver("/in", { events: ["report.failed"] });
    server.answer("/in", (response) => response.writeHead(500).end());
    await insertTest(database.db, id, now);
    worker.notify();
    await untilStates("test given_up 1");
    await end();
    now = new Date(now.getTime() + 8 * DAY);
    start();
    // The same pass looks for receivers to disable, and then for what is due.
    server.answer("/in", (response) => response.writeHead(204).end());
    await endRun();
    await untilStates("test given_up 1", "report.failed delivered 1");
    expect((await findReceiver(database.db, accountId, id))?.disabled_at).to.equal(null);
  });

  it("have both signatures for a day after the secret was changed", async () => {
    const { id, secret } = await receiver("/in", { events: ["report.failed"] });
    const next = await rotateSecret(database.db, encryptor, id, now);
    await endRun();
    await untilStates("report.failed delivered 1");
    pass(DAY + 1);
    await endRun();
    await untilStates("report.failed delivered 1", "report.failed delivered 1");
    const [both, one] = server.got;
    const verify = (key: string | null, got = both) =>
      new Webhook(key ?? "").sign(
        `${got?.headers["webhook-id"]}`,
        new Date(Number(got?.headers["webhook-timestamp"]) * 1_000),
        got?.body ?? "",
      );
    expect(both?.headers["webhook-signature"]).to.equal(`${verify(next)} ${verify(secret)}`);
    expect(one?.headers["webhook-signature"]).to.equal(verify(next, one));
  });

  const faults: [what: string, answer: Parameters<ReceiverServer["answer"]>[1], says: RegExp][] = [
    [
      "redirects",
      (response) => response.writeHead(302, { location: `/other` }).end(),
      /^302 Redirects are not followed/,
    ],
    [
      "answers with what never ends",
      (response) => {
        response.writeHead(500);
        const more = () => response.write("x".repeat(64_000), (error) => error ?? more());
        more();
      },
      /^500 x{1000}$/,
    ],
    ["closes the connection", (response) => response.destroy(), /^null The address could not be reached/],
  ];
  for (const [what, answer, says] of faults)
    it(`are tried again by a receiver that ${what}`, async () => {
      await receiver("/in", { events: ["report.failed"] });
      server.answer("/in", answer);
      await endRun();
      await untilStates("report.failed failing 1");
      const [delivery] = await list();
      expect(`${delivery?.last?.status} ${delivery?.last?.answer}`).to.match(says);
      expect(server.got.map(({ path }) => path)).to.deep.equal(["/in"]);
    });

  describe("are sent by https to whoever has a certificate for the address", () => {
    const authority = createAuthority();
    const trusted = { authorities: [authority.ca], clientCertificates: new Map(), insecureHosts: new Set<string>() };
    const certificates: [what: string, issued: Issued, says: RegExp | undefined][] = [
      ["that is trusted", authority.issue(["127.0.0.1"]), undefined],
      ["and not where it has expired", authority.issue(["127.0.0.1"], -1), /expired/],
      ["and not where it is for another host", authority.issue(["other.example"]), /certificate/],
      ["and not where nobody known has signed it", createAuthority("Stranger").issue(["127.0.0.1"]), /certificate/],
    ];
    for (const [what, issued, says] of certificates)
      it(what, async () => {
        await end();
        await server.close();
        server = await serveReceiver(issued);
        start({ policy: { ...addressPolicy(["127.0.0.0/8"]), tls: trusted } });
        await receiver("/in", { events: ["report.failed"] });
        await endRun();
        await untilStates(says ? "report.failed failing 1" : "report.failed delivered 1");
        expect(server.got).to.have.length(says ? 0 : 1);
        if (says) expect((await list())[0]?.last?.answer).to.match(says);
      });
  });

  it("are not sent to private addresses, unless the operator allows it", async () => {
    await end();
    start({ policy: addressPolicy([]) });
    await receiver("/in", { events: ["report.failed"] });
    await endRun();
    await untilStates("report.failed failing 1");
    expect((await list())[0]?.last?.answer).to.match(/private|not be visited|not allowed/i);
    expect(server.got).to.deep.equal([]);
  });

  it("are of the sites alone that a receiver hears of", async () => {
    await receiver("/one", { events: ["report.failed"], site_urls: ["https://example.org/"] });
    await receiver("/tagged", { events: ["report.failed"], tags: ["shop"] });
    const site = { account_id: accountId, starting_url: "https://shop.example/", name: "Shop", tags: ["shop"] };
    await database.db.insertInto("sites").values(site).execute();
    await endRun();
    await endRun("https://example.org/");
    await endRun("https://shop.example/");
    await untilStates("report.failed delivered 1", "report.failed delivered 1");
    expect(server.got.map(({ path, body }) => `${path} ${JSON.parse(body).data.site.url}`)).to.deep.equal([
      "/one https://example.org/",
      "/tagged https://shop.example/",
    ]);
  });

  it("are collected until 8 o'clock, where that is wanted, in one message", async () => {
    await receiver("/in", { events: ["report.failed"], digest: "daily", time_zone: "Europe/Berlin" });
    await endRun();
    await endRun("https://example.org/");
    await untilStates("report.failed collected 0", "report.failed collected 0");
    pass(27 * MINUTE);
    expect(server.got).to.deep.equal([]);
    // Half past six in UTC is half past seven in Berlin.
    pass(MINUTE);
    await untilStates("digest delivered 1");
    const { type, data } = JSON.parse(server.got[0]?.body ?? "");
    expect(type).to.equal("digest");
    expect(data.events.map(({ data: { site } }: { data: { site: { url: string } } }) => site.url)).to.deep.equal([
      "https://example.com/",
      "https://example.org/",
    ]);
  });

  it("are sent once more by the next process when one ends before it has recorded the answer, with the same id", async () => {
    await receiver("/in", { events: ["report.failed"] });
    // As a process that is killed: the answer does not reach it.
    server.answer("/in", () => {});
    await endRun();
    await eventually(() => server.got.length === 1);
    await end();
    server.answer("/in", (response) => response.writeHead(204).end());
    start();
    await untilStates("report.failed delivered 1");
    expect(new Set(server.got.map(({ headers }) => headers["webhook-id"])).size).to.equal(1);
  });

  it("can be tried by a test, which does not wait for others", async () => {
    const { id } = await receiver("/in", { events: ["report.failed"] });
    server.answer("/in", (response) => response.writeHead(500).end());
    await endRun();
    await untilStates("report.failed failing 1");
    await insertTest(database.db, id, now);
    worker.notify();
    await untilStates("report.failed failing 1", "test given_up 1");
    expect(JSON.parse(server.got[1]?.body ?? "")).to.include({ type: "test" });
  });

  it("have the forms of Slack and Teams, with text of sites as text", async () => {
    const name = "<!channel> & *Shop*";
    await receiver("/slack", { kind: "slack", events: ["report.failed"] });
    await receiver("/teams", { kind: "teams", events: ["report.failed"] });
    await database.db
      .insertInto("sites")
      .values({ account_id: accountId, starting_url: "https://example.com/", name })
      .execute();
    const report = await endRun();
    await untilStates("report.failed delivered 1", "report.failed delivered 1");
    const body = (path: string) => JSON.parse(server.got.find((one) => one.path === path)?.body ?? "");
    const { text, blocks } = body("/slack");
    expect(text).to.equal("&lt;!channel&gt; &amp; \u200B*Shop\u200B* could not be checked");
    expect(blocks[0].text.text).to.include(`<https://checks.example.net/reports/${report}|&lt;!channel&gt;`);
    const [{ content }] = body("/teams").attachments;
    expect(content.body[0].text).to.equal("<\\!channel\\> & \\*Shop\\* could not be checked".replace("\\!", "!"));
    expect(content.actions[0].url).to.equal(`https://checks.example.net/reports/${report}`);
    for (const { headers } of server.got) expect(headers).not.to.have.property("webhook-signature");
  });
});
