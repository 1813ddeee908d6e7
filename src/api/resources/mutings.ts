import { checkKinds } from "../../checks/kinds.ts";
import {
  countMutingsNow,
  findMutingRow,
  type ListedMuting,
  listAppliedMutings,
  listMutings,
  type MutingRow,
  mutingStates,
  withSilenced,
} from "../../database/accounts/mutings.ts";
import { type FindingDetails, readFindings } from "../../database/findings/findings.ts";
import { impactOf } from "../../domain/findings/findings.ts";
import type { MutingDefinition, TooMany } from "../../domain/findings/muting.ts";
import type { Guides } from "../../domain/guides/guides.ts";
import { titleOfRule } from "../../domain/guides/title-of-rule.ts";
import { type MutingCategory, mutingCategories, mutingSchema } from "../../schema/muting.ts";
import { changeMuting, deleteMuting, insertMuting } from "../../transactions/change-mutings.ts";
import type { Context, Route } from "../context.ts";
import type { Attributes, List, Resource } from "../documents.ts";
import { callerOf } from "../http/request/caller.ts";
import { choiceParameter, pageParameters, textParameter } from "../http/request/parameters.ts";
import { isNumericId } from "../http/request/query.ts";
import { created, list, one, related, timestamp } from "../http/response/documents.ts";
import { notFound, refuse } from "../http/response/errors.ts";
import { bodyOf } from "../openapi/request-body.ts";
import { mutingMeta } from "../openapi/response-schemas/accounts.ts";
import { readMuting } from "./muting-attributes.ts";
import { visibleReport } from "./reports/report-access.ts";

const nowParameter = (what: string) =>
  choiceParameter("now", `true: with ${what}. In the newest report of the whole of each site.`, ["true"]);
const categories = Object.keys(mutingCategories) as MutingCategory[];

/** Rules that silence findings. A guest sees only its own; the host sees all. */
export const mutings: readonly Route[] = [
  {
    method: "GET",
    path: "/mutings",
    id: "listMutings",
    tag: "Mutings",
    summary: "List mutings",
    success: { kind: "list", type: "muting", meta: mutingMeta },
    access: "account",
    site: "caller",
    parameters: [
      nowParameter("what each silences now, and meta.counts with how many mutings there are, whatever the filters"),
      choiceParameter("filter[category]", "Mutings for this reason.", categories),
      choiceParameter(
        "filter[state]",
        "ends_soon: those that end within two weeks; matches_nothing: those that silence nothing now.",
        mutingStates,
      ),
      textParameter(
        "filter[search]",
        "A criterion, the comment, the reason or the author contains this, regardless of case.",
      ),
      ...pageParameters,
    ],
    handle: async (context) => {
      const { query, deps } = context;
      const page = query.page();
      const asked = {
        category: query.choice("filter[category]", categories),
        state: query.choice("filter[state]", mutingStates),
        search: query.text("filter[search]"),
      };
      const caller = callerOf(context);
      const listed = await listMutings(deps.db, caller, asked, { now: deps.now(), page });
      if (!query.choice("now", ["true"])) {
        const meta = { counts: null } satisfies Partial<List<"muting">["meta"]>;
        return list(context, page, { ...listed, meta }, (muting) => mutingDocument(context, muting, true));
      }
      const rows = await withSilenced(deps.db, caller, listed.rows);
      const about = await examplesOf(context, rows);
      const counts = await countMutingsNow(deps.db, caller, deps.now());
      const meta = { counts } satisfies Partial<List<"muting">["meta"]>;
      const shown = { rows, total: listed.total, meta };
      return list(context, page, shown, (muting) => mutingDocument(context, muting, true, about(muting)));
    },
  },
  {
    method: "POST",
    path: "/mutings",
    id: "createMuting",
    audit: { verb: "muted findings", area: "mutings" },
    tag: "Mutings",
    summary: "Create a muting",
    description:
      "It silences findings that match all of url_match, message, rule, selector and fingerprint that are given. Without rule, selector and fingerprint, both url_match and message are required; they match as substrings, regardless of case. It applies to later checks at once; existing reports are recounted in the background.",
    success: { kind: "created", type: "muting" },
    access: "account",
    right: "common",
    body: bodyOf("muting", mutingSchema),
    handle: async (context) => {
      const { db, now } = context.deps;
      const muting = await insertMuting(db, callerOf(context), readMuting(context.attributes, now()));
      if ("tooMany" in muting) throw tooMany(muting);
      return created(mutingDocument(context, muting, true), `${context.base}/mutings/${muting.id}`);
    },
  },
  {
    method: "GET",
    path: "/mutings/:muting_id",
    id: "getMuting",
    tag: "Mutings",
    summary: "Get a muting",
    success: { kind: "one", type: "muting" },
    access: "account",
    site: "caller",
    parameters: [nowParameter("what it silences now")],
    handle: async (context) => {
      const found = await addressed(context);
      if (!context.query.choice("now", ["true"])) return one(mutingDocument(context, found, true));
      const [muting] = await withSilenced(context.deps.db, callerOf(context), [found]);
      if (!muting) throw notFound("muting");
      const about = await examplesOf(context, [muting]);
      return one(mutingDocument(context, muting, true, about(muting)));
    },
  },
  {
    method: "PATCH",
    path: "/mutings/:muting_id",
    id: "updateMuting",
    audit: { verb: "changed a muting", area: "mutings" },
    tag: "Mutings",
    summary: "Change a muting",
    description:
      "Only the given attributes change; null removes one. Findings that it no longer silences are counted again in the background.",
    success: { kind: "one", type: "muting" },
    access: "account",
    right: "common",
    body: bodyOf("muting", mutingSchema),
    handle: async (context) => {
      const { db, now } = context.deps;
      const { id, account_id } = await addressed(context);
      const time = now();
      const change = (row: MutingRow) => readMuting(context.attributes, time, definitionOf(row));
      const changed = await changeMuting(db, account_id, id, change, time);
      if (!changed) throw notFound("muting");
      if ("tooMany" in changed) throw tooMany(changed);
      return one(mutingDocument(context, changed, true));
    },
  },
  {
    method: "DELETE",
    path: "/mutings/:muting_id",
    id: "deleteMuting",
    audit: { verb: "ended a muting", area: "mutings" },
    tag: "Mutings",
    summary: "Delete a muting",
    description: "The issues that it muted are counted again, in the background.",
    success: { kind: "nothing" },
    access: "account",
    right: "common",
    handle: async (context) => {
      const { id, account_id } = await addressed(context);
      if (!(await deleteMuting(context.deps.db, account_id, id))) throw notFound("muting");
      return { status: 204 };
    },
  },
  {
    method: "GET",
    path: "/reports/:report_id/mutings",
    id: "listReportMutings",
    tag: "Mutings",
    summary: "List the mutings that took effect on a report",
    success: { kind: "list", type: "muting", meta: mutingMeta },
    access: "shared",
    site: "report",
    parameters: pageParameters,
    handle: async (context) => {
      const { report, owned } = await visibleReport(context);
      const page = context.query.page();
      const listed = await listAppliedMutings(context.deps.db, report.id, page);
      const meta = { counts: null } satisfies Partial<List<"muting">["meta"]>;
      return list(context, page, { ...listed, meta }, (muting) => mutingDocument(context, muting, owned));
    },
  },
];

