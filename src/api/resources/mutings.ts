import { findMutingRow, listAppliedMutings, listMutings, type MutingRow } from "../../database/accounts/mutings.ts";
import type { MutingDefinition, TooMany } from "../../domain/findings/muting.ts";
import { mutingSchema } from "../../schema/muting.ts";
import { changeMuting, deleteMuting, insertMuting } from "../../transactions/change-mutings.ts";
import type { Context, Route } from "../context.ts";
import type { Resource } from "../documents.ts";
import { callerOf } from "../http/request/caller.ts";
import { pageParameters } from "../http/request/parameters.ts";
import { isNumericId } from "../http/request/query.ts";
import { created, list, one, related, timestamp } from "../http/response/documents.ts";
import { notFound, refuse } from "../http/response/errors.ts";
import { bodyOf } from "../openapi/request-body.ts";
import { readMuting } from "./muting-attributes.ts";
import { visibleReport } from "./reports/report-access.ts";

/** Rules that silence findings. A guest sees only its own; the host sees all. */
export const mutings: readonly Route[] = [
  {
    method: "GET",
    path: "/mutings",
    id: "listMutings",
    tag: "Mutings",
    summary: "List mutings",
    success: { kind: "list", type: "muting" },
    access: "account",
    parameters: pageParameters,
    handle: async (context) => {
      const page = context.query.page();
      const listed = await listMutings(context.deps.db, callerOf(context), page);
      return list(context, page, listed, (muting) => mutingDocument(context, muting, true));
    },
  },
  {
    method: "POST",
    path: "/mutings",
    id: "createMuting",
    tag: "Mutings",
    summary: "Create a muting",
    description:
      "It silences findings that match all of url_match, message, rule, selector and fingerprint that are given. Without rule, selector and fingerprint, both url_match and message are required; they match as substrings, regardless of case. It applies to later checks at once; existing reports are recounted in the background.",
    success: { kind: "created", type: "muting" },
    access: "account",
    body: bodyOf("muting", mutingSchema),
    handle: async (context) => {
      const { db, now } = context.deps;
      const muting = await insertMuting(db, callerOf(context), readMuting(context.attributes, now()));
      if ("tooMany" in muting) throw tooMany(muting);
      return created(mutingDocument(context, muting, true), `${context.base}/mutings/${muting.id}`);
    },
  },
  {
    method: "GET",
    path: "/mutings/:muting_id",
    id: "getMuting",
    tag: "Mutings",
    summary: "Get a muting",
    success: { kind: "one", type: "muting" },
    access: "account",
    handle: async (context) => one(mutingDocument(context, await addressed(context), true)),
  },
  {
    method: "PATCH",
    path: "/mutings/:muting_id",
    id: "updateMuting",
    tag: "Mutings",
    summary: "Change a muting",
    description:
      "Only the given attributes change; null removes one. Findings that it no longer silences are counted again in the background.",
    success: { kind: "one", type: "muting" },
    access: "account",
    body: bodyOf("muting", mutingSchema),
    handle: async (context) => {
      const { db, now } = context.deps;
      const { id, account_id } = await addressed(context);
      const time = now();
      const change = (row: MutingRow) => readMuting(context.attributes, time, definitionOf(row));
      const changed = await changeMuting(db, account_id, id, change, time);
      if (!changed) throw notFound("muting");
      if ("tooMany" in changed) throw tooMany(changed);
      return one(mutingDocument(context, changed, true));
    },
  },
  {
    method: "DELETE",
    path: "/mutings/:muting_id",
    id: "deleteMuting",
    tag: "Mutings",
    summary: "Delete a muting",
    description: "The issues that it muted are counted again, in the background.",
    success: { kind: "nothing" },
    access: "account",
    handle: async (context) => {
      const { id, account_id } = await addressed(context);
      if (!(await deleteMuting(context.deps.db, account_id, id))) throw notFound("muting");
      return { status: 204 };
    },
  },
  {
    method: "GET",
    path: "/reports/:report_id/mutings",
    id: "listReportMutings",
    tag: "Mutings",
    summary: "List the mutings that took effect on a report",
    success: { kind: "list", type: "muting" },
    access: "shared",
    parameters: pageParameters,
    handle: async (context) => {
      const { report, owned } = await visibleReport(context);
      const page = context.query.page();
      const listed = await listAppliedMutings(context.deps.db, report.id, page);
      return list(context, page, listed, (muting) => mutingDocument(context, muting, owned));
    },
  },
];

function tooMany({ tooMany: those }: TooMany): Error {
  return refuse(409, "too_many_mutings", "Conflict", `There are already ${those}; delete one of them first.`);
}

/** A muting as its owner has defined it. */
export function definitionOf({
  criteria,
  category,
  comment,
  reason,
  expires_at: expiresAt,
}: MutingRow): MutingDefinition {
  return { criteria, category, comment, reason, expiresAt };
}

function addressed(context: Context): Promise<MutingRow> {
  return mutingWithId(context, context.params.muting_id ?? "");
}

/** A muting that the caller may see. @throws RequestError 404 */
export async function mutingWithId(context: Context, id: string): Promise<MutingRow> {
  const muting = isNumericId(id) ? await findMutingRow(context.deps.db, callerOf(context), id) : undefined;
  if (muting) return muting;
  throw notFound("muting");
}

/** Only its owners see the reason of a muting, and which guest it belongs to. */
function mutingDocument(context: Context, muting: MutingRow, owned: boolean): Resource<"muting"> {
  const guest = owned ? muting.guest_token : null;
  const {
    url_match = null,
    message = null,
    rule = null,
    selector = null,
    fingerprint = null,
    component = null,
  } = muting.criteria;
  return {
    id: muting.id,
    type: "muting",
    attributes: {
      id: Number(muting.id),
      url_match,
      message,
      rule,
      selector,
      fingerprint,
      component,
      category: muting.category,
      comment: muting.comment,
      ...(owned && { reason: muting.reason }),
      expires_at: timestamp(muting.expires_at),
      ...(guest !== null && { guest_token: guest }),
      inserted_at: timestamp(muting.inserted_at),
      updated_at: timestamp(muting.updated_at),
    },
    ...(guest !== null &&
      muting.guest_known && { relationships: related({ guest_account: `${context.base}/guest_accounts/${guest}` }) }),
  };
}
