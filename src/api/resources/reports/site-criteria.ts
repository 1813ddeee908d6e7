import { readCauses } from "../../../database/findings/causes.ts";
import { criteriaOfRules, readCriteria } from "../../../database/reports/criteria.ts";
import { findReports, type ReportRow } from "../../../database/reports/read-reports.ts";
import {
  drawSample,
  readAnswers,
  readStatementDetails,
  storeAnswer,
  storeStatementDetails,
} from "../../../database/reports/site-answers.ts";
import type { SiteKey } from "../../../database/reports/site-key.ts";
import type { BriefSite } from "../../../database/reports/sites.ts";
import { isDay } from "../../../domain/calendar-day.ts";
import { earlOf } from "../../../domain/conformance/earl.ts";
import {
  type CriterionAnswer,
  claimOf,
  countStates,
  judgeSite,
  type SiteCriterion,
  type SiteCriterionState,
  siteCriterionStates,
} from "../../../domain/conformance/judge-site.ts";
import { isAsked, type KnownProblem, knownProblems } from "../../../domain/conformance/known-problems.ts";
import { openAcrOf } from "../../../domain/conformance/openacr.ts";
import {
  claimText,
  missingOf,
  type Statement,
  statementHtml,
  vpatHtml,
} from "../../../domain/conformance/statement.ts";
import { checkKinds } from "../../../domain/findings/findings.ts";
import { type JudgedCriterion, judgeCriteria } from "../../../domain/findings/judged-criteria.ts";
import { standards } from "../../../domain/findings/standards.ts";
import { understandingUrl } from "../../../domain/findings/success-criteria.ts";
import { formatValue } from "../../../schema/validate.ts";
import type { Context, Route } from "../../context.ts";
import type { List, Resource } from "../../documents.ts";
import { attributesReader } from "../../http/request/attributes.ts";
import { callerOf } from "../../http/request/caller.ts";
import { pageParameters, stateParameter, textParameter } from "../../http/request/parameters.ts";
import { list, one, related, timestamp } from "../../http/response/documents.ts";
import { notFound, refuseAttribute } from "../../http/response/errors.ts";
import { bodyOf } from "../../openapi/request-body.ts";
import { siteCriteriaMeta } from "../../openapi/response-schemas/conformance.ts";
import {
  type SiteCriterionAttributes,
  type StatementAttributes,
  siteCriterionSchema,
  statementSchema,
} from "../../request-attributes.ts";
import { titledCauses } from "../findings/causes.ts";
import { reportUrl } from "./report-access.ts";
import { briefSite } from "./sites.ts";

const readAnswer = attributesReader<SiteCriterionAttributes>(siteCriterionSchema);
const readDetails = attributesReader<StatementAttributes>(statementSchema);
const states = Object.keys(siteCriterionStates) as SiteCriterionState[];
const DEFAULT_SEED = "1";

const formats = {
  html: { mediaType: "text/html", title: "the text for the site", write: statementHtml },
  "vpat.html": { mediaType: "text/html", title: "a table to print, in the terms of VPAT", write: vpatHtml },
  "earl.jsonld": {
    mediaType: "application/ld+json",
    title: "EARL, results for programs",
    write: (statement: Statement) => `${JSON.stringify(earlOf(statement), null, 2)}\n`,
  },
  "openacr.yaml": { mediaType: "application/yaml", title: "OpenACR, for buyers", write: openAcrOf },
} as const;

