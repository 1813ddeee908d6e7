import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { openApiDocument } from "../../src/api/openapi.ts";
import { routes } from "../../src/api/routes.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { documentedOperations, unseen } from "../support/openapi.ts";
import { normaliser } from "../support/openapi-examples.ts";
import { type Walk, walkThroughApi } from "../support/openapi-walk.ts";

const EXAMPLES = fileURLToPath(new URL("../../src/schema/openapi-examples.json", import.meta.url));

/** What no request can bring about while all is well: faults of the service, of its database and cluster. */
const unprovoked = /answers (500|503)$/;

describe("the OpenAPI document", () => {
  let database: TestDatabase;
  let walk: Walk;

  before(async function () {
    this.timeout(120_000);
    database = await createTestDatabase();
    walk = await walkThroughApi(database);
  });
  after(() => database.drop());

  it("has every route of the API, and beside them itself and its page only", () => {
    const ofRoutes = routes.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`);
    const documented = documentedOperations().map(({ method, path }) => `${method} ${path}`);
    expect(documented).to.have.members([...ofRoutes, "GET /openapi.json", "GET /docs"]);
  });

  it("is kept by every answer, and each of its operations, statuses, parameters and fields is seen", () => {
    // An answer that is not in the document is an error of the call itself.
    expect(walk.surprises).to.deep.equal([]);
    expect(unseen().filter((promise) => !unprovoked.test(promise))).to.deep.equal([]);
  });

  it("has the answers of this very walk as its examples, without a secret", async () => {
    const normalise = normaliser();
    const { "500": _, ...errors } = walk.recorded.errors;
    const recorded = normalise({ operations: walk.recorded.operations, errors });
    if (process.env.RECORD_EXAMPLES) await writeFile(EXAMPLES, `${JSON.stringify(recorded, null, 2)}\n`);
    const stored = JSON.parse(await readFile(EXAMPLES, "utf8"));
    expect(recorded, "RECORD_EXAMPLES=1 with this test writes them anew; then npm run generate").to.deep.equal(stored);
    const document = openApiDocument(routes, { maxPages: 5_000, maxRateLimit: 25 }, recorded as Walk["recorded"]);
    expect(JSON.stringify(document)).not.to.match(/sv[tgh]_[\w-]{32}/);
  });
});
