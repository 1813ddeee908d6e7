import type { Section } from "../rule.ts";
import {
  auditLog,
  basicAuths,
  credits,
  devices,
  guestAccounts,
  people,
  receivers,
  retention,
  shareLinks,
  tokens,
} from "./accounts.ts";
import { changeReport } from "./change-report.ts";
import { exports } from "./exports.ts";
import { causes, components, criteria, findings } from "./findings.ts";
import { gates } from "./gates.ts";
import { a11yIssues, commonA11yIssues, commonHtmlIssues, htmlIssues, linkIssues, pageLinkIssues } from "./issues.ts";
import { lastingMutings } from "./lasting-mutings.ts";
import { paging, reportLists, sorting } from "./lists.ts";
import { mutings, sharing } from "./mutings.ts";
import { excludedUrls, rawChecks, rechecks, webPages } from "./pages.ts";
import { description, errors, idempotency, limits, polling, transport } from "./protocol.ts";
import { comparisons, createReport, progress, reportFields, sites } from "./reports.ts";
import { deployHooks, schedules } from "./schedules.ts";
import { standards } from "./standards.ts";

/** The specification, section by section. Sections that change things come after those that read them. */
export const contract: readonly Section[] = [
  reportFields,
  comparisons,
  progress,
  reportLists,
  sorting,
  paging,
  sites,
  webPages,
  commonHtmlIssues,
  commonA11yIssues,
  htmlIssues,
  a11yIssues,
  linkIssues,
  pageLinkIssues,
  causes,
  findings,
  components,
  criteria,
  excludedUrls,
  exports,
  rawChecks,
  devices,
  tokens,
  shareLinks,
  receivers,
  retention,
  basicAuths,
  errors,
  limits,
  transport,
  description,
  createReport,
  gates,
  standards,
  changeReport,
  schedules,
  deployHooks,
  credits,
  guestAccounts,
  sharing,
  idempotency,
  polling,
  auditLog,
  people,
  rechecks,
  mutings,
  lastingMutings,
];

/**
 * A walk through what an installation decides: that resources are made and reconciled, what the ingress lets through, and
 * what a client may rely on while a report runs. The service behind it is the same everywhere.
 */
export const mainWalk: readonly Section[] = [
  reportFields,
  progress,
  limits,
  transport,
  description,
  createReport,
  polling,
];
