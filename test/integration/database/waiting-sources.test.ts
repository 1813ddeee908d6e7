import { expect } from "chai";
import { type Kysely, sql } from "kysely";
import { countSources } from "../../../src/database/crawl/page-sources.ts";
import type { Database } from "../../../src/database/tables.ts";
import { insertReport } from "../../support/builders.ts";
import { connectTo, createTestDatabase, type TestDatabase } from "../../support/database.ts";

const CHECKED = 3_000;
const WAITING = 10;
const BYTES = 50;

describe("the count of sources that wait for their check", () => {
  let database: TestDatabase;
  let db: Kysely<Database>;
  let report: string;

  before(async () => {
    database = await createTestDatabase();
    // One connection, whose statistics can be asked for.
    db = connectTo(database.url, 1);
    report = await insertReport(db);
    await fill(report, "checked", CHECKED);
    await fill(report, "queued", WAITING / 2);
    await fill(report, "leased", WAITING / 2);
    await fill(await insertReport(db), "queued", WAITING);
    await sql`analyze`.execute(db);
  });
  after(async () => {
    await db.destroy();
    await database.drop();
  });

  /** Pages with both checks of a status, and the source of each. */
  async function fill(id: string, status: string, pages: number): Promise<void> {
    await sql`with pages as (
      insert into web_pages (report_id, url)
      select ${id}::uuid, 'https://example.com/' || ${status}::text || n from generate_series(1, ${pages}::int) n returning id
    ), queued as (
      insert into checks (report_id, web_page_id, kind, status)
      select ${id}::uuid, pages.id, kind, ${status} from pages, unnest(array['html', 'a11y']) kind
    )
    insert into page_sources (web_page_id, encoding, body, content_type, kept)
    select id, 'identity', convert_to(repeat('x', ${BYTES}::int), 'UTF8'), 'text/html', ${status} = 'checked' from pages`.execute(
      db,
    );
  }

  it("has those whose check is queued or runs, of one report", async () => {
    expect(await countSources(db, report)).to.deep.equal({ pages: WAITING, bytes: WAITING * BYTES });
  });

  it("reads none of the pages that were checked where rows have no policy: a crawl asks for it all the time", async () => {
    const before = await rowsRead();
    await countSources(db, report);
    expect((await rowsRead()) - before).to.be.within(WAITING, 4 * WAITING);
  });

  async function rowsRead(): Promise<number> {
    await sql`select pg_stat_force_next_flush()`.execute(db);
    const { rows } = await sql<{ read: string }>`
      select sum(seq_tup_read + idx_tup_fetch) as read from pg_stat_user_tables
      where relname in ('web_pages', 'checks', 'page_sources')`.execute(database.db);
    return Number(rows[0]?.read);
  }
});
