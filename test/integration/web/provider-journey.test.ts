// A real provider and a browser: somebody is led from page to page, and every password is judged by scrypt.
import { expect } from "chai";
import type { Page } from "puppeteer-core";
import { changePerson } from "../../../src/database/accounts/people.ts";
import { createEncryptor } from "../../../src/domain/accounts/encryption.ts";
import { fromBase32, hotp, newTotpSecret } from "../../../src/domain/accounts/totp.ts";
import { createOpenIdProvider } from "../../../src/net/openid-provider.ts";
import { totpPurpose } from "../../../src/web/session/password.ts";
import { accountWithToken, type TestApi } from "../../support/api.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { openProvider, type TestProvider } from "../../support/oidc-site.ts";
import { PASSWORD, personWithToken } from "../../support/people.ts";
import { openMenu, openPersonsBrowser, type PersonsBrowser, press } from "../../support/web-browser.ts";
import { startTestPages } from "../../support/web-pages.ts";

/** Where pictures of the journey are saved; nowhere unless it is set. */
const PICTURES = process.env.PROVIDER_PICTURES;

describe("somebody who signs in by a real provider in a browser", () => {
  const encryptor = createEncryptor("the key of this test");
  const totp = newTotpSecret();
  let database: TestDatabase;
  let provider: TestProvider;
  let service: TestApi;
  let browser: PersonsBrowser;
  /** What the provider says of everybody. */
  let groups: string[] = [];

  before(async function () {
    this.timeout(120_000);
    database = await createTestDatabase();
    provider = await openProvider();
    const client = { clientId: "site-validator", clientSecret: "the client's own secret" };
    const settings = { issuer: provider.issuer, scopes: "openid email profile", groupsClaim: "groups" };
    service = await startTestPages(database, {
      encryptor,
      provider: { name: "City account", client: createOpenIdProvider({ ...client, ...settings }) },
      people: { groupRoles: { "web-team": "owner", press: "reader" }, contact: "web@city.example" },
    });
    provider.serve({
      ...{ id: client.clientId, secret: client.clientSecret },
      ...{ callback: `${service.url}/sign-in/back`, after: `${service.url}/sign-in` },
      claimsOf: (name) => ({ email: `${name}@city.example`, email_verified: true, name: "Ada Lovelace", groups }),
    });
    const { accountId } = await accountWithToken(database);
    const { id } = await personWithToken(database, accountId, "owner", { mail: "ops@city.example" });
    await changePerson(database.db, id, { totp_secret: encryptor.encrypt(totp, totpPurpose(id)) });
    browser = await openPersonsBrowser();
  });
  after(async () => {
    await browser?.close();
    await service?.close();
    await provider?.close();
    await database?.drop();
  });

  const text = (page: Page) => page.$eval("main", (main) => main.innerText);
  async function picture(page: Page, name: string): Promise<void> {
    await page.setViewport({ width: 1280, height: 800 });
    if (PICTURES) await page.screenshot({ path: `${PICTURES}/${name}.png`, fullPage: true });
  }
  /** Presses the button, signs in at the provider, and comes back. */
  async function comeIn(page: Page, step: string): Promise<void> {
    await press(page, "a", "Sign in with City account");
    expect(page.url()).to.include(provider.issuer);
    await picture(page, `${step}-at-the-provider`);
    await page.type("[name=login]", "ada");
    await page.type("[name=password]", "any");
    await press(page, "button", "Sign-in");
    // The provider asks whether this service may know it; once for each sign-in there.
    await press(page, "button", "Continue");
  }
  const role = async () =>
    (
      await database.db
        .selectFrom("people")
        .select("group_role")
        .where("mail", "=", "ada@city.example")
        .executeTakeFirst()
    )?.group_role;

  it("comes to the provider's page and back to the page that was asked for, with the role of the group", async function () {
    this.timeout(60_000);
    groups = ["web-team"];
    const page = await browser.person();
    await page.goto(`${service.url}/people`);
    expect(await text(page)).to.include("Then you get to the page that you asked for: /people");
    await picture(page, "1-sign-in");
    await comeIn(page, "2");
    expect(page.url()).to.equal(`${service.url}/people`);
    await picture(page, "3-back");
    expect(await text(page))
      .to.include("Ada Lovelace")
      .and.include("owner")
      .and.include("by group web-team");
  });

  it("has a lower role at the next sign-in when the group is taken away, and none without any", async function () {
    this.timeout(60_000);
    groups = ["press"];
    const page = await browser.person();
    await page.goto(`${service.url}/people`);
    await comeIn(page, "4");
    expect([await role(), (await text(page)).includes("Invite")]).to.deep.equal(["reader", false]);
    await picture(page, "5-lower-role");
    groups = [];
    const other = await browser.person();
    await other.goto(`${service.url}/sign-in`);
    await comeIn(other, "6");
    expect(await text(other))
      .to.include("City account knows you")
      .and.include("You have no role here.");
    await picture(other, "7-no-role");
    await page.reload();
    expect(page.url()).to.include("/sign-in");
  });

  it("is told when the provider is away, and the owner comes in by the password and second factor", async function () {
    this.timeout(60_000);
    const page = await browser.person();
    await page.goto(`${service.url}/people`);
    await provider.stop();
    await press(page, "a", "Sign in with City account");
    expect(await text(page)).to.include("City account does not answer since");
    await picture(page, "8-away");
    await page.type("[name=mail]", "ops@city.example");
    await page.type("[name=password]", PASSWORD);
    await press(page, "button", "Sign in with the password");
    await picture(page, "9-second-factor");
    await page.type("[name=factor]", hotp(fromBase32(totp), Math.floor(Date.now() / 30_000)));
    await press(page, "button", "Sign in");
    expect([page.url(), (await text(page)).includes("Invite")]).to.deep.equal([`${service.url}/people`, true]);
    await picture(page, "10-owner-is-in");
    await provider.start();
    const other = await browser.person();
    await other.goto(`${service.url}/sign-in`);
    await press(other, "a", "Try again");
    expect(other.url()).to.include(provider.issuer);
  });

  it("signs out here, and there, too", async function () {
    this.timeout(60_000);
    groups = ["web-team"];
    const page = await browser.person();
    await page.goto(`${service.url}/people`);
    await comeIn(page, "11");
    await openMenu(page, "Account");
    await press(page, "button", "Sign out");
    expect(await text(page)).to.include("City account may still be signed in on this computer");
    await picture(page, "12-signed-out");
    await press(page, "a", "sign out there, too");
    expect(page.url()).to.include(provider.issuer);
    await press(page, "button", "Yes, sign me out");
    expect(page.url()).to.include(`${service.url}/sign-in`);
  });
});
