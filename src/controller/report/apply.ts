import { createOnce } from "../../cluster/create-once.ts";
import { abandonChecks } from "../../database/checks/record-outcomes.ts";
import { isConnectionLoss, isStatementTimeout } from "../../database/connection/connection-loss.ts";
import { comparisonLimits } from "../../database/connection/connection-options.ts";
import { openSession } from "../../database/connection/session.ts";
import { type Compared, compareReports } from "../../database/findings/compare.ts";
import { findBase } from "../../database/findings/find-base.ts";
import { storeComponents } from "../../database/findings/list-components.ts";
import { jobToken } from "../../database/job-role.ts";
import { judgeReport, type NotCompared } from "../../database/reports/judge.ts";
import { abandonCrawl, endReport, recordRun, setPhase } from "../../database/reports/progress.ts";
import { annotations, type JobResource, labels, type ReportResource } from "../../schema/resources.ts";
import type { ControllerDeps } from "../deps.ts";
import { basicAuthOf, putBasicAuth } from "../jobs/credentials.ts";
import { type JobOrder, jobManifest } from "../jobs/manifest.ts";
import { reportLog } from "./log.ts";
import type { Action } from "./plan.ts";

/**
 * Carries out one action of a plan. Each action is idempotent.
 *
 * @returns false when the state has changed since it was observed: observe again
 * @throws ClusterError `Conflict` or `NotFound` when a resource has changed: likewise
 */
export async function applyAction(
  deps: ControllerDeps,
  resource: ReportResource,
  id: string,
  action: Action,
  now: Date,
): Promise<boolean> {
  const { cluster, db } = deps;
  const log = reportLog(deps.log, resource, id);
  switch (action.type) {
    case "create-job":
      await createJob(deps, resource, id, action.order);
      await recordRun(db, id, action.order);
      break;
    case "put-secret":
      await putBasicAuth(deps, resource, id, action.job);
      log.info("job's secret written on a later pass", { job: action.job.metadata.name });
      break;
    case "delete-job": {
      const { namespace, name, uid } = action.job.metadata;
      await cluster.delete("Job", namespace, name, { uid });
      log.warn("job removed before its work was done", { job: name });
      break;
    }
    case "set-parallelism": {
      const { job, parallelism } = action;
      await cluster.update<"Job">({
        ...job,
        metadata: job.spec.parallelism === 0 ? raisedAt(job, now) : job.metadata,
        spec: { ...job.spec, parallelism },
      });
      log.info("job's parallelism changed", { job: job.metadata.name, from: job.spec.parallelism, to: parallelism });
      break;
    }
    case "abandon-crawl":
      log.warn("crawl given up", action.failure);
      await abandonCrawl(db, id, action.failure);
      break;
    case "abandon-checks": {
      const { kind, failure } = action;
      const count = await abandonChecks(db, { reportId: id, kind, spec: resource.spec }, failure, now);
      log.warn("checks given up", { kind, count, ...failure });
      break;
    }
    case "set-phase":
      await setPhase(db, id, action.phase);
      break;
    case "end":
      if (!(await end(deps, resource, id, action.phase, now))) return false;
      log.info("report ended", { phase: action.phase });
      deps.metrics?.reportsEnded.inc({ phase: action.phase });
      break;
    case "judge":
      await db.transaction().execute((trx) => judgeReport(trx, id, "no_base"));
      break;
    case "expire":
      await expireReport(deps, resource);
  }
  return true;
}

async function end(
  deps: ControllerDeps,
  resource: ReportResource,
  id: string,
  phase: "Complete" | "Failed",
  now: Date,
): Promise<boolean> {
  const compared = await compareWithBase(deps, resource, id);
  await groupComponents(deps, resource, id);
  if (typeof compared === "string") return endReport(deps.db, id, phase, now, null, compared);
  return endReport(deps.db, id, phase, now, compared.id);
}

/**
 * Says what is new in a report, before it ends: whoever waits for its end may ask at once.
 *
 * @returns the comparison, or why there is none: a fault of its own does not keep the report from ending
 */
async function compareWithBase(
  deps: ControllerDeps,
  resource: ReportResource,
  id: string,
): Promise<Compared | NotCompared> {
  try {
    const base = await findBase(deps.db, id);
    return base === undefined ? "no_base" : await compareApart(deps.databaseUrl, id, base);
  } catch (error) {
    // The report's own results are whole without it. What takes too long once would do so each time.
    if (isConnectionLoss(error) && !isStatementTimeout(error)) throw error;
    reportLog(deps.log, resource, id).error("report not compared with the one before", { error });
    return "not_compared";
  }
}

/** Groups the findings by what has to be mended once. Without it whoever asks first waits for it. */
async function groupComponents({ db, log }: ControllerDeps, resource: ReportResource, id: string): Promise<void> {
  try {
    if (await storeComponents(db, id)) return;
    reportLog(log, resource, id).warn("components not grouped: it takes too long");
  } catch (error) {
    if (isConnectionLoss(error)) throw error;
    reportLog(log, resource, id).error("components not grouped", { error });
  }
}

/** Compares through a connection of its own, whose statements may take longer than the pool's. */
async function compareApart(url: string, id: string, base: string): Promise<Compared | NotCompared> {
  const session = await openSession({ url, applicationName: "site-validator comparison", limits: comparisonLimits });
  try {
    return (await compareReports(session.db, id, base)) ?? "not_compared";
  } finally {
    await session.close();
  }
}

function raisedAt({ metadata }: JobResource, now: Date): JobResource["metadata"] {
  return { ...metadata, annotations: { ...metadata.annotations, [annotations.raisedAt]: now.toISOString() } };
}

/** Creates a Job, with its own Secret when its site needs a password. */
async function createJob(deps: ControllerDeps, resource: ReportResource, id: string, order: JobOrder): Promise<void> {
  const { cluster, settings, jobSecrets, metrics } = deps;
  const basicAuth = await basicAuthOf(deps, resource, id);
  const token = await jobToken(deps.db, id);
  const manifest = jobManifest(resource, id, order, settings, { basicAuth: basicAuth !== undefined, token });
  let existed = false;
  const job = await createOnce<"Job">(cluster, "Job", manifest, (existing) => {
    existed = true;
    return isJobOf(existing, id, order);
  });
  const { name, namespace } = manifest.metadata;
  if (!job) throw new Error(`The Job ${namespace}/${name} does not belong to this report: it must be removed.`);
  if (!existed) {
    metrics?.jobsCreated.inc({ stage: order.stage });
    reportLog(deps.log, resource, id).info("job created", { job: name, parallelism: order.parallelism });
  }
  // If this is interrupted or fails, a later pass finds the Job without its Secret.
  if (basicAuth !== undefined) await jobSecrets.put(job, basicAuth);
}

function isJobOf(job: JobResource, id: string, order: JobOrder): boolean {
  const found = job.metadata.labels ?? {};
  return found[labels.report] === id && found[labels.stage] === order.stage && found[labels.run] === String(order.run);
}

/** Removes the resource of a finished report. The annotation is set first, so that its rows are kept. */
export async function expireReport({ cluster, log }: ControllerDeps, resource: ReportResource): Promise<void> {
  const { namespace, name, uid } = resource.metadata;
  await cluster.update<"Report">({
    ...resource,
    metadata: {
      ...resource.metadata,
      annotations: { ...resource.metadata.annotations, [annotations.keepRows]: "true" },
    },
  });
  await cluster.delete("Report", namespace, name, { uid });
  log.info("finished report removed, its rows are kept", { report: name });
}
