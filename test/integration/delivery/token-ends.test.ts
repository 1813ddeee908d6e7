import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { sql } from "kysely";
import { SMTPServer } from "smtp-server";
import { createToken, deleteToken, renewToken, setTokenEnd } from "../../../src/database/accounts/tokens.ts";
import { sendTokenEnds } from "../../../src/delivery/send-token-ends.ts";
import { createDeliveryWorker } from "../../../src/delivery/worker.ts";
import { tokenEndMail } from "../../../src/domain/accounts/token-end-mail.ts";
import { addressPolicy } from "../../../src/net/addresses.ts";
import { accountWithToken } from "../../support/api.ts";
import { testLog } from "../../support/controller.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { personWithToken } from "../../support/people.ts";
import { eventually } from "../../support/wait.ts";

const baseUrl = "https://checks.example.net";
const DAY = 86_400_000;
const MINUTE = 60_000;

describe("The mail about tokens that end soon", () => {
  let database: TestDatabase;
  let accountId: string;
  let maker: { id: string; mail: string };
  let server: SMTPServer;
  let got: { to: string; text: string }[];
  let refusal: number | undefined;
  const start = new Date();

  before(async () => {
    database = await createTestDatabase();
  });
  beforeEach(async () => {
    ({ accountId } = await accountWithToken(database));
    maker = await personWithToken(database, accountId, "editor");
    [got, refusal] = [[], undefined];
    server = new SMTPServer({
      authOptional: true,
      disabledCommands: ["STARTTLS"],
      onRcptTo: (_to, _session, done) =>
        done(refusal === undefined ? null : Object.assign(new Error("not now"), { responseCode: refusal })),
      onData(stream, session, done) {
        const chunks: Buffer[] = [];
        stream.on("data", (chunk) => chunks.push(chunk));
        stream.on("end", () => {
          const text = Buffer.concat(chunks).toString().replaceAll("=\r\n", "");
          got.push({ to: session.envelope.rcptTo.map(({ address }) => address).join(), text });
          done();
        });
      },
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  });
  afterEach(() => new Promise<void>((resolve) => server.close(() => resolve())));
  after(() => database.drop());

  const smtpUrl = () => `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`;

  /** The controller sends what is due, so many days from now. */
  async function sendIn(days: number): Promise<void> {
    const url = smtpUrl();
    const now = () => new Date(start.getTime() + days * DAY);
    const { signal } = new AbortController();
    await sendTokenEnds(database.db, { mail: { url, from: "checks@example.net" }, baseUrl }, { now, signal });
  }
  const inDays = (days: number) => new Date(start.getTime() + days * DAY);
  const make = (name: string, days: number | null, madeBy: string | undefined = maker.id) =>
    createToken(database.db, {
      ...{ accountId, name, scope: "read", madeBy },
      expiresAt: days === null ? null : inDays(days),
    });

  it("comes to who made one 14 days before, and once", async () => {
    await make("Build server", 100);
    await sendIn(85);
    expect(got).to.deep.equal([]);
    await sendIn(86.1);
    expect(got.map(({ to }) => to)).to.deep.equal([maker.mail]);
    expect(got[0]?.text).to.match(/^Subject: A token for Site Validator at checks.example.net ends from/m);
    expect(got[0]?.text).to.include("Build server").and.to.include(`${baseUrl}/tokens?show=`);
    await sendIn(88);
    await sendIn(99);
    expect(got).to.have.length(1);
  });

  it("comes although no invitation can be read", async () => {
    await make("Build server", 100);
    await sql`alter table invitation_mails rename to gone`.execute(database.db);
    const mail = { url: smtpUrl(), from: "checks@example.net" };
    const delivery = { policy: addressPolicy([]), baseUrl, mail };
    const stop = new AbortController();
    const worker = createDeliveryWorker({ db: database.db, log: testLog, now: () => inDays(90), delivery });
    const running = worker.run(stop.signal);
    try {
      await eventually(() => got.length > 0);
    } finally {
      stop.abort();
      await running;
      await sql`alter table gone rename to invitation_mails`.execute(database.db);
    }
    expect(got.map(({ to }) => to)).to.deep.equal([maker.mail]);
  });

  it("comes again for a new end", async () => {
    const { id } = await make("Build server", 100);
    await sendIn(90);
    await setTokenEnd(database.db, id, inDays(400));
    await sendIn(95);
    expect(got).to.have.length(1);
    await sendIn(387);
    expect(got).to.have.length(2);
  });

  it("does not come for a token that is revoked, has no end or a later one, was made for less, or is the account's", async () => {
    const { id } = await make("Revoked", 100);
    await deleteToken(database.db, id);
    const { id: longer } = await make("One year more", 100);
    await setTokenEnd(database.db, longer, inDays(300));
    await make("Without an end", null);
    await make("For a week", 7);
    await createToken(database.db, { accountId, name: "Of the account", scope: "read", expiresAt: inDays(100) });
    await sendIn(1);
    await sendIn(95);
    expect(got).to.deep.equal([]);
  });

  it("comes once for an end, whether the token has a new secret by then or gets one later", async () => {
    const { id } = await make("Build server", 100);
    await renewToken(database.db, id);
    await sendIn(90);
    await renewToken(database.db, id);
    await sendIn(92);
    expect(got).to.have.length(1);
  });

  it("does not come to somebody whose access is over", async () => {
    await make("Build server", 100);
    await database.db
      .updateTable("people")
      .set({ ends_at: inDays(80) })
      .where("id", "=", maker.id)
      .execute();
    await sendIn(90);
    expect(got).to.deep.equal([]);
  });

  it("does not come to somebody who has no role any more, and so no token that works", async () => {
    await make("Build server", 100);
    const become = (values: { role: "reader" | null; group_role?: "reader"; group_role_ends_at?: Date }) =>
      database.db.updateTable("people").set(values).where("id", "=", maker.id).execute();
    await become({ role: null, group_role: "reader", group_role_ends_at: inDays(80) });
    await sendIn(90);
    expect(got).to.deep.equal([]);
    await become({ role: null, group_role: "reader", group_role_ends_at: inDays(95) });
    await sendIn(90);
    expect(got).to.have.length(1);
  });

  it("names all tokens that end then, and comes once a day at most", async () => {
    await make("Build server", 100);
    await make("Dashboard", 101);
    await make("Later", 102.5);
    const other = await personWithToken(database, accountId, "owner");
    await make("Of another", 100, other.id);
    await sendIn(88);
    expect(got.map(({ to }) => to)).to.have.members([maker.mail, other.mail]);
    const mine = got.find(({ to }) => to === maker.mail);
    expect(mine?.text).to.include("Build server").and.to.include("Dashboard").and.not.to.include("Later");
    await sendIn(88.6);
    expect(got).to.have.length(2);
    await sendIn(89.1);
    expect(got).to.have.length(3);
    expect(got[2]?.text).to.include("Later").and.not.to.include("Dashboard");
  });

  it("is tried again when the server cannot take it now, and not when it refuses the address for good", async () => {
    await make("Build server", 100);
    refusal = 451;
    await sendIn(90);
    refusal = undefined;
    await sendIn(90);
    expect(got, "not at once").to.deep.equal([]);
    await sendIn(90 + (60 * MINUTE) / DAY);
    expect(got).to.have.length(1);
    const other = await personWithToken(database, accountId, "editor");
    await make("Of another", 100, other.id);
    refusal = 550;
    await sendIn(95);
    refusal = undefined;
    await sendIn(96);
    expect(got).to.have.length(1);
  });

  it("names 20 tokens at most, however long their names are, and counts the others", () => {
    const tokens = Array.from({ length: 200 }, (_, index) => {
      return { name: `<${index}>${"x".repeat(100)}`, expires_at: inDays(index) };
    });
    const { subject, text, html } = tokenEndMail({ baseUrl, tokens });
    expect(subject).to.match(/^200 tokens for .* end from \d{4}-\d\d-\d\d on$/);
    expect(text).to.include("And 180 more.").and.to.include("<19>").and.not.to.include("<20>");
    expect(html).to.include("&lt;19&gt;").and.not.to.include("<19>");
    expect(html.length).to.be.below(10_000);
  });
});
