import type { ReportSpec } from "../schema/report.ts";
import type { CheckKind } from "./findings.ts";

/**
 * The checks that take a report's screenshots; undefined when it asks for none. Accessibility checks have each page in
 * a browser anyway, and HTML checks take them only in their place.
 */
export function screenshotKind(spec: Pick<ReportSpec, "storeScreenshot" | "performA11yChecks">): CheckKind | undefined {
  if (!spec.storeScreenshot) return undefined;
  return spec.performA11yChecks ? "a11y" : "html";
}
