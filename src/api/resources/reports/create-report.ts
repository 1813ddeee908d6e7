import { isDeepStrictEqual } from "node:util";
import { findDevice } from "../../../browser/devices.ts";
import { isClusterError } from "../../../cluster/port.ts";
import { accountCredits, guestCredits, resourceExcess, storageExcess } from "../../../database/accounts/accounts.ts";
import { findBasicAuth } from "../../../database/accounts/basic-auths.ts";
import { findReport, findReportNamed, type ReportRow } from "../../../database/reports/read-reports.ts";
import { upsertReport } from "../../../database/reports/reports.ts";
import { type CreditUse, grantable } from "../../../domain/accounts/credits.ts";
import { mayDo, type Principal, reportAccess } from "../../../domain/accounts/principal.ts";
import { isTooLargeFor, MAX_PAGES_OF_BOUNDED_RUN } from "../../../domain/accounts/roles.ts";
import { isThisMachine } from "../../../domain/addresses/this-machine.ts";
import { RequestError, type Violation } from "../../../domain/errors.ts";
import { splitList } from "../../../schema/api-names.ts";
import { mutableReportFields, type ReportSpec } from "../../../schema/report.ts";
import { API_VERSION, annotations, type ReportResource } from "../../../schema/resources.ts";
import { formatValue, parseReport } from "../../../schema/validate.ts";
import type { Context } from "../../context.ts";
import { isUuid } from "../../http/request/query.ts";
import { refuse } from "../../http/response/errors.ts";
import { ownerAnnotations } from "../owner-annotations.ts";

/**
 * Creates the Report resource, then its row. If this is interrupted in between, the controller
 * creates the row, and a retry with the same idempotency key finds the resource.
 */
export async function createReport(context: Context, caller: Principal): Promise<ReportRow> {
  return createReportOf(context, caller, await readSpec(context, caller));
}

/** The same for a definition that has been read. */
export async function createReportOf(
  context: Context,
  caller: Pick<Principal, "accountId" | "guestToken">,
  spec: ReportSpec,
): Promise<ReportRow> {
  const { deps } = context;
  // A finished report may outlive its resource: then only its row is left.
  const made = context.isRetry
    ? await findReportNamed(deps.db, caller.accountId, deps.namespace, nameOf(context))
    : undefined;
  if (made) return unlessDeleted(made);
  await requireCredits(context, caller);
  await requireStorage(context, caller);
  await requireRoom(context, caller);
  const resource = await createResource(context, caller, spec);
  const row = await upsertReport(deps.db, resource, caller.accountId);
  if (!row) throw new Error(`Report ${resource.metadata.name} has a row that belongs to another resource.`);
  return unlessDeleted(row);
}

function unlessDeleted(row: ReportRow): ReportRow {
  if (row.deleted_at === null) return row;
  throw refuse(409, "report_deleted", "Conflict", "The report that this request created was deleted.");
}

/** @throws RequestError 422 with every violation, references to other resources included */
async function readSpec(context: Context, caller: Principal): Promise<ReportSpec> {
  const parsed = parseReport(context.attributes, context.deps.limits);
  const violations = [
    ...("violations" in parsed ? parsed.violations : []),
    ...(await unknownReferences(context, caller)),
    ...(await unknownBase(context, caller)),
    ...closedStart(context, caller.guestToken),
    ...("spec" in parsed ? [...elsewhere(caller, parsed.spec), ...unshareable(caller, parsed.spec)] : []),
    ...("spec" in parsed ? tooManyPages(caller, parsed.spec) : []),
  ];
  if ("spec" in parsed && violations.length === 0) return parsed.spec;
  throw new RequestError(violations);
}

/** Fields of a run or a schedule that lead to other hosts than that of its site. */
type Leads = Pick<ReportSpec, "startingUrl" | "sameSite"> & { previewHosts?: readonly string[] };
/** So many sites are named in an error. */
const MAX_NAMED = 5;

/**
 * The violations for what the caller has no say of: whoever has some sites starts and plans runs of these alone, and of no host besides,
 * whose pages would be there in the report as well.
 *
 * @param before what a change leaves as it is stays allowed
 */
