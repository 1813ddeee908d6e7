// Sixteen passwords are judged, each by scrypt with 32 MB, as whoever guesses has to.
import { expect } from "chai";
import { changePerson, findPerson } from "../../../src/database/accounts/people.ts";
import { createEncryptor } from "../../../src/domain/accounts/encryption.ts";
import { PERSON_SESSION_MS, SIGN_IN_TRIES, SIGN_IN_WINDOW_MS } from "../../../src/domain/accounts/sign-in-limits.ts";
import { fromBase32, hotp, newTotpSecret } from "../../../src/domain/accounts/totp.ts";
import { totpPurpose } from "../../../src/web/session/password.ts";
import { accountWithToken, type TestApi } from "../../support/api.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { PASSWORD, personWithToken, signedInAs } from "../../support/people.ts";
import { open, press, startTestPages, textOf } from "../../support/web-pages.ts";
import { webClient } from "../../support/web-service.ts";

describe("signing in with a password", () => {
  const encryptor = createEncryptor("the key of this test");
  let database: TestDatabase;
  let service: TestApi;
  let accountId: string;
  let person: { id: string; mail: string; token: string };
  let now = new Date();

  before(async () => {
    database = await createTestDatabase();
    service = await startTestPages(database, { now: () => now, encryptor });
  });
  beforeEach(async () => {
    now = new Date();
    ({ accountId } = await accountWithToken(database));
    person = await personWithToken(database, accountId, "owner");
    await database.db.deleteFrom("failed_sign_ins").execute();
  });
  after(async () => {
    await service.close();
    await database.drop();
  });

  const attempt = async (mail: string, password: string, client = webClient(service.url)) =>
    press(client, await open(client, "/sign-in"), "/sign-in", { mail, password });

  it("lasts twelve hours, whatever the case and the spaces of the address", async () => {
    const client = await signedInAs(service.url, ` ${person.mail.toUpperCase()} `);
    now = new Date(now.getTime() + PERSON_SESSION_MS - 1_000);
    expect((await client.get("/")).status).to.equal(200);
    now = new Date(now.getTime() + 2_000);
    expect((await client.get("/")).location).to.include("/sign-in");
  });

  it("says the same of a wrong password as of an address that nobody has", async () => {
    const [known, unknown] = [
      await attempt(person.mail, "wrong but long"),
      await attempt("x@example.org", "wrong but long"),
    ];
    expect([known.status, unknown.status]).to.deep.equal([422, 422]);
    expect(textOf(known, "#error-password")).to.equal(textOf(unknown, "#error-password"));
    expect(textOf(known, "#error-password")).to.equal(
      "Mail address or password is not right. 4 more tries are possible.",
    );
    expect(known.html()).to.not.include("wrong but long");
  });

  it("refuses the right password, too, after five wrong ones, and takes it a quarter of an hour later", async () => {
    for (let tries = 1; tries <= SIGN_IN_TRIES.pair; tries += 1) await attempt(person.mail, "wrong but long");
    const refused = await attempt(person.mail, PASSWORD);
    expect(textOf(refused, "#error-password")).to.include("too many attempts");
    now = new Date(now.getTime() + SIGN_IN_WINDOW_MS + 1);
    expect((await attempt(person.mail, PASSWORD)).status).to.equal(303);
  });

  it("counts attempts that come at once before it judges them", async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => attempt(person.mail, "wrong but long")));
    const judged = all.filter((page) => textOf(page, "#error-password").includes("not right"));
    expect(judged).to.have.length(SIGN_IN_TRIES.pair);
  });

  it("has the address of the attempts and what was typed nowhere in the database", async () => {
    await attempt("my password by mistake", "wrong but long");
    const rows = await database.db.selectFrom("failed_sign_ins").selectAll().execute();
    expect(rows).to.have.length(3);
    expect(JSON.stringify(rows)).to.not.include("mistake").and.not.include("127.0.0.1");
  });

  it("is refused without a role, and after the access has ended, as a wrong password is", async () => {
    for (const change of [{ role: null }, { role: "reader" as const, ends_at: new Date(now.getTime() - 1) }]) {
      await changePerson(database.db, person.id, change);
      expect(textOf(await attempt(person.mail, PASSWORD), "#error-password")).to.include("is not right");
    }
  });

  it("ends an earlier session of the browser, which somebody else may have set, and takes no form of another site", async () => {
    const client = await signedInAs(service.url, person.mail);
    const before = client.cookie();
    await attempt(person.mail, PASSWORD, client);
    expect(client.cookie()).to.not.equal(before);
    const old = await fetch(`${service.url}/`, { headers: { cookie: before }, redirect: "manual" });
    expect(old.status).to.equal(303);
    const fields = { mail: person.mail, password: PASSWORD };
    const forged = await webClient(service.url).post("/sign-in", fields, { "sec-fetch-site": "cross-site" });
    expect([forged.status, forged.headers.getSetCookie()]).to.deep.equal([403, []]);
  });

  it("leads on to pages of this service alone", async () => {
    for (const next of ["https://evil.example/", "//evil.example/", "/\\evil.example", "javascript:alert(1)"]) {
      const reply = await webClient(service.url).post("/sign-in", { mail: person.mail, password: PASSWORD, next });
      expect([next, reply.location]).to.deep.equal([next, "/"]);
    }
    const reply = await webClient(service.url).post("/sign-in", {
      mail: person.mail,
      password: PASSWORD,
      next: "/usage",
    });
    expect(reply.location).to.equal("/usage");
  });

  it("is no credential of the API", async () => {
    const session = (await signedInAs(service.url, person.mail)).cookie().split("=")[1];
    for (const bearer of [person.id, session ?? "", PASSWORD.replaceAll(" ", "")])
      expect((await service.as(bearer)("GET", "/usage")).status).to.equal(401);
  });

  it("ends at once for somebody who loses the role, and shows readers no forms of others", async () => {
    const client = await signedInAs(service.url, person.mail);
    await changePerson(database.db, person.id, { role: "reader" });
    expect((await client.get("/mutings")).html).to.include("Your role does not allow this");
    const form = await client.post("/mutings/new", { url_match: "x", message: "y" });
    expect(form.status).to.equal(403);
    await changePerson(database.db, person.id, { role: null });
    expect((await client.get("/")).location).to.include("/sign-in");
  });

  describe("and a second factor", () => {
    const secret = newTotpSecret();
    const code = (time = now) => hotp(fromBase32(secret), Math.floor(time.getTime() / 30_000));
    beforeEach(async () => {
      await changePerson(database.db, person.id, { totp_secret: encryptor.encrypt(secret, totpPurpose(person.id)) });
    });

    it("asks for the code of now, which works once", async () => {
      const client = webClient(service.url);
      const asked = await attempt(person.mail, PASSWORD, client);
      expect([asked.status, client.cookie()]).to.deep.equal([200, ""]);
      expect((await press(client, asked, "/sign-in", { factor: "000000" })).status).to.equal(422);
      expect((await press(client, asked, "/sign-in", { factor: code() })).status).to.equal(303);
      expect((await client.get("/")).status).to.equal(200);
      const again = await press(webClient(service.url), asked, "/sign-in", { factor: code() });
      expect(textOf(again, "#error-factor")).to.include("used before");
    });

    it("does not wait longer than five minutes, or for more than five codes", async () => {
      const asked = await attempt(person.mail, PASSWORD);
      for (let tries = 1; tries <= SIGN_IN_TRIES.pair; tries += 1)
        await press(webClient(service.url), asked, "/sign-in", { factor: "000000" });
      const many = await press(webClient(service.url), asked, "/sign-in", { factor: code() });
      expect(textOf(many, "#error-password")).to.include("too many attempts");
      await database.db.deleteFrom("failed_sign_ins").execute();
      now = new Date(now.getTime() + 5 * 60_000);
      const late = await press(webClient(service.url), asked, "/sign-in", { factor: code() });
      expect(textOf(late, "#error-password")).to.include("took too long");
    });

    it("takes no form that it did not make itself", async () => {
      const forged = Buffer.from(JSON.stringify({ id: person.id, until: now.getTime() + 60_000 })).toString(
        "base64url",
      );
      for (const pending of [forged, "", "%%%"]) {
        const reply = await webClient(service.url).post("/sign-in", { pending, factor: code() });
        expect([reply.status, reply.headers.getSetCookie()]).to.deep.equal([422, []]);
      }
      expect((await findPerson(database.db, person.id))?.totp_step).to.equal(null);
    });
  });
});
