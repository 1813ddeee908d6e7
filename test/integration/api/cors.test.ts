import { expect } from "chai";
import { accountWithToken, startTestApi, type TestApi } from "../../support/api.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

const ours = "https://app.example.com";
const theirs = "https://elsewhere.example";

describe("pages of other origins", () => {
  let database: TestDatabase;
  let token: string;
  const apis: TestApi[] = [];

  before(async () => {
    database = await createTestDatabase();
    ({ token } = await accountWithToken(database));
  });
  after(async () => {
    await Promise.all(apis.map((api) => api.close()));
    await database.drop();
  });

  async function open(corsOrigins?: string[]): Promise<TestApi> {
    const api = await startTestApi(database, corsOrigins ? { corsOrigins } : {});
    apis.push(api);
    return api;
  }
  const allowed = ({ headers }: { headers: Headers }) => headers.get("access-control-allow-origin");
  const preflight = (origin: string, method = "POST") => ({
    headers: {
      origin,
      "access-control-request-method": method,
      "access-control-request-headers": "authorization,content-type,idempotency-key",
    },
  });

  it("cannot call the API by default", async () => {
    const api = await open();
    const call = api.as(token);
    const read = await call("GET", "/usage", { headers: { origin: ours } });
    expect([read.status, allowed(read)]).to.deep.equal([200, null]);
    const asked = await api.as(undefined)("OPTIONS", "/reports", preflight(ours));
    expect([asked.status, allowed(asked), asked.headers.get("access-control-allow-methods")]).to.deep.equal([
      204,
      null,
      null,
    ]);
  });

  it("can call it when the operator names their origin, and read the headers that it answers with", async () => {
    const api = await open(["https://other.example.com", ours]);
    const asked = await api.as(undefined)("OPTIONS", "/reports", preflight(ours, "PATCH"));
    expect(asked.status).to.equal(204);
    expect(allowed(asked)).to.equal(ours);
    const methods = (asked.headers.get("access-control-allow-methods") ?? "").split(", ");
    expect(methods).to.include.members(["GET", "POST", "PATCH", "DELETE"]);
    const headers = (asked.headers.get("access-control-allow-headers") ?? "").toLowerCase().split(", ");
    expect(headers).to.include.members(["authorization", "content-type", "idempotency-key", "if-none-match", "prefer"]);
    const call = api.as(token);
    const read = await call("GET", "/usage", { headers: { origin: ours } });
    expect(allowed(read)).to.equal(ours);
    expect(read.headers.get("vary")).to.match(/\bOrigin\b/);
    const exposed = (read.headers.get("access-control-expose-headers") ?? "").split(", ");
    expect(exposed).to.include.members(["ETag", "Location", "RateLimit-Remaining", "Retry-After", "X-Request-Id"]);
  });

  it("can read errors as well", async () => {
    const call = (await open([ours])).as(undefined);
    for (const [method, path, status] of [
      ["GET", "/reports", 401],
      ["GET", "/nothing", 404],
      ["PUT", "/reports", 405],
    ] as const) {
      const reply = await call(method, path, { headers: { origin: ours } });
      expect([path, reply.status, allowed(reply)]).to.deep.equal([path, status, ours]);
    }
  });

  it("cannot call it from an origin that only looks like an allowed one", async () => {
    const api = await open([ours]);
    for (const origin of [
      theirs,
      "null",
      `${ours}.evil.example`,
      "http://app.example.com",
      `${ours}:8443`,
      ours.toUpperCase(),
    ])
      for (const [method, path, options] of [
        ["GET", "/openapi.json", { headers: { origin } }],
        ["OPTIONS", "/reports", preflight(origin)],
      ] as const) {
        const reply = await api.as(undefined)(method, path, options);
        expect(allowed(reply), `${method} from ${origin}`).to.equal(null);
        expect(reply.headers.get("vary"), "for caches").to.match(/\bOrigin\b/);
      }
  });

  it("never get a browser's own credentials used, also when every origin may call it", async () => {
    const api = await open(["*"]);
    for (const origin of [ours, theirs, "null"]) {
      const read = await api.as(token)("GET", "/usage", { headers: { origin } });
      const asked = await api.as(undefined)("OPTIONS", "/usage", preflight(origin));
      for (const reply of [read, asked]) {
        expect(allowed(reply)).to.equal("*");
        expect(reply.headers.get("access-control-allow-credentials")).to.equal(null);
      }
    }
  });

  it("get the methods of an address from OPTIONS that is not a preflight", async () => {
    const reply = await (await open([ours])).as(undefined)("OPTIONS", "/usage", { headers: { origin: ours } });
    expect([reply.status, reply.headers.get("allow"), allowed(reply)]).to.deep.equal([204, "GET, HEAD, OPTIONS", ours]);
  });

  it("cannot see the invitation's page or the metrics", async () => {
    const api = await open(["*"]);
    for (const path of ["/invitations/x", "/metrics", "/healthz"])
      expect(allowed(await fetch(api.url + path, { headers: { origin: ours } })), path).to.equal(null);
  });
});
