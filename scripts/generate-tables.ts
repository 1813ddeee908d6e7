import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { sql } from "kysely";
import { checkKinds } from "../src/checks/kinds.ts";
import { connect } from "../src/database/connection/connect.ts";
import { migrate } from "../src/database/migrations/migrate.ts";
import { startPostgres } from "../src/embedded/postgres.ts";

/**
 * What SQL does not say of a column: the type of its JSON, or the name of the type whose values a text has. Where a check
 * lists the values of a text, and no name is given, the type is those values.
 */
const named: Readonly<Record<string, string>> = {
  "assignments.holder": "HolderKind",
  "assignments.kind": "HeldKind",
  "audit_entries.area": "Area",
  "audit_entries.changes": "Change[]",
  "audit_entries.via": "Way",
  "audit_entries.who": "Actor",
  "audit_intents.entry": "StoredIntent",
  "basic_auths.header_names": "string[]",
  "checks.failure_code": "FailureCode",
  "checks.status": "CheckStatus",
  "cluster_changes.object": "Resource",
  "cluster_objects.object": "Resource",
  "compared_findings.state": "FindingState",
  "compared_issues.state": "FindingState",
  "compared_rules.state": "FindingState",
  "comparison_requests.failure_code": "ComparisonFailure",
  "comparisons.counts": "StateCount[]",
  "comparisons.muted_counts": "StateCount[]",
  "component_lists.causes": "ReportCauses",
  "component_lists.roles": "RoleCounts",
  "compared_rules.issue_type": '"error" | "warning"',
  "components.issue_type": '"error" | "warning"',
  "components.state": "FindingState",
  "deliveries.events": "Event[]",
  "deliveries.sent": "SentRequest",
  "deliveries.type": "MessageType",
  "excluded_urls.reason": "ExclusionReason",
  "idempotency_keys.headers": "Record<string, string>",
  "issues.html": "StoredElement[]",
  "issues.issue_type": '"error" | "warning"',
  "mutings.category": "MutingCategory",
  "mutings.criteria": "MutingCriteria",
  "page_sources.charset": "DocumentEncoding",
  "receivers.events": "EventType[]",
  "report_ends.counts": "CountsByKind",
  "report_ends.gate_results": "GateResult[]",
  "report_ends.muted_states": "StateCount[]",
  "report_ends.pages": "object",
  "report_ends.pages_now": "object",
  "report_ends.states": "StateCount[]",
  "report_notices.code": "StoredCode",
  "report_notices.kind": 'CheckKind | ""',
  "reports.coverage": "Coverage",
  "reports.crawl_state": "CrawlState",
  "reports.engines": "Partial<Record<CheckKind, Engine>>",
  "reports.failure_code": "FailureCode",
  "reports.gate_results": "GateResult[]",
  "reports.last_jobs": "LastJobs",
  "reports.phase": "ReportPhase",
  "reports.run_base": "LastJobs",
  "reports.spec": "ReportSpec",
  "role_counts.role": "Role",
  "schedules.spec": "ScheduleSpec",
};

/** Where those types are from, relative to `src/database`. */
const modules: Readonly<Record<string, readonly string[]>> = {
  "html-conformance/documents": ["DocumentEncoding"],
  "../domain/audit/changes.ts": ["Change"],
  "../domain/audit/entry.ts": ["Actor", "Area", "StoredIntent", "Way"],
  "../domain/causes/assignment.ts": ["HeldKind", "HolderKind"],
  "../domain/causes/causes.ts": ["ReportCauses"],
  "../domain/coverage/coverage.ts": ["Coverage"],
  "../domain/coverage/notices.ts": ["StoredCode"],
  "../domain/failure.ts": ["ExclusionReason", "FailureCode"],
  "../domain/findings/check-counts.ts": ["CheckStatus", "CountsByKind"],
  "../domain/findings/comparison-failure.ts": ["ComparisonFailure"],
  "../domain/findings/finding-state.ts": ["FindingState", "StateCount"],
  "../domain/findings/findings.ts": ["CheckKind", "Engine"],
  "../domain/findings/gate.ts": ["GateResult"],
  "../domain/findings/muting.ts": ["MutingCriteria"],
  "../domain/findings/role.ts": ["Role", "RoleCounts"],
  "../domain/notifications/events.ts": ["Event", "EventType", "MessageType"],
  "../domain/notifications/receivers.ts": ["SentRequest"],
  "../domain/report-over.ts": ["CrawlState"],
  "../schema/muting.ts": ["MutingCategory"],
  "../schema/report.ts": ["ReportSpec"],
  "../schema/resources.ts": ["ReportPhase", "Resource"],
  "../schema/schedule.ts": ["ScheduleSpec"],
  "./stored.ts": ["LastJobs", "StoredElement"],
};

