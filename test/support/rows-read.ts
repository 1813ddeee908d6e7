import { type CompiledQuery, Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import type { Database } from "../../src/database/tables.ts";
import type { TestDatabase } from "./database.ts";

type Plan = { "Node Type": string; "Actual Rows"?: number; "Actual Loops"?: number; Plans?: Plan[] } & Record<
  string,
  unknown
>;

/** Runs queries on one connection, and says how much of the tables they read. */
export function planReader(database: TestDatabase) {
  let recorded: CompiledQuery[] = [];
  const db = new Kysely<Database>({
    dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: database.url, max: 1 }) }),
    log: ({ query }) => void recorded.push(query),
  });

  /** How many rows each query of a list's page reads, at most; the query that counts them reads all. */
  async function rowsRead(list: () => Promise<{ rows: unknown[] }>): Promise<{ listed: number; read: number }> {
    recorded = [];
    const listed = (await list()).rows.length;
    const queries = recorded.filter(({ sql: text }) => / limit /.test(text));
    // Where rows may be large, their sizes are read first.
    if (queries.length < 1 || queries.length > 2) throw new Error(`${queries.length} queries of a page`);
    let read = 0;
    for (const { sql: text, parameters } of queries) {
      const client = new pg.Client({ connectionString: database.url });
      await client.connect();
      const { rows } = await client.query(`explain (analyze, format json) ${text}`, [...parameters]);
      await client.end();
      read = Math.max(read, scanned((rows[0] as { "QUERY PLAN": { Plan: Plan }[] })["QUERY PLAN"][0]?.Plan));
    }
    return { listed, read };
  }

  return { db, rowsRead };
}

/** Rows that the scans of tables in a plan read, including those that a filter removed. */
function scanned(plan: Plan | undefined): number {
  if (!plan) return 0;
  const { "Actual Rows": rows = 0, "Actual Loops": loops = 0, "Rows Removed by Filter": removed = 0 } = plan;
  // A bitmap's rows are read by the scan above it.
  const own = plan["Relation Name"] !== undefined ? (rows + Number(removed)) * loops : 0;
  return own + (plan.Plans ?? []).reduce((sum, part) => sum + scanned(part), 0);
}
