import { expect } from "chai";
import { SETUP_CODE_MS } from "../../../src/domain/accounts/sign-in-limits.ts";
import { issueSetupCode } from "../../../src/transactions/setup-code.ts";
import type { TestApi } from "../../support/api.ts";
import { createTestDatabase, emptyDatabase, type TestDatabase } from "../../support/database.ts";
import { errorOf, open, press, startTestPages, textOf } from "../../support/web-pages.ts";
import { webClient } from "../../support/web-service.ts";

const owner = {
  ...{ name: "Operations", mail: "Ops@City.example" },
  ...{ password: "correct horse battery", password_again: "correct horse battery" },
};

describe("the first start", () => {
  let database: TestDatabase;
  let service: TestApi;
  let now = new Date();
  /** What the log has of setup codes. */
  let logged: string[] = [];

  before(async () => {
    database = await createTestDatabase();
    service = await startTestPages(database, { now: () => now });
    const { log } = service.deps;
    const warn = log.warn.bind(log);
    log.warn = ((message: string, fields: { code?: string }) => {
      if (message === "setup code") logged.push(fields.code ?? "");
      return warn(message as never, fields as never);
    }) as typeof log.warn;
  });
  beforeEach(async () => {
    await emptyDatabase(database.db);
    now = new Date();
    logged = [];
  });
  after(async () => {
    await service.close();
    await database.drop();
  });

  async function setUp(
    code: string,
    fields: Partial<typeof owner> & { first_site?: string } = {},
    client = webClient(service.url),
  ) {
    return press(client, await open(client, "/setup"), "/setup", { ...owner, code, ...fields });
  }

  it("writes a code to the log, with which the first owner is created and signed in", async () => {
    const client = webClient(service.url);
    await open(client, "/setup");
    expect(logged).to.have.length(1);
    expect(logged[0]).to.match(/^([A-Z2-9]{4}-){3}[A-Z2-9]{4}$/);
    // As people type it.
    const made = await setUp(` ${logged[0]?.toLowerCase().replaceAll("-", " ")} `, {}, client);
    expect(made.status).to.equal(303);
    expect((await client.get("/")).status).to.equal(200);
    const row = await database.db.selectFrom("people").selectAll().executeTakeFirstOrThrow();
    expect([row.mail, row.role]).to.deep.equal(["ops@city.example", "owner"]);
    expect(row.password_hash).to.not.include("horse");
    const entry = await database.db.selectFrom("audit_entries").selectAll().orderBy("id").executeTakeFirstOrThrow();
    expect(entry).to.include({ who_name: "Operations", verb: "became the first owner, by the setup code" });
    expect(JSON.stringify(entry)).to.not.include(logged[0]);
  });

  it("goes on to the first site, with its address filled in and nothing asked of it yet", async () => {
    const client = webClient(service.url);
    const wrong = await setUp(
      (await issueSetupCode(database.db, now)) ?? "",
      { first_site: "javascript:alert(1)" },
      client,
    );
    expect([wrong.status, errorOf(wrong, "first_site")]).to.deep.equal([
      422,
      "It must be an address with http or https, or empty.",
    ]);
    const code = (await issueSetupCode(database.db, now)) ?? "";
    const made = await setUp(code, { first_site: "https://shop.example.com/?a=1&b=2" }, client);
    const form = await open(client, made.location ?? "");
    expect(form("[name=starting_url]").attr("value")).to.equal("https://shop.example.com/?a=1&b=2");
    expect(await database.db.selectFrom("reports").select("id").execute()).to.deep.equal([]);
  });

  it("has no other owner by a code once there is one, also when two come at the same time", async () => {
    const codes = [await issueSetupCode(database.db, now), await issueSetupCode(database.db, now)];
    const tries = await Promise.all(codes.map((code, index) => setUp(code ?? "", { mail: `o${index}@example.org` })));
    expect(tries.map(({ status }) => status).sort()).to.deep.equal([200, 303]);
    expect(await database.db.selectFrom("people").selectAll().execute()).to.have.length(1);
    expect(await issueSetupCode(database.db, now)).to.equal(undefined);
    const later = await open(webClient(service.url), "/setup");
    expect(textOf(later, "main")).to.include("This installation is set up.");
    expect(later("form").length).to.equal(0);
    expect(logged).to.deep.equal([]);
  });

  it("takes a code once, and within an hour", async () => {
    const code = (await issueSetupCode(database.db, now)) ?? "";
    now = new Date(now.getTime() + SETUP_CODE_MS + 1);
    const late = await setUp(code);
    expect(late.status).to.equal(422);
    expect(textOf(late, "main")).to.include("This is not the setup code.");
    expect(logged, "a new one, when the page was opened").to.have.length(1);
  });

  it("makes a new code after five wrong ones, and the one before is void", async () => {
    await open(webClient(service.url), "/setup");
    const [first = ""] = logged;
    for (let tries = 1; tries <= 5; tries += 1) {
      expect(logged, `before try ${tries}`).to.have.length(1);
      expect((await setUp("WRON-GWRO-NGWR-ONGG")).status).to.equal(422);
    }
    expect(logged).to.have.length(2);
    expect((await setUp(first)).status).to.equal(422);
    expect((await setUp(logged[1] ?? "")).status).to.equal(303);
  });

  it("says what is wrong with each field, without using up the code or showing a password again", async () => {
    const code = (await issueSetupCode(database.db, now)) ?? "";
    const wrong = await setUp(code, { name: " ", mail: "nobody", password: "short", password_again: "short" });
    expect(wrong.status).to.equal(422);
    for (const field of ["name", "mail", "password"]) expect(textOf(wrong, `#error-${field}`)).to.not.equal("");
    expect(wrong.html()).to.not.include('value="short"');
    const twice = await setUp(code, { password_again: "correct horse batterie" });
    expect(textOf(twice, "#error-password_again")).to.include("the same");
    expect((await setUp(code)).status).to.equal(303);
  });

  it("takes no form of another site", async () => {
    const code = (await issueSetupCode(database.db, now)) ?? "";
    const forged = await webClient(service.url).post("/setup", { ...owner, code }, { "sec-fetch-site": "cross-site" });
    expect(forged.status).to.equal(403);
    expect(await database.db.selectFrom("people").selectAll().execute()).to.deep.equal([]);
  });

  it("leaves signing in with a token as it was", async () => {
    const page = await open(webClient(service.url), "/sign-in");
    expect(page("form[data-sign-in] #field-token").length).to.equal(1);
    expect(page("#field-mail").length).to.equal(0);
    expect(logged, "only /setup makes codes").to.deep.equal([]);
  });
});
