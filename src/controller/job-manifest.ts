import { createHash } from "node:crypto";
import type { NewObject } from "../cluster/port.ts";
import { annotations, type JobResource, labels, type ReportResource, type Stage } from "../schema/resources.ts";
import { jobPod, mergeEnvironment } from "./job-pod.ts";
import type { ControllerSettings } from "./settings.ts";

/** Which Job to make: the run counts a stage's Jobs, the attempt those in a row for the same work. */
export type JobOrder = { stage: Stage; run: number; attempt: number; parallelism: number };

/** A Job's name may have 63 characters; the longest suffix is `-html-checker-` and a number. */
const LONGEST_BASE = 40;
const ONE_DAY = 86_400;
/** Of a report without a limit. */
const MOST_PAGES = 1_000_000;

/** The arguments that the programs take (main/crawler.ts, main/checker.ts). */
function programArguments(stage: Stage, id: string, run: number): string[] {
  const common = ["--run", String(run)];
  if (stage === "crawler") return ["crawler", "--report", id, ...common];
  return ["checker", "--report", id, "--engine", stage === "html-checker" ? "html" : "a11y", ...common];
}

/** Begins the key of a report that has only its row. */
const ROW = "row:";

/** Under which key the controller works on a report: its resource's place, or its id when there is none. */
export function reportKey({ namespace, name, uid }: ReportResource["metadata"], id: string): string {
  return uid === "" ? rowKey(id) : `${namespace}/${name}`;
}

export function rowKey(id: string): string {
  return `${ROW}${id}`;
}

/** The id in the key of a report that has only its row. */
export function rowIdOf(key: string): string | undefined {
  return key.startsWith(ROW) ? key.slice(ROW.length) : undefined;
}

/** `<report>-<stage>-<run>`: made twice, it meets itself. */
export function jobName(report: ReportResource, id: string, stage: Stage, run: number, namespace: string): string {
  const { name } = report.metadata;
  const plain = report.metadata.namespace === namespace && name.length <= LONGEST_BASE && !name.includes(".");
  // A name that would not fit, or may exist in two namespaces, is made unique by the report's id.
  const digest = createHash("sha256").update(id).digest("hex").slice(0, 10);
  const base = plain ? name : `${name.replaceAll(".", "-").slice(0, LONGEST_BASE - 11)}-${digest}`;
  return `${base}-${stage}-${run}`;
}

/**
 * A Job that hangs ends some day; one that is slow because it was asked to be must not.
 * All stages together request a page up to three times.
 */
function deadlineSeconds({ maxPages, rateLimit }: ReportResource["spec"]): number {
  if (rateLimit === 0) return ONE_DAY;
  return ONE_DAY + Math.ceil((3 * (maxPages || MOST_PAGES)) / rateLimit);
}

/** Under which key the Secret of a Job keeps the credentials for its site. */
export function basicAuthKey(basicAuthId: string): string {
  return `basic-auth-${basicAuthId}`;
}

/** By reference: Jobs are stored, and read by many. Credentials that are gone are none. */
function basicAuthVariable({ spec }: ReportResource) {
  if (!spec.basicAuthId) return [];
  const key = basicAuthKey(spec.basicAuthId);
  return [{ name: "BASIC_AUTH", valueFrom: { secretKeyRef: { name: key, key, optional: true } } }];
}

export function jobManifest(
  report: ReportResource,
  id: string,
  order: JobOrder,
  settings: ControllerSettings,
): NewObject<JobResource> {
  const { metadata } = report;
  const { stage, run, attempt, parallelism } = order;
  const requestId = metadata.annotations?.[annotations.requestId];
  const browser = stage === "a11y-checker" || (stage === "crawler" && report.spec.dynamicCrawler);
  const pod = settings.pods && jobPod(settings.pods, stage, browser);
  const template = settings.pods?.template;
  const jobLabels = { [labels.report]: id, [labels.stage]: stage, [labels.run]: String(run) };
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name: jobName(report, id, stage, run, settings.namespace),
      namespace: settings.namespace,
      labels: jobLabels,
      annotations: {
        [annotations.reportKey]: reportKey(metadata, id),
        [annotations.attempt]: String(attempt),
        ...(requestId === undefined ? {} : { [annotations.requestId]: requestId }),
      },
      // Owner references do not reach across namespaces: there the finalizer is alone.
      ...(metadata.uid !== "" && metadata.namespace === settings.namespace
        ? {
            ownerReferences: [
              {
                apiVersion: report.apiVersion,
                kind: report.kind,
                name: metadata.name,
                uid: metadata.uid,
                controller: true,
              },
            ],
          }
        : {}),
    },
    spec: {
      parallelism,
      backoffLimit: 3,
      activeDeadlineSeconds: deadlineSeconds(report.spec),
      ttlSecondsAfterFinished: settings.jobTtlSeconds,
      // A pod that still ends could write beside its successor: only what has ended is replaced.
      podReplacementPolicy: "Failed",
      podFailurePolicy: {
        rules: [
          // Moved to another node is not failed.
          { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] },
          { action: "FailJob", onExitCodes: { containerName: stage, operator: "In", values: [2] } },
        ],
      },
      template: {
        metadata: {
          labels: { ...template?.labels, ...jobLabels },
          ...(template?.annotations && { annotations: template.annotations }),
        },
        spec: {
          ...pod?.spec,
          restartPolicy: "Never",
          containers: [
            {
              name: stage,
              image: settings.image,
              ...pod?.container,
              args: programArguments(stage, id, run),
              env: mergeEnvironment(
                settings.jobEnvironment,
                template?.env ?? [],
                basicAuthVariable(report),
                requestId === undefined ? [] : [{ name: "REQUEST_ID", value: requestId }],
              ),
            },
          ],
        },
      },
    },
  };
}
