import type { Attributes, CursorList, List, Resource } from "../../api/documents.ts";
import { type FindingState, findingStates, type StateTotals } from "../../domain/findings/finding-state.ts";
import { type Html, html } from "../html.ts";
import type { PageContext } from "../page.ts";
import { changingStates } from "../plot/changes-steps.ts";
import { formatNumber, texts } from "../texts/en.ts";
import { bar } from "./chart.ts";
import { chips } from "./chips.ts";
import { engineText, typeBadge } from "./finding.ts";
import { type Icon, icon } from "./icon.ts";
import { pagePathOf, reportPath } from "./report.ts";
import { cursorQuery, nextPart, pageQuery, pagination, table } from "./table.ts";
import { address, time } from "./text.ts";
import { unknownValues } from "./unknown-values.ts";

const t = texts.changes;
const c = texts.issues.columns;
const SIZE = 100;
/** The findings that an open rule shows at once. */
const FINDINGS = "10";

type ComparedRule = Resource<"compared_rule">;

/** What the list is of: errors, warnings, or what is outside of the standard of the report. */
const types = ["error", "warning", "outside"] as const;
type ListedType = (typeof types)[number];

/** The filters of the API for one of them. */
function filterOf(type: ListedType) {
  return {
    "filter[issue_type]": type === "outside" ? undefined : type,
    "filter[outside_standard]": String(type === "outside"),
  };
}

/**
 * The rules whose findings changed, by how they changed: errors, unless the address asks for others or there are only
 * others. The address names the rule that is open: it lists its findings.
 */
export async function comparedRules(context: PageContext, states: StateTotals): Promise<Html> {
  const { api, params, query } = context;
  const base = query.get("base") || undefined;
  const chosen = (Object.keys(findingStates) as FindingState[]).find((name) => name === query.get("state"));
  const listed = chosen ? [chosen] : changingStates;
  const has = (key: "errors" | "warnings") => listed.some((state) => states[state][key] > 0);
  const type =
    types.find((one) => one === query.get("type")) ?? (has("errors") || !has("warnings") ? "error" : "warning");
  // Each state is asked for on its own: among all rules those as before could leave no room for the changed ones.
  const part = chosen ? pageQuery(query, SIZE) : { "page[size]": String(SIZE) };
  const groups = await Promise.all(
    listed.map(async (state) => {
      const path = `/reports/${params.report_id}/comparison/rules`;
      const filter = { base, "filter[state]": state, ...filterOf(type) };
      const { data, meta } = await api.get<List<"compared_rule">>(path, { ...filter, ...part });
      return { state, rules: data, meta };
    }),
  );
  const shown = groups.flatMap(({ rules }) => rules);
  const open = shown.find((rule) => rule.id === query.get("rule")) ?? (chosen && shown[0]);
  const found = open && (await findingsOf(context, open.attributes, base));
  const most = Math.max(1, ...shown.map(({ attributes }) => attributes.how_many));
  const inState = groups[0]?.meta.counts.state;
  const values = [...changingStates, "persisting" as const].flatMap((state) =>
    (inState?.[state] ?? 0) > 0 || state === chosen
      ? [{ value: state, text: texts.states[state], count: inState?.[state] ?? 0 }]
      : [],
  );
  const sum = (count: (counts: (typeof groups)[number]["meta"]["counts"]) => number) =>
    groups.reduce((total, { meta }) => total + count(meta.counts), 0);
  const ofType = {
    error: sum(({ issue_type }) => issue_type.error),
    warning: sum(({ issue_type }) => issue_type.warning),
    outside: sum(({ outside_standard }) => outside_standard),
  };
  const names = { ...texts.types, outside: texts.report.outside };
  const ofTypes = types.flatMap((value) =>
    ofType[value] > 0 || value === type ? [{ value, text: names[value], count: ofType[value] }] : [],
  );
  const address = withoutRule(query);
  const withType = new URLSearchParams([...address].filter(([name]) => name !== "type").concat([["type", type]]));
  return html`${unknownValues(context, { state: { label: t.show, values: Object.keys(findingStates) }, type: { label: texts.issues.type, values: types } })}
  <section class="card flush" aria-labelledby="rules">
    <div class="rules-head">
      <div class="line">
        <h2 id="rules">${t.byRule}</h2>
        ${chips({ ...context, query: address }, { name: "state", label: t.show, values })}
        ${chips({ ...context, query: withType }, { name: "type", label: texts.issues.type, values: ofTypes })}
      </div>
      ${shown.length > 0 && html`<span class="n small quiet">${c.findings}</span><span class="n small quiet">${c.pages}</span>`}
    </div>
    ${shown.length === 0 && html`<p class="tools">${t.noneInState}</p>`}
    ${groups.map(
      ({ state, rules, meta }) =>
        rules.length > 0 &&
        html`<h3 class="group tools" title=${texts.stateMeans[state]}>${icon(stateIcons[state])} ${formatNumber(meta.how_many)} ${texts.states[state]}</h3>
          <ol class="rules">${rules.map((rule) => row(context, rule, { most, found: rule === open ? found : undefined }))}</ol>
          ${!chosen && meta.total > rules.length && html`<p class="tools"><a href=${context.href(context.path, { base, state, type: query.get("type") || undefined })}>${t.allRules(meta.total)}</a></p>`}`,
    )}
    ${groups.map(({ meta }) => chosen && html`<div class="tools">${pagination({ ...context, query: address }, t.byRule, meta, { size: SIZE })}</div>`)}
  </section>`;
}