/** What node-postgres returns, by PostgreSQL's name of the type (`udt_name`; `_text` is `text[]`). */
const returned: Readonly<Record<string, string>> = {
  ...{
    uuid: "string",
    text: "string",
    int8: "string",
    bytea: "Buffer",
    bool: "boolean",
    timestamptz: "Date",
    date: "Date",
    inet: "string",
  },
  ...{ int2: "number", int4: "number", float4: "number", float8: "number", jsonb: "unknown", json: "unknown" },
};

type Column = {
  table: string;
  name: string;
  type: string;
  nullable: boolean;
  has_default: boolean;
  /** `a`: always an identity; `s`: computed from other columns; otherwise empty. */
  computed: string;
  /** The values that a check allows, as PostgreSQL writes it. */
  allowed: string | null;
};

/** The types of all tables for Kysely, as the source of `src/database/tables.ts`. */
export async function tablesSource(): Promise<string> {
  const columns = await readColumns();
  const known = new Set(columns.map(({ table, name }) => `${table}.${name}`));
  const gone = Object.keys(named).filter((name) => !known.has(name));
  if (gone.length > 0) throw new Error(`No such column: ${gone.join(", ")}. Change scripts/generate-tables.ts.`);
  const byTable = Map.groupBy(columns, ({ table }) => table);
  const tables = [...byTable].map(
    ([table, own]) =>
      `  ${table}: {\n${own.map((column) => `    ${column.name}: ${columnType(column)};\n`).join("")}  };\n`,
  );
  const imports = Object.entries(modules).map(
    ([from, names]) => `import type { ${names.join(", ")} } from "${from}";\n`,
  );
  return `// Generated from the migrations by \`npm run generate\`: edit there, and the names of types in scripts/generate-tables.ts.
${imports.join("")}import type { ColumnType, Generated } from "kysely";

/**
 * The tables for Kysely; the migrations document the columns. bigint columns are strings in JavaScript: ids are opaque to
 * the API anyway. node-postgres returns a \`date\` as a Date at local midnight: read it as text with \`to_char\`.
 */
export type Database = {
${tables.join("")}};
`;
}

/** What is selected, inserted and updated. */
function columnType({ table, name, type, nullable, has_default, computed, allowed }: Column): string {
  const given = named[`${table}.${name}`];
  const isArray = type.startsWith("_");
  const base = returned[isArray ? type.slice(1) : type];
  if (base === undefined)
    throw new Error(`${table}.${name} is a ${type}: scripts/generate-tables.ts does not know it.`);
  const values = allowed?.match(/'[^']*'(?=::text)/g)?.map((value) => JSON.stringify(value.slice(1, -1)));
  // A new kind must not make these stale.
  const isKind =
    values?.toSorted().join() ===
    checkKinds
      .map((kind) => JSON.stringify(kind))
      .toSorted()
      .join();
  const value =
    given ??
    (isKind ? "CheckKind" : undefined) ??
    (values && type === "text" ? values.join(" | ") : isArray ? `${base}[]` : base);
  const or = (written: string) => [written, ...(nullable ? ["null"] : [])].join(" | ");
  const selected = or(value);
  if (computed !== "") return `ColumnType<${selected}, never, never>`;
  const written = {
    jsonb: "string",
    json: "string",
    date: "string",
    timestamptz: "Date | string",
    int8: "string | number | bigint",
  }[type];
  const isOptional = nullable || has_default;
  if (written !== undefined) {
    const inserted = [or(written), ...(isOptional ? ["undefined"] : [])].join(" | ");
    return `ColumnType<${selected}, ${inserted}, ${or(written)}>`;
  }
  return has_default ? `Generated<${selected}>` : selected;
}

/** The columns of all tables that the migrations make, in a database that is made for this. */
async function readColumns(): Promise<Column[]> {
  const folder = await mkdtemp(path.join(tmpdir(), "sv-tables-"));
  // The server runs as another user when this is run by root.
  await chmod(folder, 0o755);
  const postgres = await startPostgres({ dataDir: path.join(folder, "pgdata"), durable: false });
  const db = connect({
    url: postgres.url,
    applicationName: "generate",
    maxConnections: 1,
    // The server is stopped while a connection for locks may still be open.
    onIdleError: () => {},
  });
  try {
    await migrate(db);
    const { rows } = await sql<Column>`
      select t.relname as table, a.attname as name, y.typname as type, not a.attnotnull as nullable,
        a.atthasdef and a.attgenerated = '' as has_default, concat(nullif(a.attidentity, ''), nullif(a.attgenerated, '')) as computed,
        (select pg_get_constraintdef(c.oid) from pg_constraint c where c.conrelid = t.oid and c.contype = 'c'
          and c.conkey = array[a.attnum] and pg_get_constraintdef(c.oid) ~ ('^CHECK \\(\\(' || a.attname || ' = ANY')) as allowed
      from pg_class t join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
        join pg_type y on y.oid = a.atttypid
      where t.relnamespace = current_schema()::regnamespace and t.relkind in ('r', 'p') and not t.relispartition
        and t.relname not like 'kysely_%'
      order by t.oid, a.attnum`.execute(db);
    return rows;
  } finally {
    await db.destroy();
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
