import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { administer } from "../../../src/cli/admin.ts";
import { createToken } from "../../../src/database/accounts/tokens.ts";
import { UsageError } from "../../../src/domain/errors.ts";
import { startTestApi, type TestApi } from "../../support/api.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

describe("npm run admin", () => {
  let database: TestDatabase;
  let api: TestApi;

  before(async () => {
    database = await createTestDatabase();
    api = await startTestApi(database);
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  const text = (...args: string[]) => administer(args, (work) => work(database.db));
  const run = async (...args: string[]) => JSON.parse(await text(...args));
  const refused = async (...args: string[]): Promise<string> => {
    try {
      await text(...args);
    } catch (error) {
      expect(error).to.be.an.instanceOf(UsageError);
      return (error as Error).message;
    }
    throw new Error("it was done");
  };
  const missing = "00000000-0000-4000-8000-000000000000";

  it("creates an account with a working token, and sets its credits", async () => {
    const made = await run("accounts", "create", "Web team", "--monthly-credits", "7");
    expect(made).to.include({ name: "Web team", monthly_credits: 7 });
    const usage = async () => (await api.as(made.token)("GET", "/usage")).json.data.attributes.limit;
    expect(await usage()).to.equal(7);
    await run("accounts", "credits", made.id, "none");
    expect(await usage()).to.equal(null);
    await run("accounts", "credits", made.id, "0");
    expect(await usage()).to.equal(0);
    const [listed] = await run("accounts", "list");
    const free = await run("accounts", "create", "No limit", "--monthly-credits", "none");
    expect(free).to.include({ name: "No limit", monthly_credits: null });
    expect(listed).to.include({ id: made.id, name: "Web team", monthly_credits: 0, charged: 0, reports: 0 });
  });

  it("creates, lists and revokes tokens", async () => {
    const { id } = await run("accounts", "create", "Tokens");
    const made = await run("tokens", "create", id, "--name", "CI", "--scope", "write");
    expect((await api.as(made.token)("GET", "/api_tokens")).status).to.equal(200);
    const listed = await text("tokens", "list", id);
    expect(JSON.parse(listed).map((token: { name: string }) => token.name)).to.deep.equal(["admin", "CI"]);
    expect(listed).not.to.include(made.token).and.not.to.include("token_hash");
    expect(await run("tokens", "revoke", made.id)).to.deep.equal({ id: made.id, revoked: true });
    expect((await api.as(made.token)("GET", "/api_tokens")).status).to.equal(401);
  });

  it("leaves an entry in the account's audit log, without a secret", async () => {
    const { id, token } = await run("accounts", "create", "Web team");
    await run("accounts", "credits", id, "100");
    const made = await run("tokens", "create", id, "--name", "CI");
    await run("tokens", "revoke", made.id);
    const rows = await database.db
      .selectFrom("audit_entries")
      .select(["who", "who_name", "verb", "target_name", "changes"])
      .where("account_id", "=", id)
      .orderBy("id")
      .execute();
    expect(rows.map(({ who, who_name, verb }) => `${who} ${who_name} ${verb}`)).to.deep.equal([
      "service site-validator admin created the account",
      "service site-validator admin set the credits a month",
      "service site-validator admin made a token",
      "service site-validator admin revoked a token",
    ]);
    expect(JSON.stringify(rows)).to.not.include(token).and.not.include(made.token);
    const owner = await run("owner", "ada@example.org");
    const entry = await database.db
      .selectFrom("audit_entries")
      .selectAll()
      .where("target_id", "=", owner.id)
      .executeTakeFirstOrThrow();
    expect(entry.verb).to.equal("made an owner");
    expect(JSON.stringify(entry)).to.not.include(owner.password);
  });

  it("prints names without the characters that a terminal obeys", async () => {
    const name = "a\u009b2J\u202e\u2028";
    const { id } = await run("accounts", "create", "Names");
    await createToken(database.db, { accountId: id, name, scope: "read" });
    const listed = await text("tokens", "list", id);
    expect(listed).not.to.match(/[\x7f-\x9f\u2028\u202e]/);
    expect(JSON.parse(listed).map((token: { name: string }) => token.name)).to.include(name);
  });

  it("rejects wrong use with the reason", async () => {
    expect(await refused("accounts", "credits", missing, "5")).to.match(/^There is no account/);
    expect(await refused("tokens", "create", missing, "--name", "x")).to.match(/^There is no account/);
    expect(await refused("tokens", "revoke", missing)).to.match(/^There is no token/);
    expect(await refused("accounts", "credits", "x", "5")).to.match(/must be a UUID/);
    expect(await refused("accounts", "credits", missing, "-5")).to.match(/--help|whole number/);
    expect(await refused("accounts", "create", " ")).to.match(/1 to 100/);
    expect(await refused("tokens", "create", missing)).to.match(/--name/);
    expect(await refused("tokens", "create", missing, "--name", "x", "--scope", "all")).to.match(/read, write/);
    expect(await refused("nothing")).to.match(/unknown command/);
  });

  it("prints its help text, as a program", async () => {
    const entry = path.join(import.meta.dirname, "../../../bin/run.js");
    const { stdout } = await promisify(execFile)(process.execPath, [entry, "admin", "--help"]);
    for (const part of ["accounts", "tokens", "DATABASE_URL", "Examples:"]) expect(stdout).to.include(part);
    const env = { ...process.env, DATABASE_URL: database.url };
    const listed = await promisify(execFile)(process.execPath, [entry, "admin", "accounts", "list"], { env });
    expect(JSON.parse(listed.stdout)).to.be.an("array");
    const wrong = await promisify(execFile)(process.execPath, [entry, "admin"]).catch((error) => error);
    expect([wrong.code, wrong.stderr]).to.deep.equal([2, "The command is missing.\nSee npm run admin -- --help.\n"]);
  });
});
