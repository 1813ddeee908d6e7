import { type IncomingMessage, request } from "node:http";
import { gunzipSync } from "node:zlib";
import { expect } from "chai";
import { accountWithToken, startTestApi, type TestApi } from "../../support/api.ts";
import { insertReport } from "../../support/builders.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { insertFindings } from "../../support/findings.ts";

describe("the compression of responses", () => {
  let database: TestDatabase;
  let api: TestApi;
  let token: string;
  let report: string;
  let screenshot: string;

  before(async () => {
    database = await createTestDatabase();
    api = await startTestApi(database);
    const owner = await accountWithToken(database);
    token = owner.token;
    const id = await insertReport(database.db, { accountId: owner.accountId, spec: { performA11yChecks: true } });
    const { pageIds } = await insertFindings(database.db, id);
    await database.db.updateTable("reports").set({ phase: "Complete" }).where("id", "=", id).execute();
    report = `/api/v1/reports/${id}`;
    screenshot = `${report}/web_pages/${pageIds[0]}/screenshot`;
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  /** As fetch does not: the bytes as they are sent. */
  function get(path: string, headers: Record<string, string> = {}, method = "GET") {
    return new Promise<{ response: IncomingMessage; bytes: Buffer }>((resolve, reject) => {
      const all = { authorization: `Bearer ${token}`, ...headers };
      const sent = request(api.url + path, { method, headers: all, agent: false }, (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part: Buffer) => parts.push(part));
        response.once("end", () => resolve({ response, bytes: Buffer.concat(parts) }));
        response.once("error", reject);
      });
      sent.once("error", reject);
      sent.end();
    });
  }

  for (const path of ["/api/v1/devices?page[size]=100", "/api/v1/openapi.json", "/api/v1/docs"])
    it(`gives the same bytes, but fewer of them: ${path}`, async () => {
      const plain = await get(path);
      expect(plain.response.headers).not.to.have.property("content-encoding");
      const packed = await get(path, { "accept-encoding": "gzip" });
      expect(packed.response.headers["content-encoding"]).to.equal("gzip");
      expect(packed.response.headers["content-length"]).to.equal(String(packed.bytes.length));
      expect(packed.bytes.length).to.be.below(plain.bytes.length / 2);
      expect(gunzipSync(packed.bytes).equals(plain.bytes)).to.equal(true);
      for (const { response } of [plain, packed]) expect(response.headers.vary).to.match(/Accept-Encoding/);
    });

  it("makes the ETag a weak one, which is good for 304 with and without gzip", async () => {
    const plain = await get(report);
    const packed = await get(report, { "accept-encoding": "gzip" });
    expect(packed.response.headers.etag).to.equal(`W/${plain.response.headers.etag}`);
    for (const etag of [plain.response.headers.etag ?? "", packed.response.headers.etag ?? ""])
      for (const accepted of ["identity", "gzip"]) {
        const known = await get(report, { "accept-encoding": accepted, "if-none-match": etag });
        expect([known.response.statusCode, known.bytes.length]).to.deep.equal([304, 0]);
        expect(known.response.headers).not.to.have.property("content-encoding");
      }
  });

  it("is in the headers of HEAD as in those of GET", async () => {
    const headers = { "accept-encoding": "gzip" };
    const [head, full] = [await get(report, headers, "HEAD"), await get(report, headers)];
    expect(head.bytes.length).to.equal(0);
    for (const name of ["content-encoding", "content-length", "etag"])
      expect(head.response.headers[name], name).to.equal(full.response.headers[name]);
  });

  it("leaves event streams, pictures and small responses as they are", async () => {
    for (const path of [`${report}/events`, screenshot, "/api/v1/devices/default"]) {
      const { response } = await get(path, { "accept-encoding": "gzip" });
      expect([path, response.statusCode]).to.deep.equal([path, 200]);
      expect(response.headers, path).not.to.have.property("content-encoding");
    }
  });

  for (const [accepted, encoding] of [
    ["gzip, deflate, br", "gzip"],
    ["*", "gzip"],
    ["gzip;q=0", undefined],
    ["br", undefined],
    ["identity, gzip;q=0.5", undefined],
    ["", undefined],
  ] as const)
    it(`is what the client prefers: Accept-Encoding: ${accepted || "(empty)"}`, async () => {
      const { response } = await get(report, { "accept-encoding": accepted });
      expect(response.headers["content-encoding"]).to.equal(encoding);
    });
});
