import type { Attributes, List, One } from "../../api/documents.ts";
import { answerOutcomes, type SiteCriterionState, siteCriterionStates } from "../../domain/conformance/judge-site.ts";
import { given, numberIn, textIn } from "../fields.ts";
import { type Html, html } from "../html.ts";
import type { Attempt, FormRoute, PageContext, PageRoute, View } from "../page.ts";
import { forWriters, mayWrite } from "../parts/access.ts";
import { chips } from "../parts/chips.ts";
import { calendarDay } from "../parts/dates.ts";
import { hiddenFields, input, problems, select } from "../parts/form.ts";
import { formRoute } from "../parts/form-route.ts";
import { siteFrame, sitePath } from "../parts/site-frame.ts";
import { table } from "../parts/table.ts";
import { address, externalLink, time } from "../parts/text.ts";
import { formatNumber, texts } from "../texts/en.ts";

const t = texts.criteria;
const s = texts.statement;
const CRITERIA = "/sites/:site_id/criteria";
const STATEMENT = "/sites/:site_id/statement";
/** More criteria than WCAG 2.2 has. */
const ALL = "100";

type Criterion = Attributes<"site_criterion">;

export const siteCriteriaPages: readonly PageRoute[] = [
  { path: CRITERIA, access: "account", read: (context) => criteriaView(context) },
  { path: STATEMENT, access: "account", read: (context) => statementView(context) },
  {
    path: `${STATEMENT}.:format`,
    access: "account",
    read: async ({ params }) => ({ forward: { path: `/sites/${params.site_id}/statement.${params.format}` } }),
  },
];

export const siteCriteriaForms: readonly FormRoute[] = [
  formRoute(CRITERIA, criteriaView, async (context, fields) => {
    const number = fields.get("criterion") ?? "";
    const taken = fields.get("act") === "take-back";
    const outcome = textIn(fields, "outcome");
    const answer = {
      outcome,
      evidence: textIn(fields, "evidence") || null,
      answered_by: textIn(fields, "answered_by"),
      due_on: outcome === "failed" ? textIn(fields, "due_on") || null : null,
    };
    await context.api.patch(
      `${sitePath(context)}/criteria/${encodeURIComponent(number)}`,
      taken ? { outcome: null } : given(answer),
    );
    return { redirect: context.href(`${sitePath(context)}/criteria`, { done: "saved" }) };
  }),
  formRoute(STATEMENT, statementView, async (context, fields) => {
    const or = (name: string) => textIn(fields, name) || null;
    await context.api.patch(`${sitePath(context)}/statement`, {
      ...{ operator: or("operator"), contact: or("contact") },
      answer_within_days: textIn(fields, "answer_within_days") ? numberIn(fields, "answer_within_days") : null,
    });
    return { redirect: context.href(`${sitePath(context)}/statement`, { done: "saved" }) };
  }),
];

async function criteriaView(context: PageContext, attempt?: Attempt): Promise<View> {
  const { api, query } = context;
  const { tabs, site: _, ...view } = await siteFrame(context, "criteria", t.title);
  const { data, meta } = await api.get<List<"site_criterion">>(`${sitePath(context)}/criteria`, { "page[size]": ALL });
  const criteria = data.map(({ attributes }) => attributes);
  const counts = meta.states;
  const chosen = query.get("state") ?? "";
  const states = Object.keys(siteCriterionStates) as SiteCriterionState[];
  const shown = states.some((state) => state === chosen) ? criteria.filter(({ state }) => state === chosen) : criteria;
  const asked = criteria.find(({ number }) => number === (attempt?.fields.get("criterion") ?? query.get("answer")));
  const content = html`<div>
    ${tabs}
    <p class="verdict"><b>${t.sum(counts.failed_by_machine + counts.failed, criteria.length)}</b>. ${t.open(counts.needs_person, counts.nothing_found)}</p>
    <p class="quiet">${t.means}</p>
    ${asked && forWriters(context, () => answerForm(context, asked, attempt))}
    ${chips(context, { name: "state", label: t.state, values: states.map((state) => ({ value: state, text: t.states[state], count: counts[state] })) })}
    ${Object.keys(t.principles).map((principle) => criteriaOf(context, principle, shown))}
    ${await sample(context)}
  </div>`;
  return { ...view, content };
}

