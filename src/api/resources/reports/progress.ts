import { readNotices } from "../../../database/crawl/notices.ts";
import type { ReportRow } from "../../../database/reports/read-reports.ts";
import { type PageProgress, pageProgress, recentEnds } from "../../../database/reports/web-pages.ts";
import { type NoticeGroup, saidAtOnce } from "../../../domain/coverage/notices.ts";
import { type Estimate, estimate, type RateParts, ratePartsOf } from "../../../domain/estimate.ts";
import { checkKinds } from "../../../domain/findings/findings.ts";
import { isCrawlOver, isReportOver } from "../../../domain/report-over.ts";
import { isEndPhase } from "../../../schema/status.ts";
import type { Context, Route } from "../../context.ts";
import type { Resource } from "../../documents.ts";
import { one, related, timestamp } from "../../http/response/documents.ts";
import { reportUrl, visibleReport } from "./report-access.ts";
import { noticeDocument } from "./report-document.ts";

/** A resource of its own, because it changes all the time: as a part of the report it would change that one's ETag. */
export const reportProgress: readonly Route[] = [
  {
    method: "GET",
    path: "/reports/:report_id/progress",
    id: "getProgress",
    tag: "Reports",
    summary: "Estimate how long a report takes",
    description:
      "How many checks and pages end per minute, and how long the remaining ones take at that rate. It is based on the report's own checks of the last ten minutes; null until there are enough of them, and after the end.",
    success: { kind: "one", type: "progress" },
    access: "shared",
    site: "report",
    handle: async (context) => {
      const { report } = await visibleReport(context);
      const isRunning = report.phase === "Crawling" || report.phase === "Checking";
      const notices = isRunning ? await readNotices(context.deps.db, report.id) : [];
      const parts = ratePartsOf(report.crawl_started_at ?? report.inserted_at, context.deps.now());
      const pages = await pageProgress(context.deps.db, report.id, parts);
      return one(
        progressDocument(context, report, { estimated: await estimateOf(context, report), pages, parts, notices }),
      );
    },
  },
];

async function estimateOf({ deps }: Context, report: ReportRow): Promise<Estimate | undefined> {
  if (report.phase !== "Crawling" && report.phase !== "Checking") return undefined;
  const ended = await recentEnds(deps.db, report.id);
  const kinds = checkKinds.map((kind) => ({ pending: report.counts[kind].pending, ended: ended[kind] }));
  return estimate(kinds, deps.now());
}

type Known = {
  estimated: Estimate | undefined;
  pages: PageProgress;
  parts: RateParts;
  notices: readonly NoticeGroup[];
};

function progressDocument(
  context: Context,
  report: ReportRow,
  { estimated, pages, parts, notices }: Known,
): Resource<"progress"> {
  const isRunning = report.phase === "Crawling" || report.phase === "Checking";
  return {
    id: report.id,
    type: "progress",
    attributes: {
      checks_per_minute: estimated?.checksPerMinute ?? null,
      pages_per_minute: estimated?.pagesPerMinute ?? null,
      seconds_left: estimated?.secondsLeft ?? null,
      pages: { found: report.num_pages, checked: pages.checked, failed: pages.failed },
      rates: isRunning
        ? pages.ended.map((ended, part) => ({
            at: timestamp(new Date(parts.from.getTime() + part * parts.secondsEach * 1_000)),
            pages_per_minute: Math.round((ended / parts.secondsEach) * 60),
          }))
        : [],
      // The phase may be older: it is written when the controller looks at the report again.
      all_pages_found: isCrawlOver(report.crawl_state) || (report.phase !== "Pending" && report.phase !== "Crawling"),
      comparing: isReportOver(report.crawl_state, report.counts) && !isEndPhase(report.phase),
      notices: notices.filter(({ code }) => saidAtOnce.has(code)).map(noticeDocument),
    },
    relationships: related({ report: reportUrl(context, report.id) }),
  };
}
