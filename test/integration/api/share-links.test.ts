import { expect } from "chai";
import { accountWithToken, type Call, guestWithToken, startTestApi, type TestApi } from "../../support/api.ts";
import { runReport } from "../../support/compared-sites.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

const DAY = 86_400_000;
const START = new Date("2026-06-01T12:00:00Z");

describe("share links", () => {
  let database: TestDatabase;
  let api: TestApi;
  let call: Call;
  let accountId: string;
  let report: string;
  let now = START;

  before(async () => {
    database = await createTestDatabase();
    api = await startTestApi(database, { now: () => now });
    const account = await accountWithToken(database);
    accountId = account.accountId;
    call = api.as(account.token);
    report = await runReport(
      database.db,
      accountId,
      { "/": ["alt img main"], "/a": [] },
      { at: new Date(START.getTime() - DAY) },
    );
  });
  beforeEach(() => {
    now = START;
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  const anybody: Call = (...request) => api.as(undefined)(...request);
  const inDays = (days: number) => new Date(START.getTime() + days * DAY).toISOString();
  const share = async (attributes: object, as = call) => {
    const reply = await as("POST", "/share_links", { attributes: { expires_at: inDays(7), ...attributes } });
    expect(reply.status, reply.text).to.equal(201);
    return { id: reply.json.data.id, secret: String(reply.json.data.attributes.secret) };
  };
  const readBy = async (secret: string, path = `/reports/${report}`) =>
    (await anybody("GET", path, { headers: { "share-link": secret } })).status;

  it("open a report with all that is below it until they end, and nothing to write", async () => {
    const { secret } = await share({ report_id: report });
    for (const below of ["", "/web_pages", "/findings", "/sections", "/criteria", "/export.csv", "/mutings"])
      expect(await readBy(secret, `/reports/${report}${below}`), below).to.equal(200);
    for (const method of ["PATCH", "DELETE"])
      expect(
        (
          await anybody(method, `/reports/${report}`, {
            headers: { "share-link": secret },
            ...(method === "PATCH" && { attributes: {} }),
          })
        ).status,
      ).to.equal(401);
    now = new Date(START.getTime() + 7 * DAY - 1);
    expect(await readBy(secret)).to.equal(200);
    now = new Date(START.getTime() + 7 * DAY);
    expect([await readBy(secret), (await anybody("GET", `/shared/${secret}`)).status]).to.deep.equal([401, 404]);
  });

  it("show what a reader of a shared report may see, and no more", async () => {
    const { secret } = await share({ report_id: report });
    const { json } = await anybody("GET", `/reports/${report}`, { headers: { "share-link": secret } });
    expect(json.data.attributes).not.to.have.any.keys("basic_auth_id", "changes", "guest_token");
  });

  it("show the numbers of a site, without its reports and settings", async () => {
    const [site] = (await call("GET", "/sites")).json.data;
    const { secret } = await share({ site_id: site?.id });
    const { json, text } = await anybody("GET", `/shared/${secret}`);
    expect(json.data.attributes.site).to.deep.include({ starting_url: "https://example.com/", name: null });
    expect(json.data.attributes.site).to.have.nested.property("numbers.errors", 1);
    expect(json.data.attributes.site).to.have.nested.property("days[0].share_without_errors", 0.5);
    expect(text).not.to.include(report);
    expect(await readBy(secret)).to.equal(401);
  });

  it("open nothing with an earlier secret, or once they are deleted", async () => {
    const { id, secret } = await share({ report_id: report });
    const renewed = String((await call("POST", `/share_links/${id}/secret`)).json.data.attributes.secret);
    expect([await readBy(secret), await readBy(renewed)]).to.deep.equal([401, 200]);
    expect((await call("DELETE", `/share_links/${id}`)).status).to.equal(204);
    expect(await readBy(renewed)).to.equal(401);
  });

  it("can end later, and no later than in a year", async () => {
    const { id, secret } = await share({ report_id: report });
    await call("PATCH", `/share_links/${id}`, { attributes: { expires_at: inDays(30) } });
    now = new Date(START.getTime() + 20 * DAY);
    expect(await readBy(secret)).to.equal(200);
    for (const expires_at of [inDays(19), inDays(400), "2026-13-45T00:00:00"])
      expect((await call("PATCH", `/share_links/${id}`, { attributes: { expires_at } })).status, expires_at).to.equal(
        422,
      );
  });

  it("of a guest are for what is the guest's", async () => {
    const guest = api.as((await guestWithToken(database, accountId)).token);
    const refused = await guest("POST", "/share_links", { attributes: { report_id: report, expires_at: inDays(1) } });
    expect([refused.status, refused.json.errors[0]?.code]).to.deep.equal([422, "unknown_report"]);
    expect((await guest("GET", "/share_links")).json.data).to.deep.equal([]);
  });

  it("are stored as digests", async () => {
    const { secret } = await share({ report_id: report });
    const rows = await database.db.selectFrom("share_links").selectAll().execute();
    expect(JSON.stringify(rows)).not.to.include(secret);
  });
});
