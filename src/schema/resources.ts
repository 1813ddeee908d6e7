import type { ReportSpec } from "./report.ts";
import type { ScheduleSpec } from "./schedule.ts";
import type { ReportStatus, ScheduleStatus } from "./status.ts";

export type { Condition, ReportPhase, ReportStatus, ScheduleStatus, Stage } from "./status.ts";
export { stages } from "./status.ts";

/** API group and version of the custom resources. */
export const GROUP = "sitevalidation.io";
export const VERSION = "v1";
export const API_VERSION = `${GROUP}/${VERSION}`;

/** Annotations that the programs set and read. */
export const annotations = {
  /** The report's or schedule's id, written once so that a restored resource keeps it. */
  id: `${GROUP}/id`,
  /** The account that owns the resource, as set by the API; otherwise the namespace's annotation decides. */
  account: `${GROUP}/account`,
  /** The guest account that created the resource, if any. */
  guest: `${GROUP}/guest`,
  /** On a Secret that Reports name for Basic HTTP Authentication: the only host that the credentials may be sent to. */
  host: `${GROUP}/host`,
  /** Id of the API request that led to the resource: the same id in the logs of every program. */
  requestId: `${GROUP}/request-id`,
  /** "true" on a finished Report that the controller removes: its database rows are kept. */
  keepRows: `${GROUP}/keep-rows`,
  /** On a Job: its Report, as `<namespace>/<name>`. */
  reportKey: `${GROUP}/report-key`,
  /** On a Job: how many Jobs in a row, this one included, were created without much progress in between. */
  attempt: `${GROUP}/attempt`,
  /** On a Job: how much of its work was done when it was created. */
  done: `${GROUP}/done`,
  /** On a Job: a digest of the settings that its pods were created with. */
  template: `${GROUP}/template`,
} as const;

export const labels = {
  report: `${GROUP}/report`,
  schedule: `${GROUP}/schedule`,
  stage: `${GROUP}/stage`,
  run: `${GROUP}/run`,
  /** Of a Job that makes a file: the file's id. */
  printer: `${GROUP}/printer`,
} as const;

/** Holds a deleted Report until its database rows are marked as deleted and its Jobs are gone. */
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
  /** Incremented with every change of the spec. */
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
    /** Left out for work queues: the Job ends when one pod has succeeded and the others have ended. */
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
    /** Pods that are running and ready, where the cluster counts them. */
    ready?: number;
    /** Pods that are being terminated and have not ended yet: they are no longer active. */
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
