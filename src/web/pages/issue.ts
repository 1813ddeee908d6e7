import type { Attributes, List, One, Resource } from "../../api/documents.ts";
import { type CheckKind, checkKinds, manifestOf, nounOf } from "../../checks/kinds.ts";
import { RequestError } from "../../domain/errors.ts";
import { type Html, html } from "../html.ts";
import type { Attempt, FormRoute, PageContext, PageRoute, View } from "../page.ts";
import { remedy } from "../page-findings/details.ts";
import { mayWrite } from "../parts/access.ts";
import { assignmentForm, saidIn, whoHasIt } from "../parts/assignment.ts";
import { causeFacts, impactName, mutingOf } from "../parts/cause.ts";
import { copyLink } from "../parts/copy.ts";
import { crop } from "../parts/crop.ts";
import { actRules, type CommonIssueType, criteria, element, engineText, typeBadge } from "../parts/finding.ts";
import { actionForm } from "../parts/form.ts";
import { formRoute } from "../parts/form-route.ts";
import { guideText } from "../parts/guide-text.ts";
import { icon } from "../parts/icon.ts";
import { issueElement } from "../parts/issue-element.ts";
import { isOwned, pagePathOf, reportPath, reportRoutes } from "../parts/report.ts";
import { roleName } from "../parts/report-cards.ts";
import { frameBelow } from "../parts/report-head.ts";
import { cursorQuery, nextPart, pageNumber, pageQuery, pagination } from "../parts/table.ts";
import { address, badge, externalLink, time } from "../parts/text.ts";
import { formatNumber, texts } from "../texts/en.ts";

const t = texts.issue;

export const issuePages: readonly PageRoute[] = [
  ...checkKinds.flatMap((kind) => reportRoutes(`/issues/${kind}/:issue_id`, (context) => readIssue(context, kind))),
  ...reportRoutes("/components/:component_id", readComponent),
  ...reportRoutes("/causes/:cause_id", (context) => readCause(context)),
];

export const causeForms: readonly FormRoute[] = [
  formRoute("/reports/:report_id/causes/:cause_id", readCause, async ({ api, params, href }, fields) => {
    const path = `/reports/${params.report_id}/causes/${params.cause_id}`;
    await api.patch(path, fields.get("act") === "leave" ? { assignee: null } : saidIn(fields));
    return { redirect: href(path, { done: "saved" }) };
  }),
];

/** The same page of muted findings: what was muted since a link to it was made, perhaps by this reader, is still there. */
function ofMuted(context: PageContext): PageContext {
  return { ...context, query: new URLSearchParams([...context.query, ["muted", "true"]]) };
}

async function readIssue(context: PageContext, kind: CheckKind): Promise<View> {
  const { api, params, query } = context;
  const root = `/reports/${params.report_id}`;
  const muted = query.has("muted") ? "true" : undefined;
  const { data } = await api.get<One<"report">>(root);
  const find = async (filter: string | undefined) =>
    (
      await api.get<One<CommonIssueType>>(`${root}/common_${nounOf(kind)}_issues/${params.issue_id}`, {
        "filter[muted]": filter,
      })
    ).data.attributes;
  const issue = await find(muted);
  const isMessage = issue.rule === null;
  // Its rule, with all messages of that; where the engine names none, the message is all that there is.
  const same = isMessage
    ? { [`filter[common_${nounOf(kind)}_issue_id]`]: params.issue_id }
    : {
        ...{ "filter[kind]": kind, "filter[rule]": issue.rule ?? undefined, "filter[issue_type]": typeOf(issue) },
        "filter[outside_standard]": String("outside_standard" in issue && issue.outside_standard),
      };
  const found = isMessage
    ? undefined
    : (await api.get<List<"report_rule">>(`${root}/rules`, { ...same, "filter[muted]": muted })).data[0]?.attributes;
  const rule = found ?? ruleOfMessage(kind, issue);
  if (!muted && rule.how_many === 0 && (await find("true")).how_many > 0) return readIssue(ofMuted(context), kind);
  const pagesOf = (part: Record<string, string | undefined>) =>
    api.get<List<"web_page">>(`${root}/web_pages`, { ...same, "filter[muted]": muted, ...part });
  const pages = await pagesOf(pageQuery(query));
  // Not the first of the part that is shown, which may be of another host, or beyond the end and empty.
  const firstPage = async () => (pageNumber(query) === 1 ? pages : await pagesOf({ "page[size]": "1" })).data[0];
  const components = issue.rule
    ? await api.get<List<"component">>(`${root}/components`, {
        ...{ ...same, "filter[muted]": muted },
        ...pageQuery(query, 10, "elements"),
      })
    : undefined;
  const site = siteOf((await firstPage())?.attributes.url ?? data.attributes.starting_url);
  const { tabs, ...frame } = await frameBelow(
    context,
    data.attributes,
    "issues",
    actions(context, data.attributes, {
      ...(issue.rule ? { rule: issue.rule } : { message: rule.message ?? rule.title }),
      url_match: site,
    }),
  );
  const content = html`<div>
    ${tabs} ${engineText(rule)}
    ${facts(kind, issue, rule, muted)}
    ${issue.description_html && guide(issue.description_html, issue.guide_url)}
    ${components && components.meta.total > 0 ? elements(context, components, rule) : null} ${pageList(context, pages, { rule: issue.rule ?? undefined })}
  </div>`;
  return { ...frame, title: rule.title, content };
}