function criteriaOf(context: PageContext, principle: string, shown: readonly Criterion[]): Html {
  const rows = shown.filter(({ number }) => number.startsWith(`${principle}.`));
  const name = t.principles[principle] ?? "";
  if (rows.length === 0) return null;
  const criteria = table<Criterion>({
    caption: t.of(name),
    hideCaption: true,
    rows,
    columns: [
      {
        title: t.columns.criterion,
        header: true,
        cell: ({ number, title, url }) => externalLink(url, html`${number} ${title}`),
      },
      { title: t.columns.level, cell: ({ level }) => level },
      {
        title: t.columns.state,
        cell: ({ state, errors }) =>
          html`<span class=${state.startsWith("failed") ? "bad" : undefined}>${t.states[state]}</span>${state === "failed_by_machine" && html`: ${t.errors(errors)}`}`,
      },
      { title: t.columns.evidence, cell: (criterion) => evidence(context, criterion) },
    ],
  });
  return html`<section class="card flush" aria-labelledby=${`principle-${principle}`}>
    <h2 class="tools" id=${`principle-${principle}`}>${name}</h2>
    ${criteria}
  </section>`;
}

function evidence(context: PageContext, { number, title, state, answer }: Criterion): Html {
  const said =
    answer &&
    html`${answer.evidence} <span class="small quiet">${answer.answered_by}, ${time(answer.answered_at)}${answer.due_on && html`, ${s.by(calendarDay(answer.due_on))}`}${!answer.holds && html`. ${t.tooOld}`}</span>`;
  if (!mayWrite(context)) return said ?? "–";
  const act = answer ? t.change : state === "nothing_found" ? t.confirm : t.answer;
  const to = `${context.href(`${sitePath(context)}/criteria`, { answer: number })}#answer`;
  return html`${said} <a href=${to} aria-label=${`${act}: ${number} ${title}`}>${act}</a>`;
}

function answerForm(context: PageContext, { number, title, url, answer }: Criterion, attempt?: Attempt): Html {
  const name = `${number} ${title}`;
  return html`<form id="answer" class="card grid" method="post" action=${context.href(`${sitePath(context)}/criteria`)} aria-label=${t.form(name)}>
    ${hiddenFields(context)}
    <input type="hidden" name="criterion" value=${number} />
    <h2>${name}</h2>
    <p>${externalLink(url, t.understand)}</p>
    ${problems(attempt, ["outcome", "evidence", "answered_by", "due_on"])}
    <div class="row">
      ${select({ name: "outcome", label: t.outcome, value: answer?.outcome ?? "passed", attempt, options: answerOutcomes.map((value) => ({ value, label: t.outcomes[value] })) })}
      ${input({ name: "answered_by", label: t.answeredBy, help: t.answeredByHelp, value: answer?.answered_by ?? "", required: true, attempt })}
    </div>
    ${input({ name: "due_on", label: t.dueOn, help: t.dueOnHelp, type: "date", value: answer?.due_on ?? "", attempt })}
    ${input({ name: "evidence", label: t.evidence, help: t.evidenceHelp, rows: 3, value: answer?.evidence ?? "", attempt })}
    <p class="line near">
      <button name="act" value="save">${t.save}</button>
      ${answer && html`<button class="quiet" name="act" value="take-back" formnovalidate>${t.takeBack}</button>`}
    </p>
  </form>`;
}

