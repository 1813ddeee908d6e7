import {
  countCheckedSites,
  latestReports,
  type MutingOwner,
  type Previewed,
  previewMuting,
  type Silenced,
} from "../../database/accounts/mutings.ts";
import { findReport } from "../../database/reports/read-reports.ts";
import { reportAccess } from "../../domain/accounts/principal.ts";
import { mutingSchema } from "../../schema/muting.ts";
import { judgeWithMuting } from "../../transactions/end-report.ts";
import type { Context, Route } from "../context.ts";
import { callerOf } from "../http/request/caller.ts";
import { idParameter, uuidParameter } from "../http/request/parameters.ts";
import { one } from "../http/response/documents.ts";
import { notFound } from "../http/response/errors.ts";
import { bodyOf } from "../openapi/request-body.ts";
import { readMuting } from "./muting-attributes.ts";
import { definitionOf, mutingWithId } from "./mutings.ts";

/** After this many milliseconds no further report is read. */
const TIME_MS = 5_000;

type PreviewedSite = Silenced & { report_id: string; starting_url: string; report_errors: number } & Awaited<
    ReturnType<typeof judgeWithMuting>
  >;

/** What a muting would silence, before it is created or changed. */
export const mutingPreview: readonly Route[] = [
  {
    method: "POST",
    path: "/mutings/preview",
    id: "previewMuting",
    tag: "Mutings",
    summary: "Count what a muting would silence",
    description:
      "Takes the attributes of a muting, and creates nothing. Counts in the report that report_id names; by default, in the latest reports of the fifty starting URLs that were checked last, as far as it comes in five seconds. Findings that are already muted are not counted, except those that are muted by the muting that muting_id names: then the attributes are a change of that one, as in a PATCH.",
    success: { kind: "one", type: "muting_preview" },
    errors: [404],
    access: "account",
    right: "common",
    parameters: [
      uuidParameter("report_id", "Counts in this report only."),
      idParameter("muting_id", "The muting that would be changed."),
    ],
    body: bodyOf("muting", mutingSchema),
    isSafe: true,
    isHeavy: true,
    handle: async (context) => {
      const { db, now } = context.deps;
      const named = context.query.uuid("report_id");
      const changed = context.query.text("muting_id");
      const before = changed === undefined ? undefined : await mutingWithId(context, changed);
      const owner = before ? { accountId: before.account_id, guestToken: before.guest_token } : callerOf(context);
      const reports = await reportsOf(context, named, owner);
      const { criteria } = readMuting(context.attributes, now(), before && definitionOf(before));
      const isOver = context.abortSignal(TIME_MS);
      const sites: PreviewedSite[] = [];
      for (const { id, starting_url } of reports) {
        if (isOver.aborted) break;
        const silenced = await previewMuting(db, id, criteria, before?.id);
        // What a changed muting silences already may be silenced by another one, too: only the recount knows.
        const isJudged = silenced.findings > 0 && before === undefined;
        const judged = isJudged ? await judgeWithMuting(db, id, criteria) : { passes: null, would_pass: null };
        sites.push({ report_id: id, starting_url, ...silenced, ...judged });
      }
      const howMany = named === undefined ? await countCheckedSites(db, owner) : reports.length;
      const sum = (name: keyof Silenced) => sites.reduce((total, site) => total + site[name], 0);
      return one({
        id: named ?? "latest",
        type: "muting_preview",
        attributes: {
          ...{ findings: sum("findings"), errors: sum("errors"), issues: sum("issues"), pages: sum("pages") },
          reports: sites.length,
          ...{ num_sites: Math.max(howMany, sites.length), complete: sites.length >= howMany },
          sites: sites.filter(({ findings }) => findings > 0),
        },
      });
    },
  },
];

/** The report that is named in the request, or the latest ones. @throws RequestError 404 */
async function reportsOf(context: Context, named: string | undefined, owner: MutingOwner): Promise<Previewed[]> {
  const { db } = context.deps;
  if (named === undefined) return latestReports(db, owner);
  const report = await findReport(db, named);
  if (!report || reportAccess(report, callerOf(context)) !== "owner") throw notFound("report");
  return isOf(report, owner) ? [report] : [];
}

/** A host's mutings do not apply to its guests' reports. */
function isOf(report: { guest_token: string | null }, { guestToken }: Pick<MutingOwner, "guestToken">): boolean {
  return report.guest_token === guestToken;
}
