import { expect } from "chai";
import { load } from "cheerio";
import { createWeb } from "../../../src/web/app.ts";
import { accountWithToken, startTestApi, type TestApi } from "../../support/api.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { signedIn, type WebClient } from "../../support/web-service.ts";

describe("cancelling a report on its page", () => {
  let database: TestDatabase;
  let api: TestApi;
  let client: WebClient;
  let token: string;

  before(async () => {
    database = await createTestDatabase();
    api = await startTestApi(database, { pages: createWeb });
    token = (await accountWithToken(database)).token;
    client = await signedIn({ url: api.url, token });
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  const create = async (attributes: object = {}) => {
    const all = { starting_url: "https://example.com/", ...attributes };
    return (await api.as(token)("POST", "/reports", { attributes: all })).json.data.id;
  };
  const end = (id: string) =>
    database.db.updateTable("reports").set({ phase: "Complete" }).where("id", "=", id).execute();
  const buttons = (html: string) =>
    load(html)("main form button")
      .toArray()
      .map((button) => load(button).text().trim());

  it("is possible while the report is under way, once, and running it again when it has ended", async () => {
    const id = await create();
    const running = await client.get(`/reports/${id}`);
    expect(buttons(running.html)).to.deep.equal(["Share this report", "Cancel this report", "Delete this report"]);
    const sent = await client.post(`/reports/${id}/cancel`, {});
    expect([sent.status, sent.location]).to.deep.equal([303, `/reports/${id}?done=cancelled`]);
    const cancelled = await client.get(sent.location ?? "");
    expect(load(cancelled.html)("main").text()).to.include("The report is cancelled, and keeps its results so far.");
    expect(buttons(cancelled.html)).to.deep.equal(["Share this report", "Delete this report"]);
    await end(id);
    const ended = await client.get(`/reports/${id}`);
    expect(load(ended.html)("main").text()).to.include("This report was cancelled");
    expect(buttons(ended.html)).to.deep.equal([
      ...["Pin this report", "Share this report", "Run again", "Delete this report"],
    ]);
  });

  it("does not run the next report that is made from it only to cancel it", async () => {
    const id = await create();
    await client.get(`/reports/${id}`);
    await client.post(`/reports/${id}/cancel`, {});
    await end(id);
    await client.get(`/reports/${id}`);
    const { status, location } = await client.post(`/reports/${id}/again`, {});
    expect(status).to.equal(303);
    const made = await api.as(token)("GET", location ?? "");
    expect(made.json.data.id).not.to.equal(id);
    expect(made.json.data.attributes).to.include({ cancelled: false, phase: "Pending" });
  });

  it("says why it was not possible when the report has ended in between", async () => {
    const id = await create();
    await client.get(`/reports/${id}`);
    await end(id);
    const { status, html } = await client.post(`/reports/${id}/cancel`, {});
    expect(status).to.equal(409);
    expect(html).to.include("The report has already ended, so it cannot be cancelled.");
  });
});
