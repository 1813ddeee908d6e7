import { noAssignments, readAssignments, saidOf } from "../../../database/findings/assignments.ts";
import { causeOfDetails, readCauses } from "../../../database/findings/causes.ts";
import { type FindingDetails, readFindings } from "../../../database/findings/findings.ts";
import { type MetCauses, readMet } from "../../../database/findings/met.ts";
import { type FindPicture, readPictures } from "../../../database/reports/element-pictures.ts";
import type { SiteKey } from "../../../database/reports/site-key.ts";
import type { Folder } from "../../../domain/addresses/section.ts";
import {
  type AssignmentState,
  assignmentState,
  assignmentStates,
  type Held,
  type Holder,
  isLeft,
  MAX_HELD,
  nearest,
} from "../../../domain/causes/assignment.ts";
import { FIX_FIRST, knownBy, type ReportCause, sumOf } from "../../../domain/causes/causes.ts";
import { changeOf } from "../../../domain/causes/changes.ts";
import { colourToChange } from "../../../domain/causes/colour.ts";
import { mend, styleWithContrast } from "../../../domain/causes/mend.ts";
import { titleOfCause } from "../../../domain/causes/title.ts";
import { impacts } from "../../../domain/findings/findings.ts";
import { markupOf } from "../../../domain/findings/markup.ts";
import { type Role, roles } from "../../../domain/findings/role.ts";
import type { Guides } from "../../../domain/guides/guides.ts";
import type { Context, Route } from "../../context.ts";
import type { List, Resource } from "../../documents.ts";
import { attributesReader } from "../../http/request/attributes.ts";
import {
  choiceParameter,
  pageParameters,
  pathParameter,
  roleParameter,
  sortParameter,
  textParameter,
} from "../../http/request/parameters.ts";
import { list, one, related } from "../../http/response/documents.ts";
import { notFound } from "../../http/response/errors.ts";
import { bodyOf } from "../../openapi/request-body.ts";
import { causeMeta } from "../../openapi/response-schemas/findings.ts";
import { type CauseAttributes, causeSchema } from "../../request-attributes.ts";
import { assignmentAfter, assignmentAttributes, give, mineOf, mineParameter } from "../assignment-attributes.ts";
import { ownReport, pageUrl, reportUrl, requireOwner, visibleReport } from "../reports/report-access.ts";
import { elementAttributes, pictureAttributes, ruleAttributes } from "./finding-attributes.ts";

const impactChoices = [...impacts, "none"] as const;
const sortKeys = ["how_many", "places", "gain", "impact", "due_on", "met"] as const;

/** What a list of causes may be filtered by, besides the folder. */
type Condition = "role" | "impact" | "known_by" | "state" | "assignee" | "mine" | "search";

/** What is known of causes besides what their report says. */
type Known = { met: MetCauses | undefined; assigned: AssignedOf };

/** What has no day is after all days. */
const NO_DAY = Number.MAX_SAFE_INTEGER;
/** What is read from its least to its most: the next day first. */
const leastFirst: ReadonlySet<string> = new Set<(typeof sortKeys)[number]>(["due_on"]);

/** What each key sorts by; ties stay in the order of all causes as it is read, and the other order is its exact reverse. */
const sortedBy: Record<(typeof sortKeys)[number], (cause: ReportCause, known: Known) => number> = {
  how_many: ({ how_many }) => how_many,
  places: ({ num_places }) => num_places,
  gain: ({ how_many, num_places }) => how_many / Math.max(1, num_places),
  impact: ({ impact }) => (impact === null ? -1 : impacts.indexOf(impact)),
  due_on: ({ id }, { assigned }) => {
    const day = assigned(id).assignment?.due_on;
    return day == null ? NO_DAY : Date.parse(day);
  },
  met: ({ id }, { met }) => met?.get(id) ?? 0,
};

const readAssignment = attributesReader<CauseAttributes>(causeSchema);

/**
 * Who has which cause: by itself, by its section or by its site. Nobody else than the owner learns that.
 *
 * @param known all causes of the report, where they have been read
 */
