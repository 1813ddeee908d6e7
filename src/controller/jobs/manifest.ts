import { createHash } from "node:crypto";
import { manifestOf, needsBrowser, needsCrawl } from "../../checks/kinds.ts";
import type { NewObject } from "../../cluster/port.ts";
import { screenshotKind } from "../../domain/findings/screenshots.ts";
import { requestIdOf } from "../../domain/request-id.ts";
import { snakeCase } from "../../schema/api-names.ts";
import { annotations, type JobResource, labels, type ReportResource, type Stage } from "../../schema/resources.ts";
import { kindOfStage } from "../scheduling/grant.ts";
import type { ControllerSettings } from "../settings.ts";
import { jobSpec } from "./job-spec.ts";

/** The Job to create. */
export type JobOrder = {
  stage: Stage;
  /** The number of this Job among the stage's Jobs. */
  run: number;
  /** The number of Jobs in a row, this one included, without much progress in between. */
  attempt: number;
  parallelism: number;
  /** How much of the stage's work is done. */
  done: number;
};

/**
 * How many pods may fail before a Job fails. A Job's own backoff doubles with each pod (10 s, 20 s,
 * … 6 min), but the next Job starts at once, so no wait is longer than the second one.
 */
const POD_RETRIES = 2;

/** A Job's name may have 63 characters; the longest suffix is `-html-checker-` and a number. */
const MAX_BASE_LENGTH = 40;
const ONE_DAY = 86_400;
/** For a report without a limit. */
const MAX_PAGES = 1_000_000;

/** The arguments that the programs take (main/crawler.ts, main/checker.ts). */
function programArguments({ spec }: ReportResource, stage: Stage, id: string, run: number): string[] {
  const common = ["--report", id, "--run", String(run)];
  if (stage === "crawler") return ["crawler", ...common];
  const kind = kindOfStage(stage);
  const { engine } = manifestOf(kind).settings;
  const chosen = engine ? [`--${snakeCase(engine).replaceAll("_", "-")}`, spec[engine]] : [];
  return ["checker", ...common, "--engine", kind, ...chosen];
}

/** The prefix of the key of a report that has a row, but no resource. */
const ROW = "row:";

/** The key of a report in the queue: namespace and name of its resource, or its id when there is none. */
export function reportKey({ namespace, name, uid }: ReportResource["metadata"], id: string): string {
  return uid === "" ? rowKey(id) : `${namespace}/${name}`;
}

/** The key of a report that has a row, but no resource. */
export function rowKey(id: string): string {
  return `${ROW}${id}`;
}

/** The id in a key from `rowKey`; undefined for the key of a resource. */
export function rowIdOf(key: string): string | undefined {
  return key.startsWith(ROW) ? key.slice(ROW.length) : undefined;
}

/** `<report>-<stage>-<run>`: deterministic, so that a Job that is created twice exists once. */
export function jobName(report: ReportResource, id: string, stage: Stage, run: number, namespace: string): string {
  const { name } = report.metadata;
  const plain = report.metadata.namespace === namespace && name.length <= MAX_BASE_LENGTH && !name.includes(".");
  // A name that would not fit, or may exist in two namespaces, is made unique by the report's id.
  const digest = createHash("sha256").update(id).digest("hex").slice(0, 10);
  const base = plain ? name : `${name.replaceAll(".", "-").slice(0, MAX_BASE_LENGTH - 11)}-${digest}`;
  return `${base}-${stage}-${run}`;
}

/**
 * The deadline ends a Job that hangs, but not one that is slow because of its rate limit. All
 * stages together request a page up to four times, with what it links to; each of its variants is a page more.
 */
function deadlineSeconds({ maxPages, rateLimit, devices, states }: ReportResource["spec"]): number {
  if (rateLimit === 0) return ONE_DAY;
  const variants = (1 + devices.length) * (1 + states.length);
  return ONE_DAY + Math.ceil((4 * variants * (maxPages || MAX_PAGES)) / rateLimit);
}

function opensBrowser(spec: ReportResource["spec"], stage: Stage): boolean {
  if (stage === "crawler") return spec.dynamicCrawler;
  const kind = kindOfStage(stage);
  // A page that scripts render is rendered again when it is checked again.
  if (needsCrawl(kind) && spec.dynamicCrawler) return true;
  return needsBrowser(kind) || screenshotKind(spec) === kind;
}

const BASIC_AUTH = "BASIC_AUTH";

/** The name of the Secret with a Job's credentials, and of its only key. */
export function basicAuthName(job: string): string {
  return `${job}-basic-auth`;
}

/** True for a Job that cannot start without its Secret. */
export function needsBasicAuth({ spec }: JobResource): boolean {
  return spec.template.spec.containers.some(({ env }) => env?.some(({ name }) => name === BASIC_AUTH));
}

/** A reference to the Secret, because many may read the values in a Job. */
function basicAuthVariable(job: string) {
  const key = basicAuthName(job);
  return [{ name: BASIC_AUTH, valueFrom: { secretKeyRef: { name: key, key } } }];
}

/** A digest of the settings for pods; it shows whether a Job was created with the current settings. */
export function templateDigest({ pods, image, jobEnvironment }: ControllerSettings): string {
  return createHash("sha256").update(JSON.stringify({ pods, image, jobEnvironment })).digest("hex").slice(0, 16);
}

/**
 * The Job for one stage of a report.
 *
 * @param given.basicAuth whether the Job gets credentials for its site, in its own Secret
 * @param given.signsIn whether somebody signs in with them, which needs a browser
 * @param given.token tells the database which report the Job is for; worth nothing without the database's password
 */
export function jobManifest(
  report: ReportResource,
  id: string,
  order: JobOrder,
  settings: ControllerSettings,
  given: { basicAuth?: boolean; signsIn?: boolean; token?: string } = {},
): NewObject<JobResource> {
  const { metadata } = report;
  const { stage, run, attempt, parallelism, done } = order;
  const requestId = requestIdOf(metadata);
  const browser = opensBrowser(report.spec, stage) || given.signsIn === true;
  const java = stage === "html-checker" && report.spec.htmlEngine === "nu";
  const name = jobName(report, id, stage, run, settings.namespace);
  const jobLabels = { [labels.report]: id, [labels.stage]: stage, [labels.run]: String(run) };
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name,
      namespace: settings.namespace,
      labels: jobLabels,
      annotations: {
        [annotations.reportKey]: reportKey(metadata, id),
        [annotations.attempt]: String(attempt),
        [annotations.done]: String(done),
        [annotations.template]: templateDigest(settings),
        ...(requestId === undefined ? {} : { [annotations.requestId]: requestId }),
      },
      // Owner references do not work across namespaces: there only the finalizer cleans up.
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
    spec: jobSpec(settings, {
      program: stage,
      args: programArguments(report, stage, id, run),
      labels: jobLabels,
      needs: { browser, java },
      environment: [
        ...(given.basicAuth ? basicAuthVariable(name) : []),
        ...(given.token === undefined ? [] : [{ name: "JOB_TOKEN", value: given.token }]),
        ...(requestId === undefined ? [] : [{ name: "REQUEST_ID", value: requestId }]),
      ],
      parallelism,
      backoffLimit: POD_RETRIES,
      activeDeadlineSeconds: deadlineSeconds(report.spec),
    }),
  };
}