/** What is known of a rule, in a line. */
function facts(
  kind: CheckKind,
  issue: Attributes<CommonIssueType>,
  rule: Omit<ReturnType<typeof ruleOfMessage>, "message">,
  muted: string | undefined,
): Html {
  return html`<ul class="line">
      <li>${typeBadge(rule.issue_type, rule.outside_standard)} ${rule.impact && badge(texts.impacts[rule.impact], "plain")} ${muted && badge(t.muted, "plain")}</li>
      <li>${texts.count.findings(rule.how_many)}, ${texts.count.pages(rule.num_pages)}</li>
      ${issue.rule && html`<li><span class="quiet">${t.rule}</span> <code>${issue.rule}</code></li>`}
      ${rule.success_criteria.length > 0 && html`<li><span class="quiet">${t.criteria}</span> ${criteria(rule.success_criteria)}</li>`}
      ${rule.act_rules.length > 0 && html`<li><span class="quiet">${t.actRules}</span> ${actRules(rule.act_rules)}</li>`}
      ${rule.first_seen_at && html`<li><span class="quiet">${t.firstSeen}</span> ${time(rule.first_seen_at)}</li>`}
      ${issue.help_url && html`<li>${externalLink(issue.help_url, manifestOf(kind).hasStandards ? t.aboutRule : t.standard)}</li>`}
    </ul>`;
}

/** The type of an issue. Kinds say it in different ways. */
function typeOf(issue: Attributes<CommonIssueType>): "error" | "warning" {
  if ("issue_type" in issue) return issue.issue_type;
  return "review" in issue && issue.review ? "warning" : "error";
}

/** An issue as the rule that it is, for an engine that names none or for one of which nothing is left. */
function ruleOfMessage(kind: CheckKind, issue: Attributes<CommonIssueType>) {
  const { rule, title, how_many, num_pages, first_seen_at } = issue;
  return {
    ...{ kind, rule, title, message: "message" in issue ? issue.message : issue.help, num_messages: 1 },
    ...{ issue_type: typeOf(issue), outside_standard: "outside_standard" in issue && issue.outside_standard },
    impact: "impact" in issue ? issue.impact : null,
    success_criteria: "success_criteria" in issue ? issue.success_criteria : [],
    act_rules: "act_rules" in issue ? issue.act_rules : [],
    ...{ how_many, num_pages, first_seen_at },
  };
}

async function readComponent(context: PageContext): Promise<View> {
  const { api, params, query } = context;
  const muted = query.has("muted") ? "true" : undefined;
  const root = `/reports/${params.report_id}`;
  const { data } = await api.get<One<"report">>(root);
  const findings = await api.get<List<"finding">>(`${root}/findings`, {
    "filter[component]": params.component_id,
    "filter[muted]": muted,
    ...cursorQuery(query),
  });
  const [first] = findings.data;
  if (!first && !muted && !query.has("after")) return readComponent(ofMuted(context));
  if (!first) throw notFound();
  const { tabs, ...frame } = await frameBelow(
    context,
    data.attributes,
    "issues",
    actions(context, data.attributes, { component: params.component_id, url_match: siteOf(first.attributes.url) }),
  );
  const content = html`<div>
    ${tabs}
    ${engineText(first.attributes)}
    ${componentFacts(first.attributes, muted)}
    <div class="grid pair">
      <div class="grid close">${crop(context, first)} ${first.attributes.element && element(first.attributes.element)}</div>
      ${await howToFix(context, first.attributes)}
    </div>
    ${findingList(context, findings)} ${isOwned(context, data.attributes) && checkAgain(context, findings)}
  </div>`;
  return { ...frame, title: first.attributes.title, content };
}

