import { parse } from "yaml";
import type { Secret } from "../../cluster/core-resources.ts";
import { isClusterError } from "../../cluster/port.ts";
import { decryptBasicAuth, failWithoutBasicAuth } from "../../database/accounts/basic-auths.ts";
import type { ReportProgress } from "../../database/reports/progress.ts";
import { normaliseHost, type SiteCredentials } from "../../domain/headers/site-credentials.ts";
import { headerFaults, parseHeaderLine, type SiteHeader } from "../../domain/headers/site-headers.ts";
import { readFilledSignIn } from "../../domain/sign-in/read-sign-in.ts";
import type { ReportSpec } from "../../schema/report.ts";
import { annotations, type JobResource, type ReportResource, type ReportStatus } from "../../schema/resources.ts";
import { withoutSourceMap } from "../../schema/steps.ts";
import { setConditions } from "../conditions.ts";
import type { ControllerDeps } from "../deps.ts";

type Deps = Pick<ControllerDeps, "db" | "core" | "encryptor" | "jobSecrets" | "log">;
/** The part of a report that identifies its credentials. */
type CredentialsRef = {
  id: string;
  namespace: string;
  spec: Pick<ReportSpec, "basicAuthId" | "basicAuthSecret">;
};
type Found = { auth: SiteCredentials } | { missing: string };

const SECRET_TYPE = "kubernetes.io/basic-auth";
/** How long to wait for a Secret: it may be applied after the Report that names it. */
const SECRET_WAIT_MS = 60_000;
const RECHECK_MS = 1_000;
/** Characters that user names and passwords may not contain (RFC 7617). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is searched for
const CONTROL = /[\u0000-\u001f\u007f]/;

/**
 * Checks before a report begins whether the credentials that it names are available. Without them
 * it fails; for a Secret it waits for SECRET_WAIT_MS.
 *
 * @returns the status that says what the report waits for; undefined when it may continue
 */
export async function awaitBasicAuth(
  deps: Deps & Pick<ControllerDeps, "now">,
  resource: ReportResource,
  row: ReportProgress,
): Promise<{ status: ReportStatus; againMs: number } | undefined> {
  if (row.phase !== "Pending" || row.crawlState !== "pending" || resource.spec.cancelled) return undefined;
  const found = await findBasicAuth(deps, credentialsRef(resource, row.id));
  if (!found || "auth" in found) return undefined;
  const now = deps.now();
  const conditions = resource.status?.conditions ?? [];
  // Since our own condition: the resource's creation is a time of the API server's clock.
  const waiting = conditions.find(({ reason }) => reason === "WaitingForSecret");
  const waited = waiting ? now.getTime() - Date.parse(waiting.lastTransitionTime) : 0;
  if (!resource.spec.basicAuthSecret || waited > SECRET_WAIT_MS) {
    await failWithoutBasicAuth(deps.db, row.id, found.missing);
    return undefined;
  }
  const update = { type: "Crawled", status: "False", reason: "WaitingForSecret", message: found.missing } as const;
  const { generation } = resource.metadata;
  return {
    status: {
      ...resource.status,
      observedGeneration: generation,
      phase: "Pending",
      conditions: setConditions(conditions, [update], generation, now),
    },
    againMs: RECHECK_MS,
  };
}

/**
 * The credentials for a Job of the report, as the value of BASIC_AUTH; undefined for a report that
 * names none, or whose credentials were removed after it began.
 */
export async function basicAuthOf(deps: Deps, resource: ReportResource, id: string): Promise<string | undefined> {
  const found = await findBasicAuth(deps, credentialsRef(resource, id));
  // The same for all Jobs of the report, which keep the session of a sign-in together.
  if (found && "auth" in found)
    return JSON.stringify({
      ...found.auth,
      ...(found.auth.signIn && { sessionKeys: deps.encryptor?.signatures(`site session ${id}`) }),
    });
  if (found) deps.log.warn("report continues without its credentials", { report: id, reason: found.missing });
  return undefined;
}

/**
 * Writes the Secret that a Job cannot start without. If the credentials were removed after the report
 * began, the Job keeps the Secret that it has; if it has none, it gets an empty one.
 */
export async function putBasicAuth(deps: Deps, resource: ReportResource, id: string, job: JobResource): Promise<void> {
  await deps.jobSecrets.put(job, await basicAuthOf(deps, resource, id));
}

