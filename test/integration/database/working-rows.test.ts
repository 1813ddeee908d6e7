import { expect } from "chai";
import { sql } from "kysely";
import { requeuePage } from "../../../src/transactions/change-pages.ts";
import { purgeWorkingRows } from "../../../src/transactions/purge.ts";
import { insertAccount, insertReport } from "../../support/builders.ts";
import { setReport } from "../../support/check-counts.ts";
import { readCrawl, runCrawl } from "../../support/crawl.ts";
import { createTestDatabase, emptyDatabase, type TestDatabase } from "../../support/database.ts";
import { queuePages } from "../../support/queue-pages.ts";
import { serveSite } from "../../support/site.ts";

describe("rows that only a running report needs", () => {
  let database: TestDatabase;
  const { signal } = new AbortController();

  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());
  afterEach(() => emptyDatabase(database.db));

  const reportWith = async (state: string, urls: number, accountId: string): Promise<string> => {
    const id = await insertReport(database.db, { accountId });
    await sql`update reports set crawl_state = ${state} where id = ${id}`.execute(database.db);
    await sql`insert into frontier (report_id, url, position, depth)
      select ${id}::uuid, 'https://example.com/' || i, i, 1 from generate_series(1, ${urls}::integer) i`.execute(
      database.db,
    );
    return id;
  };
  const frontiers = async () => {
    const { rows } = await sql<{ id: string; urls: number }>`
      select report_id as id, count(*)::integer as urls from frontier group by 1`.execute(database.db);
    return new Map(rows.map(({ id, urls }) => [id, urls]));
  };

  it("are deleted with the crawl's end, and no others: another crawler continues a crawl that goes on", async () => {
    const accountId = await insertAccount(database.db);
    const states = ["ended", "crawling", "failed", "pending", "ended"];
    const ids: string[] = [];
    for (const state of states) ids.push(await reportWith(state, 12_000, accountId));
    expect(await purgeWorkingRows(database.db, signal)).to.equal(36_000);
    const left = await frontiers();
    expect(ids.map((id) => left.get(id))).to.deep.equal([undefined, 12_000, undefined, 12_000, undefined]);
    expect(await purgeWorkingRows(database.db, signal)).to.equal(0);
  });

  it("are of a crawl that has stored all it knows: what it did not visit is excluded", async () => {
    const links = Array.from({ length: 30 }, (_, i) => `<a href="/${i}">${i}</a>`).join("");
    const site = await serveSite({ "*": `<!DOCTYPE html><title>t</title>${links}` });
    const id = await insertReport(database.db, { spec: { startingUrl: site.url, maxPages: 3, rateLimit: 0 } });
    expect(await runCrawl(database, id)).to.equal(true);
    await purgeWorkingRows(database.db, signal);
    expect(await frontiers()).to.deep.equal(new Map());
    const { report } = await readCrawl(database.db, id);
    expect(report).to.include({ crawl_state: "ended", num_pages: 3 });
    const excluded = database.db.selectFrom("excluded_urls").select("reason").where("report_id", "=", id);
    expect(await excluded.execute()).to.deep.equal(Array(28).fill({ reason: "page_limit" }));
    // A crawler that starts again finds that there is nothing to do.
    expect(await runCrawl(database, id)).to.equal(false);
    await site.close();
  });

  it("are the sources of pages that no HTML check uses any more, when the report has ended", async () => {
    const id = await insertReport(database.db);
    const [again, done] = await queuePages(database.db, id, ["a", "b"]);
    const sources = () => database.db.selectFrom("page_sources").select("web_page_id").orderBy("web_page_id").execute();
    expect(await purgeWorkingRows(database.db, signal)).to.equal(0);
    await sql`update checks set status = 'failed' where report_id = ${id}`.execute(database.db);
    await setReport(database.db, id, { phase: "Complete", html_pending: 0, html_failed: 2 });
    await requeuePage(database.db, id, again ?? "", new Date());
    await sql`update reports set phase = 'Complete' where id = ${id}`.execute(database.db);
    expect(await purgeWorkingRows(database.db, signal)).to.equal(1);
    expect(await sources()).to.deep.equal([{ web_page_id: again }]);
    expect(again).not.to.equal(done);
  });
});
