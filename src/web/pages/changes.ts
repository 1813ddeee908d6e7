import type { Attributes, List, One, Resource } from "../../api/documents.ts";
import { type FindingState, findingStates } from "../../domain/findings/finding-state.ts";
import { type Html, html } from "../html.ts";
import type { PageContext, View } from "../page.ts";
import { element, typeBadge } from "../parts/finding.ts";
import { select } from "../parts/form.ts";
import { isOwned, pagePathOf, reportPath, reportRoutes } from "../parts/report.ts";
import { readFrame } from "../parts/report-head.ts";
import { statesTable, unlike } from "../parts/report-sections.ts";
import { cursorQuery, nextPart } from "../parts/table.ts";
import { address, empty, time } from "../parts/text.ts";
import { texts } from "../texts/en.ts";

const t = texts.changes;

export const changesPages = reportRoutes("/changes", read);

/** With another report, or the one in the report itself. */
type Comparison = Pick<Attributes<"comparison">, "base_id" | "states" | "muted" | "differs"> &
  Partial<Attributes<"comparison">> & { base_inserted_at: string };

/** When to look again for a comparison that is being made, in seconds. */
const LOOK_AGAIN = 5;

async function read(context: PageContext): Promise<View> {
  const { api, params, query } = context;
  const root = `/reports/${params.report_id}`;
  const { data } = await api.get<One<"report">>(root);
  const report = data.attributes;
  const base = query.get("base") || undefined;
  const compared: Comparison | null = base === undefined ? report.comparison : await comparisonWith(context, base);
  const { tabs, ...frame } = await readFrame(context, report, "changes");
  const content = html`<div>
    ${tabs} ${isOwned(context, report) ? await baseForm(context, report, compared?.base_id ?? null) : null}
    ${
      compared?.states && compared.muted
        ? html`<h2>${texts.report.comparison} ${time(compared.base_inserted_at)}</h2>
        ${unlike(compared.differs)}
        ${statesTable({ states: compared.states, muted: compared.muted }, (state) => (base === undefined ? addressOf(context, state) : undefined))}
        ${base === undefined ? await findings(context) : html`<p class="quiet">${t.onlyOwn}</p>`}`
        : without(compared)
    }
  </div>`;
  const refresh = compared && isUnderWay(compared) ? LOOK_AGAIN : undefined;
  return { ...frame, title: `${t.title}: ${report.starting_url}`, content, refresh };
}

/** What is shown while there is no result. */
function without(compared: Comparison | null): Html {
  if (compared && isUnderWay(compared))
    return html`<p role="status">${t.underWay} <progress max="100" value=${compared.percent ?? 0}></progress> ${compared.percent ?? 0} %</p>`;
  return compared?.failure ? empty(t.failed, compared.failure.detail ?? "") : empty(t.none, t.noneWhat);
}

function isUnderWay({ status }: Comparison): boolean {
  return status === "queued" || status === "running";
}

/** The report compared with a base other than the usual one. */
async function comparisonWith({ api, params }: PageContext, base: string): Promise<Comparison> {
  const { data } = await api.get<One<"comparison">>(`/reports/${params.report_id}/comparison`, { base });
  const { data: other } = await api.get<One<"report">>(`/reports/${base}`);
  return { ...data.attributes, base_inserted_at: other.attributes.inserted_at };
}

function addressOf(context: PageContext, state: FindingState): string {
  return context.href(reportPath(context, "/changes"), { state });
}

/** The form that chooses another run of the site to compare with. */
async function baseForm(context: PageContext, report: Attributes<"report">, base: string | null): Promise<Html> {
  const { api, params } = context;
  const { data } = await api.get<List<"site">>("/sites", { "filter[starting_url]": report.starting_url });
  const others = (data[0]?.attributes.runs ?? []).filter(
    ({ report_id, whole }) => whole && report_id !== params.report_id,
  );
  if (others.length === 0) return null;
  const options = [...others].reverse().map(({ report_id, inserted_at, errors }) => ({
    value: report_id,
    label: `${t.run(`${inserted_at.replace("T", " ")} UTC`)}, ${texts.count.errors(errors)}`,
  }));
  return html`<form class="filters" method="get" action=${context.href(reportPath(context, "/changes"))}>
    ${select({ name: "base", label: t.base, value: base ?? "", options })}
    <button>${t.compare}</button>
  </form>`;
}

/** The findings in one state: the new ones, unless the address names another state. */
async function findings(context: PageContext): Promise<Html> {
  const { api, params, query } = context;
  const names = Object.keys(findingStates) as FindingState[];
  const state = names.find((name) => name === query.get("state")) ?? "new";
  const listed = await api.get<List<"finding">>(`/reports/${params.report_id}/findings`, {
    "filter[state]": state,
    ...cursorQuery(query),
  });
  return html`<section class="card grid" aria-labelledby="state">
    <h2 id="state">${t.findingsThat[state]}</h2>
    <p class="quiet">${texts.stateMeans[state]}</p>
    ${
      listed.data.length === 0
        ? html`<p>${t.noneInState}</p>`
        : html`<ul class="cards plain">${listed.data.map((finding) => card(context, finding))}</ul>`
    }
    ${nextPart(context, listed.links, { state })}
  </section>`;
}

function card(context: PageContext, found: Resource<"finding">): Html {
  const { attributes: finding } = found;
  const page = pagePathOf(context, found);
  return html`<li>
    <h3>${finding.message}</h3>
    <p>
      ${typeBadge(finding.issue_type, finding.outside_standard)} ${address(finding.url, page && context.href(page))}
      ${finding.first_seen_at && html` <span class="quiet">${texts.issue.firstSeen} ${time(finding.first_seen_at)}</span>`}
    </p>
    ${finding.element && element(finding.element)}
  </li>`;
}
