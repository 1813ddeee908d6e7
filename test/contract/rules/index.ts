import type { Section } from "../rule.ts";
import { basicAuths, credits, devices, guestAccounts, tokens } from "./accounts.ts";
import { changeReport } from "./change-report.ts";
import { a11yIssues, commonA11yIssues, commonHtmlIssues, htmlIssues } from "./issues.ts";
import { paging, reportLists, sorting } from "./lists.ts";
import { mutings, sharing } from "./mutings.ts";
import { excludedUrls, rawChecks, rechecks, webPages } from "./pages.ts";
import { description, errors, idempotency, limits, polling, transport } from "./protocol.ts";
import { comparisons, createReport, reportFields } from "./reports.ts";
import { deployHooks, schedules } from "./schedules.ts";

/** The specification, section by section. Sections that change things come after those that read them. */
export const contract: readonly Section[] = [
  reportFields,
  comparisons,
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
  devices,
  tokens,
  basicAuths,
  errors,
  limits,
  transport,
  description,
  createReport,
  changeReport,
  schedules,
  deployHooks,
  credits,
  guestAccounts,
  sharing,
  idempotency,
  polling,
  rechecks,
  mutings,
];
