import { settings } from "../settings/index.ts";

/** Which accessibility findings are errors or warnings: those that fail this standard; with `all`, every finding. */
export const reportStandards = settings.standard.schema.enum;
export type ReportStandard = (typeof reportStandards)[number];
