import { readCauses } from "../../../database/findings/causes.ts";
import { criteriaOfRules } from "../../../database/reports/criteria.ts";
import { lostOnSamePages } from "../../../database/reports/page-losses.ts";
import { readSiteDays, type SiteDay } from "../../../database/reports/site-history.ts";
import { successCriteria } from "../../../domain/findings/success-criteria.ts";
import { expectedAt, lossParts, scoreOf } from "../../../domain/score.ts";
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
      const first =
        last && days.find(({ series, report_id }) => series === last.series && report_id !== last.report_id);
      const same = first && (await lostOnSamePages(db, { before: first.report_id, now: site.report_id }));
      const { checked, lost } = site.numbers?.pages ?? { checked: 0, lost: 0 };
      const { causes } = await readCauses(db, site.report_id);
      const ofRules = await criteriaOfRules(db, site.report_id);
      const criteriaOf = (rules: readonly string[]) =>
        rules.flatMap((rule) => ofRules.get(rule) ?? []).flatMap((number) => successCriteria.get(number) ?? []);
      const parts = lossParts(
        { lost, checked },
        causes.map(({ impact, num_pages, role, rules }) => ({ impact, num_pages, role, criteria: criteriaOf(rules) })),
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
          target: targetOf(site, first, last),
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

/** The target with the day on which it is reached at the pace of the period. */
function targetOf(
  { target_score, target_on }: { target_score: number | null; target_on: string | null },
  first: SiteDay | undefined,
  last: SiteDay | undefined,
): Target {
  if (target_score === null) return null;
  const point = ({ pages, ended_at }: SiteDay) => ({ ...pages, at: ended_at });
  const at = first && last && expectedAt(point(first), point(last), target_score);
  return { score: target_score, on: target_on, expected_at: at ? timestamp(at) : null };
}
