import type { Tool } from "./tool.ts";
import { checkFiles } from "./tools/check-files.ts";
import { checkHtml } from "./tools/check-html.ts";
import { checkSite } from "./tools/check-site.ts";
import { getReport } from "./tools/get-report.ts";
import { getRule } from "./tools/get-rule.ts";
import { listCauses } from "./tools/list-causes.ts";
import { listFindings } from "./tools/list-findings.ts";
import { listReports } from "./tools/list-reports.ts";
import { muteFinding } from "./tools/mute-finding.ts";
import { verifyFix } from "./tools/verify-fix.ts";

/** Every tool: one file each, listed only here. */
export const tools: readonly Tool[] = [
  checkHtml,
  checkFiles,
  verifyFix,
  checkSite,
  getReport,
  listCauses,
  listFindings,
  getRule,
  listReports,
  muteFinding,
];
