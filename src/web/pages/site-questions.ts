import type { Attributes, List, Resource } from "../../api/documents.ts";
import { questionOf } from "../../domain/conformance/questions.ts";
import { understandingUrl } from "../../domain/findings/success-criteria.ts";
import { given, textIn } from "../fields.ts";
import { type Html, html } from "../html.ts";
import type { Attempt, FormRoute, PageContext, PageRoute, View } from "../page.ts";
import { forWriters } from "../parts/access.ts";
import { thumbnail } from "../parts/finding.ts";
import { hiddenFields, input, problems, radios } from "../parts/form.ts";
import { formRoute } from "../parts/form-route.ts";
import { siteFrame, sitePath } from "../parts/site-frame.ts";
import { table } from "../parts/table.ts";
import { address, externalLink, time } from "../parts/text.ts";
import { formatNumber, texts } from "../texts/en.ts";

const t = texts.questions;
const QUESTIONS = "/sites/:site_id/questions";
/** So many questions are listed, those that settle most first; answering them brings the next ones. */
const LISTED = "50";
/** The most examples of a question. */
const EXAMPLES = "3";

type Component = Resource<"component">;

export const siteQuestionsPages: readonly PageRoute[] = [
  { path: QUESTIONS, access: "account", read: (context) => questionsView(context) },
];

/**
 * An answer is a muting of the component on this site, for the reason "passed": so it holds for all pages and later reports until the
 * element changes, has an author and a day, and is taken back where other mutings are. "No" is an answer to the criterion.
 */
export const siteQuestionsForms: readonly FormRoute[] = [
  formRoute(QUESTIONS, questionsView, async (context, fields) => {
    const questions = context.href(`${sitePath(context)}/questions`, { done: "saved" });
    const [component, host] = [fields.get("component") ?? "", fields.get("host") ?? ""];
    if (fields.get("answer") === "no") {
      const evidence = [fields.get("about"), textIn(fields, "note")].filter((one) => one).join(" ");
      const criterion = encodeURIComponent(fields.get("criterion") ?? "");
      await context.api.patch(`${sitePath(context)}/criteria/${criterion}`, {
        ...{ outcome: "failed", evidence, answered_by: textIn(fields, "answered_by") },
      });
      return { redirect: questions };
    }
    const comment = [textIn(fields, "note"), textIn(fields, "answered_by")].filter((one) => one).join(" – ");
    await context.api.post("/mutings", {
      ...{ component, url_match: `//${host}/`, category: "passed" },
      ...given({ comment: comment || undefined }),
    });
    return { redirect: questions };
  }),
];

async function questionsView(context: PageContext, attempt?: Attempt): Promise<View> {
  const { api, query } = context;
  const { tabs, site, ...view } = await siteFrame(context, "questions", t.title);
  const report = site.latest_whole?.id ?? site.latest.id;
  const [found, answered] = await Promise.all([
    api.get<List<"component">>(`/reports/${report}/components`, {
      ...{ "filter[issue_type]": "warning", "filter[kind]": "a11y", sort: "how_many-desc", "page[size]": LISTED },
    }),
    api.get<List<"muting">>("/mutings", {
      ...{
        "filter[category]": "passed",
        "filter[search]": new URL(site.starting_url).host,
        now: "true",
        "page[size]": LISTED,
      },
    }),
  ]);
  // Reports that are there are counted again in the background: what was answered since is not asked meanwhile.
  const settled = new Set(answered.data.map(({ attributes }) => attributes.component));
  const open = found.data.filter(({ id }) => !settled.has(id));
  const asked = attempt?.fields.get("component") ?? query.get("question");
  const current = open.find(({ id }) => id === asked) ?? open[0];
  const findings = open.reduce((sum, { attributes }) => sum + attributes.how_many, 0);
  const content = html`<div>
    ${tabs}
    <p class="verdict"><b>${t.left(findings, open.length)}</b></p>
    <p class="quiet">${t.means}</p>
    ${
      open.length === 0
        ? html`<p>${t.none}</p>`
        : html`<div class="grid split">
      ${openQuestions(context, open, current)} ${current && (await question(context, report, current, attempt))}
    </div>`
    }
    ${answered.data.length > 0 && answers(context, answered.data)}
  </div>`;
  return { ...view, content };
}

