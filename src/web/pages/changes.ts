import type { Attributes, List, One } from "../../api/documents.ts";
import { RequestError } from "../../domain/errors.ts";
import { type Html, html } from "../html.ts";
import type { Outcome, PageContext } from "../page.ts";
import { comparedRules, stateAddress } from "../parts/compared-rules.ts";
import { short, utc } from "../parts/dates.ts";
import { select } from "../parts/form.ts";
import { isOwned, reportPath, reportRoutes, totalsOf } from "../parts/report.ts";
import { reportFrame, type SiteOfReport, siteOf } from "../parts/report-head.ts";
import { statesTable, unlike } from "../parts/report-sections.ts";
import { empty, shortTime, time } from "../parts/text.ts";
import { whatChanged } from "../parts/what-changed.ts";
import { stepsOf } from "../plot/changes-steps.ts";
import { signed, waterfall } from "../plot/waterfall.ts";
import { formatNumber, texts } from "../texts/en.ts";

const t = texts.changes;

export const changesPages = reportRoutes("/changes", read);

/** With another report, or the one in the report itself. */
type Comparison = Pick<Attributes<"comparison">, "base_id" | "states" | "muted" | "differs"> &
  Partial<Attributes<"comparison">> & { base_inserted_at: string };
type Base = Attributes<"report"> | undefined;

/** When to look again for a comparison that is being made, in seconds. */
const LOOK_AGAIN = 5;

async function read(context: PageContext): Promise<Outcome> {
  const { api, params, query } = context;
  const to = query.get("to");
  const base = query.get("base") || undefined;
  if (to && to !== params.report_id && base)
    return { redirect: context.href(`/reports/${encodeURIComponent(to)}/changes`, { base }) };
  const { data } = await api.get<One<"report">>(`/reports/${params.report_id}`);
  const report = data.attributes;
  const owned = isOwned(context, report);
  const id = base ?? report.comparison?.base_id;
  const before = id === undefined ? undefined : await readBase(context, id, base !== undefined);
  const compared = await comparisonOf(context, report, before);
  const site = owned ? await siteOf(context, report.starting_url) : undefined;
  const { tabs, ...frame } = reportFrame(context, report, "changes", site);
  const content = html`<div>
    ${tabs} ${site && (await runsForm(context, site, { base: compared?.base_id ?? null, report, before }))}
    ${compared?.states && compared.muted ? await result(context, report, { compared, before }) : without(compared)}
  </div>`;
  const refresh = compared && isUnderWay(compared) ? LOOK_AGAIN : undefined;
  return { ...frame, title: `${t.title}: ${report.starting_url}`, content, refresh };
}

/** The report compared with; undefined where the reader may not see the base of a report that is shared. */
async function readBase({ api }: PageContext, id: string, isNamed: boolean): Promise<Base> {
  try {
    return (await api.get<One<"report">>(`/reports/${encodeURIComponent(id)}`)).data.attributes;
  } catch (error) {
    if (!isNamed && error instanceof RequestError && error.status < 500 && error.status !== 429) return undefined;
    throw error;
  }
}

