import { mkdir } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { finish, type Processes, run } from "./processes.ts";
import { keyed, type Row, type Tables } from "./rows.ts";

/** A MariaDB of its own: a new folder, and a socket in it instead of a port. */
export type MariaDb = {
  socket: string;
  /** Runs statements. @returns lines of values that are separated by tabs */
  query(sql: string): Promise<string[]>;
  /** All rows of all tables of a database. */
  tables(database: string): Promise<Tables>;
};

/** @param folder an empty folder, whose path is short: sockets have at most 107 characters */
export async function startMariaDb(folder: string, processes: Processes): Promise<MariaDb> {
  const data = path.join(folder, "mariadb");
  const socket = path.join(folder, "sql.sock");
  await mkdir(data);
  const own = ["--no-defaults", `--datadir=${data}`, "--user=root"];
  await run(["mariadb-install-db", ...own, "--auth-root-authentication-method=normal", "--skip-test-db"]);
  processes.serve("mariadb", [
    "mariadbd",
    ...own,
    `--socket=${socket}`,
    "--skip-networking",
    "--innodb-buffer-pool-size=64M",
    "--innodb-flush-log-at-trx-commit=0",
    "--character-set-server=utf8mb4",
  ]);
  const client = [
    "mariadb",
    "--no-defaults",
    `--socket=${socket}`,
    "-uroot",
    "-BN",
    "--raw",
    "--default-character-set=utf8mb4",
  ];
  const query = async (sql: string) => (await run(client, { input: sql })).split("\n").filter(Boolean);
  for (let tries = 0; (await finish(client, { input: "select 1" })).code !== 0; tries += 1) {
    if (tries > 300) throw new Error("MariaDB does not start.");
    await sleep(200);
  }
  return { socket, query, tables: (database) => tablesOf(query, database) };
}

type Column = { table: string; name: string; isKey: boolean; isBinary: boolean };

async function tablesOf(query: MariaDb["query"], database: string): Promise<Tables> {
  const lines = await query(
    `select c.table_name, c.column_name, c.column_key, c.data_type from information_schema.columns c
     join information_schema.tables t using (table_schema, table_name)
     where c.table_schema = '${database}' and t.table_type = 'BASE TABLE' order by c.table_name, c.ordinal_position`,
  );
  const columns = lines.map((line): Column => {
    const [table = "", name = "", key, type = ""] = line.split("\t");
    return { table, name, isKey: key === "PRI", isBinary: /blob|binary|^bit|geometry/.test(type) };
  });
  const byTable = Map.groupBy(columns, ({ table }) => table);
  const tables = new Map<string, Map<string, Row>>();
  for (const [table, own] of byTable) {
    const values = own.map(({ name, isBinary }) => `'${name}', ${isBinary ? `hex(\`${name}\`)` : `\`${name}\``}`);
    const rows = await query(`select json_object(${values.join(", ")}) from \`${database}\`.\`${table}\``);
    const key = own.filter(({ isKey }) => isKey).map(({ name }) => name);
    tables.set(
      table,
      keyed(
        rows.map((row) => flat(JSON.parse(row) as Row)),
        key,
      ),
    );
  }
  return tables;
}

/** With values that can be compared: a column of JSON comes as what is in it. */
function flat(row: Row): Row {
  const values = Object.entries(row).map(([name, value]) => [
    name,
    typeof value === "object" ? JSON.stringify(value) : value,
  ]);
  return Object.fromEntries(values) as Row;
}
