import { DatabaseSync } from "node:sqlite";

export type Row = Readonly<Record<string, unknown>>;

/** Rows by their keys, by table. */
export type Tables = ReadonlyMap<string, ReadonlyMap<string, Row>>;

export type ChangeKind = "added" | "removed" | "changed";

/** One row, or one file, that is not as it was. */
export type Change = {
  /** The table, or the file's path. */
  of: string;
  kind: ChangeKind;
  /** Of a row that changed: the names of the columns. */
  columns: readonly string[];
  /** As it is; of a removed one, as it was. */
  row: Row;
  /** As it was, if it was there. */
  before?: Row;
};

/** What is different, row by row. A table that is new or gone has all its rows added or removed. */
export function changedRows(before: Tables, after: Tables): Change[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].flatMap((name) => changesOf(name, before.get(name) ?? new Map(), after.get(name) ?? new Map()));
}

function changesOf(name: string, before: ReadonlyMap<string, Row>, after: ReadonlyMap<string, Row>): Change[] {
  const changes: Change[] = [];
  for (const [key, row] of after) {
    const was = before.get(key);
    if (!was) changes.push({ of: name, kind: "added", columns: [], row });
    else {
      const columns = Object.keys(row).filter((column) => row[column] !== was[column]);
      if (columns.length > 0) changes.push({ of: name, kind: "changed", columns, row, before: was });
    }
  }
  for (const [key, row] of before) if (!after.has(key)) changes.push({ of: name, kind: "removed", columns: [], row });
  return changes;
}

/** Keyed by the columns of the primary key, or by the whole row; equal rows without a key are numbered. */
export function keyed(rows: Iterable<Row>, key: readonly string[]): Map<string, Row> {
  const table = new Map<string, Row>();
  for (const row of rows) {
    const name = JSON.stringify(key.length > 0 ? key.map((column) => row[column]) : Object.values(row));
    let unique = name;
    for (let number = 2; table.has(unique); number += 1) unique = `${name} ${number}`;
    table.set(unique, row);
  }
  return table;
}

/** All rows of a SQLite file. Values that are no text are compared as hexadecimal text. */
export function sqliteTables(file: string): Tables {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 10_000 });
  try {
    const names = database.prepare("select name from sqlite_schema where type = 'table'").all() as { name: string }[];
    return new Map(names.map(({ name }) => [name, sqliteTable(database, name)]));
  } finally {
    database.close();
  }
}

function sqliteTable(database: DatabaseSync, name: string): Map<string, Row> {
  const quoted = `"${name.replaceAll('"', '""')}"`;
  const columns = database.prepare(`pragma table_info(${quoted})`).all() as { name: string; pk: number }[];
  const select = database.prepare(`select * from ${quoted}`);
  select.setReadBigInts(true);
  const rows = (select.all() as Record<string, unknown>[]).map(
    (row): Row => Object.fromEntries(Object.entries(row).map(([column, value]) => [column, plain(value)])),
  );
  return keyed(
    rows,
    columns.filter(({ pk }) => pk > 0).map((column) => column.name),
  );
}

function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  return typeof value === "bigint" ? Number(value) : value;
}
