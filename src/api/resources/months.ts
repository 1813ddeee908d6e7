import { readCauses } from "../../database/findings/causes.ts";
import { askMonthFile, findMonthFile, readMonthPdf } from "../../database/months/month-files.ts";
import { firstMonth, readMonth } from "../../database/months/read-month.ts";
import { impactOf } from "../../domain/findings/findings.ts";
import { criteriaOfStandard } from "../../domain/findings/judged-criteria.ts";
import type { Guides } from "../../domain/guides/guides.ts";
import { titleOfRule } from "../../domain/guides/title-of-rule.ts";
import { isMonth, type Month, monthAfter, monthAt, startOf } from "../../domain/months/calendar.ts";
import { KEPT_DAYS, MAX_FILES } from "../../domain/months/month-file.ts";
import {
  type MonthReport,
  type MonthRun,
  type MonthSite,
  monthReport,
  type RuleChanges,
  rateOf,
  type Totals,
  turnOf,
} from "../../domain/months/month-report.ts";
import type { Context, Route } from "../context.ts";
import type { Attributes, Resource } from "../documents.ts";
import { callerOf } from "../http/request/caller.ts";
import { created, one, related, timestamp } from "../http/response/documents.ts";
import { notFound, refuse } from "../http/response/errors.ts";
import { MAX_RULES, MAX_SITES } from "../openapi/response-schemas/months.ts";
import { titledCauses } from "./findings/causes.ts";

/** What the caller's sites were in a month. */
export const months: readonly Route[] = [
  {
    method: "GET",
    path: "/months/:month",
    id: "getMonth",
    tag: "Reports",
    summary: "Get what all sites were in a month",
    description:
      "The last run of each site in the month, beside that of the month before: errors per page, limits, what went away and came by rule, who can fix what is left, and what is worst. A month is one of the calendar, in UTC: 2026-11. One that has not ended yet is that until now. Numbers are those of today, without what is muted.",
    success: { kind: "one", type: "month_report" },
    access: "account",
    site: "caller",
    isHeavy: true,
    handle: async (context) => one(await monthDocument(context, monthOf(context))),
  },
  {
    method: "POST",
    path: "/months/:month/file",
    id: "createMonthFile",
    audit: { verb: "asked for a month as PDF", area: "exports" },
    tag: "Reports",
    summary: "Ask for a month as PDF",
    description: `It is made by a Job, of what the month is now, and replaces the one before; 409 while one is being made. It is kept for ${KEPT_DAYS} days, and the newest ${MAX_FILES}.`,
    success: { kind: "created", type: "month_file" },
    access: "account",
    right: "common",
    isHeavy: true,
    handle: async (context) => {
      const month = monthOf(context);
      const { db, now, monthFile } = context.deps;
      if (!monthFile) throw notFound("file");
      const document = { data: await monthDocument(context, month), jsonapi: { version: "1.0" } } as const;
      const base = context.ownBase.replace(/\/api\/v1$/, "");
      const html = await monthFile(document, { now: now(), base });
      if (!(await askMonthFile(db, callerOf(context), month, { html, now: now() })))
        throw refuse(409, "file_being_made", "Conflict", "The file of this month is being made: read how it is.");
      return created(await fileDocument(context, month), `${context.base}/months/${month}/file`);
    },
  },
  {
    method: "GET",
    path: "/months/:month/file",
    id: "getMonthFile",
    tag: "Reports",
    summary: "Get how the PDF of a month is",
    description: "404 before somebody has asked for it.",
    success: { kind: "one", type: "month_file" },
    access: "account",
    handle: async (context) => one(await fileDocument(context, monthOf(context))),
  },
  {
    method: "GET",
    path: "/months/:month/file.pdf",
    id: "getMonthPdf",
    tag: "Reports",
    summary: "Get the PDF of a month",
    description: "404 while it is not there.",
    success: { kind: "file", mediaType: "application/pdf", description: "Two or three pages, A4." },
    access: "account",
    handle: async (context) => {
      const bytes = await readMonthPdf(context.deps.db, callerOf(context), monthOf(context));
      if (!bytes) throw notFound("file");
      return { status: 200, file: { type: "application/pdf", bytes } };
    },
  },
];

async function monthDocument(context: Context, month: Month): Promise<Resource<"month_report">> {
  const { db, now } = context.deps;
  const scope = callerOf(context);
  const next = monthAfter(month);
  const ended = startOf(next) <= now();
  const rows = await readMonth(db, scope, month, ended ? startOf(next) : now());
  const first = await firstMonth(db, scope);
  const report = monthReport(month, rows);
  const guides = await context.deps.guides();
  return {
    id: month,
    type: "month_report",
    attributes: {
      ended,
      previous: first !== undefined && first < month ? monthAfter(month, -1) : null,
      next: ended ? next : null,
      num_sites: rows.sites.length,
      ...numbersOf(report, guides),
      worst: await worstOf(context, report),
      sites: inOrder(rows.sites).slice(0, MAX_SITES).map(siteAttributes),
    },
    relationships: related({ sites: `${context.base}/sites` }),
  };
}

/** @throws RequestError 404 before somebody has asked for it */
async function fileDocument(context: Context, month: Month): Promise<Resource<"month_file">> {
  const file = await findMonthFile(context.deps.db, callerOf(context), month);
  if (!file) throw notFound("file");
  const { state, failure, bytes, asked_at, ended_at } = file;
  const path = `${context.base}/months/${month}`;
  return {
    id: month,
    type: "month_file",
    attributes: { state, failure, bytes, asked_at: timestamp(asked_at), ended_at: timestamp(ended_at) },
    relationships: related({ month: path, pdf: state === "ready" ? `${path}/file.pdf` : undefined }),
  };
}

