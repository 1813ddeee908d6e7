import { readAssignments } from "../../../database/findings/assignments.ts";
import type { ReportRow } from "../../../database/reports/read-reports.ts";
import {
  type DayOfSites,
  type ListedRun,
  listSiteRuns,
  readDaysOfSites,
  readSiteDays,
  runsWithoutResult,
  type SiteDay,
} from "../../../database/reports/site-history.ts";
import {
  type BriefSite,
  findSite,
  listSites,
  nameSite,
  type Site,
  type SiteNumbers,
  type SiteQuery,
  siteSortKeys,
} from "../../../database/reports/sites.ts";
import { isDay } from "../../../domain/calendar-day.ts";
import { type Assignment, assignmentState, NEVER } from "../../../domain/causes/assignment.ts";
import { sumOf } from "../../../domain/findings/check-counts.ts";
import { checkKinds } from "../../../domain/findings/findings.ts";
import type { Guides } from "../../../domain/guides/guides.ts";
import { titleOfRule } from "../../../domain/guides/title-of-rule.ts";
import { scoreOf } from "../../../domain/score.ts";
import { snakeCase } from "../../../schema/api-names.ts";
import { formatValue } from "../../../schema/validate.ts";
import type { Context, Route } from "../../context.ts";
import type { Attributes, List, Resource } from "../../documents.ts";
import { attributesReader } from "../../http/request/attributes.ts";
import { callerOf } from "../../http/request/caller.ts";
import {
  choiceParameter,
  pageParameters,
  sortParameter,
  tagParameters,
  textParameter,
} from "../../http/request/parameters.ts";
import { list, one, related, timestamp } from "../../http/response/documents.ts";
import { notFound, refuseAttribute } from "../../http/response/errors.ts";
import { bodyOf } from "../../openapi/request-body.ts";
import { siteMeta } from "../../openapi/response-schemas/reports.ts";
import { type SiteAttributes, siteSchema } from "../../request-attributes.ts";
import { assignmentAfter, assignmentAttributes, give, mineOf } from "../assignment-attributes.ts";
import { scheduleUrl } from "../schedules/schedule-document.ts";
import { reportUrl } from "./report-access.ts";
import { mutedOf, reportDocument } from "./report-document.ts";

const DAY = 86_400_000;
/** How far back a change may be looked for, and a series goes. */
export const sitePeriods = ["7", "30", "90", "365"] as const;
export const SERIES_DAYS = 366;
const periodParameter = choiceParameter(
  "period",
  "How many days ago the report was created, or earlier, that a site's change is compared with.",
  sitePeriods,
  "30",
);

const latestStates = ["failed", "running"] as const;
const historyParts = ["day", "report"] as const;

/** Of lists by time: everything that ended, or was created, in it. */
export const sinceParameter = choiceParameter("period", "How many days back it goes.", sitePeriods, "365");

const readNames = attributesReader<SiteAttributes>(siteSchema);