async function assignedOf(
  { deps }: Context,
  { report, owned }: { report: OfSite; owned: boolean },
  known?: readonly ReportCause[],
): Promise<AssignedOf> {
  const said = owned ? await readAssignments(deps.db, siteOf(report)) : noAssignments;
  // Sections are those of the whole report: a cause has the same holder in every list.
  const all = said.sections.size > 0 ? (known ?? (await readCauses(deps.db, report.id)).causes) : [];
  const sections = new Map(all.map(({ id, section }) => [id, section]));
  const now = deps.now();
  return (id) => {
    const section = sections.get(id) ?? null;
    const assignment = nearest(saidOf(said, id, section));
    return { assignment, section, state: assignmentState(assignment, report.inserted_at, now) };
  };
}

/** How often visitors met each cause; nobody else than the owner learns that. */
async function metOf({ deps }: Context, { report, owned }: Visible, folder?: Folder): Promise<MetCauses | undefined> {
  return owned ? readMet(deps.db, report.id, folder) : undefined;
}

type Visible = Awaited<ReturnType<typeof visibleReport>>;
type AssignedOf = (id: string) => {
  assignment: Held | undefined;
  state: AssignmentState;
  /** That all pages of the cause are in, where somebody has one. */
  section: string | null;
};

/** Of the report's row: whose site it is of, and since when. */
type OfSite = Pick<Visible["report"], "id" | "account_id" | "guest_token" | "starting_url" | "inserted_at">;

function siteOf(report: OfSite): SiteKey {
  const { account_id: accountId, guest_token: guestToken, starting_url: startingUrl } = report;
  return { accountId, guestToken, startingUrl };
}

const nobody: Record<keyof Holder, null> = { assignee: null, holder: null, person_id: null, team_id: null };

/** How much each has, in each state: the most errors first. */
function sumByAssignee(causes: readonly ReportCause[], of: AssignedOf) {
  const groups = Map.groupBy(causes, ({ id }) => {
    const { assignment, state } = of(id);
    const { assignee, holder, person_id, team_id } = assignment ?? nobody;
    return JSON.stringify([assignee, holder, person_id, team_id, state]);
  });
  return [...groups.values()]
    .map((group) => {
      const all = group.map(({ id }) => of(id));
      const { assignment, state = "nobody" } = all[0] ?? {};
      const { assignee, holder, person_id, team_id } = assignment ?? nobody;
      const days = all.flatMap((one) => one.assignment?.due_on ?? []).toSorted();
      return {
        ...{ assignee, holder, person_id, team_id, is_left: assignment ? isLeft(assignment) : false, state },
        ...{ due_on: days.at(-1) ?? null, causes: group.length, how_many: sumOf(group).how_many },
      };
    })
    .toSorted((a, b) => Number(a.assignee === null) - Number(b.assignee === null) || b.how_many - a.how_many);
}

