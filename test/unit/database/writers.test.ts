import { globSync, readFileSync } from "node:fs";
import { expect } from "chai";
import { projectedColumns } from "../../../src/database/reports/projected-columns.ts";
import { encryptedColumns } from "../../../src/domain/accounts/encrypted-values.ts";
import { type TableWrite, writesOf } from "../../support/table-writes.ts";

const sources = globSync("src/**/*.ts").map((file) => ({ file, text: readFileSync(file, "utf8") }));
const WRITER = "src/database/reports/reports.ts";

/** The columns of reports that have other writers: by concern, and none of them from a resource (docs/adr/0086). */
const ofOthers = new Set([
  ...[
    "phase",
    "crawl_state",
    "crawl_epoch",
    "crawl_started_at",
    "crawl_ended_at",
    "num_pages",
    "stored_bytes",
    "engines",
    "failure_code",
    "failure_detail",
  ],
  ...["last_checked_at", "completed_at", "updated_at", "muting_revision", "comparison_id", "passed", "gate_results"],
  ...["run_base", "last_jobs", "coverage", "start_forms", "site_origin", "site_reviewed"],
]);

/** True for an update whose columns can be read where it is, and may be written by others. */
const isOfOthers = ({ verb, columns }: TableWrite): boolean =>
  verb === "update" && columns !== undefined && columns.every((column) => ofOthers.has(column));

describe("what a report's row has from its resource", () => {
  it("is written by one file: all others change columns that they name, and that are not from the resource", () => {
    const writes = sources.flatMap(({ file, text }) => writesOf("reports", text).map((write) => ({ file, ...write })));
    // It names its tables and columns by a list, which has none of reports.
    expect(encryptedColumns.map(({ table }) => table)).not.to.include("reports");
    const others = writes.filter(({ file }) => file !== WRITER && file !== "src/database/accounts/secret-keys.ts");
    expect(others).to.have.length.above(10);
    expect(others.filter((write) => !isOfOthers(write))).to.deep.equal([]);
  });

  it("is in no column that others may write", () => {
    const projected = [...projectedColumns.fixed, ...projectedColumns.following];
    expect(projected.filter((column) => ofOthers.has(column))).to.deep.equal([]);
  });

  it("is inserted by one statement of it, and changed by another", () => {
    const text = sources.find(({ file }) => file === WRITER)?.text ?? "";
    const marksDeleted = ({ columns }: TableWrite) => columns?.join() === "deleted_at,updated_at";
    const writes = writesOf("reports", text).filter((write) => !marksDeleted(write));
    expect(writes.map(({ verb }) => verb)).to.deep.equal(["update", "insert"]);
  });
});

describe("a second writer of it", () => {
  const execute = '.where("id", "=", id).execute()';
  const sql = (text: string) => `await sql\`\n  ${text}\`.execute(db);`;
  const value = (text: string) => `$${"{"}${text}}`;
  const table: Record<string, string> = {
    "a column among others": `db.updateTable("reports").set({ phase, shared })${execute}`,
    "a column by its name": `db.updateTable("reports").set("shared", x)${execute}`,
    "a table with an alias": `db.updateTable("reports as r").set({ shared })${execute}`,
    "a table with its schema": `db.updateTable("public.reports").set({ shared })${execute}`,
    "a variable for the change": `db.updateTable("reports").set(change)${execute}`,
    "a variable for the table": `db.updateTable(table).set({ phase })${execute}`,
    "a spread": `db.updateTable("reports").set({ phase, ...following })${execute}`,
    "a function for the change": `db.updateTable("reports").set((eb) => ({ shared: eb.lit(true) }))${execute}`,
    "a second change": `db.updateTable("reports").set({ phase })\n  .set({ shared })${execute}`,
    "a change after the value of another": `db.updateTable("reports").set({ phase: sql\`a, \${f("}")}\`, shared })${execute}`,
    "a change that is made elsewhere": 'const update = db.updateTable("reports").set({ phase });',
    "a change on a condition": `db.updateTable("reports").set({ phase }).$if(a, (q) => q.set({ shared }))${execute}`,
    "an insert": 'db.insertInto("reports").values(row).execute()',
    SQL: sql("update reports set updated_at = now(), uid = $1 where id = $2"),
    "SQL in capitals": sql("UPDATE reports SET shared = true"),
    "SQL with a subselect before the column": sql(
      "update reports set phase = (select p from x where y), shared = true where id = 1",
    ),
    "SQL with a comment and a text before the column": sql(
      "update reports set -- where\n phase = ' where ', shared = true",
    ),
    "SQL with the schema": sql("update public.reports set shared = true"),
    "SQL with quotes": sql('update only "public"."reports" set "shared" = true'),
    "SQL with an alias": sql("update reports as r set shared = true from x"),
    "SQL with a table as a value": sql(`update ${value('sql.table("reports")')} set phase = 1`),
    "SQL with a column as a value": sql(`update reports set ${value("sql.ref(name)")} = true`),
    "SQL with a part that is made elsewhere": sql(
      `update reports set phase = 'Failed', ${value("others")} where id = 1`,
    ),
    "SQL with a part after a value": sql(`update reports set phase = ${value("phase")} ${value("more")} where id = 1`),
    "SQL with a comparison before the column": sql("update reports set passed = a is distinct from b, shared = true"),
    "SQL with several columns at once": sql("update reports set (phase, shared) = (select 'a', true)"),
    "SQL that inserts": sql("insert into reports (id, account_id) values (1, 2)"),
    "SQL that merges": sql("merge into reports r using x on r.id = x.id when matched then update set shared = true"),
    "SQL in parts": 'sql.raw("update " + "reports set shared = true")',
  };
  for (const [how, text] of Object.entries(table))
    it(`is found with ${how}`, () => {
      const writes = writesOf("reports", text);
      expect(writes).to.have.length(1);
      expect(writes.filter(isOfOthers)).to.deep.equal([]);
    });

  it("is not what writes other columns, or other tables", () => {
    const others = [
      `db.updateTable("reports").set({ phase, updated_at: sql\`now()\` })${execute}`,
      sql(
        `update reports set phase = case when shared then 'a' else (select b, c from d) end, passed = ${value("x")} where shared`,
      ),
      sql(`with a as (update reports set engines = engines || ${value("x")}::jsonb) select shared from a`),
    ];
    expect(others.map((text) => writesOf("reports", text).map(isOfOthers))).to.deep.equal([[true], [true], [true]]);
    expect(
      writesOf("reports", `${sql("update checks set report_id = 1")} db.insertInto("checks").values(x)`),
    ).to.deep.equal([]);
  });
});

describe("a transaction", () => {
  it("has no statements of its own", () => {
    const found = sources.filter(
      ({ file, text }) =>
        file.startsWith("src/transactions/") &&
        /\.(?:selectFrom|insertInto|updateTable|deleteFrom|mergeInto|with)\(|\bsql[`<.]/.test(text),
    );
    expect(found.map(({ file }) => file)).to.deep.equal([]);
  });
});