/** The report's own comparison, or the one with the run that the address names, which may have to be made. */
async function comparisonOf(
  { api, params, query }: PageContext,
  report: Attributes<"report">,
  before: Base,
): Promise<Comparison | null> {
  const named = query.get("base") || undefined;
  const own = report.comparison;
  if (named === undefined && (!own || !before)) return own;
  const base = named ?? own?.base_id;
  const { data } = await api.get<One<"comparison">>(`/reports/${params.report_id}/comparison`, { base });
  return { ...data.attributes, base_inserted_at: before?.inserted_at ?? "" };
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

/** As many runs of a year can be chosen; older ones on the page of the site. */
const MOST_RUNS = "100";
type Chosen = { base: string | null; report: Attributes<"report">; before: Base };

/** The form that chooses two runs of the site, and the way back. */
async function runsForm(context: PageContext, site: SiteOfReport, { base, report, before }: Chosen): Promise<Html> {
  const { params, href } = context;
  const list = await context.api.get<List<"site_run">>(`/sites/${site.id}/runs`, {
    ...{ period: "365", "page[size]": MOST_RUNS },
  });
  const runs = list.data
    .filter(({ id, attributes: { whole } }) => whole || id === params.report_id)
    .map(({ id, attributes: { inserted_at, errors } }) => ({ id, inserted_at, errors }));
  // Those that are compared can be older.
  const compared = [
    { id: params.report_id ?? "", inserted_at: report.inserted_at, errors: totalsOf(report).errors },
    ...(base !== null && before
      ? [{ id: base, inserted_at: before.inserted_at, errors: totalsOf(before).errors }]
      : []),
  ];
  const all = [...runs, ...compared.filter(({ id }) => !runs.some((run) => run.id === id))];
  const options = all.map(({ id, inserted_at, errors }) => ({
    value: id,
    label: `${utc(inserted_at)}, ${texts.count.errors(errors)}`,
  }));
  if (options.length < 2) return null;
  const others = options.filter(({ value }) => value !== params.report_id);
  return html`<form class="filters" method="get" action=${href(reportPath(context, "/changes"))}>
    ${select({ name: "base", label: t.from, value: base ?? others[0]?.value, options: others })}
    ${select({ name: "to", label: t.to, value: params.report_id, options })}
    <button class="quiet">${t.compare}</button>
    ${base && html`<a href=${href(`/reports/${base}/changes`, { base: params.report_id })}>${t.swap}</a>`}
    ${list.meta.total > list.data.length && html`<a href=${href(`/sites/${site.id}`, { days: "365" })}>${texts.report.allRuns(site.num_reports)}</a>`}
  </form>`;
}

type Result = { compared: Comparison; before: Base };

async function result(context: PageContext, report: Attributes<"report">, { compared, before }: Result): Promise<Html> {
  const { states, muted, changes } = compared;
  if (!states || !muted) return null;
  const to = totalsOf(report).errors;
  const from = before && totalsOf(before).errors;
  const { fixed, persisting, unknown, gone } = states;
  const as = (state: "fixed" | "new", tone: string) =>
    html`<b class=${states[state].errors > 0 ? tone : undefined}>${formatNumber(states[state].errors)} ${texts.states[state]}</b>`;
  const sums = html`${as("fixed", "good")}, ${as("new", "bad")}`;
  const chart = from !== undefined && before && sum(context, { from, to, compared, before, report });
  return html`<div class="grid close">
      <p class="verdict">${from === undefined ? html`${texts.count.errors(to)}: ${sums}` : html`${t.became(from)} <b>${formatNumber(to)}</b>: ${sums}`}.</p>
      <p class="quiet">
        ${texts.report.comparison} ${time(compared.base_inserted_at)}. ${t.asBefore(persisting.errors)}
        ${unknown.errors + gone.errors > 0 && ` ${t.notComparable(unknown.errors, gone.errors)}`}
      </p>
      ${unlike(compared.differs)}
    </div>
    ${chart && html`<div class=${changes ? "grid split" : "grid"}>${chart} ${changes && whatChanged(changes)}</div>`}
    ${!chart && fixed && statesTable({ states, muted }, (state) => stateAddress(context, state))}
    ${await comparedRules(context, states)}`;
}

type Sum = {
  from: number;
  to: number;
  compared: Comparison;
  before: Attributes<"report">;
  report: Attributes<"report">;
};

/** From the errors of one run to those of the other, as a drawing and as a table. */
function sum(context: PageContext, { from, to, compared: { states, muted }, before, report }: Sum): Html {
  if (!states || !muted) return null;
  const times = [before.inserted_at, report.inserted_at] as const;
  const ends = times.map((at) => shortTime(at, "day"));
  const isOfDay = short(times[0], "day") === short(times[1], "day");
  const steps = stepsOf({ from, to, states }, { from: utc(times[0]), to: utc(times[1]) });
  const drawn = steps.map((step, index) => (step.total ? { ...step, shown: ends[index === 0 ? 0 : 1] } : step));
  const label = steps
    .map(({ name, value, total }) => `${name} ${total ? formatNumber(value) : signed(value)}`)
    .join(", ");
  return html`<section class="card grid close" aria-labelledby="sum">
    <h2 id="sum">${isOfDay ? t.sumOfDay : html`${t.sumFrom} ${ends[0]} ${t.sumTo} ${ends[1]}`}</h2>
    ${waterfall(drawn, `${texts.report.summaryColumns.errors}: ${label}`)}
    <details>
      <summary>${texts.report.trendTable}</summary>
      ${statesTable({ states, muted }, (state) => stateAddress(context, state))}
    </details>
  </section>`;
}
