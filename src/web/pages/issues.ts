import type { Attributes, List, One, Resource } from "../../api/documents.ts";
import { type CheckKind, checkKinds, worstFirst } from "../../checks/kinds.ts";
import { ownStates } from "../../domain/findings/finding-state.ts";
import { impacts } from "../../domain/findings/findings.ts";
import { type Role, roles } from "../../domain/findings/role.ts";
import { type Standard, standards, tagsOfStandard } from "../../domain/findings/standards.ts";
import { type Html, html } from "../html.ts";
import type { PageContext, View } from "../page.ts";
import { chips, chosenCriterion, chosenPath } from "../parts/chips.ts";
import { componentItem } from "../parts/component-item.ts";
import { crop } from "../parts/crop.ts";
import { sortOf, titleOf } from "../parts/finding.ts";
import { input, select } from "../parts/form.ts";
import { icon } from "../parts/icon.ts";
import { isOwned, reportPath, reportRoutes } from "../parts/report.ts";
import { roleName } from "../parts/report-cards.ts";
import { readFrame } from "../parts/report-head.ts";
import { outsideOf } from "../parts/report-sections.ts";
import { rulesList } from "../parts/rules-list.ts";
import { pageQuery, pagination } from "../parts/table.ts";
import { empty } from "../parts/text.ts";
import { unknownValues } from "../parts/unknown-values.ts";
import { texts } from "../texts/en.ts";

const t = texts.issues;
/** How many components a page of their list has. */
const COMPONENTS = 10;

export const issuesPages = reportRoutes("/issues", read);

/** The filters with a few values, as they are called and what these are. */
const known = {
  kind: { label: t.engine, values: checkKinds },
  state: { label: t.state, values: ownStates },
  impact: { label: t.impact, values: impacts },
  type: { label: t.type, values: ["error", "warning", "outside"] as const },
  standard: { label: t.standard, values: Object.keys(standards) as Standard[] },
  role: { label: t.role, values: Object.keys(roles) as Role[] },
};

/** The filters in an address. Unknown values are ignored. */
function filtersOf({ query }: PageContext) {
  const choice = <Name extends keyof typeof known>(name: Name) =>
    (known[name].values as readonly (typeof known)[Name]["values"][number][]).find(
      (value) => value === query.get(name),
    );
  return {
    kind: choice("kind"),
    state: choice("state"),
    impact: choice("impact"),
    type: choice("type"),
    standard: choice("standard"),
    role: choice("role"),
    path: query.get("path") ?? undefined,
    criterion: /^\d+[.]\d+[.]\d+$/.exec(query.get("criterion") ?? "")?.[0],
    text: query.get("text") ?? "",
    muted: query.has("muted"),
  };
}
/** The tag of issues about a success criterion, such as wcag143. */
function tagOf(criterion: string): string {
  return `wcag${criterion.replaceAll(".", "")}`;
}
type Filters = ReturnType<typeof filtersOf>;
type Counts = List<"report_rule">["meta"]["counts"];

async function read(context: PageContext): Promise<View> {
  const { api, params, query } = context;
  const report = `/reports/${params.report_id}`;
  const filters = filtersOf(context);
  const { data } = await api.get<One<"report">>(report);
  const shared = {
    "filter[state]": filters.state,
    "filter[issue_type]": filters.type === "outside" ? undefined : filters.type,
    "filter[role]": filters.role,
    "filter[path]": filters.path,
    "filter[muted]": filters.muted ? "true" : undefined,
  };
  const tags = filters.criterion ? [tagOf(filters.criterion)] : filters.standard && tagsOfStandard(filters.standard);
  const tagged = tags && { "filter[tags][mode]": "any", "filter[tags][list]": tags.join(",") };
  const outside = filters.type === "outside";
  const hasOutside = outsideOf(data.attributes) > 0;
  const rulesOf = (more: Record<string, string | undefined>) =>
    api.get<List<"report_rule">>(`${report}/rules`, {
      ...{ ...shared, ...tagged, "filter[impact]": filters.impact, "filter[message]": filters.text },
      ...{ "filter[outside_standard]": outside ? "true" : undefined, ...more },
    });
  const components =
    filters.text === "" && filters.kind === undefined && tags === undefined
      ? await api.get<List<"component">>(`${report}/components`, {
          ...shared,
          "filter[impact]": filters.impact,
          // What is listed is what is counted.
          "filter[outside_standard]": hasOutside ? String(outside) : undefined,
          "filter[repeated]": "true",
          ...pageQuery(query, COMPONENTS, "components"),
        })
      : undefined;
  const { meta } = await rulesOf({ "filter[kind]": filters.kind, "page[size]": "1" });
  const lists: { kind: CheckKind; rules: List<"report_rule"> }[] = [];
  for (const kind of worstFirst.filter((one) => filters.kind === undefined || filters.kind === one))
    if (data.attributes.checks[kind] && meta.counts.kind[kind] > 0)
      lists.push({
        kind,
        rules: await rulesOf({ "filter[kind]": kind, sort: sortOf(kind), ...pageQuery(query, 25, kind) }),
      });
  const { tabs, ...frame } = await readFrame(context, data.attributes, "issues");
  const content = html`<div>
    ${tabs}
    ${unknownValues(context, known)}
    <div class="card flush">${filterForm(context, data.attributes, filters, meta.counts)}</div>
    ${meta.total === 0 ? empty(t.none, t.noneWhat) : null} ${lists.map(({ kind, rules: found }) => rules(context, kind, found))}
    ${components && components.meta.total > 0 ? await componentList(context, data.attributes, components) : null}
  </div>`;
  return { ...frame, title: `${t.title}: ${data.attributes.starting_url}`, content };
}

