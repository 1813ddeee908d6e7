import { expect } from "chai";
import type { Route } from "../../../src/api/context.ts";
import { routes } from "../../../src/api/routes.ts";
import { createEncryptor } from "../../../src/domain/accounts/encryption.ts";
import { accountWithToken, type Call, type Reply, startTestApi, type TestApi } from "../../support/api.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { addressOf, oneOfEach, validAttributes } from "../../support/every-route.ts";

function takes(parameters: Route["parameters"], name: string): boolean {
  return parameters?.some((parameter) => parameter.name === name) ?? false;
}

/** Rules that hold everywhere: a new route cannot be without them. */
describe("on every route of the API", () => {
  let database: TestDatabase;
  let api: TestApi;
  let call: Call;
  let ids: Record<string, string>;

  const reading = routes.filter(({ method }) => method === "GET");
  /** With a body, or without one that is read. */
  const writing = routes.filter(({ body, access }) => body !== undefined && access !== "public");

  before(async () => {
    database = await createTestDatabase();
    api = await startTestApi(database, { encryptor: createEncryptor("the key of this test") });
    const owner = await accountWithToken(database);
    call = api.as(owner.token);
    // Those in public paths are secrets, and need not be correct here.
    ids = { ...(await oneOfEach(database, api, owner)), secret: "none", guest_token: "none" };
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  const summary = ({ method, path }: Route, { status, json }: Reply) => {
    const { code, source } = json.errors?.[0] ?? {};
    return `${method} ${path}: ${[status, code, ...Object.values(source ?? {})].filter((part) => part !== undefined).join(" ")}`;
  };

  async function expectOfAll(
    among: readonly Route[],
    ask: (route: Route, address: string) => Promise<Reply>,
    outcome: string | ((route: Route) => string),
  ): Promise<void> {
    const [found, wanted]: [string[], string[]] = [[], []];
    expect(among).not.to.have.length(0);
    for (const route of among) {
      found.push(summary(route, await ask(route, addressOf(route, ids))));
      const expected = typeof outcome === "string" ? outcome : outcome(route);
      wanted.push(`${route.method} ${route.path}: ${expected}`);
    }
    expect(found).to.deep.equal(wanted);
  }

  it("a parameter that the route does not know is 400, and named", async () => {
    for (const name of ["filter[colour]", "Sort", "page[offset]"]) {
      const query = `?${encodeURIComponent(name)}=1`;
      await expectOfAll(
        routes.filter(({ access }) => access !== "public"),
        ({ method }, address) => call(method, address + query),
        `400 unknown_parameter ${name}`,
      );
    }
  });

  it("a parameter given twice is 400, and named", async () => {
    const paged = reading.filter(({ parameters }) => takes(parameters, "page[size]"));
    const query = "?page[size]=5&page[size]=6";
    await expectOfAll(paged, (_, address) => call("GET", address + query), "400 repeated_parameter page[size]");
  });

  it("an invalid page is 400, and named", async () => {
    for (const [name, values] of [
      ["page[size]", ["0", "101", "-1", "x", "1.5", ""]],
      ["page[number]", ["0", "-1", "x", "99999999999999999999"]],
    ] as const)
      for (const value of values)
        await expectOfAll(
          // Lists with cursors have no numbered pages.
          reading.filter(({ parameters }) => takes(parameters, name)),
          (_, address) => call("GET", `${address}?${name}=${value}`),
          `400 invalid_parameter ${name}`,
        );
  });

  it("every list comes in pages", () => {
    const unpaged = reading.filter(
      ({ path, success, parameters }) =>
        success.kind !== "file" &&
        success.kind !== "events" &&
        /[^s]s$/.test(path) &&
        // One resource: the file that they come from.
        path !== "/sites/:site_id/page_views" &&
        !takes(parameters, "page[size]") &&
        !/:\w+s$/.test(path),
    );
    expect(unpaged.map(({ path }) => path)).to.deep.equal([]);
  });

  it("an unknown order is 400, and named", async () => {
    const sorted = reading.filter(({ parameters }) => takes(parameters, "sort"));
    for (const sort of ["url", "url-up", "id-asc", "", "url-asc,num_web_pages-asc"])
      await expectOfAll(sorted, (_, address) => call("GET", `${address}?sort=${sort}`), "400 invalid_parameter sort");
  });

  it("an invalid id is 404", async () => {
    const single = routes.filter(({ path, access }) => /\/:\w+$/.test(path) && access !== "public");
    for (const bad of ["x", "0", "-1", "%00", "99999999999999999999999", "'", "%F0%9F%A6%84", "__proto__"])
      await expectOfAll(
        single,
        (route, address) => {
          const attributes = validAttributes(route);
          return call(route.method, address.replace(/[^/]+$/, bad), attributes ? { attributes } : {});
        },
        "404 not_found",
      );
  });

  it("a method that is not allowed is 405, and Allow lists those that are", async () => {
    for (const [path, ofPath] of Map.groupBy(routes, (route) => route.path)) {
      const [route] = ofPath;
      if (!route) continue;
      const there = ofPath.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]));
      for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"].filter((each) => !there.includes(each))) {
        const reply = await call(method, addressOf(route, ids));
        expect([path, method, reply.status, reply.json.errors[0]?.code]).to.deep.equal([
          path,
          method,
          405,
          "method_not_allowed",
        ]);
        expect(reply.headers.get("allow")).to.equal([...there, "OPTIONS"].join(", "));
      }
    }
  });

  it("a response in a media type that is not offered is 406", async () => {
    const headers = { accept: "application/zip" };
    await expectOfAll(
      routes.filter(({ access }) => access !== "public"),
      (route, address) => call(route.method, address, { headers }),
      "406 not_acceptable Accept",
    );
  });

  it("a body that is not JSON, or is not declared as JSON, is 400 or 415", async () => {
    for (const [body, type, outcome] of [
      ["{", "application/json", "400 malformed_json"],
      ["", "application/vnd.api+json", "400 missing_body"],
      ["[]", "application/vnd.api+json", "400 malformed_document /data"],
      ['{"data":{"attributes":[]}}', "application/json", "400 malformed_document /data/attributes"],
      ["{}", "text/plain", "415 unsupported_media_type Content-Type"],
      ["{}", "application/vnd.api+json; ext=x", "415 unsupported_media_type Content-Type"],
    ] as const) {
      const headers = { "content-type": type };
      await expectOfAll(writing, (route, address) => call(route.method, address, { body, headers }), outcome);
    }
  });

  it("a body over 1 MB is 413, and over 8 MB where it holds a file", async () => {
    const ofBytes = (bytes: number) => JSON.stringify({ data: { attributes: { tags: "x".repeat(bytes) } } });
    const ask = (route: Route, address: string) =>
      call(route.method, address, { body: ofBytes(route.takesFile ? 8_500_000 : 1_100_000) });
    await expectOfAll(writing, ask, "413 body_too_large");
  });

  it("a body of another resource type is 409, one with an id 403 or 409, one with more than attributes 422", async () => {
    const send = (data: object) => (route: Route, address: string) =>
      call(route.method, address, { body: JSON.stringify({ data: { attributes: validAttributes(route), ...data } }) });
    await expectOfAll(writing, send({ type: "toaster" }), "409 wrong_type /data/type");
    await expectOfAll(writing, send({ id: "mine" }), ({ method }) =>
      method === "POST" ? "403 client_generated_id /data/id" : "409 wrong_id /data/id",
    );
    await expectOfAll(writing, send({ relationships: {} }), "422 unknown_member /data/relationships");
  });

  it("an unknown attribute is 422, and named", async () => {
    const ask = (route: Route, address: string) =>
      call(route.method, address, { attributes: { ...validAttributes(route), colour: "red" } });
    // Only a report's shared can change at all.
    await expectOfAll(writing, ask, ({ method, path }) =>
      method === "PATCH" && path === "/reports/:report_id"
        ? "422 immutable_attribute /data/attributes/colour"
        : "422 unknown_attribute /data/attributes/colour",
    );
  });

  it("an invalid Idempotency-Key is 400 for a POST, and ignored elsewhere", async () => {
    const headers = { "idempotency-key": "with space" };
    const posts = writing.filter(({ method, showsSecret, isSafe }) => method === "POST" && !showsSecret && !isSafe);
    await expectOfAll(
      posts,
      (route, address) => call("POST", address, { attributes: validAttributes(route) ?? {}, headers }),
      "400 invalid_idempotency_key Idempotency-Key",
    );
    expect((await call("GET", "/reports", { headers })).status).to.equal(200);
  });

  it("an error has the specification's body, whatever the status", async () => {
    const replies = [
      await call("GET", "/reports?x=1"),
      await api.as(undefined)("GET", "/reports"),
      await call("GET", "/reports/x"),
      await call("PUT", "/reports"),
      await call("POST", "/reports", { attributes: {} }),
    ];
    for (const { json, headers } of replies) {
      expect(Object.keys(json).sort()).to.deep.equal(["errors", "jsonapi"]);
      for (const { status, code, title, detail } of json.errors) {
        expect([status, code, title, detail].map((part) => typeof part)).to.deep.equal(Array(4).fill("string"));
        expect(code).to.match(/^[a-z0-9_]+$/);
      }
      expect(headers.get("x-request-id")).to.be.a("string");
    }
  });
});