/** What is known of a component, in a line. */
function componentFacts(finding: Attributes<"finding">, muted: string | undefined): Html {
  const { kind, rule, issue_type, outside_standard, impact, role, success_criteria, first_seen_at, help_url } = finding;
  return html`<ul class="line">
    <li>${typeBadge(issue_type, outside_standard)} ${muted && badge(t.muted, "plain")}</li>
    <li>${impactName({ impact })}</li>
    ${role && html`<li><span class="tag">${roleName(role)}</span> <span class="quiet">${texts.report.cards.roleMeans[role]}</span></li>`}
    ${rule && html`<li><span class="quiet">${t.rule}</span> <code>${rule}</code></li>`}
    ${success_criteria.length > 0 && html`<li><span class="quiet">${t.criteria}</span> ${criteria(success_criteria)}</li>`}
    ${first_seen_at && html`<li><span class="quiet">${t.firstSeen}</span> ${time(first_seen_at)}</li>`}
    ${help_url && html`<li>${externalLink(help_url, manifestOf(kind).hasStandards ? t.aboutRule : t.standard)}</li>`}
  </ul>`;
}

/** What the guide to the rule says; nothing without one. */
async function howToFix(context: PageContext, { kind, rule }: Attributes<"finding">): Promise<Html> {
  const guide = rule === null ? undefined : (await context.guides()).find(kind, rule);
  return (
    guide &&
    html`<section class="grid close" aria-labelledby="fix"><h2 id="fix">${t.howToFix}</h2>${remedy(context, guide)}</section>`
  );
}

async function readCause(context: PageContext, attempt?: Attempt): Promise<View> {
  const { api, params, query } = context;
  const root = `/reports/${params.report_id}`;
  const { data } = await api.get<One<"report">>(root);
  const cause = (await api.get<One<"cause">>(`${root}/causes/${params.cause_id}`)).data.attributes;
  const findings = await api.get<List<"finding">>(`${root}/findings`, {
    "filter[cause]": params.cause_id,
    "filter[issue_type]": "error",
    ...cursorQuery(query),
  });
  const { tabs, ...frame } = await frameBelow(
    context,
    data.attributes,
    "summary",
    actions(context, data.attributes, mutingOf(context, cause)),
  );
  const content = html`<div>
    ${tabs} ${causeFacts(cause)}
    ${isOwned(context, data.attributes) && mayWrite(context) && (await whoForm(context, cause, attempt))}
    ${crop(context, { attributes: cause })} ${cause.element && element(cause.element)}
    ${findingList(context, findings, cause.rules.length > 1)}
  </div>`;
  return { ...frame, title: cause.title, content };
}

/** The form that says who mends a cause. What holds by its section or site is said there. */
async function whoForm(context: PageContext, { assignment, title }: Attributes<"cause">, attempt?: Attempt) {
  const { report_id, cause_id } = context.params;
  const action = `/reports/${report_id}/causes/${cause_id}`;
  const { meta } = await context.api.get<List<"cause">>(`/reports/${report_id}/causes`, { "page[size]": "1" });
  const own = assignment?.of === "cause" ? assignment : null;
  const { heading, title: label } = texts.assignment;
  const of = { action, title: label(title), heading, assignment: own, shares: meta.assignees };
  const tell =
    own?.holder === "name" &&
    mayWrite(context, "share") &&
    html`<p class="strip fine"><span>${texts.assignment.withoutAccount(own.assignee)}</span> <a class="push" href=${context.href("/share-links", { report_id, cause: cause_id })}>${texts.assignment.tellThem}</a></p>`;
  return html`${assignment && !own && whoHasIt(context, { assignment, title }, "")} ${await assignmentForm(context, of, attempt)} ${tell}`;
}

