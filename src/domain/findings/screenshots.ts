import type { ReportSpec } from "../../schema/report.ts";
import type { CheckKind } from "./findings.ts";

/**
 * The kind of check that takes a report's screenshots; undefined if it asks for none. Accessibility checks open each
 * page in a browser anyway; without them, HTML checks take the screenshots.
 */
export function screenshotKind(spec: Pick<ReportSpec, "storeScreenshot" | "performA11yChecks">): CheckKind | undefined {
  if (!spec.storeScreenshot) return undefined;
  return spec.performA11yChecks ? "a11y" : "html";
}
