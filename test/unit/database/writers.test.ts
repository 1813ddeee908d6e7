import { globSync, readFileSync } from "node:fs";
import { expect } from "chai";
import { projectedColumns } from "../../../src/database/reports/reports.ts";

const sources = globSync("src/**/*.ts").map((file) => ({ file, text: readFileSync(file, "utf8") }));
const WRITER = "src/database/reports/reports.ts";

/** The parts of a source that write the table reports: each up to its conditions. */
function writesOf(text: string): string[] {
  const starts = [
    ...text.matchAll(
      /(?:updateTable|insertInto|mergeInto)\("reports"\)|\b(?:update|insert into|merge into) reports\b/g,
    ),
  ];
  return starts.map(({ index }) => {
    const end = text.slice(index).search(/\bwhere\b|\bon conflict\b|\.onConflict\b|\.execute/);
    return text.slice(index, end === -1 ? undefined : index + end);
  });
}

/** The projected columns that such a part sets. */
function projectedIn(write: string): string[] {
  const all = [...projectedColumns.fixed, ...projectedColumns.following];
  return all.filter((column) => new RegExp(`(?:set\\s|[{,(\\s])${column}\\s*(?:=|:|,|\\})`).test(write));
}

describe("what a report's row has from its resource", () => {
  it("is written by one file", () => {
    const found = sources.flatMap(({ file, text }) =>
      writesOf(text).flatMap((write) => projectedIn(write).map((column) => `${file}: ${column}`)),
    );
    expect(found.filter((one) => !one.startsWith(WRITER))).to.deep.equal([]);
  });

  it("is inserted by one statement of it, and changed by another", () => {
    const text = sources.find(({ file }) => file === WRITER)?.text ?? "";
    const writes = writesOf(text);
    expect(writes.filter((write) => write.startsWith("insertInto"))).to.have.length(1);
    expect(writes.filter((write) => write.includes("following(")).map((write) => write.slice(0, 6))).to.deep.equal([
      "update",
      "insert",
    ]);
  });

  it("would be found with another writer, however it is written", () => {
    const others = [
      'db.updateTable("reports").set({ phase, shared }).where("id", "=", id)',
      'db.updateTable("reports").set({ spec: JSON.stringify(spec) })',
      "update reports set updated_at = now(), uid = $1 where id = $2",
      "insert into reports (id, account_id) values (1, 2)",
    ];
    expect(others.map((text) => writesOf(text).flatMap(projectedIn))).to.deep.equal([
      ["shared"],
      ["spec"],
      ["uid"],
      ["id"],
    ]);
    expect(writesOf("update reports set phase = 'Failed' where id = 1").flatMap(projectedIn)).to.deep.equal([]);
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
