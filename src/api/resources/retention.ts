import { storedBytes } from "../../database/accounts/accounts.ts";
import { countReports } from "../../database/reports/read-reports.ts";
import { siteIdOf } from "../../database/reports/site-key.ts";
import { readPartBytes } from "../../database/retention/known-reports.ts";
import { changeRetention, readAuditDays, readRetention } from "../../database/retention/limits.ts";
import { countPins } from "../../database/retention/pins.ts";
import type { Stays } from "../../domain/retention/decide.ts";
import {
  effectiveLimits,
  isLimited,
  type Limits,
  limitNames,
  MAX_PINS,
  nightAfter,
  noLimits,
} from "../../domain/retention/limits.ts";
import { previewRetention, type RetentionPreview } from "../../transactions/retention.ts";
import type { Context, Route } from "../context.ts";
import type { Attributes, Resource } from "../documents.ts";
import { attributesReader } from "../http/request/attributes.ts";
import { callerOf, hostOf, ownerOf } from "../http/request/caller.ts";
import { one, related, timestamp } from "../http/response/documents.ts";
import { refuseAttribute } from "../http/response/errors.ts";
import { bodyOf } from "../openapi/request-body.ts";
import { MAX_PREVIEWED } from "../openapi/response-schemas/retention.ts";
import { type RetentionAttributes, retentionSchema } from "../request-attributes.ts";

const readChange = attributesReader<RetentionAttributes>(retentionSchema);

/** As many sites are shown of a preview. */
const MAX_SITES = 20;

/** What an account keeps. Its guests' reports are among them: guests see for how long, and change nothing. */
export const retention: readonly Route[] = [
  {
    method: "GET",
    path: "/retention",
    id: "getRetention",
    tag: "Retention",
    summary: "Get what is kept, and for how long",
    description: "Everything is kept for ever unless somebody says otherwise. Guests see what holds for them, too.",
    success: { kind: "one", type: "retention" },
    access: "account",
    handle: async (context) => one(await retentionDocument(context)),
  },
  {
    method: "PATCH",
    path: "/retention",
    id: "updateRetention",
    audit: { verb: "changed what is kept", area: "kept" },
    tag: "Retention",
    summary: "Change what is kept, and for how long",
    description:
      "Only the given attributes change. It takes effect at 03:00 UTC, an hour later at least: until then it can be changed back, and nothing is lost. The newest report with a result of each site stays in any case, as do pinned ones and those that others are compared with; the numbers of each run outlive its report by up to 36 months.",
    success: { kind: "one", type: "retention" },
    access: "account",
    right: "keep",
    body: bodyOf("retention", retentionSchema),
    handle: async (context) => {
      const { accountId, tokenId } = hostOf(context);
      const change = readLimits(context);
      const { db, now } = context.deps;
      await changeRetention(db, accountId, change, { tokenId, now: now() });
      return one(await retentionDocument(context));
    },
  },
  {
    method: "POST",
    path: "/retention/preview",
    id: "previewRetention",
    tag: "Retention",
    summary: "Count what settings would delete",
    description:
      "Takes the attributes of a change, and changes nothing. What is deleted is decided in the same way, of the reports that there are by then.",
    success: { kind: "one", type: "retention_preview" },
    access: "account",
    right: "keep",
    body: bodyOf("retention", retentionSchema),
    isSafe: true,
    isHeavy: true,
    handle: async (context) => {
      const { accountId } = hostOf(context);
      const { db, now } = context.deps;
      const { audit_days = await readAuditDays(db, accountId), ...change } = readLimits(context);
      const limits = { ...(await readRetention(db, accountId)).limits, ...change };
      const preview = await previewRetention(db, accountId, effectiveLimits(limits, operatorOf(context)), now());
      return one(await previewDocument(context, { ...limits, audit_days }, preview));
    },
  },
];

const operatorOf = ({ deps }: Context): Limits => deps.retention ?? noLimits;

