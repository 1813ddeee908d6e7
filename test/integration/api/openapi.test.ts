import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { openApiDocument } from "../../../src/api/openapi/document.ts";
import { routes } from "../../../src/api/routes.ts";
import { htmlEngines } from "../../../src/schema/html-engines.ts";
import { type Call, startTestApi, type TestApi } from "../../support/api.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { documentedOperations, unseen } from "../../support/openapi.ts";
import { normaliser } from "../../support/openapi-examples.ts";
import { type Walk, walkThroughApi } from "../../support/openapi-walk.ts";
import { limitOf } from "../../support/wait.ts";

const EXAMPLES = fileURLToPath(new URL("../../../src/api/openapi/examples.json", import.meta.url));

/** What no request can cause while everything works: faults of the service, its database and its cluster. */
const unprovoked = /answers (500|503)$/;

describe("the OpenAPI document", () => {
  let database: TestDatabase;
  let walk: Walk;

  before(async function () {
    // All of the work is done here: a walk through the whole API.
    this.timeout(limitOf(120));
    database = await createTestDatabase();
    walk = await walkThroughApi(database);
  });
  after(() => database.drop());

  it("has every route of the API, and besides these only itself and its page", () => {
    const ofRoutes = routes.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`);
    const documented = documentedOperations().map(({ method, path }) => `${method} ${path}`);
    expect(documented).to.have.members([...ofRoutes, "GET /openapi.json", "GET /docs"]);
  });

  it("describes every response, and has no operation, status, parameter or field that does not occur", () => {
    // For a response that is not in the document the call itself fails.
    expect(walk.surprises).to.deep.equal([]);
    expect(unseen().filter((promise) => !unprovoked.test(promise))).to.deep.equal([]);
  });

  it("has these very responses as its examples, without a secret", async () => {
    const normalise = normaliser();
    const { "500": _, ...errors } = walk.recorded.errors;
    const recorded = normalise({ operations: walk.recorded.operations, errors }) as Walk["recorded"];
    if (process.env.RECORD_EXAMPLES) await writeFile(EXAMPLES, `${JSON.stringify(recorded, null, 2)}\n`);
    const stored = JSON.parse(await readFile(EXAMPLES, "utf8"));
    const hint = "RECORD_EXAMPLES=1 with this test writes them anew; then npm run generate";
    for (const part of ["operations", "errors"] as const)
      for (const [name, example] of Object.entries(recorded[part]))
        expect(example, `${name}: ${hint}`).to.deep.equal(stored[part][name]);
    expect(recorded, hint).to.deep.equal(stored);
    const document = openApiDocument(routes, { maxPages: 5_000, maxRateLimit: 25, htmlEngines }, recorded);
    expect(JSON.stringify(document)).not.to.match(/sv[tgh]_[\w-]{32}/);
  });
});

describe("the endpoint of the OpenAPI document, and of its page", () => {
  let database: TestDatabase;
  let api: TestApi;
  let anybody: Call;

  before(async () => {
    database = await createTestDatabase();
    api = await startTestApi(database, { limits: { maxPages: 7, maxRateLimit: 3, htmlEngines } });
    anybody = api.as(undefined);
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  it("serves the document to everybody, with the operator's own maxima", async () => {
    const reply = await anybody("GET", "/openapi.json", { headers: { authorization: "Bearer nonsense" } });
    expect(reply.status).to.equal(200);
    expect(reply.headers.get("content-type")).to.equal("application/json; charset=utf-8");
    const document = openApiDocument(routes, { maxPages: 7, maxRateLimit: 3, htmlEngines });
    expect(reply.json).to.deep.equal(JSON.parse(JSON.stringify(document)));
  });

  for (const path of ["/openapi.json", "/docs"])
    it(`serves ${path} with a version, for caching, and read-only`, async () => {
      const { headers, text } = await anybody("GET", path);
      expect(headers.get("cache-control")).to.equal("public, max-age=300");
      const etag = headers.get("etag") ?? "";
      const known = await anybody("GET", path, { headers: { "if-none-match": etag } });
      expect([known.status, known.text, known.headers.get("etag")]).to.deep.equal([304, "", etag]);
      const other = await anybody("GET", path, { headers: { "if-none-match": '"other"' } });
      expect([other.status, other.text]).to.deep.equal([200, text]);
      const head = await anybody("HEAD", path);
      expect([head.status, head.text, head.headers.get("etag")]).to.deep.equal([200, "", etag]);
      const options = await anybody("OPTIONS", path);
      expect([options.status, options.headers.get("allow")]).to.deep.equal([204, "GET, HEAD, OPTIONS"]);
      const post = await anybody("POST", path, { attributes: {} });
      expect([post.status, post.json.errors[0]?.code]).to.deep.equal([405, "method_not_allowed"]);
    });
});
