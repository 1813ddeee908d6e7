import { isClusterError } from "../../cluster/port.ts";
import { failWithoutBasicAuth, listReportsWithBasicAuth, openBasicAuth } from "../../database/accounts/basic-auths.ts";
import type { ReportProgress } from "../../database/reports/progress.ts";
import { type BasicAuth, normaliseHost } from "../../domain/basic-auth.ts";
import type { Encryptor } from "../../domain/encryption.ts";
import type { ReportSpec } from "../../schema/report.ts";
import { annotations, type JobResource, type ReportResource, type ReportStatus } from "../../schema/resources.ts";
import { setConditions } from "../conditions.ts";
import type { ControllerDeps } from "../deps.ts";
import { listJobs } from "../report/observe.ts";
import { basicAuthName, needsBasicAuth } from "./manifest.ts";
import { hasEnded } from "./pod-health.ts";

/** How Jobs get the credentials for their site. Each Job has a Secret of its own; workers never hold the key. */
export type BasicAuths = {
  /** Opens stored credentials; without it there are none. */
  encryptor?: Encryptor;
  /** Before the Job is made. */
  prepare?: (name: string, value: string) => Promise<void>;
  /** After it is made: what is attached goes with it. */
  attach?: (job: JobResource, name: string, value: string) => Promise<void>;
  remove: (name: string) => Promise<void>;
  /** A Secret that a Report names, where there are Secrets. */
  readSecret?: (namespace: string, name: string) => Promise<NamedSecret | undefined>;
};

/** The part of a v1 Secret that is looked at; values are decoded. */
export type NamedSecret = { type: string; annotations: Record<string, string>; data: Record<string, string> };

type Deps = Pick<ControllerDeps, "db" | "cluster" | "settings" | "basicAuths" | "log">;
/** What of a report says which credentials are its own. */
type Naming = {
  id: string;
  namespace: string;
  spec: Pick<ReportSpec, "basicAuthId" | "basicAuthSecret" | "startingUrl">;
};
type Found = { auth: BasicAuth } | { missing: string };

const SECRET_TYPE = "kubernetes.io/basic-auth";
/** A Secret may be applied just after the Report that names it. */
const SECRET_WAIT_MS = 60_000;
const RECHECK_MS = 1_000;
/** What no user name or password may have in it (RFC 7617). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const CONTROL = /[\u0000-\u001f\u007f]/;

/**
 * Looks, before a report begins, whether the credentials are there that it names. Without
 * them it fails; a Secret is waited for, some time.
 *
 * @returns the status that says what is waited for; undefined when the report may go on
 */
export async function awaitBasicAuth(
  deps: Deps & Pick<ControllerDeps, "now">,
  resource: ReportResource,
  row: ReportProgress,
): Promise<{ status: ReportStatus; againMs: number } | undefined> {
  if (row.phase !== "Pending" || row.crawlState !== "pending") return undefined;
  const found = await findBasicAuth(deps, namingOf(resource, row.id));
  if (!found || "auth" in found) return undefined;
  const { generation, creationTimestamp } = resource.metadata;
  const now = deps.now();
  const waited = now.getTime() - Date.parse(creationTimestamp);
  if (!resource.spec.basicAuthSecret || waited > SECRET_WAIT_MS) {
    await failWithoutBasicAuth(deps.db, row.id, found.missing);
    return undefined;
  }
  const statement = { type: "Crawled", status: "False", reason: "WaitingForSecret", message: found.missing } as const;
  const conditions = setConditions(resource.status?.conditions ?? [], [statement], generation, now);
  return {
    status: { ...resource.status, observedGeneration: generation, phase: "Pending", conditions },
    againMs: RECHECK_MS,
  };
}

/**
 * The credentials that a Job of the report is to have, as its variable holds them;
 * undefined for a report that names none, or whose have gone since it began.
 */
