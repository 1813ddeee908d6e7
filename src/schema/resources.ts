import type { ReportSpec } from "./report.ts";
import type { ScheduleSpec } from "./schedule.ts";
import type { ReportStatus, ScheduleStatus } from "./status.ts";

export type { Condition, ReportPhase, ReportStatus, ScheduleStatus, Stage } from "./status.ts";
export { stages } from "./status.ts";

/** API group and version of the custom resources. */
export const GROUP = "sitevalidation.io";
export const VERSION = "v1";
export const API_VERSION = `${GROUP}/${VERSION}`;

/** Annotations and labels that the programs agree on. */
export const annotations = {
  /** The report's or schedule's id, stamped once so that a restored resource keeps it. */
  id: `${GROUP}/id`,
  /** The account that owns the resource (set by the api; elsewhere the namespace's annotation decides). */
  account: `${GROUP}/account`,
  /** The guest account that created the resource, if any. */
  guest: `${GROUP}/guest`,
  /** On a Secret that Reports name for Basic HTTP Authentication: the only host that it may be sent to. */
  host: `${GROUP}/host`,
  /** Id of the API request that led to the resource: one id through the logs of every program. */
  requestId: `${GROUP}/request-id`,
  /** "true" on a Report that is removed because its time is over: its rows stay. */
  keepRows: `${GROUP}/keep-rows`,
  /** On a Job: the Report that it works for, as `<namespace>/<name>`. */
  reportKey: `${GROUP}/report-key`,
  /** On a Job: how many in a row, this one included, were made for the same work. */
  attempt: `${GROUP}/attempt`,
  /** On a Job: how much of its work was done when it was made. */
  done: `${GROUP}/done`,
  /** On a Job: a digest of the settings that its pods are made from. */
  template: `${GROUP}/template`,
} as const;

export const labels = {
  report: `${GROUP}/report`,
  schedule: `${GROUP}/schedule`,
  stage: `${GROUP}/stage`,
  run: `${GROUP}/run`,
} as const;

/** Holds a deleted Report until its Jobs are gone and its rows are marked. */
export const FINALIZER = `${GROUP}/jobs`;

export type OwnerReference = {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
};

/** The part of Kubernetes' ObjectMeta that this project uses. */
export type ObjectMeta = {
  name: string;
  namespace: string;
  uid: string;
  /** Opaque; changes with every write. */
  resourceVersion: string;
  /** Raised by every change of spec. */
  generation: number;
  creationTimestamp: string;
  deletionTimestamp?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
};

export type ReportResource = {
  apiVersion: typeof API_VERSION;
  kind: "Report";
  metadata: ObjectMeta;
  spec: ReportSpec;
  status?: ReportStatus;
};

export type ScheduleResource = {
  apiVersion: typeof API_VERSION;
  kind: "Schedule";
  metadata: ObjectMeta;
  spec: ScheduleSpec;
  status?: ScheduleStatus;
};

/** The part of batch/v1 Job that this project writes and reads. */
export type JobResource = {
  apiVersion: "batch/v1";
  kind: "Job";
  metadata: ObjectMeta;
  spec: {
    /** Pods (child processes) that may run at once; may be changed while the Job runs. */
    parallelism?: number;
    /** Left out for work queues: the Job ends when one pod succeeds and the rest have ended. */
    completions?: number;
    backoffLimit?: number;
    activeDeadlineSeconds?: number;
    ttlSecondsAfterFinished?: number;
    template: {
      metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> };
      spec: {
        restartPolicy: "Never";
        containers: {
          name: string;
          image: string;
          /** The program's arguments: `["crawler", "--report", "…", "--run", "1"]`. */
          args: string[];
          env?: { name: string; value?: string; valueFrom?: unknown }[];
          [field: string]: unknown;
        }[];
        [field: string]: unknown;
      };
    };
    [field: string]: unknown;
  };
  status?: {
    active?: number;
    /** Pods that run and are ready, where the cluster counts them. */
    ready?: number;
    /** Pods that were told to end and have not ended yet: they are no longer active. */
    terminating?: number;
    succeeded?: number;
    failed?: number;
    startTime?: string;
    completionTime?: string;
    conditions?: {
      type: string;
      status: "True" | "False" | "Unknown";
      reason?: string;
      message?: string;
      lastTransitionTime?: string;
    }[];
  };
};

export type Resources = { Report: ReportResource; Schedule: ScheduleResource; Job: JobResource };
export type Kind = keyof Resources;
export type Resource = Resources[Kind];