/** What was checked, by starting URL: the newest run, and how those before it ended. */
export const sites: readonly Route[] = [
  {
    method: "GET",
    path: "/sites",
    id: "listSites",
    tag: "Reports",
    summary: "List sites",
    description:
      "One per starting URL; by default the site with the newest report comes first. A guest sees only its own. change compares each with what it was before a period.",
    success: { kind: "list", type: "site", meta: siteMeta },
    access: "account",
    site: "caller",
    parameters: [
      textParameter("filter[starting_url]", "The site that starts at this URL."),
      textParameter("filter[search]", "The name, the starting URL or the owner contains this, regardless of case."),
      textParameter("filter[owner]", "Sites that somebody with this name has, exactly."),
      choiceParameter(
        "filter[mine]",
        "Sites of which the person who asks has something: the site, a section or a cause.",
        ["true"],
      ),
      ...tagParameters,
      choiceParameter("filter[change]", "Sites with more errors per page than before the period, or with fewer.", [
        "worse",
        "better",
      ]),
      choiceParameter("filter[latest]", "Sites whose newest report has failed, or has not ended yet.", latestStates),
      periodParameter,
      sortParameter(
        "The sort order; change is that of errors per page. Sites without a result come last in descending order. Ties are sorted by the URL.",
        siteSortKeys,
        "last_report-desc",
      ),
      ...pageParameters,
    ],
    handle: async (context) => {
      const { query, deps } = context;
      const page = query.page();
      const { asked, ids } = await mineOf(context);
      const listed = await listSites(
        deps.db,
        {
          ...periodOf(context),
          url: query.text("filter[starting_url]"),
          search: query.text("filter[search]"),
          owner: query.text("filter[owner]"),
          ...{ mine: asked, own: ids },
          tags: query.tags(),
          change: query.choice("filter[change]", ["worse", "better"]),
          latest: query.choice("filter[latest]", latestStates),
          sort: query.sort(siteSortKeys),
        },
        page,
      );
      const guides = await deps.guides();
      const shown = { ...listed, meta: { counts: listed.counts } satisfies Partial<List<"site">["meta"]> };
      return list(context, page, shown, (site) => siteDocument(context, site, guides));
    },
  },
  {
    method: "GET",
    path: "/sites_history",
    id: "getSitesHistory",
    tag: "Reports",
    summary: "Get what all sites together were, by day",
    success: { kind: "one", type: "sites_series" },
    access: "account",
    site: "caller",
    parameters: [sinceParameter],
    handle: async (context) => {
      const days = await readDaysOfSites(context.deps.db, callerOf(context), sinceOf(context), checkKinds);
      return one({ id: "all", type: "sites_series", attributes: { days: days.map(dayOfSites) } });
    },
  },
  {
    method: "GET",
    path: "/sites/:site_id",
    id: "getSite",
    tag: "Reports",
    summary: "Get a site",
    success: { kind: "one", type: "site" },
    access: "account",
    site: "site",
    parameters: [periodParameter],
    handle: async (context) => one(siteDocument(context, await addressedSite(context), await context.deps.guides())),
  },
  {
    method: "PATCH",
    path: "/sites/:site_id",
    id: "updateSite",
    audit: { verb: "changed a site", area: "sites" },
    tag: "Reports",
    summary: "Name a site, its owner and tags",
    description: "What is left out stays as it is; null removes it.",
    success: { kind: "one", type: "site" },
    access: "account",
    site: "site",
    body: bodyOf("site", siteSchema),
    handle: async (context) => {
      const { owner, ...names } = readNames(context.attributes);
      if (names.target_on && !isDay(names.target_on)) throw noSuchDay(names.target_on);
      if (!(await nameSite(context.deps.db, callerOf(context), idOf(context), names))) throw notFound("site");
      if (owner !== undefined) await giveTo(context, owner);
      return one(siteDocument(context, await addressedSite(context), await context.deps.guides()));
    },
  },
  {
    method: "GET",
    path: "/sites/:site_id/history",
    id: "getSiteHistory",
    tag: "Reports",
    summary: "Get what a site was, by day or by report",
    success: { kind: "one", type: "site_series" },
    access: "account",
    site: "site",
    parameters: [
      sinceParameter,
      choiceParameter("each", "The last report of each day, or each report: then the newest 500.", historyParts, "day"),
    ],
    handle: async (context) => {
      const { id, starting_url } = await briefSite(context);
      const [db, scope, since] = [context.deps.db, callerOf(context), sinceOf(context)];
      const each = context.query.oneOf("each", historyParts, "day");
      const days = await readSiteDays(db, scope, starting_url, { since, each });
      const without = await runsWithoutResult(db, scope, starting_url, since);
      return one({
        id,
        type: "site_series",
        attributes: {
          days: days.map(dayAttributes),
          without_result: without.map(({ id: report_id, ended_at }) => ({ report_id, ended_at: timestamp(ended_at) })),
        },
        relationships: related({ site: `${context.base}/sites/${id}` }),
      });
    },
  },
  {
    method: "GET",
    path: "/sites/:site_id/runs",
    id: "listSiteRuns",
    tag: "Reports",
    summary: "List the reports of a site with what each changed",
    description: "The newest first; also those that run, have failed or were cancelled.",
    success: { kind: "list", type: "site_run" },
    access: "account",
    site: "site",
    parameters: [sinceParameter, ...pageParameters],
    handle: async (context) => {
      const page = context.query.page();
      const { starting_url } = await briefSite(context);
      const listed = await listSiteRuns(context.deps.db, callerOf(context), starting_url, sinceOf(context), page);
      return list(context, page, listed, (run) => runDocument(context, run));
    },
  },
];

/** Gives a site to somebody with a name, unless somebody with this name has it, who may be a person of the account. */
async function giveTo(context: Context, owner: string | null): Promise<void> {
  const { accountId, guestToken } = callerOf(context);
  const { starting_url: startingUrl } = await briefSite(context);
  const site = { accountId, guestToken, startingUrl };
  const { site: before } = await readAssignments(context.deps.db, site);
  if (owner !== null && before?.assignee === owner) return;
  const after = await assignmentAfter(context, { assignee: owner }, before, guestToken);
  await give(context, site, { kind: "site", part: "" }, after);
}

