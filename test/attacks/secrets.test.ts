import { expect } from "chai";
import { routes } from "../../src/api/routes.ts";
import { createToken } from "../../src/database/accounts/tokens.ts";
import { createEncryptor } from "../../src/domain/accounts/encryption.ts";
import { accountWithToken, guestWithToken, startTestApi, type TestApi } from "../support/api.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { addressOf, oneOfEach } from "../support/every-route.ts";

const PASSWORD = "correct horse battery staple";
const HEADER = "a-token-for-previews";
const SECRET_KEY = "the key of this very test";

/** Whoever holds one of these can do what the reader of an answer may not. */
type Secrets = Record<
  | "an open invitation"
  | "a deploy hook"
  | "a stored password"
  | "a stored header"
  | "the owner's token"
  | "a guest's token"
  | "the secret key"
  | "the guest who made a report",
  string
>;

/** Who reads, and the secrets that it may see. */
const readers: { name: string; may: readonly (keyof Secrets)[] }[] = [
  { name: "the owner's write token", may: ["an open invitation", "a deploy hook", "the guest who made a report"] },
  { name: "the owner's read token", may: ["the guest who made a report"] },
  { name: "a guest's write token", may: ["the guest who made a report"] },
  { name: "a guest's read token", may: ["the guest who made a report"] },
  { name: "another guest's write token", may: [] },
  { name: "another account's write token", may: [] },
  { name: "nobody, of a shared report", may: [] },
];

describe("the secrets of an account, over every route of the API", () => {
  let database: TestDatabase;
  let api: TestApi;
  let ids: Record<string, string>;
  let secrets: Secrets;
  let tokens: Record<string, string | undefined>;

  before(async () => {
    database = await createTestDatabase();
    const { db } = database;
    api = await startTestApi(database, { encryptor: createEncryptor(SECRET_KEY) });
    const owner = await accountWithToken(database);
    const call = api.as(owner.token);
    ids = await oneOfEach(database, api, owner);
    const guest = await guestWithToken(database, owner.accountId);
    await db
      .updateTable("guest_accounts")
      .set({ invitation_open: false })
      .where("token", "=", guest.guestToken)
      .execute();
    const other = await guestWithToken(database, owner.accountId);
    await db
      .updateTable("guest_accounts")
      .set({ invitation_open: false })
      .where("token", "=", other.guestToken)
      .execute();
    await db
      .updateTable("reports")
      .set({ shared: true, guest_token: guest.guestToken, schedule_id: ids.schedule_id ?? null })
      .where("id", "=", ids.report_id ?? "")
      .execute();
    const headers = [{ name: "X-Preview", value: HEADER }];
    const login = { host: "example.com", username: "u", password: PASSWORD, headers };
    expect((await call("POST", "/basic_auths", { attributes: login })).status).to.equal(201);
    const hook = (await call("GET", `/schedules/${ids.schedule_id}`)).json.data.attributes.deploy_hook_url;
    const read = async (guestToken?: string) =>
      (
        await createToken(db, {
          accountId: owner.accountId,
          name: "reads",
          scope: "read",
          ...(guestToken !== undefined && { guestToken }),
        })
      ).token;
    tokens = {
      "the owner's write token": owner.token,
      "the owner's read token": await read(),
      "a guest's write token": guest.token,
      "a guest's read token": await read(guest.guestToken),
      "another guest's write token": other.token,
      "another account's write token": (await accountWithToken(database)).token,
      "nobody, of a shared report": undefined,
    };
    secrets = {
      "an open invitation": ids.guest_account_id ?? "",
      "a deploy hook": String(hook).split("/").at(-1) ?? "",
      "a stored password": PASSWORD,
      "a stored header": HEADER,
      "the owner's token": owner.token,
      "a guest's token": guest.token,
      "the secret key": SECRET_KEY,
      "the guest who made a report": guest.guestToken,
    };
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  for (const { name, may } of readers) {
    it(`are not shown to ${name}${may.length > 0 ? `, but for ${may.join(", ")}` : ""}`, async () => {
      const seen = new Set<string>();
      for (const route of routes.filter(({ method }) => method === "GET")) {
        const { text, headers } = await api.as(tokens[name])("GET", addressOf(route, ids));
        const answer = `${text} ${JSON.stringify([...headers])}`;
        // A link that repeats the address of the request tells its caller nothing.
        const told = answer.replaceAll(addressOf(route, ids), "");
        for (const [secret, value] of Object.entries(secrets)) {
          expect(value).to.match(/.{10}/);
          if (!told.includes(value)) continue;
          seen.add(secret);
          expect(may, `${route.path} shows ${secret}`).to.include(secret);
        }
      }
      // Otherwise the test would look for what is nowhere.
      expect([...seen].sort()).to.deep.equal([...may].sort());
    });
  }

  it("are not written to the log", () => {
    const written = JSON.stringify(api.logged);
    for (const [secret, value] of Object.entries(secrets))
      if (secret !== "the guest who made a report") expect(written, secret).to.not.include(value);
  });
});
