import { createHash } from "node:crypto";
import type { ReportSpec } from "../../schema/report.ts";
import { API_VERSION, annotations, labels, type ObjectMeta } from "../../schema/resources.ts";
import type { ScheduleSpec } from "../../schema/schedule.ts";
import { type NamesOf, rows } from "../../settings/index.ts";

/** A run of a schedule: the schedule's fields and the slot. */
export type ScheduledRun = {
  scheduleId: string;
  accountId: string;
  guestToken: string | null;
  /** The Schedule's namespace, and that of its Reports. */
  namespace: string;
  name: string;
  spec: ScheduleSpec;
  slot: Date;
  reportId: string;
  /** The API request that started it, if one did. */
  requestId?: string;
};

/**
 * The name of a slot's Report. It depends only on the schedule and the slot, is readable, and is short
 * enough that the names of its Jobs are valid label values.
 */
export function scheduledReportName({
  scheduleId,
  name,
  slot,
}: Pick<ScheduledRun, "scheduleId" | "name" | "slot">): string {
  const time = slot.toISOString();
  const readable = name.slice(0, 24).replaceAll(".", "-").replace(/-+$/, "");
  const minute = `${time.slice(0, 10).replaceAll("-", "")}-${time.slice(11, 16).replace(":", "")}`;
  const unique = createHash("sha256").update(`${scheduleId} ${time}`).digest("hex").slice(0, 6);
  return `${readable}-${minute}-${unique}`;
}

/** What schedules do not set. */
const onlyOfReports = Object.fromEntries<unknown>(
  rows.flatMap(({ name, setting: { schedule, schema } }) => (schedule === false ? [[name, schema.default]] : [])),
) as Pick<ReportSpec, NamesOf<{ schedule: false }>>;

/** The spec of a schedule's reports: the schedule's definition without what is about its runs. */
export function scheduledSpec({
  periodicity: _,
  active: __,
  historyLimit: ___,
  previewHosts: ____,
  notifications: _____,
  ...spec
}: ScheduleSpec): ReportSpec {
  return { ...spec, ...onlyOfReports };
}

/**
 * Whether a resource of a schedule's namespace is the Report of a run, by its name and its label: users who may edit it
 * choose its other annotations, also before it has a row (docs/adr/0070).
 */
export function isReportOfRun(
  { name, labels: given }: Pick<ObjectMeta, "name" | "labels">,
  run: Pick<ScheduledRun, "scheduleId" | "name" | "slot">,
): boolean {
  return name === scheduledReportName(run) && given?.[labels.schedule] === run.scheduleId;
}

/** The Report resource of a run. */
export function scheduledReport(run: ScheduledRun) {
  return {
    apiVersion: API_VERSION,
    kind: "Report",
    metadata: {
      name: scheduledReportName(run),
      namespace: run.namespace,
      labels: { [labels.schedule]: run.scheduleId },
      annotations: {
        [annotations.id]: run.reportId,
        [annotations.account]: run.accountId,
        ...(run.guestToken !== null && { [annotations.guest]: run.guestToken }),
        ...(run.requestId !== undefined && { [annotations.requestId]: run.requestId }),
      },
    },
    spec: scheduledSpec(run.spec),
  } as const;
}