/** @throws RequestError 422 for more than the operator allows */
function readLimits(context: Context): RetentionAttributes {
  const change = readChange(context.attributes);
  const operator = operatorOf(context);
  for (const name of limitNames) {
    const [given, most] = [change[name], operator[name]];
    if (given === undefined || most === null || (given !== null && given <= most)) continue;
    const detail = `${name} is ${given}; the operator of the service lets an account keep ${most} at most.`;
    throw refuseAttribute(name, "out_of_range", detail);
  }
  return change;
}

async function retentionDocument(context: Context): Promise<Resource<"retention">> {
  const { accountId } = callerOf(context);
  const owner = ownerOf(context);
  const { db } = context.deps;
  const { limits, nextAt, updatedBy, updatedAt } = await readRetention(db, accountId);
  const operator = operatorOf(context);
  const holds = isLimited(effectiveLimits(limits, operator));
  return {
    id: "account",
    type: "retention",
    attributes: {
      ...limits,
      audit_days: await readAuditDays(db, accountId),
      limits: operator,
      takes_effect_at: holds ? timestamp(nextAt ?? nightAfter(context.deps.now())) : null,
      updated_by: updatedBy,
      last_updated_at: timestamp(updatedAt),
      reports: await countReports(db, owner),
      bytes: await storedBytes(db, owner),
      pins: await countPins(db, owner),
      max_pins: MAX_PINS,
    },
    relationships: related({ pins: `${context.base}/pins`, deletions: `${context.base}/deletions` }),
  };
}

async function previewDocument(
  context: Context,
  limits: Limits & { audit_days: number },
  { goes, stays, reports, less }: RetentionPreview,
): Promise<Resource<"retention_preview">> {
  const { db, now } = context.deps;
  const bySite = [...Map.groupBy(reports, ({ startingUrl }) => startingUrl)]
    .map(([starting_url, ofSite]) => {
      const sum = (bytesOf: (report: (typeof ofSite)[number]) => number) =>
        ofSite.reduce((total, report) => total + bytesOf(report), 0);
      const ids = ofSite.map(({ id }) => id);
      return { starting_url, ids, bytes: sum(({ bytes }) => bytes), less: sum(({ id }) => less.get(id) ?? 0) };
    })
    .sort((a, b) => b.bytes - a.bytes || (a.starting_url < b.starting_url ? -1 : 1));
  const shown = bySite.slice(0, MAX_SITES);
  const pictures = await readPartBytes(
    db,
    "pictures",
    shown.flatMap(({ ids }) => ids),
  );
  const row = ({ ids, bytes }: { ids: string[]; bytes: number }) => ({ reports: ids.length, bytes });
  const { age, runs } = goes;
  return {
    id: "account",
    type: "retention_preview",
    attributes: {
      ...limits,
      reports: age.ids.length + runs.ids.length,
      report_ids: oldestFirst(reports, new Set([...age.ids, ...runs.ids])).slice(0, MAX_PREVIEWED),
      bytes: age.bytes + runs.bytes + goes.pictures.bytes + goes.raw.bytes,
      by_age: row(age),
      by_runs: row(runs),
      pictures: row(goes.pictures),
      raw: row(goes.raw),
      stays: countStays([...stays.values()].map((reason) => [reason, 1])),
      takes_effect_at: timestamp(nightAfter(now())),
      sites: shown.map(({ starting_url, ids, bytes, less: gone }) => ({
        site_id: siteIdOf(starting_url),
        ...{ starting_url, reports: ids.length, bytes },
        pictures: ids.reduce((sum, id) => sum + (pictures.get(id) ?? 0), 0),
        less: gone,
      })),
      num_sites: bySite.length,
    },
    relationships: related({ retention: `${context.base}/retention` }),
  };
}

function oldestFirst(reports: RetentionPreview["reports"], ids: ReadonlySet<string>): string[] {
  const chosen = reports.filter(({ id }) => ids.has(id));
  return chosen.sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime()).map(({ id }) => id);
}

/** How many stay, by why. */
export function countStays(reasons: readonly (readonly [Stays, number])[]): Attributes<"deletion">["stays"] {
  const counts = { pinned: 0, newest: 0, compared: 0, running: 0 };
  for (const [reason, number] of reasons) counts[reason] += number;
  return counts;
}
