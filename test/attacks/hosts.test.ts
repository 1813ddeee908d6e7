import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import { serveFolder } from "../../src/cli/check/targets/serve-folder.ts";
import { createEncryptor } from "../../src/domain/accounts/encryption.ts";
import { createMetrics, serveMetrics } from "../../src/telemetry/metrics.ts";
import { accountWithToken, startTestApi, type TestApi } from "../support/api.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";

/** Hosts that are not the service's, though some look like it. */
const foreign = [
  ...["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "evil.example:4000", "notlocalhost"],
  ...["192.0.2.1", "0.0.0.0", "[2001:db8::1]", "[::ffff:c000:201]", "169.254.169.254", "localhost-evil.example"],
];
/** Hosts that are. */
const own = ["localhost", "LOCALHOST:8080", "a.localhost", "127.0.0.1", "127.0.0.1:1", "[::1]:4000", "127.1"];

describe("the Host header", () => {
  let database: TestDatabase;
  const apis: TestApi[] = [];

  before(async () => {
    database = await createTestDatabase();
  });
  afterEach(async () => {
    for (const api of apis.splice(0)) await api.close();
  });
  after(() => database.drop());

  async function start(overrides: Partial<TestApi["deps"]> = {}): Promise<TestApi> {
    const api = await startTestApi(database, { encryptor: createEncryptor("a secret of this test"), ...overrides });
    apis.push(api);
    return api;
  }

  /** Sends a request with a Host of its own, which fetch does not allow. */
  async function send(
    { url }: Pick<TestApi, "url">,
    { path, host, token, attributes, headers = {} }: Sent,
  ): Promise<{ status: number; location: string | undefined; text: string }> {
    const sent = request(`${url}${path}`, {
      method: attributes ? "POST" : "GET",
      headers: {
        ...{ host, ...headers },
        ...(token && { authorization: `Bearer ${token}` }),
        ...(attributes && { "content-type": "application/json" }),
      },
    });
    sent.end(attributes && JSON.stringify({ data: { attributes } }));
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    return { status: response.statusCode ?? 0, location: response.headers.location, text: await text(response) };
  }
  type Sent = { path: string; host: string; token?: string; attributes?: object; headers?: Record<string, string> };

  const invite = { path: "/api/v1/guest_accounts", attributes: { max_usage: 1 } };
  const schedule = {
    path: "/api/v1/schedules",
    attributes: { starting_url: "https://example.com/", periodicity: { every: "deploy" } },
  };
  const passedOn = (body: string): string => {
    const { invitation_url, deploy_hook_url } = JSON.parse(body).data.attributes;
    return invitation_url ?? deploy_hook_url;
  };

  it("of others is in no invitation and no deploy hook, which have only their path then", async () => {
    const api = await start();
    const { token } = await accountWithToken(database);
    for (const host of foreign) {
      expect(passedOn((await send(api, { ...invite, host, token })).text), host).to.match(/^\/invitations\/[^/]+$/);
      expect(passedOn((await send(api, { ...schedule, host, token })).text), host).to.match(
        /^\/api\/v1\/deploy_hooks\/[^/]+$/,
      );
    }
    for (const host of own)
      expect(passedOn((await send(api, { ...invite, host, token })).text), host).to.match(
        new RegExp(`^http://${host.replace(/[[\].]/g, "\\$&")}/invitations/`),
      );
  });

  it("of others is not stored with the response to an Idempotency-Key", async () => {
    const api = await start();
    const { token } = await accountWithToken(database);
    const headers = { "idempotency-key": "once" };
    const attributes = { starting_url: "https://example.com/" };
    const sent = { path: "/api/v1/reports", host: "evil.example", token, attributes, headers };
    const made = await send(api, sent);
    expect(made.status).to.equal(201);
    expect(made.location).to.match(/^\/api\/v1\/reports\//);
    const stored = await database.db.selectFrom("idempotency_keys").select(["headers", "body"]).execute();
    expect(JSON.stringify(stored)).to.include("/api/v1/reports/").and.not.include("evil.example");
  });

  it("does not matter with BASE_URL, from which all addresses are made", async () => {
    const api = await start({ baseUrl: "https://validator.example/sub" });
    const { token } = await accountWithToken(database);
    for (const host of ["evil.example", "localhost"]) {
      const { text: body } = await send(api, { ...invite, host, token });
      expect(passedOn(body)).to.match(/^https:\/\/validator\.example\/sub\/invitations\//);
      expect(body).not.to.include("evil.example");
    }
  });

  it("is believed as X-Forwarded-Host from a trusted proxy, and from nobody else", async () => {
    const { token } = await accountWithToken(database);
    const headers = { "x-forwarded-host": "validator.example", "x-forwarded-proto": "https" };
    const trusting = await start({ trustedProxies: ["127.0.0.0/8"] });
    expect(passedOn((await send(trusting, { ...invite, host: "upstream", token, headers })).text)).to.match(
      /^https:\/\/validator\.example\/invitations\//,
    );
    const others = await start({ trustedProxies: ["192.0.2.0/24"] });
    expect(passedOn((await send(others, { ...invite, host: "upstream", token, headers })).text)).to.match(
      /^\/invitations\//,
    );
  });

  for (const host of ["127.0.0.1", "localhost", "::1"])
    it(`of others is refused on every address by a service that listens on ${host}`, async () => {
      const api = await start({ host });
      const { token } = await accountWithToken(database);
      for (const path of ["/api/v1/reports", "/healthz", "/readyz", "/metrics", "/api/v1/openapi.json", "/nowhere"])
        for (const named of foreign) {
          const reply = await send(api, { path, host: named, token });
          expect([reply.status, JSON.parse(reply.text).errors[0].code], `${path} ${named}`).to.deep.equal([
            ...[400, "invalid_host"],
          ]);
        }
      for (const named of own)
        expect((await send(api, { path: "/api/v1/reports", host: named, token })).status, named).to.equal(200);
    });

  it("of others is refused by the folder that a check serves, and by a port for metrics on loopback", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "sv-hosts-"));
    await writeFile(path.join(folder, "index.html"), "<title>Not for others</title>");
    const served = await serveFolder(folder, "/");
    const metrics = await serveMetrics(createMetrics(), { host: "127.0.0.1", port: 0 });
    try {
      for (const [url, path, refused] of [
        [served.origin, "/", 403],
        [metrics.url, "/metrics", 400],
      ] as const) {
        for (const host of foreign) {
          const reply = await send({ url }, { path, host });
          expect([reply.status, reply.text.includes("others</title>")], `${path} ${host}`).to.deep.equal([
            refused,
            false,
          ]);
        }
        for (const host of own) expect((await send({ url }, { path, host })).status, `${path} ${host}`).to.equal(200);
      }
    } finally {
      await metrics.close();
      await served.close();
      await rm(folder, { recursive: true });
    }
  });

  it("may be that of BASE_URL, where a proxy on the same machine passes it on", async () => {
    const api = await start({ host: "127.0.0.1", baseUrl: "https://validator.example" });
    expect((await send(api, { path: "/healthz", host: "validator.example" })).status).to.equal(200);
    expect((await send(api, { path: "/healthz", host: "evil.example" })).status).to.equal(400);
  });

  it("of others is served by a service that listens on other addresses, too: clients may know it by any name", async () => {
    for (const host of [undefined, "0.0.0.0", "::"]) {
      const api = await start({ host });
      expect((await send(api, { path: "/healthz", host: "validator.internal" })).status).to.equal(200);
    }
  });
});
