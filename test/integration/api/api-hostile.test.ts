import { connect } from "node:net";
import { expect } from "chai";
import fc from "fast-check";
import { snakeCase } from "../../../src/schema/api-names.ts";
import { reportSpecSchema } from "../../../src/schema/report.ts";
import { accountWithToken, type Call, startTestApi, type TestApi } from "../../support/api.ts";
import { insertReport } from "../../support/builders.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

const attributes = Object.keys(reportSpecSchema.properties).map(snakeCase);
const parameters = [
  "filter[url]",
  "filter[tags][mode]",
  "filter[tags][list]",
  "page[number]",
  "page[size]",
  "sort",
  "created_by",
];
/** Any UTF-16, lone surrogates and NUL included. */
const anyText = fc.string({ unit: "binary" });

describe("the API against hostile input", () => {
  let database: TestDatabase;
  let api: TestApi;
  let call: Call;
  let report: string;

  before(async () => {
    database = await createTestDatabase();
    api = await startTestApi(database);
    const { accountId, token } = await accountWithToken(database);
    call = api.as(token);
    report = await insertReport(database.db, { accountId });
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  /** Whatever is sent, the response is the service's own and says that the client is at fault. */
  async function expectNoFault(method: string, path: string, options: Parameters<Call>[2] = {}): Promise<void> {
    const reply = await call(method, path, options);
    expect(reply.status, reply.text).to.be.lessThan(500);
    expect(reply.json.jsonapi?.version).to.equal("1.0");
  }

  it("responds to any JSON in any attribute", async () => {
    const value = fc.oneof(fc.jsonValue({ maxDepth: 3 }), anyText, fc.webUrl(), fc.double());
    const some = fc.dictionary(fc.oneof(fc.constantFrom(...attributes), anyText), value, { maxKeys: 6 });
    await fc.assert(
      fc.asyncProperty(some, fc.boolean(), async (given, valid) => {
        const all = valid ? { starting_url: "https://example.com/", ...given } : given;
        await expectNoFault("POST", "/reports", { attributes: all });
        await expectNoFault("PATCH", `/reports/${report}`, { attributes: given });
      }),
      { numRuns: 80 },
    );
  });

  it("responds to any body", async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyText, fc.json()), async (body) => {
        await expectNoFault("POST", "/reports", { body });
      }),
      { numRuns: 60 },
    );
  });

  it("responds to any query and any path", async () => {
    const query = fc.dictionary(fc.oneof(fc.constantFrom(...parameters), anyText), anyText, { maxKeys: 4 });
    await fc.assert(
      fc.asyncProperty(query, anyText, async (given, segment) => {
        const wellFormed = Object.entries(given).map(([name, value]) => [name.toWellFormed(), value.toWellFormed()]);
        await expectNoFault("GET", `/reports?${new URLSearchParams(wellFormed)}`);
        await expectNoFault("GET", `/reports/${encodeURIComponent(segment.toWellFormed())}/web_pages`);
        await expectNoFault("GET", `/reports/${report}/web_pages/${encodeURIComponent(segment.toWellFormed())}`);
      }),
      { numRuns: 60 },
    );
  });

  it("survives bytes that are not HTTP", async () => {
    const { port } = new URL(api.url);
    for (const bytes of [
      "\x16\x03\x01\x00",
      "GET / HTTP/9.9\r\n\r\n",
      `GET /${"a".repeat(100_000)} HTTP/1.1\r\n\r\n`,
      "\r\n\r\n\0",
    ]) {
      await new Promise<void>((resolve) => {
        const socket = connect(Number(port), "127.0.0.1", () => socket.end(bytes));
        socket.on("error", () => {});
        socket.on("close", () => resolve());
        socket.resume();
      });
    }
    expect((await call("GET", "/reports")).status).to.equal(200);
  });
});
