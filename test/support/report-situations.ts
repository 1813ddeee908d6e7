import type { Idleness } from "../../src/controller/jobs/idle.ts";
import type { PodProblem } from "../../src/controller/jobs/pod-health.ts";
import type { ReportSnapshot } from "../../src/controller/report/plan.ts";
import { defaultJobBackoff } from "../../src/controller/settings.ts";
import type { ReportProgress } from "../../src/database/reports/progress.ts";
import { annotations, type JobResource, labels, type ReportResource, type Stage } from "../../src/schema/resources.ts";
import { reportResource } from "./builders.ts";

export const NOW = new Date("2026-01-02T03:04:05.000Z");
const TEMPLATE = "of-now";
export const EARLIER = new Date("2026-01-02T03:00:00.000Z");

export type Situation = {
  /** Added to a row of a report that crawls and has found nothing yet. */
  row?: Partial<Omit<ReportProgress, "checks">> & { html?: Partial<Counts>; a11y?: Partial<Counts> };
  jobs?: JobResource[];
  /** Of these Jobs those whose Secret has not been given to them. */
  withoutSecret?: JobResource[];
  grant?: ReportSnapshot["grant"];
  /** The last Jobs' numbers, as the status shows them and as the row has recorded them, each as an attempt without progress. */
  runs?: Partial<Record<Stage, number>>;
  stopReason?: string;
  a11y?: boolean;
  /** The report's own deadline; it began 245 seconds ago. */
  deadlineSeconds?: number;
  cancelled?: boolean;
  /** Applied by a person: no request's id. */
  byHand?: boolean;
  /** Jobs of which no pod works. */
  idle?: Record<string, Idleness>;
  trouble?: PodProblem;
};
type Counts = { pending: number; checked: number; failed: number };

/** What the controller observes of a report in a situation. */
export function situation({
  row = {},
  jobs = [],
  withoutSecret = [],
  grant,
  runs = {},
  stopReason,
  a11y = false,
  deadlineSeconds = 0,
  cancelled = false,
  byHand = false,
  idle = {},
  trouble,
}: Situation): ReportSnapshot {
  const resource = reportResource(
    { performA11yChecks: a11y, activeDeadlineSeconds: deadlineSeconds, cancelled },
    byHand ? {} : { annotations: { [annotations.requestId]: "request-1" } },
  );
  const { html, a11y: a11yCounts, ...rest } = row;
  const counts = (given: Partial<Counts> = {}): Counts => ({ pending: 0, checked: 0, failed: 0, ...given });
  const withStatus: ReportResource = {
    ...resource,
    status: { runs, ...(stopReason === undefined ? {} : { stopReason }), startTime: EARLIER.toISOString() },
  };
  return {
    resource: withStatus,
    row: {
      id: resource.metadata.uid,
      accountId: "account",
      namespace: "default",
      name: resource.metadata.name,
      uid: resource.metadata.uid,
      generation: 1,
      spec: resource.spec,
      shared: false,
      phase: "Crawling",
      crawlState: "crawling",
      failureCode: null,
      failureDetail: null,
      coverage: null,
      pages: 0,
      errors: 0,
      warnings: 0,
      states: null,
      gate: null,
      completedAt: null,
      deletedAt: null,
      ...rest,
      lastJobs: {
        ...Object.fromEntries(Object.entries(runs).map(([stage, run]) => [stage, { run, attempt: run, done: 0 }])),
        ...rest.lastJobs,
      },
      checks: { html: counts(html), a11y: counts(a11yCounts), links: counts() },
    },
    jobs,
    withoutSecret,
    grant: grant ?? { run: true, checkers: { "html-checker": 1, "a11y-checker": 1 } },
    pods: { idle: new Map(Object.entries(idle)), trouble },
    endedFor: new Map(jobs.flatMap(endedFor)),
    template: TEMPLATE,
    jobBackoff: defaultJobBackoff,
    reportTtlSeconds: 3_600,
  };
}

/** For how long a Job has been seen ended: for as long as it says, where it says so. */
function endedFor({ metadata, status }: JobResource): [string, number][] {
  const times = (status?.conditions ?? []).flatMap(({ lastTransitionTime }) => lastTransitionTime ?? []);
  return times.map((time) => [metadata.uid, NOW.getTime() - Date.parse(time)]);
}

type JobState = "active" | "complete" | "failed" | "usage";

/** A Job of a stage as it is in the cluster. */
export function job(
  stage: Stage,
  state: JobState,
  options: {
    run?: number;
    attempt?: number;
    parallelism?: number;
    done?: number;
    template?: string;
    /** When it ended; not known where left out. */
    secondsAgo?: number;
  } = {},
): JobResource {
  const { run = 1, attempt = run, parallelism = 1, done = 0, template = TEMPLATE, secondsAgo } = options;
  const conditions: Record<JobState, NonNullable<JobResource["status"]>["conditions"]> = {
    active: [],
    complete: [{ type: "Complete", status: "True" }],
    failed: [{ type: "Failed", status: "True", reason: "BackoffLimitExceeded", message: "4 pods failed." }],
    usage: [{ type: "Failed", status: "True", reason: "PodFailurePolicy", message: "Exit code 2." }],
  };
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name: `${stage}-${run}`,
      namespace: "default",
      uid: `${stage}-${run}`,
      resourceVersion: "1",
      generation: 1,
      creationTimestamp: EARLIER.toISOString(),
      labels: { [labels.stage]: stage, [labels.run]: String(run) },
      annotations: {
        [annotations.attempt]: String(attempt),
        [annotations.done]: String(done),
        [annotations.template]: template,
      },
    },
    spec: { parallelism, template: { spec: { restartPolicy: "Never", containers: [] } } },
    status: {
      conditions: (conditions[state] ?? []).map((condition) => ({
        ...condition,
        ...(secondsAgo !== undefined && {
          lastTransitionTime: new Date(NOW.getTime() - secondsAgo * 1_000).toISOString(),
        }),
      })),
    },
  };
}

/** Rows of a report whose crawl runs, and of one whose crawl is over. */
export const crawling = { crawlState: "crawling" } as const;
export const over = { crawlState: "ended", pages: 3 } as const;
