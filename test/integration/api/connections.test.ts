import { once } from "node:events";
import { Agent, get, type IncomingMessage } from "node:http";
import { expect } from "chai";
import { startTestApi, type TestApi } from "../../support/api.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

describe("connections to the API", () => {
  let database: TestDatabase;
  let api: TestApi;
  const agent = new Agent({ keepAlive: true });

  before(async () => {
    database = await createTestDatabase();
    api = await startTestApi(database);
  });
  after(async () => {
    agent.destroy();
    await api.close();
    await database.drop();
  });

  it("are kept for longer than ingresses keep theirs: a request may be lost to the side that closes", async () => {
    const [response] = (await once(get(`${api.url}/healthz`, { agent }), "response")) as [IncomingMessage];
    response.resume();
    const [, seconds] = /^timeout=(\d+)$/.exec(String(response.headers["keep-alive"])) ?? [];
    expect(Number(seconds)).to.be.above(90);
  });
});
