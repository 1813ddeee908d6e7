import { expect } from "chai";
import { createAxeRunner } from "../../../src/checker/engines/axe/runner.ts";
import { crawlReport } from "../../../src/crawler/crawl-report.ts";
import { createDynamicFetcher } from "../../../src/crawler/dynamic-fetcher.ts";
import { createSourceFetcher } from "../../../src/crawler/source-fetcher.ts";
import { decryptBasicAuth } from "../../../src/database/accounts/basic-auths.ts";
import { createEncryptor } from "../../../src/domain/accounts/encryption.ts";
import { credentialsFor, normaliseHost, type SiteCredentials } from "../../../src/domain/headers/site-credentials.ts";
import { addressPolicy } from "../../../src/net/addresses.ts";
import { accountWithToken, type Call, guestWithToken, startTestApi, type TestApi } from "../../support/api.ts";
import { insertReport, reportSpec } from "../../support/builders.ts";
import { testLog } from "../../support/controller.ts";
import { readCrawl } from "../../support/crawl.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { type Route, type Site, serveSite } from "../../support/site.ts";

const encryptor = createEncryptor("a secret of this test");
const attributes = { host: "Example.com:8443", username: "ada", password: "pä55: word" };
const cidrs = ["127.0.0.0/8"];
const header = `Basic ${Buffer.from("ada:pä55: word").toString("base64")}`;
const realm = { "www-authenticate": 'Basic realm="staging", charset="UTF-8"' };

/** Responds to requests with the password, and with 401 to others. */
const guarded =
  (body: string, headers: Record<string, string> = {}, status = 200): Route =>
  (request, response) => {
    const known = request.headers.authorization === header;
    response.writeHead(known ? status : 401, { "content-type": "text/html", ...(known ? headers : realm) });
    response.end(known ? body : "<p>Who are you?");
  };
const page = (body: string) => `<!DOCTYPE html><html lang="en"><title>t</title><main><h1>t</h1>${body}</main>`;

