import { validate as isUuid } from "uuid";
import { type ReportProgress, readProgress } from "../../database/reports/progress.ts";
import { reportId, upsertReport } from "../../database/reports/reports.ts";
import { limitRefusal } from "../../schema/limits.ts";
import { annotations, FINALIZER, type ReportResource } from "../../schema/resources.ts";
import type { ControllerDeps } from "../deps.ts";

/**
 * Who a Report is. A resource is only worked on when its stamp, its place and its
 * account agree with the row: a stamp can be copied, and must not lead to the rows
 * of another.
 */
export type Claim =
  | { state: "ours"; id: string; resource: ReportResource; row: ReportProgress }
  | { state: "refused"; resource: ReportResource; reason: string; message: string };

const FOREIGN_KEY_VIOLATION = "23503";

/** Stamps the resource, and makes or renews its row. Cut off anywhere, it goes on the next time. */
export async function admitReport(deps: ControllerDeps, seen: ReportResource): Promise<Claim> {
  const { db, settings } = deps;
  const refused = (reason: string, message: string): Claim => ({ state: "refused", resource: seen, reason, message });

  const account = await accountOf(deps, seen);
  if (account === undefined || !isUuid(account))
    return refused("NoAccount", `Nothing says which account the Report belongs to: set ${annotations.account}.`);
  if (!URL.canParse(seen.spec.startingUrl))
    return refused("InvalidUrl", `startingUrl is ${JSON.stringify(seen.spec.startingUrl)}, which is no URL.`);
  const id = reportId(seen);
  if (!isUuid(id)) return refused("InvalidId", `${annotations.id} is ${JSON.stringify(id)}; it must be a UUID.`);

  let row = await readProgress(db, id);
  if (row && !sameReport(row, seen, account)) return refused("IdTaken", `${annotations.id} ${id} is another Report's.`);
  // Whoever has a row was admitted: limits that were lowered since do not end what goes on.
  const excess = row ? undefined : limitRefusal(seen.spec, settings.specLimits);
  if (excess !== undefined) return refused("LimitExceeded", excess);

  const resource = await stamp(deps, seen, id);
  if (!row || row.generation < resource.metadata.generation) {
    try {
      if (!(await upsertReport(db, resource, account)))
        return refused("IdTaken", `${annotations.id} ${id} is another Report's.`);
    } catch (error) {
      if ((error as { code?: unknown }).code !== FOREIGN_KEY_VIOLATION) throw error;
      return refused("NoAccount", `There is no account ${account}.`);
    }
    row = await readProgress(db, id);
    if (!row) throw new Error(`The row of report ${id} is gone.`);
  }
  return { state: "ours", id, resource, row };
}

/** An account may be given to a namespace, or be made, later on: nobody tells of it. */
const RECHECK_MS = 30_000;

/** When to look again at a resource that was refused; undefined: not before it changes. */
export function recheckAfterMs(reason: string): number | undefined {
  return reason === "NoAccount" ? RECHECK_MS : undefined;
}

export { isUuid };

/** True when the row is this resource's projection. */
export function isRowOf(row: ReportProgress, { metadata }: ReportResource): boolean {
  return row.uid === metadata.uid && row.namespace === metadata.namespace && row.name === metadata.name;
}

function sameReport(row: ReportProgress, resource: ReportResource, account: string): boolean {
  return isRowOf(row, resource) && row.accountId === account;
}

async function accountOf({ accountOf: lookUp }: ControllerDeps, resource: ReportResource): Promise<string | undefined> {
  return lookUp ? lookUp(resource) : resource.metadata.annotations?.[annotations.account];
}

/** The id that survives a restored resource, and the finalizer that keeps a deleted one until its Jobs are gone. */
async function stamp({ cluster }: ControllerDeps, resource: ReportResource, id: string): Promise<ReportResource> {
  const { metadata } = resource;
  const finalizers = metadata.finalizers ?? [];
  if (metadata.annotations?.[annotations.id] === id && finalizers.includes(FINALIZER)) return resource;
  return cluster.update<"Report">({
    ...resource,
    metadata: {
      ...metadata,
      annotations: { ...metadata.annotations, [annotations.id]: id },
      finalizers: [...new Set([...finalizers, FINALIZER])],
    },
  });
}
