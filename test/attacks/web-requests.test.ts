import { expect } from "chai";
import { createWeb } from "../../src/web/app.ts";
import { accountWithToken, startTestApi, type TestApi } from "../support/api.ts";
import { insertReport } from "../support/builders.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { open, textOf } from "../support/web-pages.ts";
import { signedIn, webClient } from "../support/web-service.ts";

const LIMIT = 20;

describe("Requests for pages that no browser of ours would send", () => {
  let database: TestDatabase;
  let api: TestApi;
  let limited: TestApi;
  let owner: { accountId: string; token: string };

  before(async () => {
    database = await createTestDatabase();
    api = await startTestApi(database, { pages: createWeb });
    limited = await startTestApi(database, { pages: createWeb, requestsPerMinute: LIMIT });
    owner = await accountWithToken(database);
  });
  after(async () => {
    await api.close();
    await limited.close();
    await database.drop();
  });

  for (const path of ["/", "/sign-in", "/r/00000000-0000-4000-8000-000000000000", "/tokens"])
    it(`are counted for the address when they guess sessions: ${path}`, async () => {
      const guess = (letter: string) =>
        fetch(limited.url + path, {
          headers: { cookie: `site-validator-session=${letter.repeat(43)}` },
          redirect: "manual",
        });
      const statuses: number[] = [];
      for (let index = 0; index <= LIMIT; index += 1)
        statuses.push((await guess(String.fromCharCode(97 + index))).status);
      expect(statuses).to.include(429);
    });

  for (const origin of ["null", "garbage", "https://elsewhere.example", ""])
    it(`do not sign in from "${origin}", where browsers do not say more`, async () => {
      const { status, headers } = await webClient(api.url).post("/sign-in", { token: owner.token }, { origin });
      expect(status).to.equal(403);
      expect(headers.getSetCookie()).to.deep.equal([]);
    });

  it("sign in from its own origin, where browsers do not say more", async () => {
    const { status } = await webClient(api.url).post("/sign-in", { token: owner.token }, { origin: api.url });
    expect(status).to.equal(303);
  });

  it("get a page that can be used where a file cannot be sent", async () => {
    const client = await signedIn({ url: api.url, token: owner.token });
    const { status, headers, html } = await client.get("/reports/00000000-0000-4000-8000-000000000000/export.csv");
    expect(status).to.equal(404);
    expect(html).to.include("Not found");
    expect(headers.get("content-security-policy")).to.include("style-src 'self'").and.not.include("sandbox");
  });

  it("see no more below /r/ than others do, also when they are signed in", async () => {
    const id = await insertReport(database.db, { accountId: owner.accountId });
    await database.db.updateTable("reports").set({ phase: "Complete" }).where("id", "=", id).execute();
    const client = await signedIn({ url: api.url, token: owner.token });
    expect((await client.get(`/reports/${id}/export.csv`)).status).to.equal(200);
    for (const below of ["", "/export.csv", "/events"])
      expect((await client.get(`/r/${id}${below}`)).status, below).to.equal(404);
  });

  it("end at once when they ask for the head of an event stream", async () => {
    const id = await insertReport(database.db, { accountId: owner.accountId });
    const client = await signedIn({ url: api.url, token: owner.token });
    const response = await fetch(`${api.url}/reports/${id}/events`, {
      ...{ method: "HEAD", headers: { cookie: client.cookie() }, signal: AbortSignal.timeout(60_000) },
    });
    expect(response.status).to.equal(200);
    expect(response.headers.get("content-type")).to.include("text/event-stream");
  });

  it("are told in a page that a form is too long", async () => {
    const client = await signedIn({ url: api.url, token: owner.token });
    const { status, html } = await client.post("/reports/new", { exclusions: "x".repeat(2_000_000) });
    expect(status).to.equal(413);
    expect(html).to.include("<h1>The form is too long</h1>");
  });

  it("may have all that a report's definition may have", async () => {
    const client = await signedIn({ url: api.url, token: owner.token });
    const long = Array.from({ length: 100 }, (_, index) => `https://example.com/${index}?${"ä".repeat(1_000)}`);
    await client.get("/reports/new");
    const fields = { starting_url: "https://example.com/", perform_html_checks: "true", exclusions: long.join("\n") };
    const { status, html } = await client.post("/reports/new", { ...fields, max_pages: "5", rate_limit: "1" });
    expect(status, html).to.be.oneOf([303, 422]);
  });

  it("name nothing that every object has", async () => {
    const client = await signedIn({ url: api.url, token: owner.token });
    for (const name of ["constructor", "__proto__", "toString"])
      expect((await open(client, `/?done=${name}`))(".done").length, name).to.equal(0);
  });

  it("do not find a component that is not there", async () => {
    const id = await insertReport(database.db, { accountId: owner.accountId });
    const client = await signedIn({ url: api.url, token: owner.token });
    const page = await open(client, `/reports/${id}/components/${"ab".repeat(10)}`);
    expect(page.status, textOf(page)).to.equal(404);
  });

  it("say that a token is used as long as somebody is signed in with it", async () => {
    const client = await signedIn({ url: api.url, token: owner.token });
    await database.db
      .updateTable("api_tokens")
      .set({ last_used_at: new Date(0) })
      .execute();
    await client.get("/");
    const used = await database.db.selectFrom("api_tokens").select("last_used_at").execute();
    expect(used.some(({ last_used_at }) => (last_used_at?.getTime() ?? 0) > 0)).to.equal(true);
  });

  for (const path of ["/", "/schedules", "/mutings", "/credentials", "/guests"])
    it(`are not told that there is nothing when a list just has no such page: ${path}`, async () => {
      const { accountId, token } = await accountWithToken(database);
      await insertReport(database.db, { accountId });
      const call = api.as(token);
      await call("POST", "/schedules", {
        attributes: { starting_url: "https://example.com/", periodicity: { every: "day" } },
      });
      await call("POST", "/mutings", { attributes: { rule: "image-alt" } });
      await call("POST", "/guest_accounts", { attributes: { max_usage: 5 } });
      const client = await signedIn({ url: api.url, token });
      const first = await open(client, path);
      const page = await open(client, `${path}?page=9`);
      if (first(".empty").length === 0) expect(page(".empty").length, textOf(page)).to.equal(0);
    });
});
