import { randomUUID } from "node:crypto";
import { createLocalCluster } from "../../src/cluster/local/local-cluster.ts";
import type { Cluster } from "../../src/cluster/port.ts";
import type { ControllerDeps } from "../../src/controller/deps.ts";
import { outcomeOf } from "../../src/controller/failures.ts";
import { reconcileSchedule } from "../../src/controller/schedule/reconcile.ts";
import {
  API_VERSION,
  annotations,
  labels,
  type ObjectMeta,
  type ReportResource,
  type ScheduleResource,
} from "../../src/schema/resources.ts";
import type { ScheduleSpec } from "../../src/schema/schedule.ts";
import { reportSpec } from "./builders.ts";
import { controllerDeps, testLog } from "./controller.ts";
import type { TestDatabase } from "./database.ts";

/** A schedule's spec with the schema's defaults: every day at 06:00, unless `spec` says otherwise. */
export function scheduleSpec(spec: Partial<ScheduleSpec> = {}): ScheduleSpec {
  const { baseId: _, cancelled: __, ...report } = reportSpec({ maxPages: 100, rateLimit: 5, performA11yChecks: true });
  return {
    ...report,
    periodicity: { every: "day", at: "06:00" },
    active: true,
    historyLimit: 3,
    previewHosts: [],
    ...spec,
  };
}

/** A Schedule resource as the cluster would return it. */
export function scheduleResource(
  spec: Partial<ScheduleSpec> = {},
  metadata: Partial<ObjectMeta> = {},
): ScheduleResource {
  const uid = metadata.uid ?? randomUUID();
  return {
    apiVersion: API_VERSION,
    kind: "Schedule",
    metadata: {
      name: `schedule-${uid.slice(0, 8)}`,
      namespace: "default",
      uid,
      resourceVersion: "1",
      generation: 1,
      creationTimestamp: "2026-01-01T00:00:00Z",
      annotations: { [annotations.id]: uid },
      ...metadata,
    },
    spec: scheduleSpec(spec),
  };
}

/** Applies a Schedule as kubectl would. */
export function applySchedule(
  cluster: Cluster,
  accountId: string,
  spec: Partial<ScheduleSpec> = {},
  metadata: Partial<ObjectMeta> = {},
): Promise<ScheduleResource> {
  return cluster.create<"Schedule">({
    apiVersion: API_VERSION,
    kind: "Schedule",
    metadata: {
      name: `nightly-${randomUUID().slice(0, 8)}`,
      namespace: "default",
      annotations: { [annotations.account]: accountId },
      ...metadata,
    },
    spec: scheduleSpec(spec),
  });
}

/** The controller's work on schedules without its loop, at times that a test decides. */
export function scheduleWorld(database: TestDatabase) {
  const cluster = createLocalCluster(database.db, { url: database.url, log: testLog });
  let time = new Date();
  const deps = controllerDeps(database, { cluster, now: () => time });
  return {
    cluster,
    deps,
    at: (moment: Date) => {
      time = moment;
    },
    now: () => time,
    /** Reconciles until there is nothing to do at this time. @returns when to look again */
    async reconcileAll(schedule: ScheduleResource, with_: Partial<ControllerDeps> = {}): Promise<number | undefined> {
      for (;;) {
        try {
          const again = await reconcileSchedule({ ...deps, ...with_ }, keyOf(schedule));
          if (again !== 0) return again;
        } catch (error) {
          // Another writer was quicker: the queue would try again.
          if (outcomeOf(error) !== "moved") throw error;
        }
      }
    },
    async reports(schedule: ScheduleResource): Promise<ReportResource[]> {
      const { items } = await cluster.list("Report", { labels: { [labels.schedule]: schedule.metadata.uid } });
      return items.toSorted((a, b) => a.metadata.name.localeCompare(b.metadata.name));
    },
  };
}

export function keyOf({ metadata }: Pick<ScheduleResource, "metadata">): string {
  return `${metadata.namespace}/${metadata.name}`;
}
