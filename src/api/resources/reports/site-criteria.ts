import { readCauses } from "../../../database/findings/causes.ts";
import { readCriteria } from "../../../database/reports/criteria.ts";
import type { ReportRow } from "../../../database/reports/read-reports.ts";
import {
  pagesToSample,
  readAnswers,
  readStatementDetails,
  type SiteScope,
  storeAnswer,
  storeStatementDetails,
} from "../../../database/reports/site-answers.ts";
import type { Site } from "../../../database/reports/sites.ts";
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
import { openAcrOf } from "../../../domain/conformance/openacr.ts";
import { drawSample } from "../../../domain/conformance/sample.ts";
import {
  claimText,
  type KnownProblem,
  missingOf,
  type Statement,
  statementHtml,
  vpatHtml,
} from "../../../domain/conformance/statement.ts";
import { checkKinds } from "../../../domain/findings/findings.ts";
import { judgeCriteria } from "../../../domain/findings/judged-criteria.ts";
import { standards } from "../../../domain/findings/standards.ts";
import { successCriteriaOf, understandingUrl } from "../../../domain/findings/success-criteria.ts";
import type { Context, Route } from "../../context.ts";
import type { List, Resource } from "../../documents.ts";
import { attributesReader } from "../../http/request/attributes.ts";
import { callerOf } from "../../http/request/caller.ts";
import { pageParameters, stateParameter, textParameter } from "../../http/request/parameters.ts";
import { list, one, related, timestamp } from "../../http/response/documents.ts";
import { notFound, refuse } from "../../http/response/errors.ts";
import { bodyOf } from "../../openapi/request-body.ts";
import { siteCriteriaMeta } from "../../openapi/response-schemas/conformance.ts";
import {
  type SiteCriterionAttributes,
  type StatementAttributes,
  siteCriterionSchema,
  statementSchema,
} from "../../request-attributes.ts";
import { causesForStatement } from "../findings/causes.ts";
import { reportUrl } from "./report-access.ts";
import { addressedSite } from "./sites.ts";