function tooMany({ tooMany: those }: TooMany): Error {
  return refuse(409, "too_many_mutings", "Conflict", `There are already ${those}; delete one of them first.`);
}

/** A muting as its owner has defined it. */
export function definitionOf({
  criteria,
  category,
  comment,
  reason,
  expires_at: expiresAt,
}: MutingRow): MutingDefinition {
  return { criteria, category, comment, reason, expiresAt };
}

function addressed(context: Context): Promise<MutingRow> {
  return mutingWithId(context, context.params.muting_id ?? "");
}

/** A muting that the caller may see. @throws RequestError 404 */
export async function mutingWithId(context: Context, id: string): Promise<MutingRow> {
  const muting = isNumericId(id) ? await findMutingRow(context.deps.db, callerOf(context), id) : undefined;
  if (muting) return muting;
  throw notFound("muting");
}

type Now = NonNullable<Attributes<"muting">["now"]>;

/** What is silenced now, with one of the findings. */
async function examplesOf(context: Context, mutings: readonly ListedMuting[]): Promise<(muting: ListedMuting) => Now> {
  const { deps } = context;
  const ids = mutings.flatMap(({ finding_id }) => finding_id ?? []);
  const examples = new Map((await readFindings(deps.db, ids, null)).map((finding) => [finding.id, finding]));
  const guides = await deps.guides();
  return ({ findings, finding_id, idleSince, criteria }) => {
    const example = examples.get(finding_id ?? "");
    return {
      findings,
      none_since: timestamp(idleSince),
      title: example ? titleOfRule(guides, example) : titleOfCriterion(guides, criteria.rule),
      impact: example ? impactOf(example.impact_order) : null,
      example: example ? exampleOf(example) : null,
    };
  };
}

function exampleOf({ report_id, component, rule, url, element }: FindingDetails): Now["example"] {
  return { report_id, component, rule: rule === "" ? null : rule, url, selector: element?.selector ?? null };
}

/** The title of the guide to a rule, of the first kind that has one; null without. */
function titleOfCriterion(guides: Pick<Guides, "find">, rule: string | undefined): string | null {
  if (rule === undefined) return null;
  return checkKinds.map((kind) => guides.find(kind, rule)?.guide.title).find((title) => title !== undefined) ?? null;
}

/** Only its owners see the reason of a muting, and which guest it belongs to. */
function mutingDocument(context: Context, muting: MutingRow, owned: boolean, now?: Now): Resource<"muting"> {
  const guest = owned ? muting.guest_token : null;
  const {
    url_match = null,
    message = null,
    rule = null,
    selector = null,
    fingerprint = null,
    component = null,
  } = muting.criteria;
  return {
    id: muting.id,
    type: "muting",
    attributes: {
      id: Number(muting.id),
      url_match,
      message,
      rule,
      selector,
      fingerprint,
      component,
      category: muting.category,
      comment: muting.comment,
      ...(owned && { reason: muting.reason, created_by: muting.created_by }),
      ...(now && { now }),
      expires_at: timestamp(muting.expires_at),
      ...(guest !== null && { guest_token: guest }),
      inserted_at: timestamp(muting.inserted_at),
      updated_at: timestamp(muting.updated_at),
    },
    ...(guest !== null &&
      muting.guest_known && { relationships: related({ guest_account: `${context.base}/guest_accounts/${guest}` }) }),
  };
}
