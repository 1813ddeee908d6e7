import { deleteResource } from "../../../cluster/delete-resource.ts";
import {
  findSchedule,
  listSchedules,
  markScheduleDeleted,
  readSchedule,
  type ScheduleRow,
  setHookSecret,
} from "../../../database/schedules/schedules.ts";
import { mayDo } from "../../../domain/accounts/principal.ts";
import { snakeCase } from "../../../schema/api-names.ts";
import { reportSpecSchema } from "../../../schema/report.ts";
import type { ScheduleResource } from "../../../schema/resources.ts";
import { scheduleSpecSchema } from "../../../schema/schedule.ts";
import { upsertSchedule } from "../../../transactions/schedules.ts";
import type { Context, Route, RouteResponse } from "../../context.ts";
import { callerOf } from "../../http/request/caller.ts";
import { pageParameters, startingUrlParameter, tagParameters } from "../../http/request/parameters.ts";
import { isUuid } from "../../http/request/query.ts";
import { created, list, one } from "../../http/response/documents.ts";
import { notFound, refuse } from "../../http/response/errors.ts";
import { newSpec, specChange } from "../../openapi/request-body.ts";
import { outOfReach, updateSpec } from "../change-resource.ts";
import { requireRoom } from "../reports/create-report.ts";
import { createSchedule, readScheduleSpec, refusingInvalid } from "./create-schedule.ts";
import { scheduleDocument, scheduleUrl, withHook } from "./schedule-document.ts";

const path = "/schedules/:schedule_id";

type Defaults = Readonly<Record<string, { default?: unknown }>>;

/** The attributes whose default in a schedule is not that of a report: `max_pages 100 (report: 10)`. */
const differingDefaults = Object.entries(scheduleSpecSchema.properties as Defaults)
  .flatMap(([name, { default: ofSchedule }]) => {
    const ofReport = (reportSpecSchema.properties as Defaults)[name]?.default;
    const differs = ofReport !== undefined && JSON.stringify(ofReport) !== JSON.stringify(ofSchedule);
    return differs ? [`${snakeCase(name)} ${ofSchedule} (report: ${ofReport})`] : [];
  })
  .join(", ");

export const schedules: readonly Route[] = [
  {
    method: "GET",
    path: "/schedules",
    id: "listSchedules",
    tag: "Schedules",
    summary: "List schedules",
    success: { kind: "list", type: "schedule" },
    access: "account",
    site: "caller",
    parameters: [startingUrlParameter, ...tagParameters, ...pageParameters],
    handle: async (context) => {
      const { accountId, guestToken, sites } = callerOf(context);
      const page = context.query.page();
      const url = context.query.text("filter[url]");
      const tags = context.query.tags();
      const listed = await listSchedules(context.deps.db, {
        ...{ accountId, guestToken, sites },
        ...(url !== undefined && { url }),
        ...(tags && { tags }),
        page,
      });
      const withDeployHook = await Promise.all(listed.rows.map((row) => withHook(context, row)));
      return list(context, page, { ...listed, rows: withDeployHook }, (schedule) =>
        scheduleDocument(context, schedule),
      );
    },
  },
  {
    method: "POST",
    path: "/schedules",
    id: "createSchedule",
    audit: { verb: "created a schedule", area: "schedules" },
    tag: "Schedules",
    summary: "Create a schedule",
    description: `starting_url and periodicity are required. If periodicity is null or its every is deploy, only the deploy hook starts the schedule. A schedule watches a site, so its defaults cover more of it than a report's: ${differingDefaults}.`,
    success: { kind: "created", type: "schedule" },
    errors: [402],
    access: "account",
    site: "caller",
    body: newSpec("schedule", scheduleSpecSchema),
    rerunsOnRetry: true,
    handle: async (context) => {
      const row = await createSchedule(context, callerOf(context));
      const withDeployHook = await withHook(context, row);
      return created(scheduleDocument(context, withDeployHook), scheduleUrl(context, row.id));
    },
  },
  {
    method: "GET",
    path,
    id: "getSchedule",
    tag: "Schedules",
    summary: "Get a schedule",
    success: { kind: "one", type: "schedule" },
    access: "account",
    site: "schedule",
    handle: async (context) => show(context, await ownSchedule(context)),
  },
  {
    method: "PATCH",
    path,
    id: "updateSchedule",
    audit: { verb: "changed a schedule", area: "schedules" },
    tag: "Schedules",
    summary: "Change a schedule",
    description: "Only the given attributes change. A running report keeps the definition it was started with.",
    success: { kind: "one", type: "schedule" },
    errors: [402],
    access: "account",
    site: "schedule",
    body: specChange("schedule", scheduleSpecSchema),
    handle: change,
  },
  {
    method: "DELETE",
    path,
    id: "deleteSchedule",
    audit: { verb: "deleted a schedule", area: "schedules" },
    tag: "Schedules",
    summary: "Delete a schedule",
    description: "The schedule's reports are kept.",
    success: { kind: "nothing" },
    access: "account",
    site: "schedule",
    handle: remove,
  },
  {
    method: "POST",
    path: `${path}/deploy_hook`,
    id: "renewDeployHook",
    audit: { verb: "gave a deploy hook a new address", area: "schedules" },
    tag: "Schedules",
    summary: "Give the deploy hook a new secret",
    description: "The old address stops working at once; the response has the new one.",
    success: { kind: "created", type: "schedule" },
    errors: [409],
    access: "account",
    site: "schedule",
    showsSecret: true,
    handle: renewHook,
  },
];

