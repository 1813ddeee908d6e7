import { expect } from "chai";
import { ensureFirstAccount, findPrincipal } from "../../../src/database/accounts/tokens.ts";
import { createTestDatabase, emptyDatabase, type TestDatabase } from "../../support/database.ts";

describe("the first account", () => {
  let database: TestDatabase;
  const now = new Date();

  before(async () => {
    database = await createTestDatabase();
  });
  beforeEach(() => emptyDatabase(database.db));
  after(() => database.drop());

  const count = async () => (await database.db.selectFrom("accounts").select("id").execute()).length;

  it("is created once, by however many processes; one of them gets the token", async () => {
    const made = await Promise.all(Array.from({ length: 5 }, () => ensureFirstAccount(database.db)));
    expect(new Set(made.map(({ accountId }) => accountId)).size).to.equal(1);
    const tokens = made.flatMap(({ token }) => token ?? []);
    expect(tokens).to.have.length(1);
    expect(await count()).to.equal(1);
    const principal = await findPrincipal(database.db, tokens[0] ?? "", now);
    expect(principal).to.deep.include({ accountId: made[0]?.accountId, scope: "write", guestToken: null });
  });

  it("accepts a configured token, again and again, and another one that replaces it", async () => {
    const { accountId } = await ensureFirstAccount(database.db, { token: "svt_configured" });
    expect(await ensureFirstAccount(database.db, { token: "svt_configured" })).to.include({ accountId });
    expect((await findPrincipal(database.db, "svt_configured", now))?.accountId).to.equal(accountId);
    await ensureFirstAccount(database.db, { token: "svt_renewed" });
    expect(await findPrincipal(database.db, "svt_configured", now)).to.equal(undefined);
    expect((await findPrincipal(database.db, "svt_renewed", now))?.accountId).to.equal(accountId);
    expect(await ensureFirstAccount(database.db)).to.deep.equal({ accountId });
  });
});