export async function basicAuthOf(deps: Deps, resource: ReportResource, id: string): Promise<string | undefined> {
  return valueFor(deps, namingOf(resource, id));
}

/** Hands out again what Jobs may lack: their controller ended between the two writes, or kept it in its memory. */
export async function giveAllBasicAuths(deps: Deps): Promise<void> {
  for (const report of await listReportsWithBasicAuth(deps.db)) {
    const jobs = (await listJobs(deps, report.id)).filter((job) => needsBasicAuth(job) && !hasEnded(job));
    if (jobs.length === 0) continue;
    // A Job that refers to a value must find one, be it none.
    const value = (await valueFor(deps, report)) ?? "";
    for (const job of jobs) {
      const name = basicAuthName(job.metadata.name);
      await deps.basicAuths?.prepare?.(name, value);
      await deps.basicAuths?.attach?.(job, name, value);
    }
  }
}

/** Takes back what Jobs were given; none of them may start another process, which would lack it. */
export async function takeBasicAuths(
  { basicAuths }: Pick<ControllerDeps, "basicAuths">,
  jobs: readonly JobResource[],
): Promise<void> {
  for (const job of jobs) if (needsBasicAuth(job)) await basicAuths?.remove(basicAuthName(job.metadata.name));
}

function namingOf({ metadata: { namespace }, spec }: ReportResource, id: string): Naming {
  return { id, namespace, spec };
}

async function valueFor(deps: Deps, report: Naming): Promise<string | undefined> {
  const found = await findBasicAuth(deps, report);
  if (found && "auth" in found) return JSON.stringify(found.auth);
  if (found) deps.log.warn("the report goes on without its credentials", { report: report.id, reason: found.missing });
  return undefined;
}

/** undefined for a report that names none. */
async function findBasicAuth({ db, basicAuths }: Deps, report: Naming): Promise<Found | undefined> {
  const { basicAuthId, basicAuthSecret } = report.spec;
  if (basicAuthSecret) return readNamed(basicAuths?.readSecret, report, basicAuthSecret);
  if (!basicAuthId) return undefined;
  if (!basicAuths?.encryptor) return { missing: "The service has no key to open stored credentials with: SECRET_KEY." };
  const auth = await openBasicAuth(db, basicAuths.encryptor, report.id);
  if (auth) return { auth };
  return {
    missing: `basicAuthId ${JSON.stringify(basicAuthId)} names no credentials of the report's account that can be opened: they were deleted, are another's, or were stored with another SECRET_KEY.`,
  };
}

/** From the Report's own namespace only: else a tenant could name another's. */
async function readNamed(
  readSecret: BasicAuths["readSecret"],
  { namespace, spec }: Naming,
  name: string,
): Promise<Found> {
  if (!readSecret) return { missing: "basicAuthSecret names a Secret, and there are none here: use basicAuthId." };
  const which = `Secret ${namespace}/${name}, which basicAuthSecret names,`;
  let secret: NamedSecret | undefined;
  try {
    secret = await readSecret(namespace, name);
  } catch (error) {
    if (!isClusterError(error, "Forbidden")) throw error;
    return { missing: `${which} may not be read by the controller: see basicAuthSecrets in the chart's values.` };
  }
  if (!secret) return { missing: `${which} does not exist.` };
  if (secret.type !== SECRET_TYPE) return { missing: `${which} is of type ${secret.type}; it must be ${SECRET_TYPE}.` };
  const { username = "", password = "" } = secret.data;
  if (username === "" || username.includes(":") || CONTROL.test(username + password))
    return { missing: `${which} must have a username without colons, and no control characters in it or password.` };
  const annotated = secret.annotations[annotations.host];
  const host = annotated === undefined ? new URL(spec.startingUrl).host : normaliseHost(annotated);
  if (host === undefined)
    return { missing: `${which} has ${JSON.stringify(annotated)} in ${annotations.host}, which is no host.` };
  return { auth: { host, username, password } };
}
