import { ClusterError } from "../../cluster/port.ts";
import { isForeignKeyViolation } from "../../database/connection/error-codes.ts";
import { isStorable } from "../../database/json-text.ts";
import { readSchedule, type ScheduleRow, scheduleId, upsertSchedule } from "../../database/schedules/schedules.ts";
import { annotations, type ScheduleResource } from "../../schema/resources.ts";
import type { ControllerDeps } from "../deps.ts";
import { accountFault, isUuid } from "../report/admit.ts";

/** The identity of a Schedule, with the same rules as for a Report (report/admit.ts). */
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
  const id = scheduleId(seen);
  if (!isUuid(id)) return refused("InvalidId", `${annotations.id} is ${JSON.stringify(id)}; it must be a UUID.`);
  const taken = refused("IdTaken", `${annotations.id} ${id} belongs to another Schedule.`);
  const known = await readSchedule(db, id);
  // Checked before the id is written: a copied id must not look valid.
  if (known && (known.name !== metadata.name || known.namespace !== metadata.namespace)) return taken;
  // Unlike a report (docs/adr/0060), a schedule would spend the earlier account's credits for ever.
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
    if (!(await upsertSchedule(db, resource, account, now()))) return taken;
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error;
    return refused("NoAccount", `There is no account ${account}.`);
  }
  const row = await readRow(deps, id);
  if (Number(row.generation) <= resource.metadata.generation) return { state: "ours", id, resource, row };
  // The API has changed it since. Or a backup of the cluster was restored: then the resource has not changed.
  const current = await cluster.get("Schedule", metadata.namespace, metadata.name);
  if (current?.metadata.generation !== resource.metadata.generation) throw changedMeanwhile(id);
  // The resource is what its owner sees and changes, so the row follows it (docs/adr/0060).
  await upsertSchedule(db, resource, account, now(), row);
  const followed = await readRow(deps, id);
  if (Number(followed.generation) > resource.metadata.generation) throw changedMeanwhile(id);
  deps.log.warn("schedule has an earlier definition again: the cluster was restored", { schedule: id });
  return { state: "ours", id, resource, row: followed };
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