function noSuchDay(day: string): Error {
  return refuseAttribute("target_on", "invalid_format", `target_on is ${formatValue(day)}; there is no such day.`);
}

/** @throws RequestError 404 */
function idOf({ params }: Context): string {
  const id = params.site_id ?? "";
  if (/^[0-9a-f]{32}$/.test(id)) return id;
  throw notFound("site");
}

/** Whose sites are asked for, and since when they changed. */
function periodOf(context: Context): SiteQuery {
  const { accountId, guestToken, sites } = callerOf(context);
  const days = Number(context.query.oneOf("period", sitePeriods, "30"));
  return { accountId, guestToken, sites, since: new Date(context.deps.now().getTime() - days * DAY) };
}

export function sinceOf({ deps, query }: Context): Date {
  const days = Number(query.oneOf("period", sitePeriods, "365"));
  return new Date(deps.now().getTime() - days * DAY);
}

/** The site in the address, for what is about a part of it. @throws RequestError 404 */
export async function briefSite(context: Context): Promise<BriefSite> {
  const site = await findSite(context.deps.db, callerOf(context), idOf(context));
  if (site) return site;
  throw notFound("site");
}

/** The site in the address, as it is listed. @throws RequestError 404 */
async function addressedSite(context: Context): Promise<Site> {
  const id = idOf(context);
  const { rows } = await listSites(context.deps.db, { ...periodOf(context), id }, { limit: 1, offset: 0 });
  const [site] = rows;
  if (site) return site;
  throw notFound("site");
}

/** How a report ended, or how far it is. */
function outcomeOf(context: Context, report: ReportRow): Attributes<"site">["latest"] {
  const { attributes } = reportDocument(context, report, true);
  const { phase, failure, num_pages, checks, comparison, at_end, inserted_at, last_checked_at } = attributes;
  const { passed, passed_now } = attributes;
  const coverage = attributes.coverage && { complete: attributes.coverage.complete };
  return {
    id: report.id,
    ...{ phase, failure, num_pages, checks, comparison, at_end, coverage, passed, passed_now },
    ...{ inserted_at, last_checked_at },
  };
}

const rounded = (value: number) => Math.round(value * 1_000_000) / 1_000_000;
type Counted = { errors: number; pages: Pick<SiteNumbers["pages"], "checked"> };
const perPage = ({ errors, pages }: Counted) => rounded(errors / Math.max(1, pages.checked));
const shareOf = ({ without_errors, checked }: Pick<SiteNumbers["pages"], "without_errors" | "checked">) =>
  rounded(without_errors / checked);
const scores = (pages: SiteNumbers["pages"]) => ({ score: scoreOf(pages) ?? 0, share_without_errors: shareOf(pages) });

/** Without what is counted by kind. */
function pagesOf({ checked, without_errors, without_issues, failed, without_page, known }: SiteNumbers["pages"]) {
  return { checked, without_errors, without_issues, failed, without_page, known };
}

export function numbersOf(numbers: SiteNumbers) {
  const { report_id, ended_at, errors, warnings, critical, pages, at_end } = numbers;
  return {
    ...{ report_id, ended_at: timestamp(new Date(ended_at)), errors, warnings, critical },
    ...{ errors_per_page: perPage(numbers), ...scores(pages) },
    pages: pagesOf(pages),
    at_end,
  };
}

function changeOf({ numbers, before }: Site, guides: Guides): Attributes<"site">["change"] {
  if (!numbers || !before) return null;
  const [now, then] = [numbersOf(numbers), numbersOf(before)];
  return {
    base_id: then.report_id,
    base_ended_at: then.ended_at,
    errors: now.errors - then.errors,
    errors_per_page: rounded(now.errors_per_page - then.errors_per_page),
    score: now.score - then.score,
    share_without_errors: rounded(now.share_without_errors - then.share_without_errors),
    worst_rule: before.worst && { ...before.worst, title: titleOfRule(guides, { ...before.worst, message: null }) },
  };
}

function dayOfSites({ date, sites, pages, errors }: DayOfSites): Attributes<"sites_series">["days"][number] {
  const all = checkKinds.reduce((sum, kind) => sum + errors[kind], 0);
  return {
    date,
    num_sites: sites,
    pages,
    errors: all,
    errors_per_page: perPage({ errors: all, pages: { checked: pages } }),
    by_kind: errors,
  };
}

