import { type Assignments, readAssignments } from "../../../database/findings/assignments.ts";
import { readCauses } from "../../../database/findings/causes.ts";
import { criteriaOfRules } from "../../../database/reports/criteria.ts";
import { lostOnSamePages } from "../../../database/reports/page-losses.ts";
import { readSiteDays, type SiteDay } from "../../../database/reports/site-history.ts";
import { FIX_FIRST, type ReportCause } from "../../../domain/causes/causes.ts";
import { successCriteria } from "../../../domain/findings/success-criteria.ts";
import { expectedAt, lossParts, MIN_RUNS, reachedSince, scoreOf, scoreWithout } from "../../../domain/score.ts";
import type { Route } from "../../context.ts";
import type { Resource } from "../../documents.ts";
import { callerOf } from "../../http/request/caller.ts";
import { one, related, timestamp } from "../../http/response/documents.ts";
import { reportUrl } from "./report-access.ts";
import { briefSite, sinceOf, sinceParameter } from "./sites.ts";

export const siteScore: readonly Route[] = [
  {
    method: "GET",
    path: "/sites/:site_id/score",
    id: "getSiteScore",
    tag: "Reports",
    summary: "Get a site's score, what it loses and by what, and when its target is reached",
    description:
      "The mean over checked pages of the newest report of the whole site, rounded down: a page has 100, and loses 10, 5, 2 or 1 for each cause of errors on it, once, by the worst impact of the cause (critical, serious, moderate, others), never more than all. null before there is such a report.",
    success: { kind: "one", type: "site_score" },
    access: "account",
    site: "site",
    isHeavy: true,
    parameters: [sinceParameter],
    handle: async (context) => {
      const { db } = context.deps;
      const site = await briefSite(context);
      const days = await readSiteDays(db, callerOf(context), site.starting_url, {
        since: sinceOf(context),
        each: "report",
      });
      const last = days.find(({ report_id }) => report_id === site.report_id);
      const runs = last ? days.filter(({ series }) => series === last.series) : [];
      // Of a report that is gone, its numbers are left, and no pages.
      const first = runs.find(({ report_id, is_past }) => !is_past && report_id !== last?.report_id);
      const same = first && (await lostOnSamePages(db, { before: first.report_id, now: site.report_id }));
      const { checked, lost } = site.numbers?.pages ?? { checked: 0, lost: 0 };
      const { causes } = await readCauses(db, site.report_id);
      const ofRules = await criteriaOfRules(db, site.report_id);
      const criteriaOf = (rules: readonly string[]) =>
        rules.flatMap((rule) => ofRules.get(rule) ?? []).flatMap((number) => successCriteria.get(number) ?? []);
      const costs = causes.map(({ impact, num_pages, role, rules }) => ({
        ...{ impact, num_pages, role, criteria: criteriaOf(rules) },
      }));
      const parts = lossParts({ lost, checked }, costs);
      const { accountId, guestToken } = callerOf(context);
      const assigned = await readAssignments(db, { accountId, guestToken, startingUrl: site.starting_url });
      const without = (mended: readonly ReportCause[]) =>
        scoreWithout(
          { lost, checked },
          costs,
          mended.map(({ number }) => costs[number - 1]).filter((cost) => cost !== undefined),
        );
      return one({
        id: site.id,
        type: "site_score",
        attributes: {
          score: scoreOf({ lost, checked }),
          ...parts,
          same_pages:
            first && same && same.pages > 0
              ? {
                  base_id: first.report_id,
                  base_ended_at: timestamp(first.ended_at),
                  pages: same.pages,
                  before: scoreOf({ lost: same.before, checked: same.pages }) ?? 0,
                  now: scoreOf({ lost: same.now, checked: same.pages }) ?? 0,
                }
              : null,
          target: targetOf(site, runs),
          after: {
            first: causes.slice(0, FIX_FIRST).map((_, index) => without(causes.slice(0, index + 1))),
            assigned: assigneesOf(causes, assigned).map(({ causes: theirs, ...who }) => ({
              ...who,
              score: without(theirs),
            })),
          },
        },
        relationships: related({
          site: `${context.base}/sites/${site.id}`,
          report: reportUrl(context, site.report_id),
        }),
      } satisfies Resource<"site_score">);
    },
  },
];

type Target = Resource<"site_score">["attributes"]["target"];

/** The target with the day on which it is reached at the pace of the period, or was reached. @param runs the oldest first */
function targetOf(
  { target_score, target_on }: { target_score: number | null; target_on: string | null },
  runs: readonly SiteDay[],
): Target {
  if (target_score === null) return null;
  const points = runs.map(({ pages, ended_at }) => ({ ...pages, at: ended_at }));
  const [first, last] = [points[0], points.at(-1)];
  const at = first && last && points.length >= MIN_RUNS ? expectedAt(first, last, target_score) : undefined;
  const since = reachedSince(points, target_score);
  return {
    ...{ score: target_score, on: target_on, expected_at: at ? timestamp(at) : null },
    ...{ reached_at: since ? timestamp(since) : null, num_runs: points.length },
    from: first && first !== last ? { score: scoreOf(first) ?? 0, ended_at: timestamp(first.at) } : null,
  };
}

/** Who has taken which causes, until when the last of them: without what is said to be done. */
function assigneesOf(causes: readonly ReportCause[], assigned: Assignments) {
  const theirs = causes.flatMap((cause) => {
    const assignment = assigned.causes.get(cause.id);
    return assignment && assignment.done_at === null ? [{ cause, assignment }] : [];
  });
  return [...Map.groupBy(theirs, ({ assignment }) => assignment.assignee)].map(([assignee, list]) => ({
    assignee,
    due_on:
      list
        .flatMap(({ assignment }) => assignment.due_on ?? [])
        .toSorted()
        .at(-1) ?? null,
    causes: list.map(({ cause }) => cause),
  }));
}
