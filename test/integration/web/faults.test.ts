import { expect } from "chai";
import { load } from "cheerio";
import { connect } from "../../../src/database/connection/connect.ts";
import { createWeb } from "../../../src/web/app.ts";
import { accountWithToken, startTestApi, type TestApi } from "../../support/api.ts";
import { insertReport } from "../../support/builders.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { type FaultProxy, faultProxy } from "../../support/fault-proxy.ts";
import { eventually } from "../../support/wait.ts";
import { signedIn, webClient } from "../../support/web-service.ts";

describe("the pages while the database is away", () => {
  let database: TestDatabase;
  let proxy: FaultProxy;
  let db: TestDatabase["db"];
  let api: TestApi;

  before(async () => {
    database = await createTestDatabase();
    proxy = await faultProxy(database.url);
    db = connect({ url: proxy.url, applicationName: "cut", maxConnections: 3, onIdleError: () => {} });
    api = await startTestApi({ ...database, db, url: proxy.url }, { pages: createWeb });
  });
  after(async () => {
    await api.close();
    await db.destroy();
    await proxy.cut();
    await database.drop();
  });

  it("say that the service is not available, keep who is signed in, and work again", async () => {
    const { accountId, token } = await accountWithToken(database);
    const report = await insertReport(database.db, { accountId });
    const client = await signedIn({ url: api.url, token });
    const cookie = client.cookie();
    await proxy.cut();
    for (const path of ["/", `/reports/${report}`, "/reports/new"]) {
      const { status, html, headers } = await client.get(path);
      expect(status, path).to.equal(503);
      expect(load(html)("h1").text()).to.equal("The service is not available");
      expect(html).to.not.match(/ECONN|127\.0\.0\.1/);
      expect(headers.getSetCookie()).to.deep.equal([]);
    }
    const { status } = await webClient(api.url).post("/sign-in", { token });
    expect(status).to.equal(503);
    await proxy.mend();
    await eventually(async () => (await client.get(`/reports/${report}`)).status === 200);
    expect(client.cookie()).to.equal(cookie);
  });
});