function openQuestions(context: PageContext, open: readonly Component[], current: Component | undefined): Html {
  return html`<section class="card flush" aria-labelledby="open">
    <h2 class="tools" id="open">${t.open}</h2>
    ${table<Component>({
      caption: t.open,
      hideCaption: true,
      rows: open,
      columns: [
        {
          title: t.columns.question,
          header: true,
          cell: (one) => {
            const { element, success_criteria } = one.attributes;
            const to = context.href(`${sitePath(context)}/questions`, { question: one.id });
            return html`<a href=${`${to}#now`} aria-current=${one === current ? "true" : undefined}>${textOf(one)}</a>
              <br /><span class="small quiet">${success_criteria.map(({ number }) => number).join(", ")} <code>${element?.selector}</code></span>`;
          },
        },
        { title: t.columns.findings, cell: ({ attributes }) => html`<b>${formatNumber(attributes.how_many)}</b>` },
      ],
    })}
  </section>`;
}

function textOf({ attributes: { rule, title } }: Component): string {
  return questionOf(rule ?? "", title);
}

async function question(
  context: PageContext,
  report: string,
  component: Component,
  attempt: Attempt | undefined,
): Promise<Html> {
  const { how_many, num_pages, success_criteria, element, url } = component.attributes;
  const { data } = await context.api.get<List<"finding">>(`/reports/${report}/findings`, {
    ...{ "filter[component]": component.id, "page[size]": EXAMPLES },
  });
  const [criterion] = success_criteria;
  const all = context.href(`/reports/${report}/components/${component.id}`);
  return html`<section class="card grid" aria-labelledby="now">
    <div>
      ${criterion && html`<p class="quiet">${externalLink(understandingUrl(criterion), `${criterion.number} ${criterion.title} (${criterion.level})`)}</p>`}
      <h2 class="verdict" id="now">${textOf(component)}</h2>
    </div>
    ${element && thumbnail(element)}
    <ul>${data.map((one) => example(one.attributes))}</ul>
    <p class="small quiet">${t.examples} <a href=${all}>${t.all(how_many, num_pages)}</a></p>
    ${forWriters(
      context,
      () => html`<form class="grid" method="post" action=${context.href(`${sitePath(context)}/questions`)} aria-label=${t.answer}>
      ${hiddenFields(context)}
      <input type="hidden" name="component" value=${component.id} />
      <input type="hidden" name="host" value=${new URL(url).host} />
      <input type="hidden" name="criterion" value=${criterion?.number ?? ""} />
      <input type="hidden" name="about" value=${`${textOf(component)} ${element?.selector ?? ""}`.slice(0, 1_000)} />
      ${problems(attempt, ["answer", "answered_by", "note"])}
      ${radios({
        ...{ name: "answer", label: t.answer, value: "yes", attempt },
        options: [
          { value: "yes", label: t.yes, what: t.yesWhat(how_many) },
          ...(criterion ? [{ value: "no", label: t.no, what: t.noWhat(criterion.number) }] : []),
        ],
      })}
      ${input({ name: "answered_by", label: texts.criteria.answeredBy, help: texts.criteria.answeredByHelp, value: "", required: true, attempt })}
      ${input({ name: "note", label: t.note, help: t.noteHelp, rows: 2, value: "", attempt })}
      <p><button>${t.save}</button></p>
      <p class="small quiet">${t.holds}</p>
    </form>`,
    )}
  </section>`;
}

function example({ message, element, url }: Attributes<"finding">): Html {
  return html`<li>${element?.failure_summary ?? message} ${element && html`<code>${element.extract.slice(0, 120)}</code>`} <span class="small quiet">${externalLink(url, address(url))}</span></li>`;
}

function answers(context: PageContext, answered: readonly Resource<"muting">[]): Html {
  return html`<section class="card flush" aria-labelledby="done">
    <h2 class="tools" id="done">${t.answered}</h2>
    ${table<Resource<"muting">>({
      caption: t.answered,
      hideCaption: true,
      rows: answered,
      columns: [
        {
          title: t.columns.question,
          header: true,
          cell: ({ id, attributes: { now, component } }) =>
            html`<a href=${context.href(`/mutings/${id}`)}>${now?.title ? questionOf(now.example?.rule ?? "", now.title) : component}</a>`,
        },
        { title: t.columns.note, cell: ({ attributes }) => attributes.comment ?? "–" },
        {
          title: t.columns.by,
          cell: ({ attributes: { created_by, inserted_at } }) =>
            html`${created_by} <span class="small quiet">${time(inserted_at)}</span>`,
        },
      ],
    })}
  </section>`;
}
