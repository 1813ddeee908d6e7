import type { Section } from "../rule.ts";
import { a11yIssues, commonA11yIssues, commonHtmlIssues, htmlIssues } from "./issues.ts";
import { paging, reportLists, sorting } from "./lists.ts";
import { excludedUrls, rawChecks, rechecks, webPages } from "./pages.ts";
import { changeReport, createReport, reportFields } from "./reports.ts";

/** The specification, section by section. What changes things comes after what looks at them. */
export const contract: readonly Section[] = [
  reportFields,
  reportLists,
  sorting,
  paging,
  webPages,
  commonHtmlIssues,
  commonA11yIssues,
  htmlIssues,
  a11yIssues,
  excludedUrls,
  rawChecks,
  createReport,
  changeReport,
  rechecks,
];
