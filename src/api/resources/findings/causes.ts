import { causeOfDetails, readCauses } from "../../../database/findings/causes.ts";
import { type FindingDetails, readFindings } from "../../../database/findings/findings.ts";
import { type FindPicture, readPictures } from "../../../database/reports/element-pictures.ts";
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
import {
  choiceParameter,
  pageParameters,
  pathParameter,
  roleParameter,
  sortParameter,
} from "../../http/request/parameters.ts";
import { list, one, related } from "../../http/response/documents.ts";
import { notFound } from "../../http/response/errors.ts";
import { causeMeta } from "../../openapi/response-schemas/findings.ts";
import { pageUrl, reportUrl, visibleReport } from "../reports/report-access.ts";
import { elementAttributes, pictureAttributes, ruleAttributes } from "./finding-attributes.ts";

const impactChoices = [...impacts, "none"] as const;
const sortKeys = ["how_many", "places", "gain", "impact"] as const;

/** What each key sorts by, the most first; ties stay in the order of all causes. */
const sortedBy: Record<(typeof sortKeys)[number], (cause: ReportCause) => number> = {
  how_many: ({ how_many }) => how_many,
  places: ({ num_places }) => num_places,
  gain: ({ how_many, num_places }) => how_many / Math.max(1, num_places),
  impact: ({ impact }) => (impact === null ? -1 : impacts.indexOf(impact)),
};

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
    parameters: [
      roleParameter,
      choiceParameter(
        "filter[impact]",
        "The worst impact of its rules; none for rules about HTML only.",
        impactChoices,
      ),
      choiceParameter("filter[known_by]", "How it is known what the change removes.", knownBy),
      pathParameter("Counts only errors on pages"),
      sortParameter(
        "The sort order: by errors, by places to change, by errors for each of these, or by impact.",
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
      const { report } = await visibleReport(context);
      const found = await readCauses(deps.db, report.id, folder);
      const selected = found.causes.filter(
        (cause) =>
          (role === undefined || cause.role === role) &&
          (impact === undefined || (cause.impact ?? "none") === impact) &&
          (known === undefined || cause.known_by === known),
      );
      const by = sortedBy[sort.key];
      const sorted = selected.toSorted((a, b) => by(b) - by(a));
      if (sort.direction === "asc") sorted.reverse();
      const shown = sorted.slice(page.offset, page.offset + page.limit);
      const first = found.causes.slice(0, FIX_FIRST);
      const rows = await documentsOf(context, report.id, shown);
      const meta = {
        ...sumOf(selected),
        first: { causes: first.length, ...sumOf(first) },
        counts: {
          role: countBy(found.causes, Object.keys(roles) as Role[], ({ role }) => role),
          impact: countBy(found.causes, impactChoices, ({ impact }) => impact ?? "none"),
          known_by: countBy(found.causes, knownBy, ({ known_by }) => known_by),
        },
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
    isHeavy: true,
    handle: async (context) => {
      const { report } = await visibleReport(context);
      const { causes: found } = await readCauses(context.deps.db, report.id);
      const cause = found.find(({ id }) => id === context.params.cause_id);
      const [document] = cause ? await documentsOf(context, report.id, [cause]) : [];
      if (!document) throw notFound("cause");
      return one(document);
    },
  },
];

/** As they are sent; without those whose page is being checked again. */
async function documentsOf(
  context: Context,
  reportId: string,
  shown: readonly ReportCause[],
): Promise<Resource<"cause">[]> {
  const { deps } = context;
  const found = await readFindings(
    deps.db,
    shown.map(({ finding_id }) => finding_id),
    null,
  );
  const examples = new Map(found.map((finding) => [finding.id, finding]));
  const pictures = await readPictures(
    deps.db,
    found.map(({ web_page_id }) => web_page_id),
  );
  const guides = await deps.guides();
  return shown.flatMap((cause) => {
    const example = examples.get(cause.finding_id);
    return example ? [causeDocument(context, reportId, { cause, example }, { guides, pictures })] : [];
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

type Row = { cause: ReportCause; example: FindingDetails };

function causeDocument(
  context: Context,
  reportId: string,
  { cause, example }: Row,
  { guides, pictures }: { guides: Pick<Guides, "find">; pictures: FindPicture },
): Resource<"cause"> {
  const { id, number, impact, how_many, verified, known_by, num_pages, num_places, role, rules } = cause;
  const { element } = example;
  const what = causeOfDetails(example);
  const colour = element?.contrast ? colourToChange(element.contrast) : undefined;
  const report = reportUrl(context, reportId);
  return {
    id,
    type: "cause",
    attributes: {
      number,
      ...ruleAttributes(example, guides),
      title: titleOfCause(guides.find(example.kind, example.rule)?.guide, what, {
        ...{ markup: element ? markupOf(element) : "", changed: colour?.changed, fallback: example.message },
      }),
      issue_type: "error",
      impact,
      impact_order: example.impact_order,
      ...{ rules, how_many, verified, known_by, num_pages, num_places, role, place: what.place },
      change: changeAt(example),
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
