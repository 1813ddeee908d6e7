import { validate as isUuid } from "uuid";
import { type ReportProgress, readProgress } from "../../database/reports/progress.ts";
import { findDecidedReport } from "../../database/schedules/runs.ts";
import type { ReportSpec } from "../../schema/report.ts";
import { annotations, type ReportResource } from "../../schema/resources.ts";
import { validateReportSpec } from "../../schema/validate-spec.ts";
import type { ControllerDeps } from "../deps.ts";

/** The id of a Report without a row. `restores`: the row of the resource that it was restored from. */
export type Identity = { id: string; restores?: ReportProgress } | { reason: string; message: string };

/**
 * Decides which report a resource is that has no row of its own (docs/adr/0070). Its id is its uid. Two others are
 * accepted, and neither because the annotation says so:
 *
 * - the id that was decided for the run of a schedule, if place and name are those of that run's Report;
 * - the id of the report whose resource it was restored from: same account, namespace, name and definition. That
 *   resource is gone, because a name exists once.
 *
 * Any other annotation is refused: a copy must not get another report's rows, and a restored report whose
 * results are gone must not run without anybody's wish.
 */
export async function identityOf(deps: ControllerDeps, resource: ReportResource, accountId: string): Promise<Identity> {
  const { db } = deps;
  const { metadata, spec } = resource;
  const decided = await findDecidedReport(db, accountId, metadata);
  if (decided !== undefined && !(await readProgress(db, decided))) return { id: decided };
  const claimed = metadata.annotations?.[annotations.id] ?? metadata.uid;
  const given = `${annotations.id} is ${JSON.stringify(claimed)}`;
  if (!isUuid(claimed)) return { reason: "InvalidId", message: `${given}; it must be a UUID.` };
  const row = await readProgress(db, claimed);
  if (!row && claimed === metadata.uid) return { id: metadata.uid };
  const remedy = "Remove the annotation, and it runs as a new report.";
  if (!row || !isKept(row, keptSince(deps)))
    return { reason: "IdUnknown", message: `${given}, and there is no report with that id any more. ${remedy}` };
  const restored = row.accountId === accountId && row.namespace === metadata.namespace && row.name === metadata.name;
  if (!restored) return { reason: "IdTaken", message: `${given}, which belongs to another Report. ${remedy}` };
  if (!isSameDefinition(spec, row.spec))
    return { reason: "IdTaken", message: `${given}, which belongs to a Report with another spec. ${remedy}` };
  return { id: row.id, restores: row };
}

/** Rows of reports that were deleted before this are being removed. */
export function keptSince({ now, settings }: Pick<ControllerDeps, "now" | "settings">): Date {
  return new Date(now().getTime() - settings.deletionGraceSeconds * 1_000);
}

function isKept({ deletedAt }: ReportProgress, since: Date): boolean {
  return deletedAt === null || deletedAt >= since;
}

/** Whether only fields differ that may change. Otherwise a report could exceed limits that it was admitted with. */
function isSameDefinition(spec: ReportSpec, before: ReportSpec): boolean {
  return validateReportSpec(spec, { ...before, cancelled: spec.cancelled }).spec !== undefined;
}