/** What programs and people say of a site's success criteria, and what is written of it. */
export const siteCriteria: readonly Route[] = [
  {
    method: "GET",
    path: "/sites/:site_id/criteria",
    id: "listSiteCriteria",
    tag: "Reports",
    summary: "List the success criteria of a site with what people have said",
    description:
      "Those of the standard of its newest report of the whole site; before there is one, of its newest. An error outweighs the answer of a person; what a program did not find is not met before a person says so.",
    success: { kind: "list", type: "site_criterion", meta: siteCriteriaMeta },
    access: "account",
    site: "site",
    parameters: [stateParameter("Criteria in this state.", states), ...pageParameters],
    handle: async (context) => {
      const page = context.query.page();
      const state = context.query.choice("filter[state]", states);
      const judged = await judgedSite(context);
      const found = judged.criteria.filter((found) => state === undefined || found.state === state);
      const rows = found.slice(page.offset, page.offset + page.limit);
      const meta = { states: countStates(judged.criteria) } satisfies Partial<List<"site_criterion">["meta"]>;
      return list(context, page, { rows, total: found.length, meta }, (criterion) =>
        criterionDocument(context, judged, criterion),
      );
    },
  },
  {
    method: "PATCH",
    path: "/sites/:site_id/criteria/:criterion",
    id: "answerSiteCriterion",
    audit: { verb: "answered a criterion", area: "sites" },
    tag: "Reports",
    summary: "Say whether a site meets a success criterion",
    description:
      "It holds for all reports of the site, for 365 days from now. What is left out stays as it was said before.",
    success: { kind: "one", type: "site_criterion" },
    access: "account",
    site: "site",
    body: bodyOf("site_criterion", siteCriterionSchema),
    handle: async (context) => {
      const { db, now } = context.deps;
      const site = await judgedSite(context);
      const given = readAnswer(context.attributes);
      const { number, answer: before } = criterionIn(site.criteria, context);
      const answer = answerAfter(given, before, now());
      await storeAnswer(db, site.key, number, answer);
      const answers = new Map(answer ? [[number, answer]] : []);
      const after = judgeSite(site.judged, answers, now());
      return one(criterionDocument(context, site, criterionIn(after, context)));
    },
  },
  {
    method: "GET",
    path: "/sites/:site_id/sample",
    id: "drawSiteSample",
    tag: "Reports",
    summary: "Draw pages of a site for people to look at",
    description:
      "Of the newest report of the whole site, as WCAG-EM asks: up to two of each template, of the 25 with the most pages, and two of all others at random. Where structures were not compared, the site's folders stand for templates.",
    success: { kind: "one", type: "site_sample" },
    access: "account",
    site: "site",
    parameters: [textParameter("seed", "The same seed draws the same pages; 1 without one.")],
    handle: async (context) => {
      const seed = context.query.text("seed") ?? DEFAULT_SEED;
      const { site, report } = await wholeSite(context);
      const pages = await drawSample(context.deps.db, report.id, seed);
      return one({
        id: site.id,
        type: "site_sample",
        attributes: { seed, pages },
        relationships: linksOf(context, site.id, report.id),
      });
    },
  },
  {
    method: "GET",
    path: "/sites/:site_id/statement",
    id: "getSiteStatement",
    tag: "Reports",
    summary: "Get the accessibility statement of a site",
    description: "It follows from the criteria and the causes at this moment; nothing is published by itself.",
    success: { kind: "one", type: "statement" },
    access: "account",
    site: "site",
    isHeavy: true,
    handle: async (context) => one(statementDocument(context, await statementOf(context))),
  },
  {
    method: "PATCH",
    path: "/sites/:site_id/statement",
    id: "updateSiteStatement",
    audit: { verb: "changed a statement", area: "sites" },
    tag: "Reports",
    summary: "Say what the statement of a site needs that no report says",
    success: { kind: "one", type: "statement" },
    access: "account",
    site: "site",
    body: bodyOf("statement", statementSchema),
    isHeavy: true,
    handle: async (context) => {
      const { db } = context.deps;
      const whole = await wholeSite(context);
      const given = readDetails(context.attributes);
      const details = { ...(await readStatementDetails(db, whole.key)), ...given };
      await storeStatementDetails(db, whole.key, details);
      return one(statementDocument(context, await statementOf(context, whole)));
    },
  },
  ...(Object.keys(formats) as (keyof typeof formats)[]).map(
    (format): Route => ({
      method: "GET",
      path: `/sites/:site_id/statement.${format}`,
      id: `exportSiteStatementAs${format
        .split(".")
        .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
        .join("")}`,
      tag: "Reports",
      summary: `Export the accessibility statement of a site: ${formats[format].title}`,
      success: {
        kind: "file",
        mediaType: formats[format].mediaType,
        description: "The statement, a draft while something is missing.",
      },
      access: "account",
      site: "site",
      isHeavy: true,
      handle: async (context) => {
        const { mediaType, write } = formats[format];
        const { statement } = await statementOf(context);
        return {
          status: 200,
          stream: { type: mediaType, filename: `statement.${format}`, chunks: textIn(write(statement)) },
        };
      },
    }),
  ),
];

async function* textIn(text: string): AsyncGenerator<string> {
  yield text;
}

type WholeSite = { site: BriefSite; report: ReportRow; key: SiteKey };

/** The site in the address, with the report that it is judged by. @throws RequestError 404 */
async function wholeSite(context: Context): Promise<WholeSite> {
  const site = await briefSite(context);
  const { accountId, guestToken } = callerOf(context);
  const [report] = await findReports(context.deps.db, [site.report_id]);
  // Deleted in the meantime.
  if (!report) throw notFound("site");
  return { site, report, key: { accountId, guestToken, startingUrl: site.starting_url } };
}

type JudgedSite = WholeSite & { judged: JudgedCriterion[]; criteria: SiteCriterion[] };

async function judgedSite(context: Context, site?: WholeSite): Promise<JudgedSite> {
  const { db, now } = context.deps;
  const whole = site ?? (await wholeSite(context));
  const { report, key } = whole;
  const checked = checkKinds.filter((kind) => report.counts[kind].checked > 0);
  const judged = judgeCriteria(report.spec, checked, await readCriteria(db, report.id));
  return { ...whole, judged, criteria: judgeSite(judged, await readAnswers(db, key), now()) };
}

