import {
  countEntries,
  type EntryFilter,
  type EntryRow,
  findEntry,
  listEntries,
  oldestEntry,
} from "../../database/audit/log.ts";
import { readAuditDays } from "../../database/retention/limits.ts";
import { type Actor, actors, areas, MAX_COUNTED } from "../../domain/audit/entry.ts";
import { auditFormats } from "../../domain/export/audit.ts";
import type { Context, Route } from "../context.ts";
import type { Resource } from "../documents.ts";
import { doerOf, recordReading } from "../http/audit/record.ts";
import { callerOf, ownerOf } from "../http/request/caller.ts";
import {
  choiceParameter,
  cursorParameters,
  textParameter,
  timeParameter,
  uuidParameter,
} from "../http/request/parameters.ts";
import { isNumericId } from "../http/request/query.ts";
import { cursorList, one, related, timestamp } from "../http/response/documents.ts";
import { notFound } from "../http/response/errors.ts";
import { auditMeta } from "../openapi/response-schemas/audit.ts";

const filters = [
  choiceParameter("filter[who]", "Entries of whoever is of this kind.", actors),
  uuidParameter("filter[token_id]", "Entries of this token."),
  choiceParameter("filter[area]", "Entries about this.", areas),
  textParameter("filter[site_url]", "Entries about the site with this starting URL, exactly."),
  textParameter("filter[target_id]", "Entries about what has this id."),
  timeParameter("filter[from]", "Entries from this time on."),
  timeParameter("filter[to]", "Entries before this time."),
  textParameter("filter[text]", "A name, a site, what was done or a field contains this, regardless of case."),
];

/** Rows that an export reads at once. */
const BATCH = 500;

/** Who changed what, when and from where. Nobody writes it but the service, and guests see nothing of it. */
export const auditLog: readonly Route[] = [
  {
    method: "GET",
    path: "/audit",
    id: "listAuditEntries",
    tag: "Audit log",
    summary: "List entries of the audit log",
    description:
      "The newest first. Every change has an entry, whoever made it and in whatever way; what was refused has none. Of what is read only exports and what share links open. No operation changes or deletes an entry.",
    success: { kind: "list", type: "audit_entry", paging: "cursor", meta: auditMeta },
    access: "account",
    right: "audit",
    parameters: [...filters, ...cursorParameters],
    isHeavy: true,
    handle: async (context) => {
      const { db } = context.deps;
      const { size, after } = context.query.cursor(readPlace);
      const filter = filterOf(context);
      const { rows, next } = await listEntries(db, filter, { size, after, withChanges: false });
      const { accountId } = filter;
      const counts = await countEntries(db, filter, actors);
      const meta = {
        counts,
        num_kept: sumOf(isNarrowed(filter) ? await countEntries(db, { accountId }, actors) : counts),
        since: timestamp((await oldestEntry(db, accountId)) ?? null),
        kept_days: await readAuditDays(db, accountId),
      };
      const entries = rows.map((row) => entryDocument(context, row));
      return cursorList(context, entries, { size, next }, meta);
    },
  },
  ...(Object.keys(auditFormats) as (keyof typeof auditFormats)[]).map(
    (name): Route => ({
      method: "GET",
      path: `/audit/export.${name}`,
      id: `exportAuditEntriesAs${auditFormats[name].title}`,
      audit: { verb: "exported the audit log", area: "exports" },
      tag: "Audit log",
      summary: `Export the audit log as ${auditFormats[name].title}`,
      description:
        "Streams the entries, the newest first, each with what changed; if something fails meanwhile, the connection is closed before the end. Guests get no entry.",
      success: { kind: "file", mediaType: auditFormats[name].mediaType, description: "The entries." },
      access: "account",
      right: "audit",
      parameters: filters,
      handle: async (context) => {
        const caller = callerOf(context);
        const { mediaType, write } = auditFormats[name];
        const filter = filterOf(context);
        const doer = doerOf(caller);
        const audit = { verb: "exported the audit log", area: "exports" } as const;
        if (caller.guestToken === null)
          await recordReading(context, {
            doer,
            id: `exportAuditEntriesAs${auditFormats[name].title}`,
            audit,
            target: null,
          });
        return {
          status: 200,
          stream: { type: mediaType, filename: `audit-log.${name}`, chunks: write(batches(context, filter)) },
        };
      },
    }),
  ),
  {
    method: "GET",
    path: "/audit/:audit_entry_id",
    id: "getAuditEntry",
    tag: "Audit log",
    summary: "Get an entry of the audit log, with what changed",
    success: { kind: "one", type: "audit_entry" },
    access: "account",
    right: "audit",
    handle: async (context) => {
      const id = context.params.audit_entry_id ?? "";
      const row = isNumericId(id) ? await findEntry(context.deps.db, ownerOf(context), id) : undefined;
      if (!row) throw notFound("entry of the audit log");
      return one(entryDocument(context, row));
    },
  },
];

function filterOf(context: Context): EntryFilter {
  const { query } = context;
  return {
    accountId: ownerOf(context),
    who: query.choice("filter[who]", actors),
    whoId: query.uuid("filter[token_id]"),
    area: query.choice("filter[area]", areas),
    siteUrl: query.text("filter[site_url]"),
    targetId: query.text("filter[target_id]"),
    from: query.time("filter[from]"),
    to: query.time("filter[to]"),
    text: query.text("filter[text]"),
  };
}

/** Whether a filter leaves out more than kinds of actors, which counts do not go by. */
function isNarrowed({ accountId: _, who: __, ...others }: EntryFilter): boolean {
  return Object.values(others).some((value) => value !== undefined);
}

/** @returns null if one of them was not counted to its end */
function sumOf(counts: Partial<Record<Actor, number>>): number | null {
  const all = Object.values(counts);
  return all.includes(MAX_COUNTED) ? null : all.reduce((sum, count) => sum + count, 0);
}

/** A page begins after an entry. */
function readPlace(cursor: unknown): string | undefined {
  return typeof cursor === "string" && isNumericId(cursor) ? cursor : undefined;
}

async function* batches({ deps, base }: Context, filter: EntryFilter) {
  for (let after: string | undefined, isFirst = true; isFirst || after; isFirst = false) {
    const { rows, next } = await listEntries(deps.db, filter, { size: BATCH, after, withChanges: true });
    yield rows.map((row) => {
      const { id, attributes } = entryDocument({ base }, row);
      return { id, ...attributes };
    });
    after = next;
  }
}

function entryDocument({ base }: Pick<Context, "base">, row: EntryRow): Resource<"audit_entry"> {
  const { id, at, who, who_id, who_name, operation, verb, area, outcome, num_changes, changes } = row;
  const { target_type, target_id, target_name, target_path, site_url, via, address, agent, request_id } = row;
  return {
    id,
    type: "audit_entry",
    attributes: {
      at: timestamp(at),
      ...{ who, who_id, who_name, operation, verb, area, outcome },
      ...{ target_type, target_id, target_name, target_path, site_url },
      ...{ via, address, agent, request_id, num_changes, changes },
    },
    relationships: related({ target: target_path === null ? undefined : `${base}${target_path}` }),
  };
}
