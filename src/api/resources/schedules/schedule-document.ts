import { hookSecret, readSchedule, type ScheduleRow, setHookSecret } from "../../../database/schedules/schedules.ts";
import { callerFor, mayDo } from "../../../domain/accounts/principal.ts";
import { type Periodicity, scheduleSpecSchema } from "../../../schema/schedule.ts";
import type { Context } from "../../context.ts";
import type { Resource } from "../../documents.ts";
import { related, timestamp } from "../../http/response/documents.ts";
import { badgeUrl as badgeUrlOf } from "../badges.ts";
import { specAttributes } from "../spec-attributes.ts";

/** A schedule, and the addresses of its badge and, for callers who may see it, of its deploy hook. */
export type ScheduleView = { row: ScheduleRow; badgeUrl: string | null; hookUrl: string | null };

/** The address of the schedule in this API. */
export function scheduleUrl(context: Context, id: string): string {
  return `${context.base}/schedules/${id}`;
}

/**
 * Adds the deploy hook's address if the caller may start runs. A schedule that was
 * applied with kubectl gets its secret when it is first requested.
 */
export async function withHook(context: Context, row: ScheduleRow): Promise<ScheduleView> {
  const { db, encryptor } = context.deps;
  const badgeUrl = badgeUrlOf(context, "schedule", row.id);
  const { caller } = context;
  // The address goes on when a token has ended: one that may only start runs does so by POST /schedules/{id}/runs.
  const mayKeep = caller && mayDo(caller, { method: "PATCH", right: "change" });
  const runner = mayKeep ? callerFor(caller, { method: "POST", right: "run" }) : undefined;
  const mayRun = runner && (runner.sites === null || runner.sites.includes(row.starting_url));
  if (!encryptor || !mayRun) return { row, badgeUrl, hookUrl: null };
  let stored: ScheduleRow | undefined = row;
  if (!row.hook_hash) {
    await setHookSecret(db, encryptor, row.id, { ifMissing: true });
    stored = await readSchedule(db, row.id);
  }
  const secret = stored && hookSecret(encryptor, stored);
  return { row, badgeUrl, hookUrl: secret === undefined ? null : `${context.ownBase}/deploy_hooks/${secret}` };
}

/** A schedule in the API. */
export function scheduleDocument(context: Context, { row, badgeUrl, hookUrl }: ScheduleView): Resource<"schedule"> {
  const { spec } = row;
  // The attributes named here are placed one by one below; `run` has all others.
  const {
    starting_url,
    initial_urls,
    exclusions,
    html_engine,
    max_pages,
    rate_limit,
    periodicity: _,
    active,
    history_limit,
    user_agent,
    basic_auth_id,
    tags,
    shared,
    ...run
  } = specAttributes(scheduleSpecSchema, {
    ...spec,
    startingUrl: row.starting_url,
    active: row.active,
    tags: row.tags,
  });
  return {
    id: row.id,
    type: "schedule",
    attributes: {
      starting_url,
      initial_urls,
      exclusions,
      html_engine,
      ...run,
      user_agent,
      basic_auth_id,
      max_pages,
      rate_limit,
      periodicity: periodicityAttribute(spec.periodicity),
      active,
      history_limit,
      tags,
      shared,
      deploy_hook_url: hookUrl,
      badge_url: badgeUrl,
      next_run_at: timestamp(row.next_run_at),
      last_run_at: timestamp(row.last_run_at),
      inserted_at: timestamp(row.inserted_at),
      updated_at: timestamp(row.updated_at),
    },
    relationships: related({
      reports: `${context.base}/reports?${new URLSearchParams({ "filter[schedule_id]": row.id })}`,
      device: `${context.base}/devices/${spec.deviceId || "default"}`,
    }),
  };
}

/** The periodicity with the day on which it runs filled in; null when only the deploy hook starts the schedule. */
function periodicityAttribute({
  timeZone,
  ...periodicity
}: Periodicity): Resource<"schedule">["attributes"]["periodicity"] {
  if (periodicity.every === "deploy") return null;
  return {
    ...periodicity,
    ...(periodicity.every === "week" && { weekday: periodicity.weekday ?? "monday" }),
    ...(periodicity.every === "month" && { monthday: periodicity.monthday ?? 1 }),
    ...(timeZone !== undefined && { time_zone: timeZone }),
  };
}
