import { expect } from "chai";
import { sql } from "kysely";
import { resourceExcess } from "../../src/database/accounts/accounts.ts";
import { accountWithToken, startTestApi, type TestApi } from "../support/api.ts";
import { insertReport } from "../support/builders.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";

const starting_url = "https://example.com/";
/** Nearly the longest lists that the API takes. */
const listOf = (prefix: string) =>
  Array.from({ length: 100 }, (_, index) => `${prefix}${index}/${"x".repeat(1_900)}`).join("\n");
const long = { initial_urls: listOf("https://example.com/"), exclusions: listOf("/") };

describe("an account's reports and schedules", () => {
  let database: TestDatabase;
  let api: TestApi;
  let accountId: string;
  let token: string;

  before(async () => {
    database = await createTestDatabase();
    api = await startTestApi(database);
  });
  beforeEach(async () => {
    ({ accountId, token } = await accountWithToken(database));
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  const post = (path: string, attributes: Record<string, unknown> = {}) =>
    api.as(token)("POST", path, { attributes: { starting_url, ...attributes } });
  const outcome = async (reply: ReturnType<typeof post>): Promise<string> => {
    const { status, json } = await reply;
    return `${status} ${json.errors?.[0]?.code ?? ""}`.trim();
  };

  it("get no more room when their definitions take all of it, until some have ended or are deleted", async () => {
    let created = 0;
    while ((await outcome(post("/reports", long))) === "201") created += 1;
    expect(created).to.be.within(40, 60);
    const refused = await post("/reports");
    expect([refused.status, refused.json.errors[0]?.code]).to.deep.equal([402, "resource_quota_exceeded"]);
    expect(refused.json.errors[0]?.detail).to.contain("of 20.0 MB");
    expect(await outcome(post("/schedules", { periodicity: null }))).to.equal("402 resource_quota_exceeded");
    await sql`update reports set phase = 'Complete', completed_at = now() - interval '11 minutes'
      where account_id = ${accountId}`.execute(database.db);
    expect(await outcome(post("/reports"))).to.equal("201");
    expect(await outcome(post("/schedules", { periodicity: null }))).to.equal("201");
  });

  it("leave the room of other accounts alone", async () => {
    const id = await insertReport(database.db, { accountId });
    await sql`update reports set spec = spec || jsonb_build_object('filler', repeat('x', 21000000))
      where id = ${id}`.execute(database.db);
    expect(await outcome(post("/reports"))).to.equal("402 resource_quota_exceeded");
    const other = await accountWithToken(database);
    expect(await resourceExcess(database.db, other.accountId)).to.equal(undefined);
  });
});
