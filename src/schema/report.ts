import type { FromSchema } from "json-schema-to-ts";
import { type NamesOf, rows, type SchemaOf, type SettingName } from "../settings/index.ts";

type Properties = { readonly [Name in SettingName]: SchemaOf<Name> };

/** `spec` of a Report resource, with the defaults of a report. */
export const reportSpecSchema = {
  type: "object",
  description: "What to crawl and which checks to perform. Immutable, except for shared, tags and cancelled.",
  required: ["startingUrl"],
  additionalProperties: false,
  properties: Object.fromEntries<unknown>(rows.map(({ name, setting }) => [name, setting.schema])) as Properties,
} as const;

/** A report's definition with every default filled in. */
export type ReportSpec = FromSchema<typeof reportSpecSchema>;

type Mutable = NamesOf<{ access: { change: true } }>;

/** The fields of a Report's spec that may change after creation. */
export const mutableReportFields: readonly Mutable[] = rows.flatMap(({ name, setting }) =>
  setting.access?.change ? [name as Mutable] : [],
);

/** What may change of a report. */
export type MutableReportSpec = Pick<ReportSpec, Mutable>;

/** Why a spec may not replace the one before it. */
export const immutableSpec = `A Report's spec cannot be changed, except for ${mutableReportFields.join(", ")}: create a new Report.`;

/** A rule over a Report's spec and the spec that it replaces. `cel` is for the CRD, and `holds` is the same rule. */
export const staysCancelled = {
  field: "cancelled",
  message: "A Report that is cancelled stays cancelled: create a new Report.",
  cel: "self.cancelled || !oldSelf.cancelled",
  holds: (spec: Partial<ReportSpec>, before: Partial<ReportSpec>) =>
    spec.cancelled === true || before.cancelled !== true,
} as const;