export const causes: readonly Route[] = [
  {
    method: "GET",
    path: "/reports/:report_id/causes",
    id: "listCauses",
    tag: "Issues",
    summary: "List what to change, and what that removes",
    description:
      "A cause is one change in one place of source: what all engines say of one element, an element of a template, elements of one shape, all uses of a colour, or what a page lacks as a whole. Errors only, without muted ones; each belongs to one cause. Those that remove most come first.",
    success: { kind: "list", type: "cause", meta: causeMeta },
    access: "shared",
    site: "report",
    parameters: [
      roleParameter,
      choiceParameter(
        "filter[impact]",
        "The worst impact of its rules; none for rules about HTML only.",
        impactChoices,
      ),
      choiceParameter("filter[known_by]", "How it is known what the change removes.", knownBy),
      choiceParameter("filter[state]", "Whether somebody mends it, or says that it is done.", assignmentStates),
      textParameter("filter[assignee]", "Those that somebody with this name has, exactly."),
      mineParameter,
      textParameter("filter[search]", "The title, the place or the source contains this, regardless of case."),
      pathParameter("Counts only errors on pages"),
      sortParameter(
        "The sort order: by errors, by places to change, by errors for each of these, by impact, and, for the owner alone, by the day by which it is mended, where what has none is last in ascending order, or by how often visitors met an error of it.",
        sortKeys,
        "how_many-desc",
      ),
      ...pageParameters,
    ],
    isHeavy: true,
    handle: async (context) => {
      const { deps, query } = context;
      const page = query.page();
      const sort = query.sort(sortKeys) ?? { key: "how_many", direction: "desc" };
      const role = query.choice("filter[role]", Object.keys(roles) as Role[]);
      const impact = query.choice("filter[impact]", impactChoices);
      const known = query.choice("filter[known_by]", knownBy);
      const folder = query.folder();
      const state = query.choice("filter[state]", assignmentStates);
      const assignee = query.text("filter[assignee]");
      const search = query.text("filter[search]");
      const visible = await visibleReport(context);
      const { report } = visible;
      requireOwner(visible, sort);
      const { asked: onlyMine, own } = await mineOf(context);
      const found = await readCauses(deps.db, report.id, folder);
      const assigned = await assignedOf(context, visible, folder ? undefined : found.causes);
      const met = await metOf(context, visible, folder);
      const guides = await deps.guides();
      const named = search === undefined ? undefined : await examplesOf(context, found.causes);
      const conditions: Record<Condition, (cause: ReportCause) => boolean> = {
        role: (cause) => role === undefined || cause.role === role,
        impact: (cause) => impact === undefined || (cause.impact ?? "none") === impact,
        known_by: (cause) => known === undefined || cause.known_by === known,
        state: ({ id }) => state === undefined || assigned(id).state === state,
        assignee: ({ id }) => assignee === undefined || assigned(id).assignment?.assignee === assignee,
        mine: ({ id }) => !onlyMine || own(assigned(id).assignment),
        search: ({ finding_id }) => named === undefined || hasText(named.get(finding_id), guides, search),
      };
      const names = Object.keys(conditions) as Condition[];
      const judged = found.causes.map((cause) => ({ cause, unmet: names.filter((name) => !conditions[name](cause)) }));
      const selectedBut = (but?: Condition) =>
        judged.flatMap(({ cause, unmet }) => (unmet.every((name) => name === but) ? [cause] : []));
      const selected = selectedBut();
      const by = (cause: ReportCause) => sortedBy[sort.key](cause, { met, assigned });
      const natural = leastFirst.has(sort.key) ? "asc" : "desc";
      const sorted = selected.toSorted((a, b) => (natural === "asc" ? by(a) - by(b) : by(b) - by(a)));
      if (sort.direction !== natural) sorted.reverse();
      const shown = sorted.slice(page.offset, page.offset + page.limit);
      const first = found.causes.slice(0, FIX_FIRST);
      const rows = await documentsOf(context, report.id, shown, { assigned, met, examples: named });
      const meta = {
        ...sumOf(selected),
        first: { causes: first.length, ...sumOf(first) },
        counts: {
          role: countBy(selectedBut("role"), Object.keys(roles) as Role[], ({ role }) => role),
          impact: countBy(selectedBut("impact"), impactChoices, ({ impact }) => impact ?? "none"),
          known_by: countBy(selectedBut("known_by"), knownBy, ({ known_by }) => known_by),
          mine: selectedBut("mine").filter(({ id }) => own(assigned(id).assignment)).length,
          state: countBy(selectedBut("state"), assignmentStates, ({ id }) => assigned(id).state),
        },
        assignees: visible.owned ? sumByAssignee(found.causes, assigned) : [],
        left_out: found.left_out,
      } satisfies Partial<List<"cause">["meta"]>;
      return list(context, page, { rows, size: page.limit, total: selected.length, meta }, (row) => row);
    },
  },
  {
    method: "GET",
    path: "/reports/:report_id/causes/:cause_id",
    id: "getCause",
    tag: "Issues",
    summary: "Get one change, and what it removes",
    success: { kind: "one", type: "cause" },
    access: "shared",
    site: "report",
    isHeavy: true,
    handle: async (context) => {
      const { visible, cause } = await addressed(context);
      return one(await documentOf(context, visible, cause));
    },
  },
  {
    method: "PATCH",
    path: "/reports/:report_id/causes/:cause_id",
    id: "updateCause",
    audit: { verb: "changed who has a cause", area: "sites" },
    tag: "Issues",
    summary: "Say who mends a cause, until when, or that it is done",
    description: `It is said of the cause in all reports of the site. What is left out stays as it is; when nobody has it any more, the rest is removed, too. While nothing is said of it, whoever has its section or its site has it. 409 when ${MAX_HELD} causes of the site have somebody.`,
    success: { kind: "one", type: "cause" },
    access: "account",
    site: "report",
    body: bodyOf("cause", causeSchema),
    errors: [409],
    isHeavy: true,
    handle: async (context) => {
      const { db, guides } = context.deps;
      const report = await ownReport(context);
      const given = readAssignment(context.attributes);
      const { visible, cause } = await addressed(context);
      const site = siteOf(report);
      const before = (await readAssignments(db, site)).causes.get(cause.id);
      const after = await assignmentAfter(context, given, before, site.guestToken);
      const [example] = (await examplesOf(context, [cause])).values();
      const title = example ? titleOf(example, await guides()) : null;
      await give(context, site, { kind: "cause", part: cause.id, title }, after);
      return one(await documentOf(context, visible, cause));
    },
  },
];