/** @throws RequestError 404 for what is no month, or has not begun */
function monthOf({ params, deps }: Context): Month {
  const month = params.month ?? "";
  if (isMonth(month) && month <= monthAt(deps.now())) return month;
  throw notFound("month");
}

const rounded = (value: number) => Math.round(value * 1_000_000) / 1_000_000;
const counted = ({ errors, pages }: { errors: number; pages: number }) => ({
  ...{ errors, pages, errors_per_page: rounded(rateOf({ errors, pages })) },
});
const totals = ({ sites, critical, ...all }: Totals) => ({ sites, ...counted(all), critical });

function numbersOf(report: MonthReport, guides: Guides) {
  const { better, worse, as_before, not_compared } = report.turns;
  const titles = new Map(criteriaOfStandard("wcag22aa").map(({ number, title }) => [number, title]));
  return {
    num_runs: report.num_runs,
    ...{ totals: totals(report.totals), before: totals(report.before), limits: report.limits },
    ...{ num_not_checked: report.not_checked.length, num_in_part: report.in_part.length },
    turns: {
      ...{ better: better.length, worse: worse.length, as_before: as_before.length },
      not_compared: not_compared.length,
    },
    ...{ away: changesOf(report.away, guides), came: changesOf(report.came, guides) },
    ...{ not_compared: report.not_compared, roles: report.roles },
    criteria: report.criteria.flatMap((criterion) => {
      const title = titles.get(criterion.number);
      return title === undefined ? [] : [{ ...criterion, title }];
    }),
    months: report.months.map(({ month, sites, errors, pages }) => ({ month, sites, ...counted({ errors, pages }) })),
    engines: report.engines,
  };
}

function changesOf({ errors, rules }: RuleChanges, guides: Guides): Attributes<"month_report">["away"] {
  return {
    ...{ errors, num_rules: rules.length },
    rules: rules.slice(0, MAX_RULES).map(({ kind, rule, message, impact, errors: ofRule, sites }) => ({
      ...{ kind, rule },
      title: rule === null ? null : titleOfRule(guides, { kind, rule, message }),
      impact: impactOf(impact),
      errors: ofRule,
      sites: sites.slice(0, 2).map(({ name, starting_url }) => name ?? starting_url),
      num_sites: sites.length,
    })),
  };
}

/** The worst sites, each with the change that removes the most errors. */
async function worstOf(context: Context, { worst }: MonthReport): Promise<Attributes<"month_report">["worst"]> {
  const { accountId: account_id, guestToken: guest_token } = callerOf(context);
  const found: Attributes<"month_report">["worst"] = [];
  for (const { site, why } of worst) {
    const { starting_url, now } = site;
    const [cause] = now ? (await readCauses(context.deps.db, now.report_id)).causes : [];
    const of = {
      id: now?.report_id ?? "",
      account_id,
      guest_token,
      starting_url,
      inserted_at: now?.ended_at ?? context.deps.now(),
    };
    const [titled] = cause ? await titledCauses(context, of, [cause]) : [];
    found.push({ site_id: site.id, why, cause: cause && titled ? causeOf(cause, titled) : null });
  }
  return found;
}

type Cause = NonNullable<Attributes<"month_report">["worst"][number]["cause"]>;

function causeOf(
  { id, impact, role, how_many, num_pages, num_places }: Omit<Cause, "title" | "assignee">,
  { title, assignee }: Pick<Cause, "title" | "assignee">,
): Cause {
  return { id, title, impact, role, how_many, num_pages, num_places, assignee };
}

/** Those with the most errors on a page first, those without a result last. */
function inOrder(sites: readonly MonthSite[]): MonthSite[] {
  const rate = ({ now }: MonthSite) => (now ? rateOf(now) : -1);
  return sites.toSorted((a, b) => rate(b) - rate(a) || (a.starting_url < b.starting_url ? -1 : 1));
}

type Run = Pick<MonthRun, "report_id" | "is_past" | "ended_at" | "errors" | "pages">;
const runOf = ({ report_id, is_past, ended_at, errors, pages }: Run) => ({
  ...{ report_id, has_report: !is_past, ended_at: timestamp(ended_at), ...counted({ errors, pages }) },
});

function siteAttributes(site: MonthSite): Attributes<"month_report">["sites"][number] {
  const { id, starting_url, name, owner, tags, is_scheduled, num_runs, now, before, last_known, without_result } = site;
  return {
    ...{ site_id: id, starting_url, name, owner, tags, scheduled: is_scheduled, num_runs },
    now: now && {
      ...runOf(now),
      ...{ critical: now.critical, pages_left: now.pages_left, passed: now.passed, passed_now: now.passed_now },
    },
    turn: turnOf(site),
    before: before && runOf(before),
    last_known: last_known && runOf(last_known),
    without_result: without_result && {
      report_id: without_result.report_id,
      ended_at: timestamp(without_result.ended_at),
      failure_code: without_result.code,
    },
    weeks: site.weeks.map(({ when, ...run }) => ({
      weeks_ago: when,
      errors_per_page: rounded(rateOf(run)),
    })),
  };
}
