import { request } from "node:http";
import { expect } from "chai";
import { insertPerson } from "../../src/database/accounts/people.ts";
import { parseNetworks } from "../../src/net/addresses.ts";
import { accountWithToken, type TestApi } from "../support/api.ts";
import { createTestDatabase, emptyDatabase, type TestDatabase } from "../support/database.ts";
import { PASSWORD, personWithToken, signedInAs } from "../support/people.ts";
import { startTestPages } from "../support/web-pages.ts";

const ada = {
  "X-Forwarded-User": "u-1",
  "X-Forwarded-Email": "ada@city.example",
  "X-Forwarded-Preferred-Username": "Ada",
  "X-Forwarded-Groups": "web,other",
};

/** Headers as they are sent: a name may be there twice. */
type Headers = readonly (readonly [string, string])[];
type Reply = { status: number; location: string | undefined; cookie: string; html: string };

/** A request over a connection from an address of this machine. */
function get(url: string, path: string, headers: Headers, from: string, form?: string): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const sent: Headers = [
    ["host", new URL(url).host],
    ...headers,
    ...(form === undefined ? [] : ([["content-type", "application/x-www-form-urlencoded"]] as const)),
    ...(form === undefined ? [] : ([["content-length", String(Buffer.byteLength(form))]] as const)),
  ];
  const method = form === undefined ? "GET" : "POST";
  // As they are given: an object would have each name once.
  const asked = request(url + path, { localAddress: from, method, agent: false, headers: sent.flat() });
  asked.on("error", reject);
  asked.on("response", async (response) => {
    let html = "";
    for await (const chunk of response) html += chunk;
    const cookie = (response.headers["set-cookie"] ?? []).map((set) => set.split(";")[0]).join("; ");
    resolve({ status: response.statusCode ?? 0, location: response.headers.location, cookie, html });
  });
  asked.end(form);
  return promise;
}