/** @throws RequestError 404 for one that the standard does not ask for */
function criterionIn(criteria: readonly SiteCriterion[], { params }: Context): SiteCriterion {
  const found = criteria.find(({ number }) => number === params.criterion);
  if (!found) throw notFound("criterion");
  return found;
}

/** @throws RequestError 422 without an answer, for one of nobody, and for a day that is none or of what has not failed */
function answerAfter(
  given: SiteCriterionAttributes,
  before: CriterionAnswer | null,
  now: Date,
): CriterionAnswer | undefined {
  if (given.outcome === null) return undefined;
  const { outcome, answered_by, evidence, pages, due_on } = { ...before, ...given };
  if (outcome === undefined || outcome === null)
    throw refuseAttribute(
      "outcome",
      "required",
      "outcome is missing; it says what was seen, and null takes an answer back.",
    );
  if (answered_by === undefined)
    throw refuseAttribute("answered_by", "required", "answered_by is missing; it says whose answer it is.");
  const isFailed = outcome === "failed";
  if (given.due_on && !isFailed)
    throw refuseAttribute("due_on", "not_allowed", `due_on is only of what has failed, and outcome is ${outcome}.`);
  if (given.due_on && !isDay(given.due_on))
    throw refuseAttribute("due_on", "invalid_format", `due_on is ${formatValue(given.due_on)}; there is no such day.`);
  return {
    ...{ outcome, evidence: evidence ?? null, answered_by, answered_at: now },
    ...{ due_on: isFailed ? (due_on ?? null) : null, pages: pages ?? [] },
  };
}

function linksOf(context: Context, siteId: string, reportId: string) {
  return related({ site: `${context.base}/sites/${siteId}`, report: reportUrl(context, reportId) });
}

function criterionDocument(
  context: Context,
  { site, report }: WholeSite,
  criterion: SiteCriterion,
): Resource<"site_criterion"> {
  const { number, title, level, since, state, errors, warnings, answer } = criterion;
  return {
    id: number,
    type: "site_criterion",
    attributes: {
      ...{ number, title, level, since, state, errors, warnings, url: understandingUrl(criterion) },
      answer: answer && { ...answer, answered_at: timestamp(answer.answered_at) },
    },
    relationships: linksOf(context, site.id, report.id),
  };
}

/** The statement as it would be now. */
async function statementOf(context: Context, site?: WholeSite): Promise<WholeSite & { statement: Statement }> {
  const { db, now } = context.deps;
  const whole = await judgedSite(context, site);
  const { report, key, criteria } = whole;
  const { name, starting_url, numbers } = whole.site;
  const statement: Statement = {
    ...(await readStatementDetails(db, key)),
    site: { name: name ?? new URL(starting_url).host, url: starting_url },
    standard: standards[report.spec.standard === "all" ? "wcag22aaa" : report.spec.standard],
    tested: {
      at: numbers?.ended_at ?? report.inserted_at,
      pages: numbers && { checked: numbers.pages.checked, known: numbers.pages.known - numbers.pages.without_page },
    },
    criteria,
    problems: await problemsOf(context, report, criteria),
    now: now(),
  };
  return { ...whole, statement };
}

/** Causes that are about a criterion, and what persons have seen. */
async function problemsOf(
  context: Context,
  report: ReportRow,
  criteria: readonly SiteCriterion[],
): Promise<KnownProblem[]> {
  const { db, now } = context.deps;
  const { causes } = await readCauses(db, report.id, undefined);
  const ofRules = await criteriaOfRules(db, report.id);
  const about = new Map(causes.map(({ id, rules }) => [id, new Set(rules.flatMap((rule) => ofRules.get(rule) ?? []))]));
  const criteriaOf = ({ id }: { id: string }) => about.get(id) ?? new Set<string>();
  const asked = causes.filter((cause) => isAsked({ criteria: criteriaOf(cause) }, criteria));
  const titled = await titledCauses(context, report, asked);
  return knownProblems(
    titled.map(({ id, title, due_on, state }) => ({ title, due_on, state, criteria: criteriaOf({ id }) })),
    criteria,
    now(),
  );
}

function statementDocument(
  context: Context,
  { site, report, statement }: WholeSite & { statement: Statement },
): Resource<"statement"> {
  const { operator, contact, answer_within_days, standard, criteria, problems } = statement;
  return {
    id: site.id,
    type: "statement",
    attributes: {
      ...{ operator, contact, answer_within_days, standard, claim: claimOf(criteria), text: claimText(statement) },
      ...{
        states: countStates(criteria),
        problems: [...problems.map((found) => ({ ...found, criteria: [...found.criteria] }))],
        missing: missingOf(statement),
      },
    },
    relationships: linksOf(context, site.id, report.id),
  };
}