/** The schedule in the address, if it is the account's or the guest's own. @throws RequestError 404 */
export async function ownSchedule(context: Context): Promise<ScheduleRow> {
  const id = context.params.schedule_id ?? "";
  const row = isUuid(id) ? await findSchedule(context.deps.db, callerOf(context), id) : undefined;
  if (row) return row;
  throw notFound("schedule");
}

async function show(context: Context, row: ScheduleRow): Promise<RouteResponse> {
  return one(scheduleDocument(context, await withHook(context, row)));
}

/** Changes the given fields in the resource's spec, then its row; a running report keeps its definition. */
async function change(context: Context): Promise<RouteResponse> {
  const { db, cluster, now } = context.deps;
  const caller = callerOf(context);
  const schedule = await ownSchedule(context);
  const written = await refusingInvalid(() =>
    updateSpec<ScheduleResource>(cluster, "Schedule", schedule, async (before) => {
      const spec = await readScheduleSpec(context, caller, before, schedule.guest_token);
      if (isLarger(spec, before)) await requireRoom(context, caller);
      return spec;
    }),
  );
  if (written === "gone") throw notFound("schedule");
  if (written === "out of reach") throw outOfReach("schedule");
  await upsertSchedule(db, written, schedule.account_id, now(), { id: schedule.id });
  const row = await readSchedule(db, schedule.id);
  if (!row || row.deleted_at) throw notFound("schedule");
  return show(context, row);
}

/** Whether a change needs noticeably more room in the cluster. A change that makes room is always allowed. */
function isLarger(spec: object, than: object): boolean {
  return JSON.stringify(spec).length > JSON.stringify(than).length + 1_000;
}

/** Deletes the resource first: if this is interrupted after that, the controller marks the row. Reports are kept. */
async function remove(context: Context): Promise<RouteResponse> {
  const { db, cluster, now } = context.deps;
  const schedule = await ownSchedule(context);
  await deleteResource(cluster, "Schedule", schedule);
  await markScheduleDeleted(db, schedule.id, schedule.uid, now());
  return { status: 204 };
}

/** Gives the deploy hook a new secret; the old address stops working at once. */
async function renewHook(context: Context): Promise<RouteResponse> {
  const { db, encryptor } = context.deps;
  const { id } = await ownSchedule(context);
  if (!mayDo(callerOf(context), { method: "POST", right: "run" }))
    throw refuse(
      403,
      "insufficient_scope",
      "Forbidden",
      "Whoever has the address can start runs, which this token may not: it would not be shown the new one.",
    );
  if (!encryptor)
    throw refuse(
      409,
      "no_secret_key",
      "Conflict",
      "The service cannot store the hook's secret: its operator must set SECRET_KEY.",
    );
  await setHookSecret(db, encryptor, id, { ifMissing: false });
  const row = await readSchedule(db, id);
  if (!row || row.deleted_at) throw notFound("schedule");
  const withDeployHook = await withHook(context, row);
  return created(scheduleDocument(context, withDeployHook), scheduleUrl(context, id));
}
