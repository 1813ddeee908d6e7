import { listUnfinished, setPhase, type UnfinishedReport } from "../database/report-progress.ts";
import type { JobResource } from "../schema/resources.ts";
import { annotations, labels } from "../schema/resources.ts";
import { allocate, type CheckerStage, checkerStages, type Demand, type Share } from "./allocate.ts";
import type { ControllerDeps } from "./deps.ts";

export type Allocator = {
  /** Notes what all Jobs hold: once at the start, before anything is shared out. */
  begin(jobs: readonly JobResource[]): void;
  /** The share of one report whose Jobs are `jobs`; what it grants is held from now on. */
  share(id: string, jobs: readonly JobResource[]): Promise<Share>;
  /** A report has ended: returns the keys of those that may start in its place. */
  release(id: string): Promise<string[]>;
};

/**
 * Grants shares one after the other, so that two reports worked on at once never get
 * the same place. A granted place is held in the report's row (its phase), granted pods
 * in memory until they are seen in Jobs; there is one controller at a time.
 */
export function createAllocator({ db, settings, metrics }: ControllerDeps): Allocator {
  const held = new Map<string, Demand["held"]>();
  let last: Promise<unknown> = Promise.resolve();

  function serial<Result>(body: () => Promise<Result>): Promise<Result> {
    const result = last.then(body);
    last = result.catch(() => {});
    return result;
  }

  async function allocateAll(): Promise<{ reports: UnfinishedReport[]; shares: Map<string, Share> }> {
    const reports = await listUnfinished(db);
    const known = new Set(reports.map((report) => report.id));
    for (const id of held.keys()) if (!known.has(id)) held.delete(id);
    const waiting = reports.filter((report) => report.waiting).length;
    metrics?.unfinishedReports.set({ state: "waiting" }, waiting);
    metrics?.unfinishedReports.set({ state: "running" }, reports.length - waiting);
    const shares = allocate(
      reports.map((report) => ({ ...report, queues: queuesOf(report), held: held.get(report.id) ?? {} })),
      settings,
    );
    return { reports, shares };
  }

  return {
    begin(jobs) {
      for (const job of jobs) {
        const id = job.metadata.labels?.[labels.report];
        if (id !== undefined) held.set(id, { ...held.get(id), ...podsOf([job]) });
      }
    },
    share: (id, jobs) =>
      serial(async () => {
        held.set(id, podsOf(jobs));
        const { reports, shares } = await allocateAll();
        const share = shares.get(id);
        if (!share) return { run: false, checkers: {} };
        held.set(id, share.checkers);
        // The place is taken before the first Job is made: a restart finds it taken.
        if (share.run && reports.some((report) => report.id === id && report.waiting))
          await setPhase(db, id, "Crawling");
        return share;
      }),
    release: (id) =>
      serial(async () => {
        held.delete(id);
        const { reports, shares } = await allocateAll();
        return reports
          .filter((report) => report.waiting && shares.get(report.id)?.run)
          .map((report) => `${report.namespace}/${report.name}`);
      }),
  };
}

function queuesOf(report: UnfinishedReport): Demand["queues"] {
  const queues: Demand["queues"] = {};
  // After the crawl an empty queue stays empty.
  if (report.performHtmlChecks && !(report.crawlOver && report.htmlPending === 0))
    queues["html-checker"] = report.htmlPending;
  if (report.performA11yChecks && !(report.crawlOver && report.a11yPending === 0))
    queues["a11y-checker"] = report.a11yPending;
  return queues;
}

/** Pods of the Jobs that have not ended. */
function podsOf(jobs: readonly JobResource[]): Partial<Record<CheckerStage, number>> {
  const pods: Partial<Record<CheckerStage, number>> = {};
  for (const job of jobs) {
    const stage = checkerStages.find((name) => name === job.metadata.labels?.[labels.stage]);
    const ended = job.status?.conditions?.some(
      ({ type, status }) => status === "True" && (type === "Complete" || type === "Failed"),
    );
    if (stage && !ended) pods[stage] = Math.max(pods[stage] ?? 0, job.spec.parallelism ?? 1);
  }
  return pods;
}

/** The key of the Report that a Job works for. */
export function reportKeyOf(job: JobResource): string | undefined {
  return job.metadata.annotations?.[annotations.reportKey];
}
