import { accountsTexts } from "./en/accounts.ts";
import { auditTexts } from "./en/audit.ts";
import { causesTexts } from "./en/causes.ts";
import { conformanceTexts } from "./en/conformance.ts";
import { crawlFormTexts } from "./en/crawl-form.ts";
import { findingsTexts } from "./en/findings.ts";
import { generalTexts } from "./en/general.ts";
import { guidesTexts } from "./en/guides.ts";
import { issuesTexts } from "./en/issues.ts";
import { keptTexts } from "./en/kept.ts";
import { monthsTexts } from "./en/months.ts";
import { mutingsTexts } from "./en/mutings.ts";
import { pagesTexts } from "./en/pages.ts";
import { peopleTexts } from "./en/people.ts";
import { receiversTexts } from "./en/receivers.ts";
import { reportsTexts } from "./en/reports.ts";
import { schedulesTexts } from "./en/schedules.ts";
import { sessionTexts } from "./en/session.ts";
import { sitesTexts } from "./en/sites.ts";

export { formatBytes, formatCompact, formatNumber, formatShare } from "./en/numbers.ts";

/** Everything that the pages say, in English, a file for each group of pages. Another language is another folder. */
export const texts = {
  ...generalTexts,
  ...findingsTexts,
  ...sessionTexts,
  ...reportsTexts,
  ...sitesTexts,
  ...conformanceTexts,
  ...crawlFormTexts,
  ...schedulesTexts,
  ...monthsTexts,
  ...mutingsTexts,
  ...accountsTexts,
  ...peopleTexts,
  ...receiversTexts,
  ...keptTexts,
  ...auditTexts,
  ...issuesTexts,
  ...causesTexts,
  ...pagesTexts,
  ...guidesTexts,
};
