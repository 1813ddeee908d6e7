import type { FormRoute, PageRoute } from "./page.ts";
import { auditPages } from "./pages/audit.ts";
import { causesPages } from "./pages/causes.ts";
import { changesPages } from "./pages/changes.ts";
import { credentialForms, credentialPage } from "./pages/credential.ts";
import { credentialsPage, storeCredentials } from "./pages/credentials.ts";
import { deliveriesPage } from "./pages/deliveries.ts";
import { deliveryForms, deliveryPage } from "./pages/delivery.ts";
import { editorPages } from "./pages/editors.ts";
import { failedPages } from "./pages/failed.ts";
import { guestForms, guestPage } from "./pages/guest.ts";
import { guestsPage, inviteGuest } from "./pages/guests.ts";
import { guidePage } from "./pages/guide.ts";
import { guidesPage } from "./pages/guides.ts";
import { heldForms, heldPages } from "./pages/held.ts";
import { causeForms, issuePages } from "./pages/issue.ts";
import { issuesPages } from "./pages/issues.ts";
import { keptForms, keptPages } from "./pages/kept.ts";
import { monthForms, monthPages } from "./pages/month.ts";
import { mutingFormPages, mutingForms } from "./pages/muting-form.ts";
import { mutingsPage } from "./pages/mutings.ts";
import { createReceiver, newReceiverPage } from "./pages/new-receiver.ts";
import { createReport, newReportPage } from "./pages/new-report.ts";
import { sourcePages } from "./pages/page-source.ts";
import { peopleForms, peoplePages } from "./pages/people.ts";
import { receiverForms, receiverPage } from "./pages/receiver.ts";
import { receiversPage } from "./pages/receivers.ts";
import { reportForms, reportPages } from "./pages/report.ts";
import { scheduleActions, schedulePage } from "./pages/schedule.ts";
import { scheduleFormPages, scheduleForms } from "./pages/schedule-form.ts";
import { schedulesPage } from "./pages/schedules.ts";
import { shareLinkForms, shareLinksPage } from "./pages/share-links.ts";
import { sharedPage } from "./pages/shared.ts";
import { siteForms, sitePages } from "./pages/site.ts";
import { siteCriteriaForms, siteCriteriaPages } from "./pages/site-criteria.ts";
import { siteQuestionsForms, siteQuestionsPages } from "./pages/site-questions.ts";
import { sitesPage } from "./pages/sites.ts";
import { teamForms, teamPages } from "./pages/teams.ts";
import { tokenForms, tokensPage } from "./pages/tokens.ts";
import { usagePage } from "./pages/usage.ts";
import { pageRoutes, webPageForms } from "./pages/web-page.ts";
import { pageListRoutes, selectedForms, selectedPages } from "./pages/web-pages.ts";

/** Pages that everybody may read, even in installations without other pages. */
export const guidePages: readonly PageRoute[] = [guidesPage, guidePage];

/** Every page: one file each, listed only here. Fixed paths come before those with parameters. */
export const pages: readonly PageRoute[] = [
  sitesPage,
  ...monthPages,
  ...sitePages,
  ...siteCriteriaPages,
  ...siteQuestionsPages,
  shareLinksPage,
  sharedPage,
  newReportPage,
  ...reportPages,
  ...causesPages,
  ...issuesPages,
  ...changesPages,
  ...issuePages,
  ...pageListRoutes,
  selectedPages,
  ...pageRoutes,
  ...editorPages,
  ...sourcePages,
  ...failedPages,
  schedulesPage,
  ...scheduleFormPages,
  schedulePage,
  mutingsPage,
  ...mutingFormPages,
  ...peoplePages,
  guestsPage,
  guestPage,
  tokensPage,
  receiversPage,
  newReceiverPage,
  receiverPage,
  deliveriesPage,
  deliveryPage,
  credentialsPage,
  credentialPage,
  usagePage,
  ...keptPages,
  ...heldPages,
  ...teamPages,
  ...auditPages,
  ...guidePages,
];

/** Every form. */
export const forms: readonly FormRoute[] = [
  ...monthForms,
  ...siteForms,
  ...heldForms,
  ...teamForms,
  ...siteCriteriaForms,
  ...siteQuestionsForms,
  ...shareLinkForms,
  createReport,
  ...reportForms,
  ...causeForms,
  ...webPageForms,
  ...selectedForms,
  ...scheduleForms,
  ...scheduleActions,
  ...mutingForms,
  ...peopleForms,
  inviteGuest,
  ...guestForms,
  ...tokenForms,
  createReceiver,
  ...receiverForms,
  ...deliveryForms,
  storeCredentials,
  ...credentialForms,
  ...keptForms,
];
