import {
  deleteMuting,
  findMutingRow,
  insertMuting,
  listAppliedMutings,
  listMutings,
  type MutingRow,
} from "../../database/accounts/mutings.ts";
import type { Context, Route } from "../context.ts";
import { attributesReader } from "../http/attributes.ts";
import { callerOf } from "../http/caller.ts";
import { created, list, one, type ResourceDocument, related, timestamp } from "../http/documents.ts";
import { notFound, refuse } from "../http/errors.ts";
import { isNumericId, pageParameters } from "../http/query.ts";
import { type MutingAttributes, mutingSchema } from "../request-attributes.ts";
import { visibleReport } from "./reports/report-access.ts";

const readMuting = attributesReader<MutingAttributes>(mutingSchema);

/** Rules that silence issues. A guest sees only its own; the host sees all. */
export const mutings: readonly Route[] = [
  {
    method: "GET",
    path: "/mutings",
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
    access: "account",
    bodyType: "muting",
    handle: async (context) => {
      const { comment = null, ...values } = readMuting(context.attributes);
      const muting = await insertMuting(context.deps.db, callerOf(context), { ...values, comment });
      if (!muting)
        throw refuse(
          409,
          "too_many_mutings",
          "Conflict",
          "There are already 1,000 mutings; delete one before you create another.",
        );
      return created(mutingDocument(context, muting, true), `${context.base}/mutings/${muting.id}`);
    },
  },
  {
    method: "GET",
    path: "/mutings/:muting_id",
    access: "account",
    handle: async (context) => one(mutingDocument(context, await addressed(context), true)),
  },
  {
    method: "DELETE",
    path: "/mutings/:muting_id",
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

async function addressed(context: Context): Promise<MutingRow> {
  const id = context.params.muting_id ?? "";
  const muting = isNumericId(id) ? await findMutingRow(context.deps.db, callerOf(context), id) : undefined;
  if (muting) return muting;
  throw notFound("muting");
}

/** Only its owners see which guest a muting belongs to. */
function mutingDocument(context: Context, muting: MutingRow, owned: boolean): ResourceDocument {
  const guest = owned ? muting.guest_token : null;
  return {
    id: muting.id,
    type: "muting",
    attributes: {
      id: Number(muting.id),
      url_match: muting.url_match,
      message: muting.message,
      comment: muting.comment,
      ...(guest !== null && { guest_token: guest }),
      inserted_at: timestamp(muting.inserted_at),
      updated_at: timestamp(muting.updated_at),
    },
    ...(guest !== null &&
      muting.guest_known && { relationships: related({ guest_account: `${context.base}/guest_accounts/${guest}` }) }),
  };
}
