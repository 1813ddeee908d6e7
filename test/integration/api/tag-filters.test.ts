import { expect } from "chai";
import fc from "fast-check";
import { createAccount } from "../../../src/database/accounts/accounts.ts";
import { hasTags, type TagFilter } from "../../../src/database/lists.ts";
import { listReports } from "../../../src/database/reports/read-reports.ts";
import { insertReport } from "../../support/builders.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

/** Few words, so that they coincide; some of them could confuse a query. */
const words = ["a", "A", "b", "a b", "ä", "{a}", "a'b", 'a"b', "null", "NULL", "\\", "%", "_", "🏷"] as const;
const word = fc.constantFrom(...words);
const tags = fc.uniqueArray(word, { maxLength: 4 });
const filter: fc.Arbitrary<TagFilter> = fc.record({
  mode: fc.constantFrom("any", "all", "none"),
  list: fc.array(word, { minLength: 1, maxLength: 3 }),
});

/** What the specification says, in plain words. */
function matches(own: readonly string[], { mode, list }: TagFilter): boolean {
  if (mode === "any") return list.some((tag) => own.includes(tag));
  if (mode === "all") return list.every((tag) => own.includes(tag));
  return !list.some((tag) => own.includes(tag));
}

describe("the tag filter", () => {
  let database: TestDatabase;
  let accountId: string;
  const tagged = new Map<string, string[]>();

  before(async () => {
    database = await createTestDatabase();
    accountId = await createAccount(database.db, "Tags", null);
    for (const own of [[], ...fc.sample(tags, { numRuns: 40, seed: 7 })])
      tagged.set(await insertReport(database.db, { accountId, spec: { tags: own } }), own);
  });
  after(async () => {
    await database.drop();
  });

  it("finds exactly the reports that have any, all or none of the tags", async () => {
    await fc.assert(
      fc.asyncProperty(filter, async (wanted) => {
        const { rows, total } = await listReports(database.db, {
          ...{ accountId, sites: null },
          createdBy: "me",
          tags: wanted,
          sort: { key: "url", direction: "asc" },
          page: { limit: 100, offset: 0 },
        });
        const expected = [...tagged].filter(([, own]) => matches(own, wanted)).map(([id]) => id);
        expect(rows.map(({ id }) => id)).to.have.members(expected);
        expect(total).to.equal(expected.length);
      }),
      { numRuns: 60 },
    );
  });

  it("divides all reports into those that have any of the tags and those that have none", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(word, { minLength: 1, maxLength: 3 }), async (list) => {
        const ids = async (mode: TagFilter["mode"]): Promise<string[]> => {
          const found = database.db.selectFrom("reports").where(hasTags("tags", { mode, list }));
          return (await found.select("id").execute()).map(({ id }) => id);
        };
        const [any, none, all] = [await ids("any"), await ids("none"), await ids("all")];
        expect([...any, ...none]).to.have.members([...tagged.keys()]);
        expect(any).to.include.members(all);
      }),
      { numRuns: 30 },
    );
  });
});