const readAnswer = attributesReader<SiteCriterionAttributes>(siteCriterionSchema);
const readDetails = attributesReader<StatementAttributes>(statementSchema);
const states = Object.keys(siteCriterionStates) as SiteCriterionState[];
/** Pages that a sample is drawn of. */
const MAX_PAGES = 20_000;
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
    tag: "Reports",
    summary: "Say whether a site meets a success criterion",
    description: "It holds for all reports of the site, for 365 days. What was said before is replaced.",
    success: { kind: "one", type: "site_criterion" },
    access: "account",
    body: bodyOf("site_criterion", siteCriterionSchema),
    handle: async (context) => {
      const before = await judgedSite(context);
      const given = readAnswer(context.attributes);
      const { number } = criterionIn(before.criteria, context);
      await storeAnswer(context.deps.db, before.scope, number, answerOf(given, context.deps.now()));
      const after = await judgedSite(context);
      return one(criterionDocument(context, after, criterionIn(after.criteria, context)));
    },
  },
  {
    method: "GET",
    path: "/sites/:site_id/sample",
    id: "drawSiteSample",
    tag: "Reports",
    summary: "Draw pages of a site for people to look at",
    description:
      "Of the newest report of the whole site, as WCAG-EM asks: up to two of each template, and two at random.",
    success: { kind: "one", type: "site_sample" },
    access: "account",
    parameters: [textParameter("seed", "The same seed draws the same pages; 1 without one.")],
    handle: async (context) => {
      const seed = context.query.text("seed") ?? DEFAULT_SEED;
      const { site, report } = await wholeSite(context);
      const pages = drawSample(await pagesToSample(context.deps.db, report.id, MAX_PAGES), seed);
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
    isHeavy: true,
    handle: async (context) => one(statementDocument(context, await statementOf(context))),
  },
  {
    method: "PATCH",
    path: "/sites/:site_id/statement",
    id: "updateSiteStatement",
    tag: "Reports",
    summary: "Say what the statement of a site needs that no report says",
    success: { kind: "one", type: "statement" },
    access: "account",
    body: bodyOf("statement", statementSchema),
    isHeavy: true,
    handle: async (context) => {
      const { scope } = await wholeSite(context);
      const given = readDetails(context.attributes);
      const before = await readStatementDetails(context.deps.db, scope);
      await storeStatementDetails(context.deps.db, scope, { ...before, ...given });
      return one(statementDocument(context, await statementOf(context)));
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

type WholeSite = { site: Site; report: ReportRow; scope: SiteScope };

/** The site in the address, with the report that it is judged by. @throws RequestError 404 */
async function wholeSite(context: Context): Promise<WholeSite> {
  const site = await addressedSite(context);
  const { accountId, guestToken } = callerOf(context);
  const report = site.latest_whole ?? site.latest;
  return { site, report, scope: { accountId, guestToken, startingUrl: site.starting_url } };
}

async function judgedSite(context: Context): Promise<WholeSite & { criteria: SiteCriterion[] }> {
  const { db, now } = context.deps;
  const whole = await wholeSite(context);
  const { report, scope } = whole;
  const checked = checkKinds.filter((kind) => report.counts[kind].checked > 0);
  const judged = judgeCriteria(report.spec, checked, await readCriteria(db, report.id));
  return { ...whole, criteria: judgeSite(judged, await readAnswers(db, scope), now()) };
}

/** @throws RequestError 404 for one that the standard does not ask for */
function criterionIn(criteria: readonly SiteCriterion[], { params }: Context): SiteCriterion {
  const found = criteria.find(({ number }) => number === params.criterion);
  if (!found) throw notFound("criterion");
  return found;
}

/** @throws RequestError 422 without an answer, and for one of nobody */
function answerOf(
  { outcome, evidence = null, answered_by, pages = [] }: SiteCriterionAttributes,
  now: Date,
): CriterionAnswer | undefined {
  if (outcome === null) return undefined;
  if (outcome === undefined) throw missing("outcome", "it says what was seen; null takes an answer back.");
  if (answered_by === undefined) throw missing("answered_by", "it says whose answer it is.");
  return { outcome, evidence, answered_by, answered_at: now, pages };
}

function missing(name: string, why: string): Error {
  const pointer = `/data/attributes/${name}`;
  return refuse(422, "required", "Invalid attribute", `${name} is missing; ${why}`, { pointer });
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
async function statementOf(context: Context): Promise<WholeSite & { statement: Statement }> {
  const { db, now } = context.deps;
  const whole = await judgedSite(context);
  const { site, report, scope, criteria } = whole;
  const { checked, known } = site.numbers?.pages ?? { checked: 0, known: 0 };
  const statement: Statement = {
    ...(await readStatementDetails(db, scope)),
    site: { name: site.name ?? new URL(site.starting_url).host, url: site.starting_url },
    standard: standards[report.spec.standard === "all" ? "wcag22aaa" : report.spec.standard],
    tested: {
      at: site.numbers ? new Date(site.numbers.ended_at) : report.inserted_at,
      pages: checked,
      found: Math.max(checked, known),
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
  const { causes } = await readCauses(context.deps.db, report.id, undefined);
  const asked = new Set(criteria.map(({ number }) => number));
  const found = await causesForStatement(context, report, causes);
  const seen = criteria.filter(({ state }) => state === "failed");
  return [
    ...found.flatMap(({ title, tags, due_on }) => {
      const failed = successCriteriaOf(tags).filter(({ number }) => asked.has(number));
      return failed.length > 0
        ? [{ title, criteria: failed.map(({ number, title: name }) => `${number} ${name}`), due_on }]
        : [];
    }),
    ...seen.map(({ number, title, answer }) => ({
      title: answer?.evidence ?? title,
      criteria: [`${number} ${title}`],
      due_on: null,
    })),
  ];
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
