import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { sql } from "kysely";
import { adoptReport, setReportShared, upsertReport } from "../../../src/database/reports/reports.ts";
import type { ReportResource } from "../../../src/schema/resources.ts";
import { insertAccount, reportResource } from "../../support/builders.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

describe("the row of a Report resource", () => {
  let database: TestDatabase;
  let account: string;

  before(async () => {
    database = await createTestDatabase();
    account = await insertAccount(database.db);
  });
  after(() => database.drop());

  const upsert = (resource: ReportResource, accountId = account, id = resource.metadata.uid) =>
    upsertReport(database.db, resource, accountId, id);
  /** The resource after a change of its tags. */
  const tagged = ({ metadata, spec }: ReportResource, generation: number, tag: string) =>
    reportResource({ ...spec, tags: [tag] }, { ...metadata, generation });
  const bytesOf = async (id: string | undefined) => {
    const { rows } = await sql<{ spec_bytes: number; bytes: number }>`
      select spec_bytes, octet_length(spec::text) as bytes from reports where id = ${id}`.execute(database.db);
    return rows[0];
  };

  it("is what was written, and what is there already when it is written again", async () => {
    const resource = reportResource({ tags: ["first"] });
    const row = await upsert(resource);
    expect(row).to.include({ uid: resource.metadata.uid, account_id: account, deleted_at: null, guest_known: false });
    expect(row?.spec).to.deep.equal(resource.spec);
    const again = await upsert(resource);
    // The length of the spec is for the database alone.
    const { spec_bytes: _, ...written } = { spec_bytes: 0, ...row };
    expect(again).to.deep.include(written);
  });

  it("follows a newer generation, and not an older one", async () => {
    const resource = reportResource({ tags: ["first"] });
    const row = await upsert(resource);
    expect((await upsert(tagged(resource, 3, "third")))?.tags).to.deep.equal(["third"]);
    expect((await upsert(tagged(resource, 2, "second".repeat(20))))?.tags).to.deep.equal(["third"]);
    const { spec_bytes, bytes } = (await bytesOf(row?.id)) ?? {};
    expect(spec_bytes).to.equal(bytes);
  });

  it("keeps what may not change of a definition, whatever a newer generation says", async () => {
    const resource = reportResource({ maxPages: 5 });
    const before = await upsert(resource);
    const edited = { maxPages: 500, startingUrl: "https://another.example/", activeDeadlineSeconds: 60 };
    const { metadata, spec } = tagged(resource, 2, "second");
    const row = await upsert(reportResource({ ...spec, ...edited, cancelled: true, shared: true }, metadata));
    expect(row).to.deep.include({ starting_url: before?.starting_url, domain: before?.domain, generation: "2" });
    expect(row?.spec).to.deep.equal({ ...resource.spec, tags: ["second"], cancelled: true, shared: true });
  });

  it("says in its spec, too, who may read it, whoever says so last", async () => {
    const resource = reportResource({ shared: true });
    const { uid } = resource.metadata;
    const id = uid;
    const sharing = async () => {
      const row = await database.db.selectFrom("reports").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
      return { uid: row.uid, generation: row.generation, shared: row.shared, spec: row.spec.shared };
    };
    await upsert(resource);
    await setReportShared(database.db, id, false);
    expect(await sharing()).to.deep.equal({ uid, generation: "1", shared: false, spec: false });
    // The resource says so in the generation that the row has: it does not count.
    await upsert(resource);
    expect(await sharing()).to.deep.equal({ uid, generation: "1", shared: false, spec: false });
    const restored = reportResource(resource.spec, { ...resource.metadata, uid: randomUUID() });
    expect(await adoptReport(database.db, { id, uid, shared: false }, restored, new Date(0))).to.equal(true);
    expect(await sharing()).to.deep.equal({ uid: restored.metadata.uid, generation: "1", shared: false, spec: false });
    await upsert(reportResource(resource.spec, { ...restored.metadata, generation: 2 }), account, id);
    expect(await sharing()).to.deep.equal({ uid: restored.metadata.uid, generation: "2", shared: true, spec: true });
  });

  it("is given to one resource only of those that were restored at the same moment", async () => {
    const resource = reportResource();
    await upsert(resource);
    const { uid: id } = resource.metadata;
    const restored = Array.from({ length: 5 }, () =>
      reportResource(resource.spec, { ...resource.metadata, uid: randomUUID() }),
    );
    const adopted = await Promise.all(
      restored.map((one) => adoptReport(database.db, { id, uid: id, shared: false }, one, new Date(0))),
    );
    expect(adopted.filter(Boolean)).to.have.length(1);
  });

  it("is written by the API and the controller at the same moment", async () => {
    for (let attempt = 0; attempt < 50; attempt += 1) {
      const resource = reportResource({ tags: ["first"] });
      const newer = tagged(resource, 2, "second");
      const rows = await Promise.all([resource, newer, resource, newer].map((one) => upsert(one)));
      expect(rows.map((row) => row?.uid)).to.deep.equal(rows.map(() => resource.metadata.uid));
      expect((await upsert(resource))?.tags).to.deep.equal(["second"]);
    }
  });

  it("says when it was deleted", async () => {
    const resource = reportResource();
    const row = await upsert(resource);
    await database.db
      .updateTable("reports")
      .set({ deleted_at: sql`now()` })
      .where("id", "=", row?.id ?? "")
      .execute();
    expect((await upsert(resource))?.deleted_at).to.be.instanceOf(Date);
  });

  for (const [whose, change] of [
    ["name", { name: "another" }],
    ["namespace", { namespace: "another" }],
    ["uid", { uid: "00000000-0000-4000-8000-000000000001" }],
  ] as const)
    it(`is not that of a resource with another ${whose}, whatever its generation`, async () => {
      const resource = reportResource({ tags: ["first"] });
      const row = await upsert(resource);
      const { metadata, spec } = tagged(resource, 2, "other");
      expect(await upsert(reportResource(spec, { ...metadata, ...change }), account, row?.id)).to.equal(undefined);
      expect((await upsert(resource))?.tags, row?.id).to.deep.equal(["first"]);
    });

  it("is the only one of its resource, whatever the other id is", async () => {
    const resource = reportResource({ tags: ["first"] });
    await upsert(resource);
    expect(await upsert(tagged(resource, 2, "other"), account, randomUUID())).to.equal(undefined);
    expect((await upsert(resource))?.tags).to.deep.equal(["first"]);
  });

  it("is not that of a resource of another account", async () => {
    const resource = reportResource({ tags: ["first"] });
    await upsert(resource);
    const other = await insertAccount(database.db);
    expect(await upsert(tagged(resource, 2, "other"), other)).to.equal(undefined);
    expect((await upsert(resource))?.tags).to.deep.equal(["first"]);
  });
});
