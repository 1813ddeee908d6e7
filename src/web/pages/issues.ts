import type { Attributes, List, One, Resource } from "../../api/documents.ts";
import { type CheckKind, checkKinds, manifestOf, nounOf, worstFirst } from "../../checks/kinds.ts";
import { ownStates } from "../../domain/findings/finding-state.ts";
import { impacts } from "../../domain/findings/findings.ts";
import { type Role, roles } from "../../domain/findings/role.ts";
import { type Standard, standards, tagsOfStandard } from "../../domain/findings/standards.ts";
import { type Html, html } from "../html.ts";
import type { PageContext, View } from "../page.ts";
import { chips, chosenCriterion, chosenPath } from "../parts/chips.ts";
import { componentItem } from "../parts/component-item.ts";
import { crop } from "../parts/crop.ts";
import { type CommonIssueType, ruleOf, sortOf, titleOf } from "../parts/finding.ts";
import { input, select } from "../parts/form.ts";
import { icon } from "../parts/icon.ts";
import { isOwned, reportPath, reportRoutes } from "../parts/report.ts";
import { roleName } from "../parts/report-cards.ts";
import { readFrame } from "../parts/report-head.ts";
import { severityIn } from "../parts/report-sections.ts";
import { type ListedRule, rulesList } from "../parts/rules-list.ts";
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
  type: { label: t.type, values: ["error", "warning"] as const },
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

/** An issue of any kind, as the list shows it. */
type Row = ListedRule & { id: string };

async function read(context: PageContext): Promise<View> {
  const { api, params, query } = context;
  const report = `/reports/${params.report_id}`;
  const filters = filtersOf(context);
  const { data } = await api.get<One<"report">>(report);
  const shared = {
    "filter[state]": filters.state,
    "filter[issue_type]": filters.type,
    "filter[role]": filters.role,
    "filter[path]": filters.path,
    "filter[muted]": filters.muted ? "true" : undefined,
  };
  const tags = filters.criterion ? [tagOf(filters.criterion)] : filters.standard && tagsOfStandard(filters.standard);
  const tagged = tags && { "filter[tags][mode]": "any", "filter[tags][list]": tags.join(",") };
  const shows = (kind: CheckKind) => filters.kind === undefined || filters.kind === kind;
  const components =
    filters.text === "" && filters.kind === undefined && tags === undefined
      ? await api.get<List<"component">>(`${report}/components`, {
          ...shared,
          "filter[impact]": filters.impact,
          "filter[repeated]": "true",
          ...pageQuery(query, COMPONENTS, "components"),
        })
      : undefined;
  const lists: { kind: CheckKind; issues: List<CommonIssueType> }[] = [];
  for (const kind of worstFirst) {
    const { hasImpact, issues } = manifestOf(kind);
    if (!shows(kind) || !data.attributes.checks[kind] || (filters.impact !== undefined && !hasImpact)) continue;
    const found = await api.get<List<CommonIssueType>>(`${report}/common_${nounOf(kind)}_issues`, {
      ...shared,
      ...tagged,
      "filter[impact]": filters.impact,
      [`filter[${issues.text}]`]: filters.text,
      sort: sortOf(kind),
      ...pageQuery(query, 25, kind),
    });
    lists.push({ kind, issues: found });
  }
  const found = lists.reduce((sum, { issues }) => sum + issues.meta.total, 0);
  const { tabs, ...frame } = await readFrame(context, data.attributes, "issues");
  const content = html`<div>
    ${tabs}
    ${unknownValues(context, known)}
    <div class="card flush">${filterForm(context, data.attributes, filters)}</div>
    ${found === 0 ? empty(t.none, t.noneWhat) : null}
    ${lists.map(({ kind, issues }) =>
      rules(
        context,
        kind,
        issues.data.map((issue) => rowOf(kind, issue)),
        issues.meta,
      ),
    )}
    ${components && components.meta.total > 0 ? await componentList(context, data.attributes, components) : null}
  </div>`;
  return { ...frame, title: `${t.title}: ${data.attributes.starting_url}`, content };
}

function rowOf(kind: CheckKind, { id, attributes }: Resource<CommonIssueType>): Row {
  const { how_many, num_pages, states, roles } = attributes;
  return { id, ...ruleOf(kind, attributes), how_many, num_pages, states, roles };
}

/** What can be chosen, with how much of it there is; and words to look for. */
function filterForm(context: PageContext, report: Attributes<"report">, { standard, text }: Filters): Html {
  const path = reportPath(context, "/issues");
  const { query } = context;
  const kept = ["kind", "state", "impact", "type", "role", "path", "criterion", "muted"].flatMap((name) => {
    const value = query.get(name);
    return value ? [html`<input type="hidden" name=${name} value=${value} />`] : [];
  });
  const all = { value: "", label: t.all };
  const counts = checkKinds.flatMap((kind) => report.checks[kind]?.issues ?? []);
  const sum = (pick: (one: (typeof counts)[number]) => number) => counts.reduce((total, one) => total + pick(one), 0);
  const ofState = (state: (typeof ownStates)[number]) => report.comparison?.states[state];
  const performed = checkKinds.filter((kind) => report.checks[kind]);
  const muted = sum((one) => one.muted.errors + one.muted.warnings);
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
          count: sum((one) => severityIn(one)?.[value] ?? 0),
        })),
      })}
      ${chips(context, {
        name: "type",
        label: t.type,
        values: [
          { value: "error", text: texts.types.error, count: sum(({ errors }) => errors) },
          { value: "warning", text: texts.types.warning, count: sum(({ warnings }) => warnings) },
        ],
      })}
      ${
        report.comparison &&
        chips(context, {
          name: "state",
          label: t.state,
          values: ownStates.map((value) => {
            const found = ofState(value);
            return { value, text: texts.states[value], count: found && found.errors + found.warnings };
          }),
        })
      }
      ${
        performed.length > 1 &&
        chips(context, {
          name: "kind",
          label: t.engine,
          values: performed.map((value) => {
            const found = report.checks[value]?.issues;
            return { value, text: titleOf(value), count: found && found.errors + found.warnings };
          }),
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
            count: report.roles?.[value],
          })),
        })
      }
      ${chosenPath(context)} ${chosenCriterion(context)}
      ${muted > 0 && chips(context, { name: "muted", label: t.muted, values: [{ value: "true", text: t.mutedOnly, count: muted }] })}
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

function rules(
  context: PageContext,
  kind: CheckKind,
  list: readonly Row[],
  meta: { total: number; page_size: number },
): Html {
  if (meta.total === 0) return null;
  const title = `${titleOf(kind)}: ${texts.count.rules(meta.total)}`;
  const muted = context.query.has("muted") ? "true" : "";
  const below = meta.total > list.length && pagination(context, title, meta, { name: kind, section: `rules-${kind}` });
  return rulesList({ id: `rules-${kind}`, title, below }, list, ({ id }) =>
    context.href(reportPath(context, `/issues/${kind}/${id}`), { muted }),
  );
}
