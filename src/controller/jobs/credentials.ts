import type { Secret } from "../../cluster/core-resources.ts";
import { isClusterError } from "../../cluster/port.ts";
import { failWithoutBasicAuth, openBasicAuth } from "../../database/accounts/basic-auths.ts";
import type { ReportProgress } from "../../database/reports/progress.ts";
import { type BasicAuth, normaliseHost } from "../../domain/basic-auth.ts";
import type { ReportSpec } from "../../schema/report.ts";
import { annotations, type JobResource, type ReportResource, type ReportStatus } from "../../schema/resources.ts";
import { setConditions } from "../conditions.ts";
import type { ControllerDeps } from "../deps.ts";

type Deps = Pick<ControllerDeps, "db" | "core" | "encryptor" | "jobSecrets" | "log">;
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
  const found = await findBasicAuth(deps, namingOf(resource, id));
  if (found && "auth" in found) return JSON.stringify(found.auth);
  if (found) deps.log.warn("the report goes on without its credentials", { report: id, reason: found.missing });
  return undefined;
}

/**
 * Gives a Job the Secret that it cannot start without. Credentials that have gone since the
 * report began are an empty value: a Job that refers to one must find it.
 */
export async function giveBasicAuth(deps: Deps, resource: ReportResource, id: string, job: JobResource): Promise<void> {
  await deps.jobSecrets.give(job, (await basicAuthOf(deps, resource, id)) ?? "");
}

function namingOf({ metadata: { namespace }, spec }: ReportResource, id: string): Naming {
  return { id, namespace, spec };
}

/** undefined for a report that names none. */
async function findBasicAuth({ db, core, encryptor }: Deps, report: Naming): Promise<Found | undefined> {
  const { basicAuthId, basicAuthSecret } = report.spec;
  if (basicAuthSecret) return readNamed(core, report, basicAuthSecret);
  if (!basicAuthId) return undefined;
  if (!encryptor) return { missing: "The service has no key to open stored credentials with: SECRET_KEY." };
  const auth = await openBasicAuth(db, encryptor, report.id);
  if (auth) return { auth };
  return {
    missing: `basicAuthId ${JSON.stringify(basicAuthId)} names no credentials of the report's account that can be opened: they were deleted, are another's, or were stored with another SECRET_KEY.`,
  };
}

/** From the Report's own namespace only: else a tenant could name another's. */
async function readNamed(core: ControllerDeps["core"], { namespace, spec }: Naming, name: string): Promise<Found> {
  const which = `Secret ${namespace}/${name}, which basicAuthSecret names,`;
  let secret: Secret | undefined;
  try {
    secret = await core.readSecret(namespace, name);
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
