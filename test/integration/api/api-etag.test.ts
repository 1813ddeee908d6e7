import { expect } from "chai";
import { accountWithToken, type Call, startTestApi, type TestApi } from "../../support/api.ts";
import { insertReport } from "../../support/builders.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

describe("the version of a resource", () => {
  let database: TestDatabase;
  let api: TestApi;
  let call: Call;
  let path: string;

  before(async () => {
    database = await createTestDatabase();
    api = await startTestApi(database);
    const { accountId, token } = await accountWithToken(database);
    call = api.as(token);
    path = `/reports/${await insertReport(database.db, { accountId })}`;
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  const ask = (known: string, headers = {}) => call("GET", path, { headers: { "if-none-match": known, ...headers } });

  it("is an ETag, and a client that sends it gets 304 without a body", async () => {
    const etag = (await call("GET", path)).headers.get("etag") ?? "";
    expect(etag).to.match(/^"[\w-]{27}"$/);
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const reply = await ask(known);
      expect([known, reply.status, reply.text]).to.deep.equal([known, 304, ""]);
      expect(reply.headers.get("etag")).to.equal(etag);
    }
    for (const known of ['"other"', etag.slice(1, -1), ""]) expect((await ask(known)).status, known).to.equal(200);
    expect((await call("HEAD", path)).headers.get("etag")).to.equal(etag);
    expect((await ask(etag, { accept: "application/json" })).status, "another media type").to.equal(200);
  });

  it("changes with the resource", async () => {
    const etag = (await call("GET", path)).headers.get("etag") ?? "";
    await call("PATCH", path, { attributes: { shared: true } });
    const changed = await ask(etag);
    expect([changed.status, changed.json.data.attributes.shared]).to.deep.equal([200, true]);
    expect(changed.headers.get("etag")).not.to.equal(etag);
  });

  it("is hidden from callers who may not see the resource, and is not sent for lists and changes", async () => {
    const other = api.as((await accountWithToken(database)).token);
    await call("PATCH", path, { attributes: { shared: false } });
    expect((await other("GET", path, { headers: { "if-none-match": "*" } })).status).to.equal(404);
    const list = await call("GET", "/reports", { headers: { "if-none-match": "*" } });
    expect([list.status, list.headers.get("etag")]).to.deep.equal([200, null]);
    const patched = await call("PATCH", path, { attributes: { shared: false }, headers: { "if-none-match": "*" } });
    expect([patched.status, patched.headers.get("etag")]).to.deep.equal([200, null]);
  });
});
