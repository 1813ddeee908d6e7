import type { Attributes, CursorList, List, Resource } from "../../api/documents.ts";
import { type FindingState, findingStates, type StateTotals } from "../../domain/findings/finding-state.ts";
import { type Html, html } from "../html.ts";
import type { PageContext } from "../page.ts";
import { changingStates } from "../plot/changes-steps.ts";
import { formatNumber, texts } from "../texts/en.ts";
import { bar } from "./chart.ts";
import { chips } from "./chips.ts";
import { typeBadge } from "./finding.ts";
import { type Icon, icon } from "./icon.ts";
import { pagePathOf, reportPath } from "./report.ts";
import { cursorQuery, nextPart, pageQuery, pagination, table } from "./table.ts";
import { address, time } from "./text.ts";
import { unknownValues } from "./unknown-values.ts";

const t = texts.changes;
const SIZE = 100;
/** The findings that an open rule shows at once. */
const FINDINGS = "10";

type ComparedRule = Resource<"compared_rule">;

/** The rules whose findings changed, by how they changed. The address names the one that is open: it lists its findings. */
export async function comparedRules(context: PageContext, states: StateTotals): Promise<Html> {
  const { api, params, query } = context;
  const base = query.get("base") || undefined;
  const chosen = (Object.keys(findingStates) as FindingState[]).find((name) => name === query.get("state"));
  // Each state is asked for on its own: among all rules those as before could leave no room for the changed ones.
  const part = chosen ? pageQuery(query, SIZE) : { "page[size]": String(SIZE) };
  const groups = await Promise.all(
    (chosen ? [chosen] : changingStates).map(async (state) => {
      const path = `/reports/${params.report_id}/comparison/rules`;
      const { data, meta } = await api.get<List<"compared_rule">>(path, { base, "filter[state]": state, ...part });
      return { state, rules: data, meta };
    }),
  );
  const shown = groups.flatMap(({ rules }) => rules);
  const open = shown.find((rule) => rule.id === query.get("rule")) ?? (chosen && shown[0]);
  const found = open && (await findingsOf(context, open.attributes, base));
  const most = Math.max(1, ...shown.map(({ attributes }) => attributes.how_many));
  const all = ({ errors, warnings }: StateTotals[FindingState]) => errors + warnings;
  const values = [...changingStates, "persisting" as const].flatMap((state) =>
    all(states[state]) > 0 || state === chosen
      ? [{ value: state, text: texts.states[state], count: all(states[state]) }]
      : [],
  );
  return html`${unknownValues(context, { state: { label: t.show, values: Object.keys(findingStates) } })}
  <section class="card flush" aria-labelledby="rules">
    <div class="line tools">
      <h2 id="rules">${t.byRule}</h2>
      ${chips({ ...context, query: withoutRule(query) }, { name: "state", label: t.show, values })}
    </div>
    ${shown.length === 0 && html`<p class="tools">${t.noneInState}</p>`}
    ${groups.map(
      ({ state, rules, meta }) =>
        rules.length > 0 &&
        html`<h3 class="group tools" title=${texts.stateMeans[state]}>${icon(stateIcons[state])} ${formatNumber(all(states[state]))} ${texts.states[state]}</h3>
          <ol class="rules">${rules.map((rule) => row(context, rule, { most, found: rule === open ? found : undefined }))}</ol>
          ${!chosen && meta.total > rules.length && html`<p class="tools"><a href=${context.href(context.path, { base, state })}>${t.allRules(meta.total)}</a></p>`}`,
    )}
    ${groups.map(({ meta }) => chosen && html`<div class="tools">${pagination({ ...context, query: withoutRule(query) }, t.byRule, meta, { size: SIZE })}</div>`)}
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
  const { base, state, page, page_size } = Object.fromEntries(query);
  return { base, state, page, page_size };
}

function row(
  context: PageContext,
  { id, attributes: rule }: ComparedRule,
  { most, found }: { most: number; found: CursorList<"finding"> | undefined },
): Html {
  const to = `${context.href(context.path, { ...listOf(context.query), rule: id })}#rule-${id}`;
  return html`<li id=${`rule-${id}`}>
    ${rule.impact ? icon(rule.impact, texts.impacts[rule.impact]) : icon("markup", texts.page.withoutImpact)}
    <h4><a href=${to} aria-current=${found ? "true" : undefined}>${rule.message ?? rule.rule}</a></h4>
    <span class="quiet about">
      ${(rule.issue_type === "warning" || rule.outside_standard) && html`${typeBadge(rule.issue_type, rule.outside_standard)} `}${texts.issue.firstSeen} ${time(rule.first_seen_at)}
    </span>
    ${bar({ value: rule.how_many, kind: rule.impact ?? "markup" }, most)}
    <b class="n">${formatNumber(rule.how_many)}<span class="hidden"> ${t.findings}</span></b>
    <span class="n quiet">${formatNumber(rule.num_pages)}<span class="hidden"> ${t.pages}</span></span>
    ${found && findings(context, rule, found)}
  </li>`;
}

/** The findings of a rule that are in its state. */
function findingsOf(
  { api, params, query }: PageContext,
  { rule, state, issue_type }: Attributes<"compared_rule">,
  base: string | undefined,
): Promise<CursorList<"finding">> {
  return api.get<CursorList<"finding">>(`/reports/${params.report_id}/findings`, {
    ...{ base, "filter[state]": state, "filter[rule]": rule ?? undefined, "filter[issue_type]": issue_type },
    ...{ "page[size]": FINDINGS, ...cursorQuery(query) },
  });
}

function findings(context: PageContext, rule: Attributes<"compared_rule">, found: CursorList<"finding">): Html {
  const { columns: c } = t;
  const open = context.query.get("rule") ?? undefined;
  return html`<div class="inside">
    ${table<Resource<"finding">>({
      caption: `${rule.message ?? rule.rule}: ${texts.states[rule.state]}`,
      hideCaption: true,
      rows: found.data,
      columns: [
        {
          title: c.element,
          header: true,
          cell: ({ attributes: { element } }) =>
            html`<code>${element?.target ?? element?.selector ?? element?.extract.slice(0, 120) ?? "–"}</code>`,
        },
        {
          title: c.page,
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
