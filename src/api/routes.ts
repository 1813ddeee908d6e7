import type { Route } from "./context.ts";
import { apiTokens } from "./resources/api-tokens.ts";
import { assignees } from "./resources/assignees.ts";
import { assignments } from "./resources/assignments.ts";
import { auditLog } from "./resources/audit.ts";
import { badges } from "./resources/badges.ts";
import { basicAuths } from "./resources/basic-auths.ts";
import { deletions } from "./resources/deletions.ts";
import { deliveries } from "./resources/deliveries.ts";
import { devices } from "./resources/devices.ts";
import { causes } from "./resources/findings/causes.ts";
import { components } from "./resources/findings/components.ts";
import { findings } from "./resources/findings/findings.ts";
import { rules } from "./resources/findings/rules.ts";
import { guestAccounts } from "./resources/guests/guest-accounts.ts";
import { invitations } from "./resources/guests/invitations.ts";
import { issues } from "./resources/issues/issue-routes.ts";
import { months } from "./resources/months.ts";
import { mutingPreview } from "./resources/muting-preview.ts";
import { mutings } from "./resources/mutings.ts";
import { people } from "./resources/people.ts";
import { pins } from "./resources/pins.ts";
import { receivers } from "./resources/receivers.ts";
import { comparisons } from "./resources/reports/comparisons.ts";
import { criteria } from "./resources/reports/criteria.ts";
import { excludedUrls } from "./resources/reports/excluded-urls.ts";
import { exports } from "./resources/reports/exports.ts";
import { pageViews } from "./resources/reports/page-views.ts";
import { reportProgress } from "./resources/reports/progress.ts";
import { rawChecks } from "./resources/reports/raw-checks.ts";
import { reportEvents } from "./resources/reports/report-events.ts";
import { reports } from "./resources/reports/reports.ts";
import { sections } from "./resources/reports/sections.ts";
import { siteCriteria } from "./resources/reports/site-criteria.ts";
import { siteRules } from "./resources/reports/site-rules.ts";
import { siteScore } from "./resources/reports/site-score.ts";
import { sites } from "./resources/reports/sites.ts";
import { webPages } from "./resources/reports/web-pages.ts";
import { retention } from "./resources/retention.ts";
import { deployHooks } from "./resources/schedules/deploy-hooks.ts";
import { schedules } from "./resources/schedules/schedules.ts";
import { sessions } from "./resources/sessions.ts";
import { shareLinks } from "./resources/share-links.ts";
import { teams } from "./resources/teams.ts";
import { usage } from "./resources/usage.ts";

/** Every endpoint under /api/v1: one file per resource, listed only here. */
export const routes: readonly Route[] = [
  ...reports,
  ...reportEvents,
  ...sites,
  ...months,
  ...webPages,
  ...siteRules,
  ...sections,
  ...criteria,
  ...siteCriteria,
  ...siteScore,
  ...pageViews,
  ...issues,
  ...excludedUrls,
  ...comparisons,
  ...reportProgress,
  ...exports,
  ...rules,
  ...findings,
  ...causes,
  ...components,
  ...rawChecks,
  ...schedules,
  ...deployHooks,
  ...badges,
  ...devices,
  // Must come before /mutings/:muting_id, which matches its address, too.
  ...mutingPreview,
  ...mutings,
  ...guestAccounts,
  ...invitations,
  ...people,
  ...assignees,
  ...assignments,
  ...teams,
  ...sessions,
  ...apiTokens,
  ...shareLinks,
  ...basicAuths,
  ...receivers,
  ...deliveries,
  ...usage,
  ...retention,
  ...pins,
  ...deletions,
  ...auditLog,
];
