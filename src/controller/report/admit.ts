import type { Kysely } from "kysely";
import { validate as isUuid } from "uuid";
import { ClusterError } from "../../cluster/port.ts";
import { storageExcess } from "../../database/accounts/accounts.ts";
import { insertEntry, isOfRequest } from "../../database/audit/entries.ts";
import { isForeignKeyViolation } from "../../database/connection/errors.ts";
import { type ReportProgress, readProgress } from "../../database/reports/progress.ts";
import { adoptReport, upsertReport } from "../../database/reports/reports.ts";
import { isStorable } from "../../database/stored-text.ts";
import type { Database } from "../../database/tables.ts";
import { declaredEntry } from "../../domain/audit/entry.ts";
import { requestIdOf } from "../../domain/request-id.ts";
import { type Refusal, specRefusal } from "../../schema/limits.ts";
import {
  annotations,
  FINALIZER,
  type ObjectMeta,
  type ReportResource,
  type ScheduleResource,
} from "../../schema/resources.ts";
import type { ControllerDeps } from "../deps.ts";
import { type Identity, identityOf, keptSince } from "./identity.ts";

/**
 * Whether a Report is processed, and the row that is its own. The resource has the row's spec: from its admission on, a
 * report is what its row says (docs/adr/0086).
 */
export type ReportAdmission =
  | { state: "ours"; id: string; resource: ReportResource; row: ReportProgress }
  | { state: "refused"; resource: ReportResource; reason: string; message: string };

/** Creates or updates the row of a Report, and writes its id into the resource. If interrupted, the next call continues. */
export async function admitReport(deps: ControllerDeps, seen: ReportResource): Promise<ReportAdmission> {
  const { db } = deps;
  const refused = (refusal: { reason: string; message: string }): ReportAdmission => ({
    state: "refused",
    resource: seen,
    ...refusal,
  });

  const known = await readProgress(db, { uid: seen.metadata.uid });
  // An admitted report keeps its account, whatever its namespace's annotation says by now (docs/adr/0086).
  const account = known?.accountId ?? (await accountOf(deps, seen));
  if (account === undefined || !isUuid(account))
    return refused({ reason: "NoAccount", message: accountFault(seen, account) });
  const fault = specFault(seen);
  if (fault && known) {
    deps.log.warn("report goes on with the spec that it had", { report: known.id, reason: fault.message });
    return admitted(seen, known);
  }
  if (fault) return refused(fault);
  const identity: Identity = known ? { id: known.id } : await identityOf(deps, seen, account);
  if ("reason" in identity) return refused(identity);
  const { id, restores } = identity;
  if (restores) {
    // Written although nothing may have changed: what is no longer the newest state is not written.
    await deps.cluster.update<"Report">({ ...seen, metadata: admittedMetadata(seen.metadata, id) });
    const adopted = await adoptReport(db, restores, seen, keptSince(deps));
    if (adopted) deps.log.info("report's resource was restored", { report: id, name: seen.metadata.name });
    throw new ClusterError("Conflict", `Report ${id} has another resource than before: it is read again.`);
  }

  // A report with a row was admitted before: lowering the limits does not end running reports.
  const refusal = known ? undefined : await refusalOf(deps, seen, account);
  if (refusal) return refused(refusal);

  const resource = await keepUnshared(deps, await stamp(deps, seen, id), known);
  if (known && known.generation >= resource.metadata.generation) return admitted(resource, known);
  try {
    const written = await whatAccountMayChange(deps, resource, known);
    await db.transaction().execute(async (trx) => {
      if (!(await upsertReport(trx, written, account, id)))
        throw new ClusterError("Conflict", `Report ${id} got its row in the meantime.`);
      // A run of a schedule has an id that was decided before, and its entry since then.
      if (!known && id === seen.metadata.uid) await noteDeclared(trx, seen, { accountId: account, now: deps.now() });
    });
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error;
    return refused({ reason: "NoAccount", message: `There is no account ${account}.` });
  }
  const row = await readProgress(db, id);
  if (!row) throw new Error(`The row of report ${id} is gone.`);
  return admitted(resource, row);
}

