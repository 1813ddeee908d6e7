import {
  type DeletionRow,
  findDeletion,
  listDeletions,
  listLeft,
  stopDeletion,
} from "../../database/retention/deletions.ts";
import { findForeign } from "../../database/retention/known-reports.ts";
import { formatValue } from "../../schema/validate.ts";
import { beginDeletion } from "../../transactions/retention.ts";
import type { Context, Route } from "../context.ts";
import type { Attributes, Resource } from "../documents.ts";
import { attributesReader } from "../http/request/attributes.ts";
import { hostOf, ownerOf } from "../http/request/caller.ts";
import { pageParameters } from "../http/request/parameters.ts";
import { isUuid } from "../http/request/query.ts";
import { created, list, one, related, timestamp } from "../http/response/documents.ts";
import { notFound, refuseAttribute } from "../http/response/errors.ts";
import { bodyOf } from "../openapi/request-body.ts";
import { deletionSchema, type NewDeletionAttributes, newDeletionSchema } from "../request-attributes.ts";
import { countStays } from "./retention.ts";

const readNew = attributesReader<NewDeletionAttributes>(newDeletionSchema);
const readChange = attributesReader<{ stopped: true }>(deletionSchema);

const ONE = "/deletions/:deletion_id";
/** As many reports are named that were not deleted. */
const MAX_LEFT = 100;

/** Many reports that are deleted at once. Guests delete their own one by one. */
export const deletions: readonly Route[] = [
  {
    method: "GET",
    path: "/deletions",
    id: "listDeletions",
    tag: "Retention",
    summary: "List deletions of many reports",
    description: "The newest first; also those of what is kept no longer. They are known for 30 days.",
    success: { kind: "list", type: "deletion" },
    access: "account",
    parameters: pageParameters,
    handle: async (context) => {
      const page = context.query.page();
      const listed = await listDeletions(context.deps.db, ownerOf(context), page);
      return list(context, page, listed, (row) => deletionDocument(row, []));
    },
  },
  {
    method: "POST",
    path: "/deletions",
    id: "createDeletion",
    audit: { verb: "deleted many reports", area: "deleted" },
    tag: "Retention",
    summary: "Delete many reports, or a part of them",
    description:
      "In the background, one report after the other; get the deletion again to see its progress. The numbers of their runs stay in the charts of their sites. A report stays, and says why, that is pinned, that runs, with which a report that stays is compared, or that is the newest of its site with a result. 422 for reports that are not the account's: then none is deleted.",
    success: { kind: "created", type: "deletion" },
    access: "account",
    right: "common",
    body: bodyOf("deletion", newDeletionSchema),
    handle: async (context) => {
      const { accountId, tokenId } = hostOf(context);
      const { report_ids, part } = readNew(context.attributes);
      const ids = [...new Set(report_ids.map((id) => id.toLowerCase()))];
      const { db, now } = context.deps;
      const unknown = await findForeign(db, accountId, ids);
      if (unknown !== undefined) {
        const index = report_ids.findIndex((id) => id.toLowerCase() === unknown);
        const detail = `report_ids has ${formatValue(unknown)}; you have no such report. None was deleted.`;
        throw refuseAttribute(`report_ids/${index}`, "unknown_report", detail);
      }
      const id = await beginDeletion(db, accountId, { ids, part, tokenId, now: now() });
      return created(await read(context, accountId, id), `${context.base}/deletions/${id}`);
    },
  },
  {
    method: "GET",
    path: ONE,
    id: "getDeletion",
    tag: "Retention",
    summary: "Get a deletion, and how far it is",
    success: { kind: "one", type: "deletion" },
    access: "account",
    handle: async (context) => one(await read(context, ownerOf(context), context.params.deletion_id ?? "")),
  },
  {
    method: "PATCH",
    path: ONE,
    id: "updateDeletion",
    audit: { verb: "stopped a deletion", area: "deleted" },
    tag: "Retention",
    summary: "Stop a deletion",
    description: "What is left stays; what is deleted does not come back. One that has ended stays as it is.",
    success: { kind: "one", type: "deletion" },
    access: "account",
    right: "common",
    body: bodyOf("deletion", deletionSchema),
    handle: async (context) => {
      const { db, now } = context.deps;
      const { id } = await read(context, ownerOf(context), context.params.deletion_id ?? "");
      readChange(context.attributes);
      await stopDeletion(db, ownerOf(context), id, now());
      return one(await read(context, ownerOf(context), id));
    },
  },
];

/** @throws RequestError 404 */
async function read({ deps }: Context, accountId: string, id: string): Promise<Resource<"deletion">> {
  const row = isUuid(id) ? await findDeletion(deps.db, accountId, id) : undefined;
  if (!row) throw notFound("deletion");
  return deletionDocument(row, await listLeft(deps.db, row.id, MAX_LEFT));
}

function deletionDocument(row: DeletionRow, left: Awaited<ReturnType<typeof listLeft>>): Resource<"deletion"> {
  const { deleted = 0, waiting = 0, gone = 0, ...stays } = row.outcomes;
  const reasons = Object.entries(stays) as [keyof Attributes<"deletion">["stays"], number][];
  return {
    id: row.id,
    type: "deletion",
    attributes: {
      ...{ state: row.state, asked_by: row.asked_by, parts: row.parts },
      total: reasons.reduce((sum, [, number]) => sum + number, deleted + waiting + gone),
      ...{ deleted, waiting, gone },
      stays: countStays(reasons),
      bytes: Number(row.bytes),
      left: left as Attributes<"deletion">["left"],
      inserted_at: timestamp(row.inserted_at),
      started_at: timestamp(row.started_at),
      ended_at: timestamp(row.ended_at),
    },
    relationships: related({}),
  };
}
