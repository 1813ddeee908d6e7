import { expect } from "chai";
import { sql } from "kysely";
import { openSession } from "../../../src/database/connection/session.ts";
import { listComponents } from "../../../src/database/findings/list-components.ts";
import type { ComponentSort } from "../../../src/domain/findings/components.ts";
import { storeComponents } from "../../../src/transactions/store-components.ts";
import { insertAccount, insertReport } from "../../support/builders.ts";
import { setReport } from "../../support/check-counts.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { insertFindings } from "../../support/findings.ts";
import { muteOnly } from "../../support/mute.ts";

const all = { comparisonId: null, muted: false };
const byPages: ComponentSort = { key: "pages", direction: "desc" };
const first = { limit: 25, offset: 0 };

describe("the components of a report that has ended", () => {
  let database: TestDatabase;
  let accountId: string;
  let report: string;

  before(async () => {
    database = await createTestDatabase();
  });
  beforeEach(async () => {
    accountId = await insertAccount(database.db);
    report = await insertReport(database.db, { accountId });
    await insertFindings(database.db, report);
  });
  after(() => database.drop());

  const list = async (db = database.db, page = first) => {
    const { rows, ...listed } = await listComponents(db, report, all, byPages, page);
    // Roles are known once components are stored.
    return { ...listed, rows: rows.map((row) => ({ ...row, example: { ...row.example, role: null } })) };
  };

  it("are the same from the list that is kept, page by page", async () => {
    const grouped = await list();
    expect(grouped.total).to.be.above(2);
    await storeComponents(database.db, report, null);
    expect(await list()).to.deep.equal(grouped);
    const second = await list(database.db, { limit: 1, offset: 1 });
    expect(second.rows).to.deep.equal(grouped.rows.slice(1, 2));
    expect(second.total).to.equal(grouped.total);
  });

  it("are not grouped again for whoever asks", async () => {
    await storeComponents(database.db, report, null);
    await sql`update component_lists set list = jsonb_set(list, '{total}', '77')`.execute(database.db);
    expect((await list()).total).to.equal(77);
  });

  it("are grouped anew with another order or filter", async () => {
    await storeComponents(database.db, report, null);
    await database.db
      .updateTable("component_lists")
      .set({ list: JSON.stringify({ page: [], largest: [] }) })
      .execute();
    const other = await listComponents(database.db, report, all, { key: "how_many", direction: "desc" }, first);
    const filtered = await listComponents(database.db, report, { ...all, issueType: "error" }, byPages, first);
    for (const found of [other, filtered]) expect(found.rows).to.not.be.empty;
  });

  it("follow what changes: a page that goes, and mutings", async () => {
    await storeComponents(database.db, report, null);
    const before = await list();
    await muteOnly(database.db, accountId, before.rows[0]?.example.message ?? "");
    const muted = await list();
    expect(muted.howMany).to.be.below(before.howMany);
    await database.db.deleteFrom("component_lists").execute();
    expect(await list()).to.deep.equal(muted);
    await storeComponents(database.db, report, null);
    await database.db.deleteFrom("findings").where("report_id", "=", report).execute();
    await setReport(database.db, report, { html_errors: 0 });
    expect((await list()).rows).to.deep.equal([]);
  });

  it("are left to be grouped later where that takes too long", async () => {
    const session = await openSession({ ...database, applicationName: "test", limits: { statementMs: 300 } });
    try {
      const stored = await database.db.transaction().execute(async (trx) => {
        await sql`lock table component_lists in access exclusive mode`.execute(trx);
        return storeComponents(session.db, report, null);
      });
      expect(stored).to.equal(undefined);
    } finally {
      await session.close();
    }
    expect((await list()).rows).to.not.be.empty;
  });
});