/** The cause in the address. @throws RequestError 404 */
async function addressed(context: Context): Promise<{ visible: Visible; cause: ReportCause }> {
  const visible = await visibleReport(context);
  const { causes: found } = await readCauses(context.deps.db, visible.report.id);
  const cause = found.find(({ id }) => id === context.params.cause_id);
  if (!cause) throw notFound("cause");
  return { visible, cause };
}

/** @throws RequestError 404 while its page is being checked again */
async function documentOf(context: Context, visible: Visible, cause: ReportCause): Promise<Resource<"cause">> {
  const assigned = await assignedOf(context, visible);
  const met = await metOf(context, visible);
  const [document] = await documentsOf(context, visible.report.id, [cause], { assigned, met });
  if (!document) throw notFound("cause");
  return document;
}

/** The findings that stand for causes, by their ids. */
type Examples = ReadonlyMap<string, FindingDetails>;

async function examplesOf({ deps }: Context, found: readonly ReportCause[]): Promise<Examples> {
  const ids = found.map(({ finding_id }) => finding_id);
  return new Map((await readFindings(deps.db, ids, null)).map((finding) => [finding.id, finding]));
}

/** Whether the title, the place, the source or a rule contains a text. */
function hasText(example: FindingDetails | undefined, guides: Pick<Guides, "find">, search = ""): boolean {
  if (!example) return false;
  const { element, rule } = example;
  const text = search.toLowerCase();
  const parts = [titleOf(example, guides), causeOfDetails(example).place, element?.extract, element?.selector, rule];
  return parts.some((part) => part?.toLowerCase().includes(text));
}

/** As they are sent; without those whose page is being checked again. */
async function documentsOf(
  context: Context,
  reportId: string,
  shown: readonly ReportCause[],
  {
    assigned,
    met,
    examples: read,
  }: { assigned: AssignedOf; met: MetCauses | undefined; examples?: Examples | undefined },
): Promise<Resource<"cause">[]> {
  const { deps } = context;
  const examples = read ?? (await examplesOf(context, shown));
  const pages = shown.flatMap(({ finding_id }) => examples.get(finding_id)?.web_page_id ?? []);
  const pictures = await readPictures(deps.db, pages);
  const guides = await deps.guides();
  return shown.flatMap((cause) => {
    const example = examples.get(cause.finding_id);
    const row = example && { cause, example, met: met ? (met.get(cause.id) ?? 0) : null, ...assigned(cause.id) };
    return row ? [causeDocument(context, reportId, row, { guides, pictures })] : [];
  });
}