describe("stored credentials", () => {
  let database: TestDatabase;
  let api: TestApi;
  let owner: { accountId: string; token: string };
  let call: Call;

  before(async () => {
    database = await createTestDatabase();
    api = await startTestApi(database, { encryptor });
    owner = await accountWithToken(database);
    call = api.as(owner.token);
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  it("are created, listed, shown without the password, and deleted", async () => {
    const made = await call("POST", "/basic_auths", { attributes, headers: { "idempotency-key": "b1" } });
    expect(made.status, made.text).to.equal(201);
    const { id, type, attributes: shown } = made.json.data;
    expect([type, shown.host, shown.username]).to.deep.equal(["basic_auth", "example.com:8443", "ada"]);
    const listed = await call("GET", "/basic_auths");
    const one = await call("GET", `/basic_auths/${id}`);
    expect(one.json.data).to.deep.equal(made.json.data);
    expect(listed.json.data).to.deep.equal([made.json.data]);
    for (const reply of [made, listed, one]) expect(reply.text).not.to.match(/pä55|password/);
    expect(JSON.stringify(api.logged)).not.to.include("pä55");
    const row = await database.db.selectFrom("basic_auths").selectAll().executeTakeFirstOrThrow();
    expect(row.password_encrypted?.toString("latin1")).not.to.include("55: word");
    expect(await database.db.selectFrom("idempotency_keys").selectAll().execute()).to.deep.equal([]);
    const other = api.as((await accountWithToken(database)).token);
    for (const method of ["GET", "DELETE"]) expect((await other(method, `/basic_auths/${id}`)).status).to.equal(404);
    expect((await call("DELETE", `/basic_auths/${id}`)).status).to.equal(204);
    const gone = await call("GET", `/basic_auths/${id}`);
    expect([gone.status, gone.json.errors[0]?.detail]).to.deep.equal([404, "There are no such stored credentials."]);
  });

  it("report everything that is wrong with them", async () => {
    const wrong = async (values: object) =>
      (await call("POST", "/basic_auths", { attributes: values })).json.errors.map(({ source }) => source?.pointer);
    expect(await wrong({})).to.have.length(3);
    for (const host of ["https://example.com", "a/b", "a@b", "a b", "", "a?b", "[::1", "a:99999"])
      expect(await wrong({ ...attributes, host }), host).to.deep.equal(["/data/attributes/host"]);
    expect(await wrong({ ...attributes, username: "a:b" })).to.deep.equal(["/data/attributes/username"]);
    expect(await wrong({ ...attributes, password: "a\nb" })).to.deep.equal(["/data/attributes/password"]);
    expect(["Example.com:80", "example.com:443", "[::1]:8080"].map(normaliseHost)).to.deep.equal([
      "example.com",
      "example.com",
      "[::1]:8080",
    ]);
    const keyless = await startTestApi(database);
    const refused = await keyless.as(owner.token)("POST", "/basic_auths", { attributes });
    expect([refused.status, refused.json.errors[0]?.code]).to.deep.equal([409, "no_secret_key"]);
    await keyless.close();
  });

  it("come from a Secret only through kubectl: the API cannot name one", async () => {
    const named = { starting_url: "https://example.com/", basic_auth_secret: "staging" };
    for (const [path, more] of [
      ["/reports", {}],
      ["/schedules", { periodicity: { every: "day" } }],
    ] as const) {
      const reply = await call("POST", path, { attributes: { ...named, ...more } });
      expect([reply.status, reply.json.errors.map(({ code }) => code)]).to.deep.equal([422, ["unknown_attribute"]]);
    }
  });

  it("can be named only by their own account's reports, and a guest's only by its own reports", async () => {
    const { id } = (await call("POST", "/basic_auths", { attributes })).json.data;
    const other = await accountWithToken(database);
    const guest = await guestWithToken(database, owner.accountId);
    const create = (by: Call) =>
      by("POST", "/reports", { attributes: { starting_url: "https://example.com:8443/", basic_auth_id: id } });
    for (const token of [other.token, guest.token]) {
      const reply = await create(api.as(token));
      expect([reply.status, reply.json.errors[0]?.code]).to.deep.equal([422, "unknown_basic_auth"]);
    }
    const made = await create(call);
    expect(made.status, made.text).to.equal(201);
    const opened = { ...attributes, host: "example.com:8443" };
    expect(await decryptBasicAuth(database.db, encryptor, made.json.data.id)).to.deep.equal(opened);
    // A resource may be applied with any id: the row decides.
    const spec = { basicAuthId: id };
    const theirs = await insertReport(database.db, { accountId: other.accountId, spec });
    const guests = await insertReport(database.db, { accountId: owner.accountId, spec });
    await database.db.updateTable("reports").set({ guest_token: guest.guestToken }).where("id", "=", guests).execute();
    for (const report of [theirs, guests])
      expect(await decryptBasicAuth(database.db, encryptor, report)).to.equal(undefined);
    expect(await decryptBasicAuth(database.db, createEncryptor("another key, then"), made.json.data.id)).to.equal(
      undefined,
    );
  });
});

describe("a site behind Basic HTTP Authentication", () => {
  let database: TestDatabase;
  let site: Site;
  let elsewhere: Site;
  let credentials: SiteCredentials;

  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());
  beforeEach(async () => {
    elsewhere = await serveSite({ "*": page("elsewhere") });
    site = await serveSite({
      "/": guarded(page('<a href="/inside">in</a><a href="/away">out</a>')),
      "/inside": guarded(page(`<img src="/picture"><script src="${elsewhere.origin}/script"></script>`)),
      "/picture": guarded("", {}, 404),
      "/away": guarded("", { location: `${elsewhere.origin}/` }, 302),
    });
    credentials = { host: new URL(site.origin).host, username: "ada", password: "pä55: word" };
  });
  afterEach(async () => {
    await site.close();
    await elsewhere.close();
  });

  async function crawled(auth: SiteCredentials | undefined, dynamicCrawler: boolean) {
    const spec = { startingUrl: site.url, rateLimit: 0, dynamicCrawler };
    const reportId = await insertReport(database.db, { spec });
    await crawlReport({
      databaseUrl: database.url,
      reportId,
      policyOf: async () => addressPolicy(cidrs),
      openBrowser: (wanted) =>
        createDynamicFetcher({
          chromePath: undefined,
          policy: addressPolicy(cidrs),
          spec: wanted,
          log: testLog,
          credentials: auth,
        }),
      credentials: auth,
      signal: new AbortController().signal,
      log: testLog,
    });
    return readCrawl(database.db, reportId);
  }
  const sentElsewhere = () => elsewhere.requests.map(({ headers }) => headers.authorization).filter(Boolean);

  for (const dynamic of [false, true]) {
    const how = dynamic ? "in a browser" : "by HTTP";
    it(`is crawled ${how}, and the credentials go nowhere else`, async () => {
      const { urls } = await crawled(credentials, dynamic);
      expect(urls).to.include.members([site.url, `${site.origin}/inside`]);
      expect(sentElsewhere()).to.deep.equal([]);
    });

    it(`stays closed ${how} without credentials, with wrong ones, and with another host's`, async () => {
      for (const auth of [undefined, { ...credentials, password: "no" }, { ...credentials, host: "localhost" }]) {
        const { report, pages } = await crawled(auth, dynamic);
        expect([report.crawl_state, report.failure_code]).to.deep.equal(["failed", "http_error"]);
        expect(pages.map(({ http_status }) => http_status)).to.deep.equal([401]);
      }
    });
  }

  it("keeps its credentials from a site to which it redirects and from one that asks for them", async () => {
    const asking = await serveSite({ "*": { status: 401, headers: realm, body: "<p>Who are you?" } });
    const runner = await createAxeRunner({
      chromePath: undefined,
      policy: addressPolicy(cidrs),
      spec: reportSpec({ performA11yChecks: true, startingUrl: site.url }),
      log: testLog,
      credentials,
    });
    try {
      const options = { signal: new AbortController().signal, beforeRequest: async () => {} };
      const check = (url: string) => runner.check({ url, document: undefined, spec: reportSpec() }, options);
      expect(await check(`${site.origin}/inside`)).to.have.property("issues");
      expect(site.requests.find(({ path, headers }) => path === "/picture" && headers.authorization)).not.to.equal(
        undefined,
      );
      expect(await check(asking.url)).to.have.nested.property("failure.code", "http_error");
      expect(asking.requests.map(({ headers }) => headers.authorization).filter(Boolean)).to.deep.equal([]);
      expect(await check(`${site.origin}/away`)).to.have.nested.property("failure.code", "off_site");
      expect(sentElsewhere()).to.deep.equal([]);
    } finally {
      await runner.close();
      await asking.close();
    }
  });

  it("sends no credentials in clear when the report starts at https", async () => {
    const start = site.url.replace("http:", "https:");
    const secure = credentialsFor(start, credentials);
    const sent = site.requests.length;
    const sources = createSourceFetcher({
      ...{ db: database.db, reportId: await insertReport(database.db) },
      ...{ policy: addressPolicy(cidrs), credentials: secure },
    });
    const runner = await createAxeRunner({
      ...{ chromePath: undefined, policy: addressPolicy(cidrs), log: testLog, credentials },
      spec: reportSpec({ performA11yChecks: true, startingUrl: start }),
    });
    const options = { signal: new AbortController().signal, beforeRequest: async () => {} };
    try {
      const url = `${site.origin}/inside`;
      const fetched = await sources.readAgain(url, options).catch((error: unknown) => error);
      expect(fetched).to.have.property("code", "http_error");
      const checked = await runner.check({ url, document: undefined, spec: reportSpec() }, options);
      expect(checked).to.have.nested.property("failure.code", "http_error");
      expect(site.requests.slice(sent).flatMap(({ headers }) => headers.authorization ?? [])).to.deep.equal([]);
    } finally {
      await runner.close();
      await sources.close();
    }
  });

  it("is fetched again for a recheck", async () => {
    const reportId = await insertReport(database.db);
    const sources = createSourceFetcher({ db: database.db, reportId, policy: addressPolicy(cidrs), credentials });
    const options = { signal: new AbortController().signal, beforeRequest: async () => {} };
    expect((await sources.readAgain(`${site.origin}/inside`, options)).document.source).to.include("<h1>");
    await sources.close();
  });
});
