import type { Attributes, List, One, Resource } from "../../api/documents.ts";
import { type CheckKind, checkKinds, manifestOf, nounOf, worstFirst } from "../../checks/kinds.ts";
import { ownStates } from "../../domain/findings/finding-state.ts";
import { impacts } from "../../domain/findings/findings.ts";
import { type Standard, standards, tagsOfStandard } from "../../domain/findings/standards.ts";
import { type Html, html } from "../html.ts";
import type { PageContext, View } from "../page.ts";
import {
  type CommonIssueType,
  element,
  impactText,
  type Rule,
  ruleOf,
  sortOf,
  titleOf,
  typeBadge,
} from "../parts/finding.ts";
import { input, select } from "../parts/form.ts";
import { reportHead, reportPath, reportRoutes } from "../parts/report.ts";
import { pageQuery, pagination, table } from "../parts/table.ts";
import { amount, badge, empty } from "../parts/text.ts";
import { texts } from "../texts/en.ts";

const t = texts.issues;
/** How many components a page of their list has. */
const COMPONENTS = 10;

export const issuesPages = reportRoutes("/issues", read);

/** The filters in an address. Unknown values are ignored. */
function filtersOf({ query }: PageContext) {
  const choice = <Value extends string>(name: string, values: readonly Value[]) =>
    values.find((value) => value === query.get(name));
  return {
    kind: choice("kind", checkKinds),
    state: choice("state", ownStates),
    impact: choice("impact", impacts),
    type: choice("type", ["error", "warning"] as const),
    standard: choice("standard", Object.keys(standards) as Standard[]),
    text: query.get("text") ?? "",
    muted: query.has("muted"),
  };
}
type Filters = ReturnType<typeof filtersOf>;

/** An issue of any kind, as the list shows it. */
type Row = Rule & { id: string } & Pick<Attributes<CommonIssueType>, "how_many" | "num_pages" | "states">;

async function read(context: PageContext): Promise<View> {
  const { api, params, query } = context;
  const report = `/reports/${params.report_id}`;
  const filters = filtersOf(context);
  const { data } = await api.get<One<"report">>(report);
  const shared = {
    "filter[state]": filters.state,
    "filter[issue_type]": filters.type,
    "filter[muted]": filters.muted ? "true" : undefined,
  };
  const ofStandard = filters.standard && {
    "filter[tags][mode]": "any",
    "filter[tags][list]": tagsOfStandard(filters.standard).join(","),
  };
  const shows = (kind: CheckKind) => filters.kind === undefined || filters.kind === kind;
  const components =
    filters.text === "" && filters.kind === undefined && filters.standard === undefined
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
      ...ofStandard,
      "filter[impact]": filters.impact,
      [`filter[${issues.text}]`]: filters.text,
      sort: sortOf(kind),
      ...pageQuery(query, 25, kind),
    });
    lists.push({ kind, issues: found });
  }
  const found = lists.reduce((sum, { issues }) => sum + issues.meta.total, 0);
  const content = html`<div>
    ${reportHead(context, data.attributes, "issues")} ${filterForm(context, filters)}
    ${found === 0 ? empty(t.none, t.noneWhat) : null}
    ${components && components.meta.total > 0 ? componentList(context, components) : null}
    ${lists.map(({ kind, issues }) =>
      rules(
        context,
        kind,
        issues.data.map((issue) => rowOf(kind, issue)),
        issues.meta,
      ),
    )}
  </div>`;
  return {
    title: `${t.title}: ${data.attributes.starting_url}`,
    section: "sites",
    content,
  };
}

function rowOf(kind: CheckKind, { id, attributes }: Resource<CommonIssueType>): Row {
  const { how_many, num_pages, states } = attributes;
  return { id, ...ruleOf(kind, attributes), how_many, num_pages, states };
}