/** Titles of causes, with who mends them, for what is said of their site as a whole. */
export async function titledCauses(context: Context, report: OfSite, found: readonly ReportCause[]) {
  const { deps } = context;
  const examples = await examplesOf(context, found);
  const assigned = await assignedOf(context, { report, owned: true });
  const guides = await deps.guides();
  return found.flatMap(({ id, finding_id }) => {
    const example = examples.get(finding_id);
    const { assignment, state } = assigned(id);
    const { assignee = null, due_on = null } = assignment ?? {};
    return example ? [{ id, title: titleOf(example, guides), assignee, due_on, state }] : [];
  });
}

function titleOf(example: FindingDetails, guides: Pick<Guides, "find">): string {
  const { element } = example;
  const colour = element?.contrast ? colourToChange(element.contrast) : undefined;
  return titleOfCause(guides.find(example.kind, example.rule)?.guide, causeOfDetails(example), {
    ...{ markup: element ? markupOf(element) : "", changed: colour?.changed, fallback: example.message },
  });
}

/** How many causes have each of some values. */
function countBy<Value extends string>(
  causes: readonly ReportCause[],
  values: readonly Value[],
  of: (cause: ReportCause) => string,
): Record<Value, number> {
  const count = (value: Value) => causes.filter((cause) => of(cause) === value).length;
  return Object.fromEntries(values.map((value) => [value, count(value)])) as Record<Value, number>;
}

type Row = { cause: ReportCause; example: FindingDetails; met: number | null } & ReturnType<AssignedOf>;

function causeDocument(
  context: Context,
  reportId: string,
  { cause, example, met, assignment, state, section }: Row,
  { guides, pictures }: { guides: Pick<Guides, "find">; pictures: FindPicture },
): Resource<"cause"> {
  const { id, number, impact, how_many, verified, known_by, num_pages, num_places, role, rules } = cause;
  const { element } = example;
  const what = causeOfDetails(example);
  const report = reportUrl(context, reportId);
  return {
    id,
    type: "cause",
    attributes: {
      number,
      ...ruleAttributes(example, guides),
      title: titleOf(example, guides),
      issue_type: "error",
      impact,
      impact_order: example.impact_order,
      ...{ rules, how_many, verified, known_by, num_pages, num_places, met, role, place: what.place },
      change: changeAt(example),
      assignment: assignment && state !== "nobody" ? assignmentAttributes(assignment, state, section) : null,
      url: example.url,
      element: elementAttributes(
        element,
        pictureAttributes(context, pictures(example.web_page_id, element?.box), reportId),
      ),
    },
    relationships: related({
      report,
      web_page: pageUrl(context, example),
      findings: `${report}/findings?${new URLSearchParams({ "filter[cause]": id, "filter[issue_type]": "error" })}`,
    }),
  };
}

/** Characters of source that are shown of a change. */
const MAX_CHANGE = 160;

/** What is changed at an element, as it is tried in copies of pages; null where nobody but a person knows. */
function changeAt({ kind, rule, message, element }: FindingDetails): Resource<"cause">["attributes"]["change"] {
  const { fix } = changeOf(kind, rule).change;
  if (!fix) return null;
  if (fix.kind === "main") return { before: null, after: "<main>…</main>" };
  const style = fix.kind === "colour" ? styleWithContrast(element?.contrast) : undefined;
  if (style) return { before: `${style.property}: ${style.before};`, after: `${style.property}: ${style.after};` };
  if (!element || fix.kind === "colour") return null;
  const markup = firstTag(markupOf(element));
  const mended = mend(fix, { markup, message });
  return mended ? { before: markup.slice(0, MAX_CHANGE), after: mended.markup.slice(0, MAX_CHANGE) } : null;
}

function firstTag(markup: string): string {
  return /^<(?:"[^"]*"|'[^']*'|[^'">])*>/.exec(markup)?.[0] ?? markup;
}