/** The pages that a person looks at. */
async function sample(context: PageContext): Promise<Html> {
  const seed = context.query.get("seed") || undefined;
  const { data } = await context.api.get<One<"site_sample">>(
    `${sitePath(context)}/sample`,
    given({ seed }) as Record<string, string>,
  );
  const { pages } = data.attributes;
  return html`<section class="card flush" aria-labelledby="sample">
    <div class="tools line">
      <h2 id="sample">${t.sample}: ${formatNumber(pages.length)}</h2>
      <form class="line near push" action=${context.href(`${sitePath(context)}/criteria`)}>
        ${input({ name: "seed", label: t.seed, value: data.attributes.seed, bare: true })} <button class="quiet">${t.draw}</button>
      </form>
    </div>
    ${table<(typeof pages)[number]>({
      caption: t.sample,
      hideCaption: true,
      rows: pages,
      columns: [
        { title: t.sampleColumns.page, header: true, cell: ({ url }) => externalLink(url, address(url)) },
        { title: t.sampleColumns.drawn, cell: ({ drawn }) => t.drawn[drawn] },
      ],
    })}
    <p class="tools quiet small">${t.sampleMeans}</p>
  </section>`;
}

async function statementView(context: PageContext, attempt?: Attempt): Promise<View> {
  const { tabs, site: _, ...view } = await siteFrame(context, "statement", s.title);
  const { data } = await context.api.get<One<"statement">>(`${sitePath(context)}/statement`);
  const { text, problems: known, missing } = data.attributes;
  const content = html`<div>
    ${tabs}
    <p class="verdict"><b>${missing.length === 0 ? s.ready : s.notReady(missing.length)}</b></p>
    <p class="quiet">${s.follows}</p>
    <div class="grid split">
      <div class="grid">
        <section class="card" aria-labelledby="how"><h2 id="how">${s.how}</h2><p>${text}</p></section>
        <section class="card flush" aria-labelledby="problems">
          <h2 id="problems" class="tools">${s.problems}</h2>
          ${known.length === 0 ? html`<p class="tools">${s.noProblems}</p>` : problemTable(known)}
        </section>
      </div>
      <div class="grid">
        ${missing.length > 0 && html`<section class="card" aria-labelledby="missing"><h2 id="missing">${s.missing}</h2><ul>${missing.map((one) => html`<li>${one}</li>`)}</ul></section>`}
        ${forWriters(context, () => detailsForm(context, data.attributes, attempt))}
        <section class="card" aria-labelledby="take"><h2 id="take">${s.take}</h2>
          <ul>${Object.entries(s.formats).map(([format, name]) => html`<li><a download href=${context.href(`${sitePath(context)}/statement.${format}`)}>${name}</a></li>`)}</ul>
        </section>
      </div>
    </div>
  </div>`;
  return { ...view, content };
}

function problemTable(known: Attributes<"statement">["problems"]): Html {
  return table<(typeof known)[number]>({
    caption: s.problems,
    hideCaption: true,
    rows: known,
    columns: [
      { title: s.problemColumns.problem, header: true, cell: ({ title }) => title },
      { title: s.problemColumns.criteria, cell: ({ criteria }) => criteria.join(", ") },
      { title: s.problemColumns.due, cell: mendedBy },
    ],
  });
}

function mendedBy({ due_on, state }: Attributes<"statement">["problems"][number]): Html {
  if (state === "done") return texts.assignment.saidDone;
  if (due_on === null) return s.noDate;
  return state === "late" ? html`<span class="bad">${s.over(calendarDay(due_on))}</span>` : calendarDay(due_on);
}

function detailsForm(
  context: PageContext,
  { operator, contact, answer_within_days }: Attributes<"statement">,
  attempt?: Attempt,
): Html {
  return html`<form class="card grid" method="post" action=${context.href(`${sitePath(context)}/statement`)} aria-label=${s.details}>
    ${hiddenFields(context)}
    <h2>${s.details}</h2>
    ${problems(attempt, ["operator", "contact", "answer_within_days"])}
    ${input({ name: "operator", label: s.operator, help: s.operatorHelp, value: operator ?? "", attempt })}
    ${input({ name: "contact", label: s.contact, help: s.contactHelp, value: contact ?? "", attempt })}
    ${input({ name: "answer_within_days", label: s.days, type: "number", min: 1, max: 365, value: answer_within_days === null ? "" : String(answer_within_days), attempt })}
    <p><button>${s.save}</button></p>
  </form>`;
}
