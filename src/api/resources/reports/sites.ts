import { listSites, type ReportRow, type Site } from "../../../database/reports/read-reports.ts";
import { snakeCase } from "../../../schema/api-names.ts";
import type { Context, Route } from "../../context.ts";
import type { Attributes, Resource } from "../../documents.ts";
import { callerOf } from "../../http/request/caller.ts";
import { pageParameters } from "../../http/request/query.ts";
import { list, related, timestamp } from "../../http/response/documents.ts";
import { scheduleUrl } from "../schedules/schedule-document.ts";
import { reportUrl } from "./report-access.ts";
import { mutedOf, reportDocument } from "./report-document.ts";

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

/** How a report ended, or how far it is. */
function outcomeOf(context: Context, report: ReportRow): Attributes<"site">["latest"] {
  const { attributes } = reportDocument(context, report, true);
  const { phase, failure, num_pages, checks, comparison, at_end, passed, inserted_at, last_checked_at } = attributes;
  const coverage = attributes.coverage && { complete: attributes.coverage.complete };
  return {
    id: report.id,
    ...{ phase, failure, num_pages, checks, comparison, at_end, coverage, passed, inserted_at, last_checked_at },
  };
}

function siteDocument(
  context: Context,
  { id, starting_url, num_reports, latest, latest_whole, runs, next_run }: Site,
): Resource<"site"> {
  return {
    id,
    type: "site",
    attributes: {
      starting_url,
      num_reports,
      latest: outcomeOf(context, latest),
      latest_whole: latest_whole && { ...outcomeOf(context, latest_whole), failure: null },
      runs: runs.map((run) => ({
        report_id: run.id,
        inserted_at: timestamp(run.inserted_at),
        phase: run.phase,
        whole: run.is_whole,
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
      schedule: next_run ? scheduleUrl(context, next_run.schedule_id) : undefined,
    }),
  };
}