describe("a proxy that says who comes", () => {
  // Linux has all of 127.0.0.0/8: the proxy is at one address, everybody else at others.
  const PROXY = "127.0.0.7";
  const STRANGER = "127.0.0.8";
  let database: TestDatabase;
  let service: TestApi;
  let accountId: string;

  before(async () => {
    database = await createTestDatabase();
    service = await startTestPages(database, {
      proxy: { networks: parseNetworks([`${PROXY}/32`]), headers: "X-Forwarded", signOut: "/oauth2/sign_out" },
      people: { groupRoles: { web: "owner", press: "reader" }, contact: "web@city.example" },
      // Addresses of callers are another matter, which gives nobody a name.
      trustedProxies: ["127.0.0.0/8"],
    });
  });
  beforeEach(async () => {
    await emptyDatabase(database.db);
    ({ accountId } = await accountWithToken(database));
  });
  after(async () => {
    await service.close();
    await database.drop();
  });

  const visit = (path: string, headers: object = ada, from = PROXY, cookie = "") =>
    get(service.url, path, [...Object.entries(headers), ...(cookie ? [["cookie", cookie] as const] : [])], from);
  const people = () => database.db.selectFrom("people").select(["mail", "group_role", "oidc_subject"]).execute();

  it("lets in whom it names, with the role of the groups, and keeps the session", async () => {
    const first = await visit("/people");
    expect([first.status, first.html.includes('id="invite"')]).to.deep.equal([200, true]);
    expect(await people()).to.deep.equal([{ mail: "ada@city.example", group_role: "owner", oidc_subject: "u-1" }]);
    const again = await visit("/people", ada, PROXY, first.cookie);
    expect([again.status, again.cookie]).to.deep.equal([200, ""]);
    expect((await visit("/sign-in")).location).to.equal("/");
  });

  it("changes the role with the groups at the next request, and ends it without any", async () => {
    const { cookie } = await visit("/");
    const less = await visit("/people", { ...ada, "X-Forwarded-Groups": "press" }, PROXY, cookie);
    expect([less.status, less.html.includes('id="invite"')]).to.deep.equal([200, false]);
    const none = await visit("/people", { ...ada, "X-Forwarded-Groups": "" }, PROXY, cookie);
    expect([none.status, none.html.includes("You have no role here.")]).to.deep.equal([403, true]);
    expect((await visit("/", ada, STRANGER, cookie)).location).to.include("/sign-in");
  });

  it("makes the session that of somebody else when it names somebody else", async () => {
    const { cookie } = await visit("/people");
    const eve = {
      ...ada,
      "X-Forwarded-User": "u-2",
      "X-Forwarded-Email": "eve@city.example",
      "X-Forwarded-Groups": "press",
    };
    const other = await visit("/people", eve, PROXY, cookie);
    expect(other.html).to.not.include("ada@city.example");
    expect(other.cookie)
      .to.match(/session=[\w-]{43}/)
      .and.not.include(cookie);
    expect((await visit("/people", {}, PROXY, cookie)).location).to.include("/sign-in");
  });

  it("shows nobody else's navigation on pages for everybody", async () => {
    const { cookie } = await visit("/people");
    const own = (html: string) => html.includes('href="/schedules"');
    expect(own((await visit("/guides", ada, PROXY, cookie)).html)).to.equal(true);
    const eve = { ...ada, "X-Forwarded-User": "u-2", "X-Forwarded-Email": "eve@city.example" };
    expect(own((await visit("/guides", eve, PROXY, cookie)).html)).to.equal(false);
  });

  it("takes a form only with the secret of the session of whom it names", async () => {
    const { cookie, html } = await visit("/people");
    const csrf = /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? "";
    const eve = { ...ada, "X-Forwarded-User": "u-2", "X-Forwarded-Email": "eve@city.example" };
    const form = new URLSearchParams({ csrf, key: "k", mail: "x@city.example", role: "owner" }).toString();
    const headers = (who: object): Headers => [...Object.entries(who), ["cookie", cookie]];
    const send = async (who: object) => (await get(service.url, "/people", headers(who), PROXY, form)).status;
    expect(await send(ada)).to.equal(201);
    expect(await send({})).to.equal(401);
    expect(await send(eve)).to.equal(403);
    expect(await send(ada)).to.equal(403);
  });

  describe("is nobody else", () => {
    const spoofs: Record<string, Headers> = {
      "by the same headers": Object.entries(ada),
      "who forwards the proxy's address": [...Object.entries(ada), ["X-Forwarded-For", PROXY]],
      "who names it in other headers of addresses": [
        ...Object.entries(ada),
        ...(["X-Real-IP", "Forwarded", "True-Client-IP", "Client-IP"] as const).map((name) => [name, PROXY] as const),
      ],
    };
    for (const [name, headers] of Object.entries(spoofs))
      it(name, async () => {
        const reply = await get(service.url, "/people", headers, STRANGER);
        expect([reply.status, reply.location, reply.cookie]).to.deep.equal([303, "/sign-in?next=%2Fpeople", ""]);
        expect(await people()).to.deep.equal([]);
      });

    it("who comes by the API, also from the proxy", async () => {
      for (const from of [PROXY, STRANGER]) {
        const { status } = await get(service.url, "/api/v1/usage", Object.entries(ada), from);
        expect(status).to.equal(401);
      }
    });
  });

  describe("names nobody", () => {
    const unclear: Record<string, Headers> = {
      "by two headers, of which one is the visitor's": [...Object.entries(ada), ["X-Forwarded-User", "owner"]],
      "by two headers of groups": [...Object.entries(ada), ["X-Forwarded-Groups", "web"]],
      "by two headers that differ in case": [...Object.entries(ada), ["x-forwarded-user", "owner"]],
      "by a header without a name": [["X-Forwarded-User", ""], ...Object.entries(ada).slice(1)],
      "without a header": Object.entries(ada).slice(1),
      "by a header with underscores": [["X_Forwarded_User", "u-1"], ...Object.entries(ada).slice(1)],
      "by a header that is too long": [["X-Forwarded-User", "u".repeat(2_000)], ...Object.entries(ada).slice(1)],
    };
    for (const [name, headers] of Object.entries(unclear))
      it(name, async () => {
        const reply = await get(service.url, "/people", headers, PROXY);
        expect([reply.status, reply.location]).to.deep.equal([303, "/sign-in?next=%2Fpeople"]);
        expect(await people()).to.deep.equal([]);
      });

    it("to somebody whose session it does not name any more", async () => {
      const { cookie } = await visit("/");
      expect((await visit("/people", {}, PROXY, cookie)).status).to.equal(303);
    });
  });

  it("binds nobody by the address alone", async () => {
    await personWithToken(database, accountId, "owner", { mail: "ada@city.example" });
    const reply = await visit("/people");
    expect([reply.status, reply.html.includes("in another way")]).to.deep.equal([403, true]);
  });

  it("binds whoever was invited with the address", async () => {
    await insertPerson(database.db, {
      ...{ accountId, mail: "ada@city.example", name: "Ada", role: "editor" },
      invitation: { secret: "svi_secret", endsAt: new Date(Date.now() + 60_000), by: "ops" },
    });
    expect((await visit("/", { ...ada, "X-Forwarded-Groups": "" })).status).to.equal(200);
  });

  it("is no way out of the limits of the address that asks", async () => {
    const none = { ...ada, "X-Forwarded-Groups": "" };
    for (let times = 0; times < 25; times += 1) expect((await visit("/", none)).status).to.equal(403);
    const entries = await database.db.selectFrom("audit_entries").select("id").execute();
    expect(entries).to.have.length(20);
  });

  it("leaves the owner the way in by the password, where it is not asked, and says that it was not", async () => {
    const { html } = await visit("/sign-in", {}, STRANGER);
    expect(html).to.include("reached without the proxy");
    expect((await visit("/sign-in", {})).html).to.include("did not say who you are");
    const owner = await personWithToken(database, accountId, "owner");
    const client = await signedInAs(service.url, owner.mail, PASSWORD);
    expect((await client.get("/people")).status).to.equal(200);
  });

  it("is named where somebody signs out", async () => {
    const out = await visit("/sign-in?out");
    expect([out.status, out.html.includes('href="/oauth2/sign_out"')]).to.deep.equal([200, true]);
  });
});

describe("without such a proxy", () => {
  it("no header names anybody", async () => {
    const database = await createTestDatabase();
    const service = await startTestPages(database, { trustedProxies: ["127.0.0.0/8"] });
    try {
      const reply = await get(service.url, "/people", Object.entries(ada), "127.0.0.1");
      expect(reply.location).to.include("/sign-in");
    } finally {
      await service.close();
      await database.drop();
    }
  });
});