function filterForm(context: PageContext, { kind, state, impact, standard, type, text, muted }: Filters): Html {
  const all = { value: "", label: t.all };
  const path = context.href(reportPath(context, "/issues"));
  return html`<form class="filters" method="get" action=${path} aria-label=${t.filters}>
    ${select({
      name: "kind",
      label: t.engine,
      value: kind ?? "",
      options: [all, ...checkKinds.map((value) => ({ value, label: titleOf(value) }))],
    })}
    ${select({
      name: "state",
      label: t.state,
      value: state ?? "",
      options: [all, ...ownStates.map((value) => ({ value, label: texts.states[value] }))],
    })}
    ${select({
      name: "impact",
      label: t.impact,
      value: impact ?? "",
      options: [all, ...[...impacts].reverse().map((value) => ({ value, label: texts.impacts[value] }))],
    })}
    ${select({
      name: "standard",
      label: t.standard,
      value: standard ?? "",
      options: [all, ...(Object.keys(standards) as Standard[]).map((value) => ({ value, label: t.standards[value] }))],
    })}
    ${select({
      name: "type",
      label: t.type,
      value: type ?? "",
      options: [all, ...(["error", "warning"] as const).map((value) => ({ value, label: texts.types[value] }))],
    })}
    ${input({ name: "text", label: t.text, value: text, required: false, bare: true })}
    <div class="field check">
      <input id="field-muted" type="checkbox" name="muted" value="true" checked=${muted || undefined} />
      <label for="field-muted">${t.mutedOnly}</label>
    </div>
    <button>${t.apply}</button>
    <a href=${path}>${t.reset}</a>
  </form>`;
}

function componentList(context: PageContext, { data: list, meta }: List<"component">): Html {
  const muted = context.query.has("muted") ? "true" : undefined;
  return html`<section class="card grid" aria-labelledby="components">
    <h2 id="components">${t.components}</h2>
    <p class="quiet">${t.componentsWhat}</p>
    <ol class="cards">
      ${list.map(
        ({ id, attributes: component }) =>
          html`<li>
            <h3>
              <a href=${context.href(reportPath(context, `/components/${id}`), { muted })}>${component.message}</a>
            </h3>
            <p>
              ${typeBadge(component.issue_type, component.outside_standard)} ${component.impact && badge(texts.impacts[component.impact], "plain")}
              ${t.fixes(texts.count.findings(component.how_many), texts.count.pages(component.num_pages))}
            </p>
            ${component.element && element(component.element)}
          </li>`,
      )}
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
  const { columns: c } = t;
  const title = `${titleOf(kind)}: ${texts.count.rules(meta.total)}`;
  return html`<section class="card grid" aria-labelledby=${`rules-${kind}`}>
    <h2 id=${`rules-${kind}`}>${title}</h2>
    ${table<Row>({
      caption: title,
      hideCaption: true,
      rows: list,
      columns: [
        {
          title: c.rule,
          header: true,
          cell: ({ id, title: text, rule, type, outside }) =>
            html`${typeBadge(type, outside)}${" "}
              <a href=${context.href(reportPath(context, `/issues/${kind}/${id}`), { muted: context.query.has("muted") ? "true" : "" })}>${text}</a>
              ${rule && html`<br /><code class="quiet">${rule}</code>`}`,
        },
        ...(manifestOf(kind).hasImpact ? [{ title: c.impact, cell: ({ impact }: Row) => impactText(impact) }] : []),
        {
          title: t.state,
          cell: ({ states }) =>
            states && states.new > 0 ? html`<span class="amount error">${states.new} ${texts.states.new}</span>` : "",
        },
        {
          title: c.findings,
          numeric: true,
          cell: ({ how_many, type, outside }) => amount(how_many, outside ? "plain" : type),
        },
        { title: c.pages, numeric: true, cell: ({ num_pages }) => amount(num_pages) },
      ],
    })}
    ${pagination(context, title, meta, { name: kind, section: `rules-${kind}` })}
  </section>`;
}
