import { createOnce } from "../../cluster/create-once.ts";
import { jobToken } from "../../database/job-role.ts";
import { recordRun, setPhase } from "../../database/reports/progress.ts";
import { parseCredentials } from "../../domain/headers/site-credentials.ts";
import { annotations, type JobResource, labels, type ReportResource } from "../../schema/resources.ts";
import type { Logger } from "../../telemetry/log.ts";
import { abandonChecks } from "../../transactions/end-checks.ts";
import { abandonCrawl, endReport } from "../../transactions/end-report.ts";
import { reviewSite } from "../../transactions/review-site.ts";
import type { ControllerDeps } from "../deps.ts";
import { basicAuthOf, putBasicAuth } from "../jobs/credentials.ts";
import { type JobOrder, jobManifest } from "../jobs/manifest.ts";
import type { ReportDeps } from "./comparisons.ts";
import { reportLog } from "./log.ts";
import { type Action, type ReportPlan, WAITING_RECHECK_MS } from "./plan.ts";

/**
 * What became of an action. `changed`: the state has changed since it was observed. `waits`: it needs something that is
 * being done, and the report is woken after that.
 */
type Applied = "done" | "changed" | "waits";

/**
 * Carries out a plan's actions, in order.
 *
 * @returns when to observe again, if they could not all be carried out; `waits`: the report is being compared
 * @throws as applyAction does
 */
export async function applyPlan(
  deps: ReportDeps,
  resource: ReportResource,
  id: string,
  { actions }: ReportPlan,
  now: Date,
): Promise<{ againMs: number; waits: boolean } | undefined> {
  if (!actions.some(({ type }) => type === "end")) deps.comparisons.forget(id);
  for (const action of actions) {
    const applied = await applyAction(deps, resource, id, action, now);
    const waits = applied === "waits";
    if (applied !== "done") return { againMs: waits ? WAITING_RECHECK_MS : 0, waits };
  }
  return undefined;
}

/**
 * Carries out one action of a plan. Each action is idempotent.
 *
 * @throws ClusterError `Conflict` or `NotFound` when a resource has changed since it was observed
 */
export async function applyAction(
  deps: ReportDeps,
  resource: ReportResource,
  id: string,
  action: Action,
  now: Date,
): Promise<Applied> {
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
      await cluster.update<"Job">({ ...job, spec: { ...job.spec, parallelism } });
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
      return end(deps, log, id, action.phase, now);
    case "expire":
      await expireReport(deps, resource);
  }
  return "done";
}

/** Ends a report once it is compared with the one before it. */
async function end(
  { db, comparisons, metrics }: ReportDeps,
  log: Logger,
  id: string,
  phase: "Complete" | "Failed",
  now: Date,
): Promise<Applied> {
  // Before they are compared with those of the report before it.
  if (phase === "Complete" && !(await reviewSite(db, id, now))) return "changed";
  const compared = await comparisons.resultOf(id, log);
  if (compared === undefined) return "waits";
  const ended =
    typeof compared === "string"
      ? await endReport(db, id, phase, now, null, compared)
      : await endReport(db, id, phase, now, compared.id);
  comparisons.forget(id);
  if (!ended) return "changed";
  log.info("report ended", { phase });
  metrics?.reportsEnded.inc({ phase });
  return "done";
}

/** Creates a Job, with its own Secret when its site needs credentials. */
async function createJob(deps: ControllerDeps, resource: ReportResource, id: string, order: JobOrder): Promise<void> {
  const { cluster, settings, jobSecrets, metrics } = deps;
  const basicAuth = await basicAuthOf(deps, resource, id);
  const token = await jobToken(deps.db, id);
  const given = {
    basicAuth: basicAuth !== undefined,
    signsIn: parseCredentials(basicAuth ?? "")?.signIn !== undefined,
    token,
  };
  const manifest = jobManifest(resource, id, order, settings, given);
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