export function elsewhere({ sites }: Pick<Principal, "sites">, spec: Leads, before?: Leads): Violation[] {
  if (sites === null) return [];
  const { startingUrl, sameSite, previewHosts = [] } = spec;
  const named = (hosts: readonly string[] = []) => hosts.filter((host) => host !== "www" && host !== "subdomains");
  const isNew = (hosts: readonly string[], known: readonly string[] = []) =>
    hosts.some((host) => !known.includes(host));
  const own = sites.slice(0, MAX_NAMED).join(", ") || "there is none now";
  const more = sites.length > MAX_NAMED ? ` and ${sites.length - MAX_NAMED} more` : "";
  const found: (readonly [is: boolean, place: string, detail: string])[] = [
    [
      !sites.includes(startingUrl),
      "starting_url",
      `starting_url is ${formatValue(startingUrl)}; you may start runs of single sites only: ${own}${more}.`,
    ],
    [
      isNew(named(sameSite), before?.sameSite),
      "same_site",
      "same_site names other hosts, and you may start runs of single sites only.",
    ],
    [
      isNew(previewHosts, before?.previewHosts),
      "preview_hosts",
      "preview_hosts are of other sites, and you may start runs of single sites only.",
    ],
  ];
  return found.flatMap(([is, place, detail]) => (is ? [violation(place, "not_your_site", detail)] : []));
}

/** @param place below the attributes */
function violation(place: string, code: string, detail: string): Violation {
  return { status: 422, code, title: "Invalid attribute", detail, source: { pointer: `/data/attributes/${place}` } };
}

/** The violation for results that everybody would see, by a token that may share nothing. @param before what a change leaves as it is */
export function unshareable(
  caller: Principal,
  { shared }: { shared?: boolean | undefined },
  before?: { shared?: boolean | undefined },
): Violation[] {
  if (!shared || before?.shared || mayDo(caller, { method: "POST", right: "share" })) return [];
  return [
    violation("shared", "not_allowed", "shared is true; this token may not show results to everybody: leave it out."),
  ];
}

/** The violation for more pages than a token may start. */
function tooManyPages({ bounds }: Principal, { maxPages }: ReportSpec): Violation[] {
  if (!isTooLargeFor(bounds, maxPages)) return [];
  const detail = `max_pages is ${maxPages}; this token may start runs of 1 to ${MAX_PAGES_OF_BOUNDED_RUN} pages, and those of schedules.`;
  return [violation("max_pages", "out_of_range", detail)];
}

/** The violations for unknown ids of other resources in a request's attributes. */
export async function unknownReferences({ attributes, deps }: Context, caller: Principal): Promise<Violation[]> {
  const violations: Violation[] = [];
  const { device_id: deviceId, devices, basic_auth_id: basicAuthId } = attributes;
  const further: unknown[] =
    typeof devices === "string" ? splitList(devices, "commas") : Array.isArray(devices) ? devices : [];
  const named: [place: string, id: unknown][] = [
    ["device_id", deviceId === "" ? undefined : deviceId],
    ...further.map((id, index): [string, unknown] => [`devices/${index}`, id]),
  ];
  for (const [place, id] of named)
    if (typeof id === "string" && !(await findDevice(id)))
      violations.push(unknownReference("device", place, id, "GET /api/v1/devices lists the devices"));
  if (typeof basicAuthId === "string" && basicAuthId !== "") {
    const known = isUuid(basicAuthId) && (await findBasicAuth(deps.db, caller, basicAuthId)) !== undefined;
    if (!known)
      violations.push(
        unknownReference("basic_auth", "basic_auth_id", basicAuthId, "POST /api/v1/basic_auths stores credentials"),
      );
  }
  return violations;
}

/** The violation for a starting URL on this machine, which is closed to guests (docs/adr/0069). */
export function closedStart({ attributes }: Pick<Context, "attributes">, guestToken: string | null): Violation[] {
  const { starting_url: url } = attributes;
  const hostname = typeof url === "string" ? URL.parse(url)?.hostname : undefined;
  if (guestToken === null || hostname === undefined || !isThisMachine(hostname)) return [];
  const detail = `starting_url is ${formatValue(url)}, which is the service's own machine: only the host account may check it, not its guests.`;
  return [violation("starting_url", "closed_to_guests", detail)];
}

/** A report may be compared with any report that its creator can change. */
async function unknownBase({ attributes, deps }: Context, caller: Principal): Promise<Violation[]> {
  const { base_id: id } = attributes;
  // The schema refuses any other value.
  if (typeof id !== "string" || !isUuid(id)) return [];
  const base = await findReport(deps.db, id);
  if (base && reportAccess(base, caller) === "owner") return [];
  return [unknownReference("base", "base_id", id, "GET /api/v1/reports lists reports")];
}