/** A form that checks the pages of the listed findings again. */
function checkAgain(context: PageContext, { data }: List<"finding">): Html {
  const pages = new Set(data.flatMap((found) => pagePathOf(context, found)?.split("/").at(-1) ?? []));
  const fields = html`<input type="hidden" name="act" value="again" />${[...pages].map((id) => html`<input type="hidden" name="page" value=${id} />`)}`;
  const label = html`${icon("again")} ${t.checkAgain(pages.size)}`;
  return (
    pages.size > 0 &&
    actionForm(context, `/reports/${context.params.report_id}/pages/selected`, label, { quiet: true, fields })
  );
}

/** The pages of findings, with the place on each. @param withRules they are of several */
function findingList(context: PageContext, { data, links }: List<"finding">, withRules = false): Html {
  return html`<h2>${t.pages}</h2>
    <ul class="rows">
      ${data.map((found) => {
        const { attributes: finding } = found;
        const page = pagePathOf(context, found);
        return html`<li>
          ${address(finding.url, page && context.href(page, { component: finding.component }))}${" "}
          <span class="quiet">
            ${withRules && finding.rule && html`<code>${finding.rule}</code>, `}
            ${texts.count.elements(finding.how_many)}${finding.state && `, ${texts.states[finding.state]}`}${
              finding.element?.coordinates
                ? `, ${t.line(finding.element.coordinates.first_line, finding.element.coordinates.first_column)}`
                : ""
            }
          </span>
        </li>`;
      })}
    </ul>
    ${nextPart(context, links, { muted: context.query.has("muted") ? "true" : undefined })}`;
}

function notFound(): RequestError {
  const detail = "The report has no findings of this component.";
  return new RequestError({ status: 404, code: "not_found", title: "Not found", detail });
}

function guide(description: string, url: string | null): Html {
  return html`<section class="guide" aria-labelledby="guide">
    <h2 id="guide">${t.guide}</h2>
    ${guideText(description)}
    ${url && html`<p><a href=${new URL(url).pathname}>${t.wholeGuide}</a></p>`}
  </section>`;
}

/** A part of the address of every page of the site that a page is of, and of no other site's. */
function siteOf(url: string): string {
  return `//${new URL(url).host}/`;
}

/** What can be done: copy a link, or mute these findings in a form that is filled in and shows a preview. */
function actions(
  context: PageContext,
  report: Attributes<"report">,
  criteria: Record<string, string | undefined>,
): Html {
  const { href, params, path } = context;
  const isMuted = context.query.has("muted");
  if (isMuted || !mayWrite(context, "common") || !isOwned(context, report)) return copyLink();
  const query = { ...criteria, report_id: params.report_id, next: path };
  return html`${copyLink()} <a class="button quiet" href=${href("/mutings/new", query)}>${icon("mute")} ${t.mute}</a>`;
}

function elements(context: PageContext, { data, meta }: List<"component">, rule: { message: string | null }): Html {
  // What the engine says of each, where that differs.
  const said = ({ attributes }: Resource<"component">) => (rule.message === null ? attributes.message : undefined);
  const muted = context.query.has("muted") ? "true" : undefined;
  return html`<section class="card grid" aria-labelledby="elements">
    <h2 id="elements">${t.elements}: ${formatNumber(meta.total)}</h2>
    <ol class="cards">
      ${data.map((component) => issueElement(context, component, context.href(reportPath(context, `/components/${component.id}`), { muted }), said(component)))}
    </ol>
    ${pagination(context, t.elements, meta, { name: "elements", size: 10, section: "elements" })}
  </section>`;
}

/** @param selects what the page of each shows first */
function pageList(
  context: PageContext,
  { data, meta }: List<"web_page">,
  selects: { rule?: string | undefined },
): Html {
  return html`<section class="card grid" aria-labelledby="pages">
    <h2 id="pages">${t.pages}: ${formatNumber(meta.total)}</h2>
    <ul class="rows">
      ${data.map(({ id, attributes }) => html`<li>${address(attributes.url, context.href(reportPath(context, `/pages/${id}`), selects))}</li>`)}
    </ul>
    ${pagination(context, t.pages, meta, { section: "pages" })}
  </section>`;
}
