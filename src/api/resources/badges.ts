import { findReport, type ReportRow } from "../../database/reports/read-reports.ts";
import { findLastRun } from "../../database/schedules/runs.ts";
import { isSigned } from "../../domain/accounts/encryption.ts";
import { type BadgeResult, badgeSvg } from "../../domain/export/badge.ts";
import { sumOf } from "../../domain/findings/check-counts.ts";
import type { Context, Route } from "../context.ts";
import { isUuid } from "../http/request/query.ts";
import { notFound } from "../http/response/errors.ts";
import { verdictOf } from "./reports/report-document.ts";

/** What a badge is about. */
type Subject = "schedule" | "report";

/** Pictures of a result for pages of others, such as a README. Their address is the credential: it shows one number. */
export const badges: readonly Route[] = [
  {
    method: "GET",
    path: "/badges/:badge",
    id: "getBadge",
    tag: "Schedules",
    summary: "Get a picture of a result",
    description:
      "The address is the credential; it is in badge_url of a schedule, and in meta.badge_url of the response of a deploy hook.",
    success: {
      kind: "file",
      mediaType: "image/svg+xml",
      description: "The number of errors, and whether the gate passed.",
    },
    access: "public",
    handle: async (context) => {
      const { db } = context.deps;
      const [subject, id = ""] = readBadge(context);
      const report = subject === "report" ? await findReport(db, id) : await findLastRun(db, id);
      if (report === undefined && subject === "report") throw notFound("badge");
      return { status: 200, file: { type: "image/svg+xml", bytes: Buffer.from(badgeSvg(resultOf(report))) } };
    },
  },
];

/** The address of a badge; null without a secret key, which makes it unguessable. */
export function badgeUrl({ deps, ownBase }: Context, subject: Subject, id: string): string | null {
  if (!deps.encryptor) return null;
  return `${ownBase}/badges/${subject}.${id}.${deps.encryptor.sign(`badge ${subject} ${id}`)}`;
}

/** @throws RequestError 404 for an address that this service has not given */
function readBadge({ params, deps }: Context): [Subject, string] {
  const [subject = "", id = "", given = ""] = (params.badge ?? "").split(".");
  // Without a key no address was given.
  if (!deps.encryptor) throw notFound("badge");
  const isOurs = isSigned(deps.encryptor, `badge ${subject} ${id}`, given);
  if ((subject === "schedule" || subject === "report") && isUuid(id) && isOurs) return [subject, id];
  throw notFound("badge");
}

function resultOf(report: ReportRow | undefined): BadgeResult {
  if (!report || report.completed_at === null) return { state: "pending" };
  if (report.phase === "Failed") return { state: "failed" };
  return {
    state: "ended",
    errors: sumOf(report.counts, "errors"),
    passed: verdictOf(report).passed,
    complete: report.coverage?.complete ?? true,
  };
}