function runDocument(context: Context, run: ListedRun): Resource<"site_run"> {
  const { id, errors, warnings, errors_then, warnings_then, pages, before, schedule_id } = run;
  const whole = run.is_whole && pages !== null;
  return {
    id,
    type: "site_run",
    attributes: {
      ...{ inserted_at: timestamp(run.inserted_at), ended_at: timestamp(run.ended_at), phase: run.phase, whole },
      ...{ failure_code: run.failure_code, passed: run.passed, passed_now: run.passed_now, errors, warnings },
      muted: mutedOf(run),
      at_end: errors_then === null || warnings_then === null ? null : { errors: errors_then, warnings: warnings_then },
      num_pages: run.num_pages,
      numbers: whole ? { errors_per_page: perPage({ errors, pages }), ...scores(pages), pages: pagesOf(pages) } : null,
      change: whole && before ? { base_id: before.report_id, errors: errors - before.errors } : null,
      started_by: schedule_id === null ? "request" : "schedule",
    },
    relationships: related({
      report: reportUrl(context, id),
      schedule: schedule_id === null ? undefined : scheduleUrl(context, schedule_id),
    }),
  };
}

export function dayAttributes({
  date,
  ended_at,
  report_id,
  is_past,
  counts,
  counts_then,
  pages,
  series,
  engines,
  changes,
}: SiteDay) {
  const { by_kind } = pages;
  const kinds = checkKinds.flatMap((kind) => {
    const own = by_kind[kind];
    if (!own) return [];
    const { errors, warnings, critical, serious, moderate, minor } = counts[kind];
    return [
      [kind, { errors, warnings, critical, serious, moderate, minor, share_without_errors: shareOf(own) }] as const,
    ];
  });
  const errors = sumOf(counts, "errors");
  return {
    ...{
      date,
      ended_at: timestamp(ended_at),
      report_id,
      has_report: !is_past,
      series,
      errors,
      warnings: sumOf(counts, "warnings"),
    },
    at_end: { errors: sumOf(counts_then, "errors"), warnings: sumOf(counts_then, "warnings") },
    ...{ errors_per_page: perPage({ errors, pages }), ...scores(pages) },
    pages: pagesOf(pages),
    checks: Object.fromEntries(kinds),
    markers: [
      ...Object.entries(engines).map(([kind, { from, to }]) => ({ what: "engine" as const, name: kind, from, to })),
      ...changes.map((name) => ({ what: "setting" as const, name: snakeCase(name), from: null, to: null })),
    ],
  };
}

/** Who has a site. Its newest result tells whether it has errors still. */
function siteAssignment({ deps }: Context, assignment: Assignment, { latest_whole, numbers }: Site) {
  const at = latest_whole && numbers && numbers.errors > 0 ? latest_whole.inserted_at : NEVER;
  const state = assignmentState(assignment, at, deps.now());
  return assignmentAttributes({ ...assignment, of: "site" }, state, null);
}

function siteDocument(context: Context, site: Site, guides: Guides): Resource<"site"> {
  const { target_score, target_on } = site;
  const { id, starting_url, name, assignment, tags, num_reports, latest, latest_whole, numbers, runs, next_run } = site;
  return {
    id,
    type: "site",
    attributes: {
      starting_url,
      name,
      owner: assignment?.assignee ?? null,
      assignment: assignment && siteAssignment(context, assignment, site),
      tags,
      ...{ target_score, target_on },
      num_reports,
      latest: outcomeOf(context, latest),
      latest_whole: latest_whole && { ...outcomeOf(context, latest_whole), failure: null },
      numbers: numbers && numbersOf(numbers),
      change: changeOf(site, guides),
      runs: runs.map((run) => ({
        report_id: run.id,
        inserted_at: timestamp(run.inserted_at),
        phase: run.phase,
        whole: run.is_whole,
        passed: run.passed,
        passed_now: run.passed_now,
        errors: run.errors,
        warnings: run.warnings,
        muted: mutedOf(run),
        at_end:
          run.errors_then === null || run.warnings_then === null
            ? null
            : { errors: run.errors_then, warnings: run.warnings_then },
        series: run.series,
        changes: run.changes.map(snakeCase),
      })),
      next_run_at: timestamp(next_run?.at ?? null),
    },
    relationships: related({
      latest_report: reportUrl(context, latest.id),
      reports: `${context.base}/reports?${new URLSearchParams({ "filter[url]": starting_url })}`,
      history: `${context.base}/sites/${id}/history`,
      schedule: next_run ? scheduleUrl(context, next_run.schedule_id) : undefined,
    }),
  };
}
