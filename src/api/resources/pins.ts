import { findPin, listPins, type PinRow, pinReport, unpinReport } from "../../database/retention/pins.ts";
import { MAX_PINS } from "../../domain/retention/limits.ts";
import { formatValue } from "../../schema/validate.ts";
import type { Context, Route } from "../context.ts";
import type { Resource } from "../documents.ts";
import { attributesReader } from "../http/request/attributes.ts";
import { callerOf, hostOf, ownerOf } from "../http/request/caller.ts";
import { pageParameters } from "../http/request/parameters.ts";
import { isUuid } from "../http/request/query.ts";
import { created, list, one, related, timestamp } from "../http/response/documents.ts";
import { notFound, refuse, refuseAttribute } from "../http/response/errors.ts";
import { bodyOf } from "../openapi/request-body.ts";
import { type NewPinAttributes, newPinSchema } from "../request-attributes.ts";
import { reportUrl } from "./reports/report-access.ts";

const readNew = attributesReader<NewPinAttributes>(newPinSchema);

const ONE = "/pins/:pin_id";

/** Reports that stay until somebody takes the pin away: who wants that, since when, and why. Guests pin nothing. */
export const pins: readonly Route[] = [
  {
    method: "GET",
    path: "/pins",
    id: "listPins",
    tag: "Retention",
    summary: "List pinned reports",
    description: "The newest pin first.",
    success: { kind: "list", type: "pin" },
    access: "account",
    site: "caller",
    parameters: pageParameters,
    handle: async (context) => {
      const page = context.query.page();
      const listed = await listPins(context.deps.db, scopeOf(context), page);
      return list(context, page, listed, (row) => pinDocument(context, row));
    },
  },
  {
    method: "POST",
    path: "/pins",
    id: "createPin",
    audit: { verb: "pinned a report", area: "kept" },
    tag: "Retention",
    summary: "Pin a report",
    description: `A pinned report is never deleted: not by age, not with others, and not by itself before the pin is taken away. A pinned report gets the new reason. An account has at most ${MAX_PINS} pins. 409 for a report that runs, and beyond that number.`,
    success: { kind: "created", type: "pin" },
    errors: [409],
    access: "account",
    site: "caller",
    right: "share",
    body: bodyOf("pin", newPinSchema),
    handle: async (context) => {
      const { accountId, tokenId, sites } = hostOf(context);
      const { report_id, reason } = readNew(context.attributes);
      const { db, now } = context.deps;
      const id = report_id.toLowerCase();
      const pin = { report_id: id, account_id: accountId, reason, inserted_at: now() };
      const outcome = await pinReport(db, { ...pin, tokenId, sites });
      if (outcome === "unknown") {
        const detail = `report_id is ${formatValue(report_id)}; you have no such report.`;
        throw refuseAttribute("report_id", "unknown_report", detail);
      }
      if (outcome === "running") {
        const detail = "The report has not ended. Pin it when it has a result.";
        throw refuse(409, "report_running", "Conflict", detail);
      }
      if (outcome === "too many") {
        const detail = `The account has ${MAX_PINS} pinned reports, which is as many as it may have. Take a pin away first.`;
        throw refuse(409, "too_many_pins", "Conflict", detail);
      }
      return created(pinDocument(context, await pinOf(context, id)), `${context.base}/pins/${id}`);
    },
  },
  {
    method: "GET",
    path: ONE,
    id: "getPin",
    tag: "Retention",
    summary: "Get the pin of a report",
    success: { kind: "one", type: "pin" },
    access: "account",
    site: "pin",
    handle: async (context) => one(pinDocument(context, await pinOf(context, context.params.pin_id ?? ""))),
  },
  {
    method: "DELETE",
    path: ONE,
    id: "deletePin",
    audit: { verb: "took a pin away", area: "kept" },
    tag: "Retention",
    summary: "Take the pin of a report away",
    description: "From then on it is kept as long as others.",
    success: { kind: "nothing" },
    access: "account",
    site: "pin",
    right: "share",
    handle: async (context) => {
      const { report_id } = await pinOf(context, context.params.pin_id ?? "");
      if (!(await unpinReport(context.deps.db, ownerOf(context), report_id))) throw notFound("pin");
      return { status: 204 };
    },
  },
];

const scopeOf = (context: Context) => ({ accountId: ownerOf(context), sites: callerOf(context).sites });

/** @throws RequestError 404 */
async function pinOf(context: Context, reportId: string): Promise<PinRow> {
  const pin = isUuid(reportId) ? await findPin(context.deps.db, scopeOf(context), reportId) : undefined;
  if (pin) return pin;
  throw notFound("pin");
}

function pinDocument(context: Context, { report_id, reason, pinned_by, inserted_at }: PinRow): Resource<"pin"> {
  return {
    id: report_id,
    type: "pin",
    attributes: { reason, pinned_by, inserted_at: timestamp(inserted_at) },
    relationships: related({ report: reportUrl(context, report_id) }),
  };
}
