import {
  apiToken,
  basicAuth,
  delivery,
  device,
  guestAccount,
  muting,
  mutingPreview,
  person,
  receiver,
  session,
  shareLink,
  usage,
} from "./accounts.ts";
import { assignee, assignmentResource, team } from "./assignments.ts";
import { auditEntry } from "./audit.ts";
import { siteCriterion, siteSample, statement } from "./conformance.ts";
import { cause, component, finding } from "./findings.ts";
import { issueSchemas } from "./issues.ts";
import { monthFile, monthReport } from "./months.ts";
import type { ResourceSchema } from "./parts.ts";
import { rawCheck } from "./raw-checks.ts";
import {
  comparedRule,
  comparison,
  criterion,
  excludedUrl,
  pageViews,
  progress,
  report,
  section,
  shared,
  site,
  siteRule,
  siteRun,
  siteScore,
  siteSeries,
  sitesSeries,
  webPage,
} from "./reports.ts";
import { deletion, pin, retention, retentionPreview } from "./retention.ts";
import { reportRule } from "./rules.ts";
import { schedule } from "./schedules.ts";

/** Every resource type that the API responds with. */
export const resourceSchemas = {
  report,
  site,
  site_series: siteSeries,
  sites_series: sitesSeries,
  month_report: monthReport,
  month_file: monthFile,
  site_run: siteRun,
  site_rule: siteRule,
  site_score: siteScore,
  page_views: pageViews,
  site_criterion: siteCriterion,
  site_sample: siteSample,
  statement,
  shared,
  share_link: shareLink,
  web_page: webPage,
  section,
  criterion,
  excluded_url: excludedUrl,
  comparison,
  compared_rule: comparedRule,
  progress,
  report_rule: reportRule,
  finding,
  component,
  cause,
  raw_check: rawCheck,
  ...issueSchemas,
  schedule,
  device,
  muting,
  muting_preview: mutingPreview,
  guest_account: guestAccount,
  api_token: apiToken,
  person,
  assignee,
  assignment: assignmentResource,
  team,
  session,
  basic_auth: basicAuth,
  receiver,
  delivery,
  usage,
  retention,
  retention_preview: retentionPreview,
  pin,
  deletion,
  audit_entry: auditEntry,
} as const satisfies Readonly<Record<string, ResourceSchema>>;

export type ResourceType = keyof typeof resourceSchemas;
