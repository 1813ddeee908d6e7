import { type ExportQuery, exportPages } from "../../../database/findings/export.ts";
import type { ReportRow } from "../../../database/reports/read-reports.ts";
import type { Exported, ExportFormat } from "../../../domain/export/exported.ts";
import { type ExportFormatName, exportFormats } from "../../../domain/export/formats.ts";
import { ownStates } from "../../../domain/findings/finding-state.ts";
import { checkKinds, impacts } from "../../../domain/findings/findings.ts";
import { type Role, roles } from "../../../domain/findings/role.ts";
import type { Context, Route, RouteResponse } from "../../context.ts";
import { doerOf, recordReading, recordReadingOnce } from "../../http/audit/record.ts";
import { choiceParameter, issueTypes, ownStateParameter } from "../../http/request/parameters.ts";
import { findingFilters } from "../findings/finding-filter.ts";
import { guideUrl } from "../issues/guide-attributes.ts";
import { visibleReport } from "./report-access.ts";

const names = Object.keys(exportFormats) as ExportFormatName[];
const parameters = findingFilters({
  state: ownStateParameter("Findings in this state"),
  path: "Findings on pages",
  muted: choiceParameter(
    "filter[muted]",
    "true: muted findings instead of the others; any: both.",
    ["true", "false", "any"],
    "false",
  ),
  // Each finding says it itself.
}).filter(({ name }) => name !== "filter[outside_standard]");
const EXPORT =
  "Streams the findings of all pages; if something fails meanwhile, the connection is closed before the end. Muted findings are left out unless filter[muted] is true or any; then their member muting says why.";

const exportAudit = { verb: "exported the findings of a report", area: "exports" } as const;

/** All findings of a report in one response, in a format that the client accepts, or that the address ends with. */
export const exports: readonly Route[] = [
  {
    method: "GET",
    path: "/reports/:report_id/export",
    id: "exportReport",
    audit: exportAudit,
    tag: "Issues",
    summary: "Export all findings of a report",
    description: `${EXPORT} Accept chooses the format; NDJSON if it accepts any.`,
    success: {
      kind: "file",
      mediaType: [...new Set(Object.values(exportFormats).map(({ mediaType }) => mediaType))],
      description: "The findings, page by page.",
    },
    access: "shared",
    site: "report",
    parameters,
    handle: (context) =>
      exportReport(context, names.find((name) => exportFormats[name].mediaType === context.mediaType) ?? "ndjson"),
  },
  ...names.map(
    (name): Route => ({
      method: "GET",
      path: `/reports/:report_id/export.${name}`,
      id: `exportReportAs${exportFormats[name].title.replace(/\W/g, "")}`,
      audit: exportAudit,
      tag: "Issues",
      summary: `Export all findings of a report as ${exportFormats[name].title}`,
      description: `${EXPORT} ${exportFormats[name].description}`,
      success: { kind: "file", mediaType: exportFormats[name].mediaType, description: "The findings, page by page." },
      access: "shared",
      site: "report",
      parameters,
      handle: (context) => exportReport(context, name),
    }),
  ),
];

async function exportReport(context: Context, name: ExportFormatName): Promise<RouteResponse> {
  const { report, owned } = await visibleReport(context);
  const query = { ...exportQuery(context), owned };
  await noteExport(context, report, owned);
  const { db, guides, pages: served } = context.deps;
  const exported: Exported = {
    report: {
      id: report.id,
      starting_url: report.spec.startingUrl,
      inserted_at: report.inserted_at,
      engines: report.engines,
      coverage: report.coverage,
      requiresComplete: report.spec.gate.requireComplete === true,
    },
    kinds: query.kind ? [query.kind] : checkKinds,
    guides,
    guideUrl: (kind, name) => (served ? guideUrl(context.base, kind, name) : null),
    pages: (kind = query.kind) => exportPages(db, report.id, { ...query, kind }),
  };
  const { mediaType, write, extension = name }: ExportFormat = exportFormats[name];
  return {
    status: 200,
    stream: {
      type: mediaType,
      filename: `report-${report.id}${extension === name ? "" : `-${name}`}.${extension}`,
      chunks: write(exported),
    },
  };
}

/** Of what is read the log has exports: those of owners each, and those of others, who need no token, once an hour. */
async function noteExport(context: Context, report: ReportRow, owned: boolean): Promise<void> {
  const { account_id: accountId, id, starting_url } = report;
  const { caller } = context;
  const doer =
    owned && caller
      ? doerOf(caller)
      : ({ accountId, who: "link", whoId: null, whoName: "somebody who reads a shared report" } as const);
  const target = { type: "report", id, name: starting_url, path: `/reports/${id}`, siteUrl: starting_url };
  const record = { doer, id: "exportReport", audit: exportAudit, target };
  await (owned ? recordReading(context, record) : recordReadingOnce(context, record));
}

function exportQuery({ query }: Context): ExportQuery {
  const muted = query.oneOf("filter[muted]", ["true", "false", "any"], "false");
  return {
    kind: query.choice("filter[kind]", checkKinds),
    rule: query.text("filter[rule]"),
    issueType: query.choice("filter[issue_type]", issueTypes),
    impact: query.choice("filter[impact]", impacts),
    state: query.choice("filter[state]", ownStates),
    folder: query.folder(),
    role: query.choice("filter[role]", Object.keys(roles) as Role[]),
    muted: muted === "any" ? muted : muted === "true",
  };
}
