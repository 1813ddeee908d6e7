import { validate as isUuid } from "uuid";
import { ClusterError } from "../../cluster/port.ts";
import { isForeignKeyViolation } from "../../database/connection/errors.ts";
import { isScheduleOfOthers, readSchedule, type ScheduleRow } from "../../database/schedules/schedules.ts";
import { isStorable } from "../../database/stored-text.ts";
import { annotations, type ObjectMeta, type ScheduleResource } from "../../schema/resources.ts";
import { upsertSchedule } from "../../transactions/schedules.ts";
import type { ControllerDeps } from "../deps.ts";
import { accountFault } from "../report/admit.ts";

/**
 * The identity of a Schedule: the row of its uid; otherwise, if it was restored, the row that its annotation names and
 * that had its account, place and name; otherwise a new one. A restored Schedule whose row is gone keeps its id, and runs.
 */
export type ScheduleAdmission =
  | { state: "ours"; id: string; resource: ScheduleResource; row: ScheduleRow }
  | { state: "refused"; reason: string; message: string };

/**
 * Writes the id into the resource, and creates or updates its row. If interrupted, the next call continues.
 *
 * @throws ClusterError `Conflict` when the resource has changed since it was read
 */
export async function admitSchedule(deps: ControllerDeps, seen: ScheduleResource): Promise<ScheduleAdmission> {
  const { db, cluster, now } = deps;
  const refused = (reason: string, message: string): ScheduleAdmission => ({ state: "refused", reason, message });
  const { metadata, spec } = seen;

  const account = deps.accountOf ? await deps.accountOf(seen) : metadata.annotations?.[annotations.account];
  if (account === undefined || !isUuid(account)) return refused("NoAccount", accountFault(seen, account));
  if (!isStorable(spec)) return refused("InvalidCharacter", "The spec has a NUL character or a lone surrogate.");
  if (!URL.canParse(spec.startingUrl))
    return refused("InvalidUrl", `startingUrl is ${JSON.stringify(spec.startingUrl)}, which is not a URL.`);
  const identity = await identityOf(deps, metadata, account);
  if ("reason" in identity) return refused(identity.reason, identity.message);
  const { id, known } = identity;
  // Unlike a report (docs/adr/0086), a schedule would spend the earlier account's credits for ever.
  if (known && known.account_id !== account)
    return refused(
      "AccountChanged",
      `The Schedule belongs to another account than ${annotations.account} names now: name that account again, or delete the Schedule and create it anew without ${annotations.id}.`,
    );

  const stamped = metadata.annotations?.[annotations.id] === id;
  const resource = stamped
    ? seen
    : await cluster.update<"Schedule">({
        ...seen,
        metadata: { ...metadata, annotations: { ...metadata.annotations, [annotations.id]: id } },
      });
  try {
    if (!(await upsertSchedule(db, resource, account, now(), { id, declared: true }))) throw changedMeanwhile(id);
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error;
    return refused("NoAccount", `There is no account ${account}.`);
  }
  const row = await readRow(deps, id);
  if (Number(row.generation) <= resource.metadata.generation) return { state: "ours", id, resource, row };
  // The API has changed it since. Or a backup of the cluster was restored: then the resource has not changed.
  const current = await cluster.get("Schedule", metadata.namespace, metadata.name);
  if (current?.metadata.generation !== resource.metadata.generation) throw changedMeanwhile(id);
  // The resource is what its owner sees and changes, so the row follows it (docs/adr/0086).
  await upsertSchedule(db, resource, account, now(), { id, outdated: row, declared: true });
  const followed = await readRow(deps, id);
  if (Number(followed.generation) > resource.metadata.generation) throw changedMeanwhile(id);
  deps.log.warn("schedule has an earlier definition again: the cluster was restored", { schedule: id });
  return { state: "ours", id, resource, row: followed };
}

type Identity = { id: string; known: ScheduleRow | undefined } | { reason: string; message: string };

async function identityOf({ db }: ControllerDeps, metadata: ObjectMeta, account: string): Promise<Identity> {
  const { uid, namespace, name } = metadata;
  const own = await readSchedule(db, { uid });
  const id = own?.id ?? metadata.annotations?.[annotations.id] ?? uid;
  const given = `${annotations.id} is ${JSON.stringify(id)}`;
  if (!isUuid(id)) return { reason: "InvalidId", message: `${given}; it must be a UUID.` };
  const taken = { reason: "IdTaken", message: `${given}, which belongs to another Schedule. Remove the annotation.` };
  // A restored Schedule has another uid: it is the one that its annotation names if that had its place and name.
  const known = own ?? (await readSchedule(db, id));
  // Checked before the id is written: a copied id must not look valid.
  if (known && (known.name !== name || known.namespace !== namespace)) return taken;
  if (!known && id !== uid && (await isScheduleOfOthers(db, id, account))) return taken;
  return { id, known };
}

async function readRow({ db }: ControllerDeps, id: string): Promise<ScheduleRow> {
  const row = await readSchedule(db, id);
  if (!row) throw new Error(`The row of schedule ${id} is gone.`);
  return row;
}

/** Ends a reconcile that would mix two definitions of a schedule; the next one reads the newest. */
export function changedMeanwhile(id: string): ClusterError {
  return new ClusterError("Conflict", `Schedule ${id} has changed since it was read.`);
}
