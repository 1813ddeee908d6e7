import type { ReportSpec } from "./report.ts";
import type { ScheduleSpec } from "./schedule.ts";

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
  /** Id of the API request that led to the resource: one id through the logs of every program. */
  requestId: `${GROUP}/request-id`,
} as const;

export const labels = {
  report: `${GROUP}/report`,
  schedule: `${GROUP}/schedule`,
  stage: `${GROUP}/stage`,
  run: `${GROUP}/run`,
} as const;

/** Holds a deleted Report until its Jobs are gone and its rows are marked. */
export const FINALIZER = `${GROUP}/jobs`;

/** A condition after the Kubernetes API conventions. */
export type Condition = {
  type: string;
  status: "True" | "False" | "Unknown";
  /** CamelCase, for programs. */
  reason: string;
  /** For people. */
  message: string;
  observedGeneration: number;
  /** RFC 3339, UTC. */
  lastTransitionTime: string;
};

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

/** How far a Report is, for people. */
export const reportPhases = ["Pending", "Crawling", "Checking", "Complete", "Failed"] as const;
export type ReportPhase = (typeof reportPhases)[number];

/** The stages of a report that run as Jobs. */
export const stages = ["crawler", "html-checker", "a11y-checker"] as const;
export type Stage = (typeof stages)[number];

/** Counters and conditions only: under 8 KB whatever the number of pages. */
export type ReportStatus = {
  observedGeneration?: number;
  phase?: ReportPhase;
  /** Why the report ended as it did, in CamelCase; set with phase Failed or an early stop. */
  stopReason?: string;
  pages?: number;
  errors?: number;
  warnings?: number;
  checks?: { pending: number; checked: number; failed: number };
  /** Number of the last Job created for each stage: a finished and removed Job is not made again. */
  runs?: Partial<Record<Stage, number>>;
  startTime?: string;
  completionTime?: string;
  conditions?: Condition[];
};

export type ReportResource = {
  apiVersion: typeof API_VERSION;
  kind: "Report";
  metadata: ObjectMeta;
  spec: ReportSpec;
  status?: ReportStatus;
};

export type ScheduleStatus = {
  observedGeneration?: number;
  lastRunTime?: string;
  nextRunTime?: string;
  /** Id of the report that runs now. */
  active?: string;
  conditions?: Condition[];
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
    /** Pods (child processes) that may run at once; may be raised while the Job runs. */
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
    succeeded?: number;
    failed?: number;
    startTime?: string;
    completionTime?: string;
    conditions?: { type: string; status: "True" | "False" | "Unknown"; reason?: string; message?: string }[];
  };
};

export type Resources = { Report: ReportResource; Schedule: ScheduleResource; Job: JobResource };
export type Kind = keyof Resources;
export type Resource = Resources[Kind];