/** What can be chosen, with how much the list then has; and words to look for. */
function filterForm(
  context: PageContext,
  report: Attributes<"report">,
  { standard, text, muted }: Filters,
  counts: Counts,
): Html {
  const path = reportPath(context, "/issues");
  const { query } = context;
  const kept = ["kind", "state", "impact", "type", "role", "path", "criterion", "muted"].flatMap((name) => {
    const value = query.get(name);
    return value ? [html`<input type="hidden" name=${name} value=${value} />`] : [];
  });
  const all = { value: "", label: t.all };
  const performed = checkKinds.filter((kind) => report.checks[kind]);
  return html`<div class="grid tools close">
    <form class="filters" method="get" action=${context.href(path)} aria-label=${t.filters}>
      ${kept} ${input({ name: "text", label: t.text, value: text, required: false, bare: true })}
      ${select({
        name: "standard",
        label: t.standard,
        value: standard ?? "",
        options: [
          all,
          ...(Object.keys(standards) as Standard[]).map((value) => ({ value, label: t.standards[value] })),
        ],
      })}
      <button class="quiet">${t.apply}</button>
      <a class="push" href=${context.href(path)}>${t.reset}</a>
    </form>
    <div class="line">
      ${chips(context, {
        name: "impact",
        label: t.impact,
        values: [...impacts].reverse().map((value) => ({
          value,
          text: html`${icon(value)} ${texts.impacts[value]}`,
          count: counts.impact[value],
        })),
      })}
      ${chips(context, {
        name: "type",
        label: t.type,
        values: [
          { value: "error", text: texts.types.error, count: counts.issue_type.error },
          { value: "warning", text: texts.types.warning, count: counts.issue_type.warning },
          ...(counts.outside_standard > 0 || outsideOf(report) > 0
            ? [{ value: "outside", text: texts.report.outside, count: counts.outside_standard }]
            : []),
        ],
      })}
      ${
        report.comparison &&
        chips(context, {
          name: "state",
          label: t.state,
          values: ownStates.map((value) => ({ value, text: texts.states[value], count: counts.state[value] })),
        })
      }
      ${
        performed.length > 1 &&
        chips(context, {
          name: "kind",
          label: t.engine,
          values: performed.map((value) => ({ value, text: titleOf(value), count: counts.kind[value] })),
        })
      }
      ${
        report.roles &&
        chips(context, {
          name: "role",
          label: t.role,
          values: (Object.keys(roles) as Role[]).map((value) => ({
            value,
            text: roleName(value),
            count: counts.role[value],
          })),
        })
      }
      ${chosenPath(context)} ${chosenCriterion(context)}
      ${(muted || counts.muted.true > 0) && chips(context, { name: "muted", label: t.muted, values: [{ value: "true", text: t.mutedOnly, count: counts.muted.true }] })}
    </div>
  </div>`;
}

/** The components on several pages, of each of which one change mends all. */
async function componentList(
  context: PageContext,
  report: Attributes<"report">,
  { data: list, meta }: List<"component">,
): Promise<Html> {
  return html`<section class="card grid" aria-labelledby="components">
    <h2 id="components">${t.components}</h2>
    <p class="quiet">${t.componentsWhat}</p>
    <ol class="fixes">
      ${list.map((component) => componentItem(context, component, { crop: crop(context, component), owned: isOwned(context, report) }))}
    </ol>
    ${pagination(context, t.components, meta, { name: "components", size: COMPONENTS, section: "components" })}
  </section>`;
}

function rules(context: PageContext, kind: CheckKind, { data, meta }: List<"report_rule">): Html {
  if (meta.total === 0) return null;
  const title = `${titleOf(kind)}: ${texts.count.rules(meta.total)}`;
  const muted = context.query.has("muted") ? "true" : "";
  const below = meta.total > data.length && pagination(context, title, meta, { name: kind, section: `rules-${kind}` });
  return rulesList({ id: `rules-${kind}`, title, below }, data, (rule) =>
    context.href(reportPath(context, `/issues/${kind}/${issueOf(rule)}`), { muted }),
  );
}

/** The id of the issue whose page is that of the rule. */
function issueOf({ relationships }: Resource<"report_rule">): string {
  return relationships.common_issue.links.related.split("/").at(-1) ?? "";
}
