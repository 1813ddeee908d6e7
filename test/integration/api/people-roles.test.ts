import { expect } from "chai";
import type { Route } from "../../../src/api/context.ts";
import { routes } from "../../../src/api/routes.ts";
import { createEncryptor } from "../../../src/domain/accounts/encryption.ts";
import { rightOf, roleHas, roles } from "../../../src/domain/accounts/roles.ts";
import { accountWithToken, type Call, startTestApi, type TestApi } from "../../support/api.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { addressOf, oneOfEach, sessionOf, validAttributes } from "../../support/every-route.ts";
import { personWithToken } from "../../support/people.ts";

const guarded = routes.filter(({ access }) => access !== "public");

describe("the roles of people, on every operation of the API", () => {
  let database: TestDatabase;
  let api: TestApi;
  let owner: { accountId: string; token: string };
  let ids: Record<string, string>;

  before(async () => {
    database = await createTestDatabase();
    api = await startTestApi(database, { encryptor: createEncryptor("the key of this test") });
  });
  beforeEach(async () => {
    owner = await accountWithToken(database);
    ids = await oneOfEach(database, api, owner);
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  async function outcome(route: Route, call: Call): Promise<string> {
    const attributes = validAttributes(route);
    const { status, json } = await call(route.method, addressOf(route, ids), attributes ? { attributes } : {});
    const [code] = (json.errors ?? []).map((error) => error.code);
    return code === "insufficient_role" ? "no" : status < 400 ? "yes" : `${status} ${code}`;
  }
  /** What reads goes first, what deletes last, and what lies below before what is above. */
  const turn = ({ method }: Route) => ["GET", "POST", "PATCH", "DELETE"].indexOf(method);
  const inOrder = [...guarded].sort((a, b) => turn(a) - turn(b) || b.path.length - a.path.length);

  for (const role of roles)
    it(`lets a token of a ${role} do what the role has the right to, and nothing else`, async () => {
      const person = await personWithToken(database, owner.accountId, role);
      // A token that this person made is what an editor may revoke.
      const mine = await api.as(owner.token)("GET", "/api_tokens");
      ids.api_token_id = mine.json.data.find(({ attributes }) => attributes.name === `of ${person.mail}`)?.id ?? "";
      ids.session_id = await sessionOf(database.db, owner.accountId, `of ${person.mail}`);
      const last = inOrder.filter(({ id }) => id !== "deleteApiToken");
      const revoke = inOrder.filter(({ id }) => id === "deleteApiToken");
      for (const route of [...last, ...revoke])
        expect(`${route.id} ${await outcome(route, api.as(person.token))}`).to.equal(
          `${route.id} ${roleHas(role, rightOf(route)) ? "yes" : "no"}`,
        );
    });

  it("lets somebody without a role, and what that person made, do nothing", async () => {
    const person = await personWithToken(database, owner.accountId, null);
    for (const route of guarded)
      expect(`${route.id} ${await outcome(route, api.as(person.token))}`).to.equal(`${route.id} 401 invalid_token`);
  });

  it("holds for a token at once when the person's role changes, or the access ends", async () => {
    const { id, token } = await personWithToken(database, owner.accountId, "editor");
    const mute = () => api.as(token)("POST", "/mutings", { attributes: { url_match: "x", message: "y" } });
    expect((await mute()).status).to.equal(201);
    await database.db.updateTable("people").set({ role: "reader" }).where("id", "=", id).execute();
    expect((await mute()).json.errors[0]?.code).to.equal("insufficient_role");
    await database.db
      .updateTable("people")
      .set({ ends_at: new Date(0) })
      .where("id", "=", id)
      .execute();
    expect((await mute()).status).to.equal(401);
  });

  it("keeps people out of the list of tokens, and shows those who are no owners their own", async () => {
    const { id, mail, token } = await personWithToken(database, owner.accountId, "editor");
    const all = await api.as(owner.token)("GET", "/api_tokens");
    expect(all.json.data.map((one) => one.id)).to.not.include(id);
    const own = await api.as(token)("GET", "/api_tokens");
    expect(own.json.data.map(({ attributes }) => attributes.name)).to.deep.equal([`of ${mail}`]);
    const another = all.json.data.find(({ attributes }) => attributes.name === "test")?.id;
    expect((await api.as(token)("DELETE", `/api_tokens/${another}`)).status).to.equal(404);
  });
});
