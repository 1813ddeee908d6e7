import { isDeepStrictEqual } from "node:util";
import { createOnce } from "../../../cluster/create-once.ts";
import { isClusterError } from "../../../cluster/port.ts";
import { findScheduleNamed, readSchedule, type ScheduleRow } from "../../../database/schedules/schedules.ts";
import type { Principal } from "../../../domain/accounts/principal.ts";
import { RequestError } from "../../../domain/errors.ts";
import { API_VERSION, annotations, type ScheduleResource } from "../../../schema/resources.ts";
import type { ScheduleSpec } from "../../../schema/schedule.ts";
import { parseSchedule } from "../../../schema/validate.ts";
import { upsertSchedule } from "../../../transactions/schedules.ts";
import type { Context } from "../../context.ts";
import { refuse } from "../../http/response/errors.ts";
import { ownerAnnotations } from "../owner-annotations.ts";
import { closedStart, elsewhere, requireRoom, unknownReferences, unshareable } from "../reports/create-report.ts";

/**
 * Creates the Schedule resource, then its row. If this is interrupted in between, the controller
 * creates the row, and a retry with the same idempotency key finds the resource.
 */
export async function createSchedule(context: Context, caller: Principal): Promise<ScheduleRow> {
  const { db, namespace, now } = context.deps;
  const spec = await readScheduleSpec(context, caller);
  const name = `schedule-${context.uniqueName.slice(0, 20)}`;
  const made = context.isRetry ? await findScheduleNamed(db, caller, { namespace, name }) : undefined;
  if (made) return unlessDeleted(made);
  await requireRoom(context, caller);
  const resource = await createResource(context, caller, name, spec);
  // Where the controller was faster, there is a row of this resource already.
  await upsertSchedule(db, resource, caller.accountId, now());
  return unlessDeleted(await readSchedule(db, { uid: resource.metadata.uid }));
}

function unlessDeleted(row: ScheduleRow | undefined): ScheduleRow {
  if (row && !row.deleted_at) return row;
  throw refuse(409, "schedule_deleted", "Conflict", "The schedule that this request created was deleted.");
}

/**
 * The spec that a request describes.
 *
 * @param base the spec that a PATCH changes
 * @param guestToken the guest whose schedule it is
 * @throws RequestError 422 with every violation, references to other resources included
 */
export async function readScheduleSpec(
  context: Context,
  caller: Principal,
  base?: ScheduleSpec,
  guestToken = caller.guestToken,
): Promise<ScheduleSpec> {
  const parsed = parseSchedule(context.attributes, context.deps.limits, base);
  const violations = [
    ...("violations" in parsed ? parsed.violations : []),
    ...(await unknownReferences(context, caller)),
    ...closedStart(context, guestToken),
    ...("spec" in parsed ? [...elsewhere(caller, parsed.spec, base), ...unshareable(caller, parsed.spec, base)] : []),
  ];
  if ("spec" in parsed && violations.length === 0) return parsed.spec;
  throw new RequestError(violations);
}

async function createResource(
  context: Context,
  caller: Principal,
  name: string,
  spec: ScheduleSpec,
): Promise<ScheduleResource> {
  const { cluster, namespace } = context.deps;
  const resource = {
    apiVersion: API_VERSION,
    kind: "Schedule",
    metadata: {
      name,
      namespace,
      annotations: ownerAnnotations(context, caller),
    },
    spec,
  } as const;
  // True when the existing schedule was created by an earlier run of this request.
  const isOurs = ({ metadata, spec: existing }: ScheduleResource) =>
    metadata.annotations?.[annotations.account] === caller.accountId &&
    (metadata.annotations[annotations.guest] ?? null) === caller.guestToken &&
    isDeepStrictEqual(existing, spec);
  const made = await refusingInvalid(() => createOnce<"Schedule">(cluster, "Schedule", resource, isOurs));
  if (made) return made;
  throw refuse(409, "name_taken", "Conflict", "Another schedule of the same name exists; try again.");
}

/** Turns what the cluster refuses as invalid into a 422, since the client can correct it. */
export async function refusingInvalid<Result>(write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    if (!isClusterError(error, "Invalid")) throw error;
    throw refuse(422, "invalid_schedule", "Invalid schedule", error.message, { pointer: "/data/attributes" });
  }
}
