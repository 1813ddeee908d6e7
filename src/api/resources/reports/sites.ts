import { listSites, type Site } from "../../../database/reports/read-reports.ts";
import type { Context, Route } from "../../context.ts";
import type { Resource } from "../../documents.ts";
import { callerOf } from "../../http/request/caller.ts";
import { pageParameters } from "../../http/request/query.ts";
import { list, related, timestamp } from "../../http/response/documents.ts";
import { scheduleUrl } from "../schedules/schedule-document.ts";
import { reportUrl } from "./report-access.ts";
import { reportDocument } from "./report-document.ts";

/** What was checked, by starting URL: the newest run, and how those before it ended. */
export const sites: readonly Route[] = [
  {
    method: "GET",
    path: "/sites",
    access: "account",
    parameters: ["filter[starting_url]", ...pageParameters],
    handle: async (context) => {
      const page = context.query.page();
      const { accountId, guestToken } = callerOf(context);
      const url = context.query.text("filter[starting_url]");
      const listed = await listSites(context.deps.db, { accountId, guestToken, url }, page);
      return list(context, page, listed, (site) => siteDocument(context, site));
    },
  },
];

function siteDocument(
  context: Context,
  { id, starting_url, num_reports, latest, runs, next_run }: Site,
): Resource<"site"> {
  const { attributes } = reportDocument(context, latest, true);
  const { phase, failure, num_pages, checks, comparison, passed, inserted_at, last_checked_at } = attributes;
  return {
    id,
    type: "site",
    attributes: {
      starting_url,
      num_reports,
      latest: { id: latest.id, phase, failure, num_pages, checks, comparison, passed, inserted_at, last_checked_at },
      runs: runs.map(({ id: report_id, inserted_at: started, phase: ended, errors, warnings }) => ({
        report_id,
        inserted_at: timestamp(started),
        phase: ended,
        errors,
        warnings,
      })),
      next_run_at: timestamp(next_run?.at ?? null),
    },
    relationships: related({
      latest_report: reportUrl(context, latest.id),
      reports: `${context.base}/reports?${new URLSearchParams({ "filter[url]": starting_url })}`,
      schedule: next_run ? scheduleUrl(context, next_run.schedule_id) : undefined,
    }),
  };
}
