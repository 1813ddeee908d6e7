import { type ExportQuery, exportPages } from "../../../database/findings/export.ts";
import type { Exported } from "../../../domain/export/exported.ts";
import { type ExportFormatName, exportFormats } from "../../../domain/export/formats.ts";
import { ownStates } from "../../../domain/findings/finding-state.ts";
import { checkKinds, impacts } from "../../../domain/findings/findings.ts";
import { type Role, roles } from "../../../domain/findings/role.ts";
import type { Context, Route, RouteResponse } from "../../context.ts";
import { findingFilters } from "../findings/finding-filter.ts";
import { issueTypes } from "../issues/issue-query.ts";
import { visibleReport } from "./report-access.ts";

const names = Object.keys(exportFormats) as ExportFormatName[];
const parameters = ["filter[kind]", ...findingFilters];

/** All findings of a report in one response, in a format that the client accepts, or that the address ends with. */
export const exports: readonly Route[] = [
  {
    method: "GET",
    path: "/reports/:report_id/export",
    access: "shared",
    parameters,
    produces: names.map((name) => exportFormats[name].mediaType),
    handle: (context) =>
      exportReport(context, names.find((name) => exportFormats[name].mediaType === context.mediaType) ?? "ndjson"),
  },
  ...names.map(
    (name): Route => ({
      method: "GET",
      path: `/reports/:report_id/export.${name}`,
      access: "shared",
      parameters,
      produces: exportFormats[name].mediaType,
      handle: (context) => exportReport(context, name),
    }),
  ),
];

async function exportReport(context: Context, name: ExportFormatName): Promise<RouteResponse> {
  const { report, owned } = await visibleReport(context);
  const query = { ...exportQuery(context), owned };
  const { db } = context.deps;
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
    guides: context.deps.guides,
    pages: (kind = query.kind) => exportPages(db, report.id, { ...query, kind }),
  };
  const { mediaType, write } = exportFormats[name];
  return {
    status: 200,
    stream: { type: mediaType, filename: `report-${report.id}.${name}`, chunks: write(exported) },
  };
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
