import type { ReportSpec } from "../../schema/report.ts";
import { type CheckKind, checkKinds } from "./findings.ts";

/** The setting of each kind of check by which a report performs it. */
export const performSettings = {
  html: "performHtmlChecks",
  a11y: "performA11yChecks",
} as const satisfies Record<CheckKind, keyof ReportSpec>;

/** The kinds of check that a report performs. */
export function performedKinds(spec: Pick<ReportSpec, (typeof performSettings)[CheckKind]>): CheckKind[] {
  return checkKinds.filter((kind) => spec[performSettings[kind]]);
}
