import { request as httpRequest } from "node:http";
import { gzipSync } from "node:zlib";
import { expect } from "chai";
import {
  accountWithToken,
  type Call,
  guestWithToken,
  type Reply,
  startTestApi,
  type TestApi,
} from "../../support/api.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

const attributes = { starting_url: "https://example.com/" };

describe("the API's errors and limits", () => {
  let database: TestDatabase;
  let api: TestApi;
  let call: Call;
  let token: string;

  before(async () => {
    database = await createTestDatabase();
    api = await startTestApi(database);
    ({ token } = await accountWithToken(database));
    call = api.as(token);
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  /** Every error has the specification's body. */
  function expectError(reply: Reply, status: number, code: string): void {
    expect([reply.status, reply.json.errors?.[0]?.code], reply.text).to.deep.equal([status, code]);
    expect(reply.json.jsonapi).to.deep.equal({ version: "1.0" });
    expect(reply.headers.get("x-request-id")).to.match(/^[\w.-]+$/);
    expect(reply.headers.get("content-type")).to.equal("application/vnd.api+json");
    for (const error of reply.json.errors) {
      expect(error.status).to.equal(String(status));
      expect(error.title).to.be.a("string").that.is.not.equal("");
      expect(error.detail).to.be.a("string").that.is.not.equal("");
    }
  }

  it("400: a body that cannot be read", async () => {
    expectError(await call("POST", "/reports", { body: "{" }), 400, "malformed_json");
    expectError(await call("POST", "/reports"), 400, "missing_body");
    expectError(
      await call("POST", "/reports", { body: '{"data":{"attributes":{"__proto__":1}}}' }),
      400,
      "forbidden_key",
    );
    expectError(
      await call("POST", "/reports", { body: '{"data":{"attributes":{"tags":"\\u0000"}}}' }),
      400,
      "invalid_character",
    );
    expectError(await call("POST", "/reports", { body: "[".repeat(900_000) }), 400, "malformed_json");
    expectError(await call("GET", "/reports/%E0%A4%A"), 400, "malformed_request");
  });

  it("402: no credits left, neither the account's nor a guest's", async () => {
    const poor = await accountWithToken(database, { monthly_credits: 10 });
    const guest = await guestWithToken(database, poor.accountId, { max_usage: 5 });
    const month = `${new Date().toISOString().slice(0, 7)}-01`;
    const use = (guest_token: string, charged: number, reserved: number) =>
      database.db
        .insertInto("credit_usage")
        .values({ account_id: poor.accountId, guest_token, month, charged, reserved })
        .onConflict((conflict) =>
          conflict.columns(["account_id", "guest_token", "month"]).doUpdateSet({ charged, reserved }),
        )
        .execute();
    await use("", 6, 3);
    await use(guest.guestToken, 4, 1);
    expect((await api.as(poor.token)("POST", "/reports", { attributes })).status).to.equal(201);
    expectError(await api.as(guest.token)("POST", "/reports", { attributes }), 402, "credits_exhausted");
    await use(guest.guestToken, 0, 0);
    await use("", 7, 3);
    for (const each of [poor.token, guest.token])
      expectError(await api.as(each)("POST", "/reports", { attributes }), 402, "credits_exhausted");
    // A wrong body is reported first; and another month's usage does not count.
    expectError(await api.as(poor.token)("POST", "/reports", { attributes: {} }), 422, "required");
    await database.db.updateTable("credit_usage").set({ month: "2020-01-01" }).where("guest_token", "=", "").execute();
    expect((await api.as(poor.token)("POST", "/reports", { attributes })).status).to.equal(201);
  });

  it("403: an id that the client chose", async () => {
    const body = JSON.stringify({ data: { id: "1", attributes } });
    expectError(await call("POST", "/reports", { body }), 403, "client_generated_id");
  });

  it("404: an unknown address, with and without credentials", async () => {
    for (const path of ["/nothing", "/reports/x/nothing", "//", "//api/v2/reports", "//etc/passwd"])
      for (const each of [call, api.as(undefined)]) expectError(await each("GET", path), 404, "not_found");
  });

  it("405: a method that is not allowed, and the list of those that are", async () => {
    const reply = await call("PUT", "/reports");
    expectError(reply, 405, "method_not_allowed");
    expect(reply.headers.get("allow")).to.equal("GET, HEAD, POST, OPTIONS");
    expect((await call("POST", "/devices")).headers.get("allow")).to.equal("GET, HEAD, OPTIONS");
    const options = await call("OPTIONS", "/reports");
    expect([options.status, options.headers.get("allow")]).to.deep.equal([204, "GET, HEAD, POST, OPTIONS"]);
  });

  it("406: a response in another media type", async () => {
    expectError(await call("GET", "/reports", { headers: { accept: "text/html" } }), 406, "not_acceptable");
    const parameters = { accept: 'application/vnd.api+json; ext="x"' };
    expectError(await call("GET", "/reports", { headers: parameters }), 406, "not_acceptable");
  });

  it("respond in plain JSON only if nothing else is acceptable", async () => {
    const type = async (accept: string) =>
      (await call("GET", "/reports", { headers: { accept } })).headers.get("content-type");
    expect(await type("application/json")).to.match(/^application\/json/);
    expect(await type("application/json, text/plain, */*")).to.equal("application/vnd.api+json");
    expect(await type("*/*")).to.equal("application/vnd.api+json");
    const error = await call("GET", "/nothing", { headers: { accept: "application/json" } });
    expect(error.headers.get("content-type")).to.match(/^application\/json/);
  });

  it("409: another resource type, or another id than the one in the URL", async () => {
    const body = JSON.stringify({ data: { type: "schedule", attributes } });
    expectError(await call("POST", "/reports", { body }), 409, "wrong_type");
    const { id } = (await call("POST", "/reports", { attributes })).json.data;
    const other = JSON.stringify({ data: { id: "x", attributes: { shared: true } } });
    expectError(await call("PATCH", `/reports/${id}`, { body: other }), 409, "wrong_id");
    const same = JSON.stringify({ data: { type: "report", id, attributes: { shared: true } } });
    expect((await call("PATCH", `/reports/${id}`, { body: same })).status).to.equal(200);
  });

  it("413: a body over 1 MB, also if only its unpacked size is", async () => {
    const body = JSON.stringify({ data: { attributes: { tags: "x".repeat(1_100_000) } } });
    expectError(await call("POST", "/reports", { body }), 413, "body_too_large");
    const response = await fetch(`${api.url}/api/v1/reports`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "content-encoding": "gzip" },
      body: gzipSync(body),
    });
    expect(response.status).to.equal(413);
  });

  it("415: a body that is not JSON, or JSON:API with parameters", async () => {
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/vnd.api+json; charset=utf-8"]) {
      const options = { attributes, headers: { "content-type": type } };
      expectError(await call("POST", "/reports", options), 415, "unsupported_media_type");
    }
    for (const type of ["application/json", "application/json; charset=utf-8"])
      expect((await call("POST", "/reports", { attributes, headers: { "content-type": type } })).status).to.equal(201);
    const odd = { attributes, headers: { "content-encoding": "x-odd" } };
    expectError(await call("POST", "/reports", odd), 415, "unsupported_encoding");
  });

  it("422: all violations of a body at once, each with its pointer", async () => {
    const reply = await call("POST", "/reports", {
      attributes: {
        starting_url: "example",
        max_pages: 6_000,
        colour: "red",
        device_id: "toaster",
        basic_auth_id: "x",
      },
    });
    expectError(reply, 422, "unknown_attribute");
    const found = Object.fromEntries(reply.json.errors.map(({ code, source }) => [source?.pointer, code]));
    expect(found).to.deep.equal({
      "/data/attributes/starting_url": "invalid_format",
      "/data/attributes/max_pages": "out_of_range",
      "/data/attributes/colour": "unknown_attribute",
      "/data/attributes/device_id": "unknown_device",
      "/data/attributes/basic_auth_id": "unknown_basic_auth",
    });
    const format = reply.json.errors.find(({ code }) => code === "invalid_format");
    expect(format?.detail).to.match(/^The format is invalid: received "example";/);
  });

  it("422: a PATCH of anything but shared and cancelled", async () => {
    const { id } = (await call("POST", "/reports", { attributes })).json.data;
    const patch = (given: object) => call("PATCH", `/reports/${id}`, { attributes: given });
    expectError(await patch({ shared: true, tags: "x" }), 422, "immutable_attribute");
    expectError(await patch({ starting_url: "https://example.com/" }), 422, "immutable_attribute");
    expectError(await patch({}), 422, "required");
    expectError(await patch({ shared: "yes" }), 422, "invalid_type");
    const body = JSON.stringify({ data: { attributes: { shared: true }, relationships: {} } });
    expectError(await call("PATCH", `/reports/${id}`, { body }), 422, "unknown_member");
    expect((await call("GET", `/reports/${id}`)).json.data.attributes).to.deep.include({ shared: false, tags: [] });
  });

  it("429: more calls than allowed, by token and, without one, by address", async () => {
    let now = new Date("2026-01-01T00:00:00Z");
    const limited = await startTestApi(database, { requestsPerMinute: 2, now: () => now });
    try {
      for (const each of [limited.as(token), limited.as(undefined), limited.as("svt_wrong")]) {
        now = new Date(now.getTime() + 60_000);
        expect((await each("GET", "/devices")).headers.get("ratelimit-remaining")).to.equal("1");
        await each("GET", "/devices");
        const reply = await each("GET", "/devices");
        expectError(reply, 429, "rate_limited");
        expect(reply.headers.get("retry-after")).to.equal("60");
        expect(reply.headers.get("ratelimit-limit")).to.equal("2");
        expect(reply.headers.get("ratelimit-remaining")).to.equal("0");
      }
      now = new Date(now.getTime() + 60_000);
      expect((await limited.as(token)("GET", "/devices")).status).to.equal(200);
    } finally {
      await limited.close();
    }
  });

  it("500: nothing internal is shown, and the cause is logged once with the request's id", async () => {
    const broken = await startTestApi(database, {
      cluster: {
        ...api.deps.cluster,
        create: () => Promise.reject(new TypeError("secret detail")),
      },
    });
    try {
      const options = { attributes, headers: { "x-request-id": "trace-me.1" } };
      const reply = await broken.as(token)("POST", "/reports", options);
      expectError(reply, 500, "internal_error");
      expect(reply.text).not.to.match(/secret|TypeError|\.ts/);
      expect(reply.headers.get("x-request-id")).to.equal("trace-me.1");
      const errors = broken.logged.filter(({ level }) => level === "error");
      expect(errors).to.have.length(1);
      expect(errors[0]).to.include({ requestId: "trace-me.1", route: "/api/v1/reports" });
      expect(errors[0]?.error).to.be.instanceOf(TypeError).with.property("message", "secret detail");
    } finally {
      await broken.close();
    }
  });

  it("take over only a valid request id", async () => {
    const given = async (id: string) =>
      (await call("GET", "/devices", { headers: { "x-request-id": id } })).headers.get("x-request-id");
    expect(await given("abc-123")).to.equal("abc-123");
    for (const odd of ["a b", "x".repeat(65), "{}", "-"]) expect(await given(odd)).to.match(/^[0-9a-f-]{36}$/);
  });

  it("are the same for HEAD as for GET, without the body, and do not reveal the software", async () => {
    const reply = await call("HEAD", "/reports");
    expect([reply.status, reply.text]).to.deep.equal([200, ""]);
    expect(reply.headers.get("x-powered-by")).to.equal(null);
    expect(reply.headers.get("x-content-type-options")).to.equal("nosniff");
    expect(reply.headers.get("cache-control")).to.equal("no-store");
  });

  it("build links from the requested host, and refuse one that is not a host name", async () => {
    const asked = (host: string) =>
      new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
        const options = { headers: { host, authorization: `Bearer ${token}` } };
        httpRequest(`${api.url}/api/v1/reports`, options, (response) => {
          let body = "";
          response.on("data", (chunk) => {
            body += chunk;
          });
          response.on("end", () => resolve({ status: response.statusCode, body }));
        })
          .on("error", reject)
          .end();
      });
    const fine = await asked("validator.example:8080");
    expect(JSON.parse(fine.body).links.self).to.equal("http://validator.example:8080/api/v1/reports");
    expect((await asked('x"><script>')).status).to.equal(400);
  });

  it("are counted by route, never by URL", async () => {
    await call("GET", "/reports/00000000-0000-0000-0000-000000000000");
    const { text, status } = await api.as(undefined)("GET", "//metrics");
    expect(status).to.equal(200);
    expect(text).to.match(/http_requests_total\{method="GET",route="\/api\/v1\/reports\/:report_id",status="404"\} \d/);
    expect(text).to.include("http_request_duration_seconds_bucket");
    expect(text).not.to.include("00000000-0000");
  });
});