/** Notes a report that was declared on the cluster, unless a request has made it. */
async function noteDeclared(
  trx: Kysely<Database>,
  { metadata, spec }: ReportResource,
  { accountId, now }: { accountId: string; now: Date },
): Promise<void> {
  if (await isOfRequest(trx, accountId, { requestId: requestIdOf(metadata) })) return;
  const { uid: id, namespace, name } = metadata;
  const site = spec.startingUrl;
  const target = { type: "report", id, name: site, path: `/reports/${id}`, siteUrl: site };
  const did = { operation: "declareReport", verb: "declared a report", area: "runs" } as const;
  await insertEntry(trx, declaredEntry({ by: `${namespace}/${name}`, ...did }, { accountId, at: now, target }));
}

function admitted(resource: ReportResource, row: ReportProgress): ReportAdmission {
  return { state: "ours", id: row.id, resource: { ...resource, spec: row.spec }, row };
}

/** Why a spec cannot be stored. */
function specFault({ spec }: ReportResource): { reason: string; message: string } | undefined {
  if (!isStorable(spec))
    return { reason: "InvalidCharacter", message: "The spec has a NUL character or a lone surrogate." };
  if (URL.canParse(spec.startingUrl)) return undefined;
  return { reason: "InvalidUrl", message: `startingUrl is ${JSON.stringify(spec.startingUrl)}, which is not a URL.` };
}

/** @param account what should be the id of an account */
export function accountFault({ kind }: ReportResource | ScheduleResource, account: string | undefined): string {
  if (account === undefined) return `The ${kind} has no account: annotate its namespace with ${annotations.account}.`;
  return `${annotations.account} is ${JSON.stringify(account)}; it must be the id of an account, which is a UUID.`;
}

/** Why a new report is not admitted. */
async function refusalOf(
  { db, settings }: ControllerDeps,
  { spec }: ReportResource,
  account: string,
): Promise<Refusal | undefined> {
  const refusal = specRefusal(spec, settings.specLimits);
  if (refusal) return refusal;
  const message = await storageExcess(db, account, settings.maxAccountBytes ?? 0);
  return message === undefined ? undefined : { reason: "StorageQuotaExceeded", message };
}

const RECHECK_MS = 30_000;
/** An account may be created, assigned to a namespace, or have room again later on, without any event. */
const rechecked: readonly string[] = ["NoAccount", "AccountChanged", "StorageQuotaExceeded"];

/** When to check a refused resource again; undefined: not before it changes. */
export function recheckAfterMs(reason: string): number | undefined {
  return rechecked.includes(reason) ? RECHECK_MS : undefined;
}

/** A report that was unshared while its resource was out of reach is not shared again by a later change. */
async function keepUnshared(
  { cluster }: ControllerDeps,
  resource: ReportResource,
  row: ReportProgress | undefined,
): Promise<ReportResource> {
  const { metadata, spec } = resource;
  if (!row || row.shared || !spec.shared || row.generation !== metadata.generation) return resource;
  return cluster.update<"Report">({ ...resource, spec: { ...spec, shared: false } });
}

/** The account that has the namespace by now does not decide who may read the findings of the one before. */
async function whatAccountMayChange(
  deps: ControllerDeps,
  resource: ReportResource,
  row: ReportProgress | undefined,
): Promise<ReportResource> {
  if (!row || (await accountOf(deps, resource)) === row.accountId) return resource;
  return { ...resource, spec: { ...resource.spec, shared: row.shared } };
}

async function accountOf({ accountOf: lookUp }: ControllerDeps, resource: ReportResource): Promise<string | undefined> {
  return lookUp ? lookUp(resource) : resource.metadata.annotations?.[annotations.account];
}

/** Adds the id, and the finalizer, which keeps a deleted resource until it has no Jobs. */
async function stamp({ cluster, log }: ControllerDeps, resource: ReportResource, id: string): Promise<ReportResource> {
  const { metadata } = resource;
  const written = metadata.annotations?.[annotations.id];
  if (written === id && metadata.finalizers?.includes(FINALIZER)) return resource;
  if (written !== undefined && written !== id)
    log.warn("the id in a report's annotation was corrected", { report: id, name: metadata.name, written });
  return cluster.update<"Report">({ ...resource, metadata: admittedMetadata(metadata, id) });
}

/** The metadata of an admitted Report. */
export function admittedMetadata(
  metadata: ObjectMeta,
  id: string = metadata.annotations?.[annotations.id] ?? metadata.uid,
): ObjectMeta {
  return {
    ...metadata,
    annotations: { ...metadata.annotations, [annotations.id]: id },
    finalizers: [...new Set([...(metadata.finalizers ?? []), FINALIZER])],
  };
}