function credentialsRef({ metadata: { namespace }, spec }: ReportResource, id: string): CredentialsRef {
  return { id, namespace, spec };
}

/** @returns undefined for a report that names no credentials */
async function findBasicAuth({ db, core, encryptor }: Deps, report: CredentialsRef): Promise<Found | undefined> {
  const { basicAuthId, basicAuthSecret } = report.spec;
  if (basicAuthSecret) return withKey(await readNamed(core, report, basicAuthSecret), encryptor);
  if (!basicAuthId) return undefined;
  if (!encryptor)
    return { missing: "The service cannot decrypt stored credentials: its operator must set SECRET_KEY." };
  const auth = await decryptBasicAuth(db, encryptor, report.id);
  if (auth) return { auth };
  return {
    missing: `basic_auth_id ${JSON.stringify(basicAuthId)} does not name usable credentials of the report's account: they were deleted, belong to another account, or were stored with another SECRET_KEY.`,
  };
}

/** The programs of a report keep the session of a sign-in together, encrypted. */
function withKey(found: Found, encryptor: Deps["encryptor"]): Found {
  if (encryptor || !("auth" in found) || !found.auth.signIn) return found;
  return { missing: "The service cannot keep the session of a sign-in: its operator must set SECRET_KEY." };
}

/** Reads a Secret from the Report's own namespace only: otherwise a tenant could name another tenant's. */
async function readNamed(core: ControllerDeps["core"], { namespace }: CredentialsRef, name: string): Promise<Found> {
  const which = `Secret ${namespace}/${name}, which basicAuthSecret names,`;
  let secret: Secret | undefined;
  try {
    secret = await core.readSecret(namespace, name);
  } catch (error) {
    if (!isClusterError(error, "Forbidden")) throw error;
    return { missing: `${which} cannot be read by the controller: see basicAuthSecrets in the chart's values.` };
  }
  if (!secret) return { missing: `${which} does not exist.` };
  if (secret.type !== SECRET_TYPE) return { missing: `${which} is of type ${secret.type}; it must be ${SECRET_TYPE}.` };
  const { username = "", password = "", headers: lines = "", "sign-in": steps } = secret.data;
  const signIn =
    steps === undefined
      ? undefined
      : readFilledSignIn(parsed(steps), secret.data, "add a key of that name to the Secret");
  if (signIn && "faults" in signIn)
    return { missing: `The key "sign-in" of ${which} is not valid: ${signIn.faults.join("; ")}.` };
  const headers = parseHeaderLines(lines);
  if ("fault" in headers) return { missing: `The key "headers" of ${which} is not valid: ${headers.fault}.` };
  const isUser = username !== "" && !username.includes(":") && !CONTROL.test(username + password);
  if (!isUser && (username + password !== "" || (headers.headers.length === 0 && !signIn)))
    return {
      missing: `${which} must have a username without colons, headers, or a sign-in; neither user name nor password may contain control characters.`,
    };
  const [fault] = headerFaults(headers.headers, isUser);
  if (fault) return { missing: `The key "headers" of ${which} is not valid: ${fault.text}.` };
  const annotated = secret.annotations[annotations.host];
  // Otherwise somebody who may create Reports but not read Secrets could have a Secret sent to a site of their own.
  if (annotated === undefined)
    return {
      missing: `${which} does not say where its credentials may be sent: annotate it with ${annotations.host} and the site's host.`,
    };
  const host = normaliseHost(annotated);
  if (host === undefined)
    return { missing: `${which} has ${JSON.stringify(annotated)} in ${annotations.host}, which is not a host.` };
  return {
    auth: { host, ...(isUser && { username, password }), ...(headers.headers.length > 0 && headers), ...signIn },
  };
}

/** YAML, of which JSON is a part; undefined for another text. */
function parsed(text: string): unknown {
  try {
    return parse(withoutSourceMap(text));
  } catch {
    return undefined;
  }
}

/** One header per line, as `Name: value`. */
function parseHeaderLines(text: string): { headers: SiteHeader[] } | { fault: string } {
  const headers: SiteHeader[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "") continue;
    const header = parseHeaderLine(line);
    if (!header) return { fault: `line ${index + 1} has no colon; a line must be Name: value` };
    headers.push(header);
  }
  return { headers };
}
