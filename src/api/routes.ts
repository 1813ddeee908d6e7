import type { Route } from "./context.ts";
import { a11yIssues } from "./resources/a11y-issues.ts";
import { apiTokens } from "./resources/api-tokens.ts";
import { basicAuths } from "./resources/basic-auths.ts";
import { commonA11yIssues } from "./resources/common-a11y-issues.ts";
import { commonHtmlIssues } from "./resources/common-html-issues.ts";
import { deployHooks } from "./resources/deploy-hooks.ts";
import { devices } from "./resources/devices.ts";
import { excludedUrls } from "./resources/excluded-urls.ts";
import { guestAccounts } from "./resources/guest-accounts.ts";
import { htmlIssues } from "./resources/html-issues.ts";
import { invitations } from "./resources/invitations.ts";
import { mutings } from "./resources/mutings.ts";
import { rawChecks } from "./resources/raw-checks.ts";
import { reportEvents } from "./resources/report-events.ts";
import { reports } from "./resources/reports.ts";
import { schedules } from "./resources/schedules.ts";
import { usage } from "./resources/usage.ts";
import { webPages } from "./resources/web-pages.ts";

/** Every endpoint under /api/v1: one file a resource, listed here and nowhere else. */
export const routes: readonly Route[] = [
  ...reports,
  ...reportEvents,
  ...webPages,
  ...htmlIssues,
  ...a11yIssues,
  ...commonHtmlIssues,
  ...commonA11yIssues,
  ...excludedUrls,
  ...rawChecks,
  ...schedules,
  ...deployHooks,
  ...devices,
  ...mutings,
  ...guestAccounts,
  ...invitations,
  ...apiTokens,
  ...basicAuths,
  ...usage,
];
