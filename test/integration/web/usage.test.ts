import { expect } from "chai";
import { accountWithToken, guestWithToken, type TestApi } from "../../support/api.ts";
import { createTestDatabase, emptyDatabase, type TestDatabase } from "../../support/database.ts";
import { open, startTestPages, textOf } from "../../support/web-pages.ts";
import { signedIn } from "../../support/web-service.ts";

describe("The usage page", () => {
  let database: TestDatabase;
  let service: TestApi;

  before(async () => {
    database = await createTestDatabase();
    service = await startTestPages(database, { maxAccountBytes: 2_000_000_000 });
  });
  after(async () => {
    await service.close();
    await database.drop();
  });
  beforeEach(() => emptyDatabase(database.db));

  async function use(accountId: string, guestToken: string, charged: number): Promise<void> {
    const month = `${new Date().toISOString().slice(0, 7)}-01`;
    const row = { account_id: accountId, guest_token: guestToken, month, charged, reserved: 5 };
    await database.db.insertInto("credit_usage").values(row).execute();
  }

  it("shows credits and storage as numbers with bars, and each guest's", async () => {
    const { accountId, token } = await accountWithToken(database, { monthly_credits: 10_000 });
    const guest = await guestWithToken(database, accountId, { max_usage: 300 });
    await use(accountId, "", 1_495);
    await use(accountId, guest.guestToken, 95);
    const page = await open(await signedIn({ url: service.url, token }), "/usage");
    expect(textOf(page)).to.include("1,500 of 10,000 credits").and.to.include("0 bytes of 2 GB");
    expect(page("main svg.meter").length).to.equal(2);
    const [row] = page("[aria-labelledby=guests] tbody tr").toArray();
    expect(page(row).text().replace(/\s+/g, " ")).to.match(/95.*5.*200.*300/);
    expect(page(row).find("a").attr("href")).to.equal(`/guests/${guest.guestToken}`);
  });

  it("shows what was used in each of the last twelve months, also in those without use, beside the limit", async () => {
    const { accountId, token } = await accountWithToken(database, { monthly_credits: 10_000 });
    await use(accountId, "", 1_495);
    const [year, month] = new Date().toISOString().split("-").map(Number) as [number, number];
    for (const [before, charged] of [
      [11, 700],
      [12, 999],
    ] as const) {
      const at = new Date(Date.UTC(year, month - 1 - before, 1)).toISOString().slice(0, 10);
      await database.db.insertInto("credit_usage").values({ account_id: accountId, month: at, charged }).execute();
    }
    const page = await open(await signedIn({ url: service.url, token }), "/usage");
    const numbers = page("[aria-labelledby=months] tbody td").toArray();
    const shown = numbers.map((cell) => page(cell).text().trim());
    expect(shown).to.deep.equal(["1,495", ...Array<string>(10).fill("0"), "700"]);
    expect(page("[aria-labelledby=months] svg rect").length).to.equal(12);
    expect(page("[aria-labelledby=months] line.limit").length).to.equal(1);
    expect(textOf(page, "[aria-labelledby=months]")).to.include("the limit of 10,000");
  });

  it("says that there is no limit", async () => {
    const { token } = await accountWithToken(database);
    expect(textOf(await open(await signedIn({ url: service.url, token }), "/usage"))).to.include("0 credits, no limit");
  });

  it("shows a guest its own credits alone", async () => {
    const { accountId } = await accountWithToken(database, { monthly_credits: 10_000 });
    const guest = await guestWithToken(database, accountId, { max_usage: 300 });
    const page = await open(await signedIn({ url: service.url, token: guest.token }), "/usage");
    expect(textOf(page)).to.include("of 300 credits").and.not.to.include("Storage").and.not.to.include("10,000");
  });
});