/** @param place below the attributes */
function unknownReference(
  what: "device" | "basic_auth" | "base",
  place: string,
  value: string,
  hint: string,
): Violation {
  return violation(place, `unknown_${what}`, `${place} is ${formatValue(value)}, which is unknown: ${hint}.`);
}

const theAccount = "The account";

/** How much the account has of anything is not for guests, roles on single sites, and whoever has the address of a deploy hook. */
const seesLess = (caller: Context["caller"]): boolean => !caller || caller.sites !== null || caller.guestToken !== null;

/** @throws RequestError 402 when the account or the guest has used all credits of the month */
export async function requireCredits(
  { deps, caller }: Pick<Context, "deps" | "caller">,
  { accountId, guestToken }: Pick<Principal, "accountId" | "guestToken">,
): Promise<void> {
  const now = deps.now();
  const needOne = async (credits: Promise<CreditUse>, whose: string) => {
    const use = await credits;
    if (grantable(1, [use]) > 0) return;
    throw refuse(
      402,
      "credits_exhausted",
      "No credits left",
      whose === theAccount && seesLess(caller)
        ? `${whose} has used all of its credits this month. Its owners can say when there are more.`
        : `${whose} has used ${use.used} of ${use.limit} credits this month.`,
    );
  };
  await needOne(accountCredits(deps.db, accountId, now), theAccount);
  if (guestToken !== null) await needOne(guestCredits(deps.db, accountId, guestToken, now), "The guest account");
}

/** @throws RequestError 402 when the results of the account take all of its storage */
export async function requireStorage(
  { deps, caller }: Pick<Context, "deps" | "caller">,
  { accountId }: Pick<Principal, "accountId">,
): Promise<void> {
  const excess = await storageExcess(deps.db, accountId, deps.maxAccountBytes ?? 0);
  const less = "The results of the account take all of its storage. Its owners can delete reports.";
  if (excess !== undefined)
    throw refuse(402, "storage_quota_exceeded", "No storage left", seesLess(caller) ? less : excess);
}

/** @throws RequestError 402 when the account's resources take all of their room in the cluster */
export async function requireRoom(
  { deps, caller }: Pick<Context, "deps" | "caller">,
  { accountId }: Pick<Principal, "accountId">,
): Promise<void> {
  const excess = await resourceExcess(deps.db, accountId);
  const less = "The account has as many reports and schedules as it may have. Its owners can delete some.";
  if (excess !== undefined)
    throw refuse(402, "resource_quota_exceeded", "Too many reports and schedules", seesLess(caller) ? less : excess);
}

function nameOf({ uniqueName }: Context): string {
  return `report-${uniqueName.slice(0, 20)}`;
}

async function createResource(
  context: Context,
  caller: Pick<Principal, "accountId" | "guestToken">,
  spec: ReportSpec,
): Promise<ReportResource> {
  const { cluster, namespace } = context.deps;
  const name = nameOf(context);
  try {
    return await cluster.create<"Report">({
      apiVersion: API_VERSION,
      kind: "Report",
      metadata: {
        name,
        namespace,
        annotations: ownerAnnotations(context, caller),
      },
      spec,
    });
  } catch (error) {
    if (isClusterError(error, "Invalid"))
      throw refuse(422, "invalid_report", "Invalid report", error.message, { pointer: "/data/attributes" });
    if (!isClusterError(error, "AlreadyExists")) throw error;
    const existing = await cluster.get("Report", namespace, name);
    if (existing && isOurs(existing, caller, spec)) return existing;
    throw refuse(409, "name_taken", "Conflict", "Another report of the same name exists; try again.");
  }
}

/** True when the existing report was created by an earlier run of this request. */
function isOurs(
  { metadata, spec }: ReportResource,
  caller: Pick<Principal, "accountId" | "guestToken">,
  wanted: ReportSpec,
): boolean {
  return (
    metadata.annotations?.[annotations.account] === caller.accountId &&
    (metadata.annotations[annotations.guest] ?? null) === caller.guestToken &&
    // These fields may have been changed since.
    isDeepStrictEqual({ ...spec, ...mutableFieldsOf(wanted) }, wanted)
  );
}

function mutableFieldsOf(spec: ReportSpec): Partial<ReportSpec> {
  return Object.fromEntries(mutableReportFields.map((name) => [name, spec[name]]));
}
