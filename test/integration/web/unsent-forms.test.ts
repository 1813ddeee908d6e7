import { expect } from "chai";
import { sql } from "kysely";
import { connect } from "../../../src/database/connection/connect.ts";
import { accountWithToken, type TestApi } from "../../support/api.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { faultProxy } from "../../support/fault-proxy.ts";
import { eventually } from "../../support/wait.ts";
import { open, pageOf, press, startTestPages, textOf } from "../../support/web-pages.ts";
import { signedIn } from "../../support/web-service.ts";

const typed = { message: '"><b>Old</b>', url_match: "/archive", comment: "line 1\r\nline 2" };

describe("A form that cannot be sent now", () => {
  let database: TestDatabase;
  let api: TestApi;
  let token: string;
  let accountId: string;

  before(async () => {
    database = await createTestDatabase();
    api = await startTestPages(database);
  });
  beforeEach(async () => {
    ({ token, accountId } = await accountWithToken(database));
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  const mutings = () =>
    database.db
      .selectFrom("mutings")
      .select([sql<string>`criteria ->> 'message'`.as("message"), "comment"])
      .where("account_id", "=", accountId)
      .execute();
  const endSessions = () => sql`delete from web_sessions`.execute(database.db);

  it("is shown again after signing in, when its session has ended, and is sent by a press of its button", async () => {
    const client = await signedIn({ url: api.url, token });
    const form = await open(client, "/mutings/new");
    await endSessions();
    const asked = await press(client, form, "/mutings/new", typed);
    expect(asked.status).to.equal(401);
    expect(textOf(asked)).to.include("What you typed is kept");
    const mistyped = await press(client, asked, "/sign-in", { token: "svt_wrong" });
    expect(mistyped.status).to.equal(422);
    const again = await press(client, mistyped, "/sign-in", { token });
    expect(
      again("dd")
        .toArray()
        .map((one) => again(one).text()),
    ).to.include.members([typed.message, typed.url_match]);
    expect(again("main b").length).to.equal(0);
    expect(await mutings(), "before the button is pressed").to.deep.equal([]);
    const sent = await press(client, again, "/mutings/new");
    expect(sent.status).to.equal(303);
    expect(await mutings()).to.deep.equal([{ message: typed.message, comment: typed.comment }]);
  });

  it("is not kept if it has a password, which is in no page", async () => {
    const client = await signedIn({ url: api.url, token });
    const form = await open(client, "/credentials");
    await endSessions();
    const secret = { host: "shop.example", username: "ada", password: "hush-hush" };
    const { status, location, html } = { ...(await press(client, form, "/credentials", secret)), html: "" };
    expect([status, location?.split("?")[0], html]).to.deep.equal([303, "/sign-in", ""]);
  });

  it("is not kept if it has the steps of a sign-in, which have one", async () => {
    const client = await signedIn({ url: api.url, token });
    const form = await open(client, "/credentials");
    await endSessions();
    const { location, ...page } = await press(client, form, "/credentials", {
      host: "shop.example",
      sign_in: '[{"type":"change","selectors":["#p"],"value":"hush-hush"}]',
    });
    expect(page.status).to.equal(303);
    expect((await open(client, location ?? "")).html()).not.to.include("hush-hush");
  });

  it("is not kept if another site sent it", async () => {
    const client = await signedIn({ url: api.url, token });
    await endSessions();
    const reply = await client.post("/mutings/new", typed, { "sec-fetch-site": "cross-site" });
    expect([reply.status, reply.html.includes("archive")]).to.deep.equal([303, false]);
  });

  it("leads nowhere but to this service after signing in", async () => {
    const client = await signedIn({ url: api.url, token });
    const fields = new URLSearchParams(typed).toString();
    for (const resume_action of ["https://evil.example/", "//evil.example/", "javascript:alert(1)"]) {
      const reply = await client.post("/sign-in", { token, resume_action, resume_fields: fields });
      expect([reply.status, reply.location]).to.deep.equal([303, "/"]);
    }
  });

  it("is kept while the account has too many requests, and while the database is away", async () => {
    const proxy = await faultProxy(database.url);
    const db = connect({ url: proxy.url, applicationName: "cut", maxConnections: 3, onIdleError: () => {} });
    const limited = await startTestPages({ ...database, db, url: proxy.url }, { requestsPerMinute: 8 });
    try {
      const client = await signedIn({ url: limited.url, token });
      const form = await open(client, "/mutings/new");
      await proxy.cut();
      const away = await press(client, form, "/mutings/new", typed);
      expect([away.status, textOf(away, "h1")]).to.deep.equal([503, "The service is not available"]);
      await proxy.mend();
      await eventually(async () => (await client.get("/mutings/new")).status === 200);
      for (let i = 0; i < 20 && (await client.get("/usage")).status !== 429; i++);
      const busy = await press(client, away, "/mutings/new");
      expect(busy.status).to.equal(429);
      expect(busy('input[name="message"]').val()).to.equal(typed.message);
      expect(busy('main input[name="csrf"]').val()).to.equal(away('main input[name="csrf"]').val());
      expect(await mutings()).to.deep.equal([]);
      const secret = pageOf(
        await client.post("/credentials", { host: "a.example", username: "u", password: "hush-hush" }),
      );
      expect(secret.status).to.equal(429);
      expect(secret.html()).to.not.include("hush-hush").and.not.include("a.example");
    } finally {
      await limited.close();
      await db.destroy();
      await proxy.cut();
    }
  });
});
