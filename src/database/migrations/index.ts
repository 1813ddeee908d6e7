import type { Migration } from "kysely/migration";
import { up as initial } from "./0001-initial.ts";
import { up as fencing } from "./0002-fencing.ts";
import { up as htmlEngines } from "./0003-html-engines.ts";
import { up as loneChecks } from "./0004-lone-checks.ts";
import { up as storedBytes } from "./0005-stored-bytes.ts";
import { up as jobRole } from "./0007-job-role.ts";
import { up as findings } from "./0008-findings.ts";
import { up as accountResources } from "./0009-account-resources.ts";
import { up as lists } from "./0010-lists.ts";
import { up as gates } from "./0011-gates.ts";
import { up as lastingMutings } from "./0012-lasting-mutings.ts";
import { up as siteHeaders } from "./0013-site-headers.ts";
import { up as boxes } from "./0014-boxes.ts";
import { up as webSessions } from "./0015-web-sessions.ts";
import { up as componentLists } from "./0016-component-lists.ts";
import { up as keptSources } from "./0017-kept-sources.ts";
import { up as compressedRawChecks } from "./0018-compressed-raw-checks.ts";
import { up as components } from "./0019-components.ts";
import { up as specBytes } from "./0020-spec-bytes.ts";
import { up as lastJobs } from "./0021-last-jobs.ts";
import { up as identities } from "./0022-identities.ts";
import { up as comparisonRequests } from "./0023-comparison-requests.ts";
import { up as fetchedPages } from "./0024-fetched-pages.ts";

/** All migrations in order. Names sort in that order; a released migration is never edited or renamed. */
export const migrations: Record<string, Migration> = {
  "0001-initial": { up: initial },
  "0002-fencing": { up: fencing },
  "0003-html-engines": { up: htmlEngines },
  "0004-lone-checks": { up: loneChecks },
  "0005-stored-bytes": { up: storedBytes },
  // There is no 0006.
  "0007-job-role": { up: jobRole },
  "0008-findings": { up: findings },
  "0009-account-resources": { up: accountResources },
  "0010-lists": { up: lists },
  "0011-gates": { up: gates },
  "0012-lasting-mutings": { up: lastingMutings },
  "0013-site-headers": { up: siteHeaders },
  "0014-boxes": { up: boxes },
  "0015-web-sessions": { up: webSessions },
  "0016-component-lists": { up: componentLists },
  "0017-kept-sources": { up: keptSources },
  "0018-compressed-raw-checks": { up: compressedRawChecks },
  "0019-components": { up: components },
  "0020-spec-bytes": { up: specBytes },
  "0021-last-jobs": { up: lastJobs },
  "0022-identities": { up: identities },
  "0023-comparison-requests": { up: comparisonRequests },
  "0024-fetched-pages": { up: fetchedPages },
};