const stateIcons: Readonly<Record<FindingState, Icon>> = {
  ...{ new: "more", new_rule: "more", fixed: "less", gone: "less", unknown: "alert", persisting: "ended" },
};

/** The address without the open rule, and its findings' part. */
function withoutRule(query: URLSearchParams): URLSearchParams {
  return new URLSearchParams([...query].filter(([name]) => name !== "rule" && name !== "after"));
}

/** What of the address says which rules are listed. */
function listOf(query: URLSearchParams): Record<string, string | undefined> {
  const { base, state, type, page, page_size } = Object.fromEntries(query);
  return { base, state, type, page, page_size };
}

function row(
  context: PageContext,
  { id, attributes: rule }: ComparedRule,
  { most, found }: { most: number; found: CursorList<"finding"> | undefined },
): Html {
  const to = `${context.href(context.path, { ...listOf(context.query), rule: id })}#rule-${id}`;
  return html`<li id=${`rule-${id}`}>
    ${rule.impact ? icon(rule.impact, texts.impacts[rule.impact]) : icon("markup", texts.page.withoutImpact)}
    <div><h4><a href=${to} aria-current=${found ? "true" : undefined}>${rule.title}</a></h4>${engineText(rule)}</div>
    <span class="quiet about">
      ${(rule.issue_type === "warning" || rule.outside_standard) && html`${typeBadge(rule.issue_type, rule.outside_standard)} `}${texts.issue.firstSeen} ${time(rule.first_seen_at)}
    </span>
    ${bar({ value: rule.how_many, kind: rule.impact ?? "markup" }, most)}
    <b class="n">${formatNumber(rule.how_many)}<span class="hidden"> ${c.findings}</span></b>
    <span class="n quiet">${formatNumber(rule.num_pages)}<span class="hidden"> ${c.pages}</span></span>
    ${found && findings(context, rule, found)}
  </li>`;
}

/** The findings of a rule that are in its state. */
function findingsOf(
  { api, params, query }: PageContext,
  { kind, rule, state, issue_type, outside_standard }: Attributes<"compared_rule">,
  base: string | undefined,
): Promise<CursorList<"finding">> {
  return api.get<CursorList<"finding">>(`/reports/${params.report_id}/findings`, {
    ...{ base, "filter[state]": state, "filter[kind]": kind, "filter[rule]": rule ?? undefined },
    ...{ "filter[issue_type]": issue_type, "filter[outside_standard]": String(outside_standard) },
    ...{ "page[size]": FINDINGS, ...cursorQuery(query) },
  });
}

function findings(context: PageContext, rule: Attributes<"compared_rule">, found: CursorList<"finding">): Html {
  const { columns } = t;
  const open = context.query.get("rule") ?? undefined;
  return html`<div class="inside">
    ${table<Resource<"finding">>({
      caption: `${rule.title}: ${texts.states[rule.state]}`,
      hideCaption: true,
      rows: found.data,
      columns: [
        {
          title: columns.element,
          header: true,
          cell: ({ attributes: { element, message } }) =>
            html`<code>${element?.target ?? element?.selector ?? element?.extract.slice(0, 120) ?? "–"}</code>
              ${rule.message === null && html`<span class="small quiet block">${message}</span>`}`,
        },
        {
          title: columns.page,
          cell: (finding) => {
            const page = pagePathOf(context, finding);
            const { url, component } = finding.attributes;
            return address(url, page && context.href(page, { component }));
          },
        },
        { title: texts.issue.firstSeen, extra: true, cell: ({ attributes }) => time(attributes.first_seen_at) },
      ],
    })}
    ${nextPart(context, found.links, { ...listOf(context.query), rule: open })}
  </div>`;
}

/** The address of the changes, with the findings in one state. */
export function stateAddress(context: PageContext, state: FindingState): string {
  return context.href(reportPath(context, "/changes"), { base: context.query.get("base") || undefined, state });
}
