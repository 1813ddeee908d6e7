import { capitalized, checkKinds, kindsThat, manifestOf, namedByKind, namesOf, nounOf } from "../../checks/kinds.ts";
import { comparedRuleSortKeys } from "../../database/findings/compared-rules.ts";
import { issueSortKeys } from "../../database/reports/issues.ts";
import { reportSortKeys } from "../../database/reports/read-reports.ts";
import { sectionSortKeys } from "../../database/reports/sections.ts";
import { siteSortKeys } from "../../database/reports/sites.ts";
import { webPageSortKeys } from "../../database/reports/web-pages.ts";
import { componentSortKeys } from "../../domain/findings/components.ts";
import { findingStates, ownStates } from "../../domain/findings/finding-state.ts";
import { impacts } from "../../domain/findings/findings.ts";
import { criterionSortKeys, criterionStates } from "../../domain/findings/judged-criteria.ts";
import { roles } from "../../domain/findings/role.ts";
import { pageStatuses } from "../../domain/site/page-status.ts";
import { sortOrders } from "../http/request/query.ts";
import type { Schema } from "./response-schemas/parts.ts";

type Parameter = { name: string; in: string; description: string; schema: Schema } & Readonly<Record<string, unknown>>;

const uuid = { type: "string", format: "uuid" };
const numericId = { type: "string", pattern: "^[1-9][0-9]{0,17}$" };
/** PostgreSQL cannot store NUL. */
const text = { type: "string", pattern: "^[^\\u0000]*$" };
const cursor = { type: "string", pattern: "^[A-Za-z0-9_-]+$" };
const secret = { type: "string", minLength: 1, maxLength: 200 };

/** The path parameters by name. */
export const pathParameters: Readonly<Record<string, { description: string; schema: Schema }>> = {
  report_id: { description: "The report's id.", schema: uuid },
  web_page_id: { description: "The web page's id.", schema: numericId },
  ...namedByKind((kind) => [
    `${nounOf(kind)}_issue_id`,
    { description: `The ${manifestOf(kind).name} issue's id.`, schema: numericId },
  ]),
  ...namedByKind((kind) => [
    `common_${nounOf(kind)}_issue_id`,
    { description: `The common ${manifestOf(kind).name} issue's id.`, schema: numericId },
  ]),
  share_link_id: { description: "The share link's id, not its secret.", schema: uuid },
  share_secret: { description: "The secret of a share link.", schema: secret },
  step: { description: "The number of a step to sign in, from 1.", schema: { type: "integer", minimum: 1 } },
  picture_id: { description: "The picture's id.", schema: numericId },
  site_id: { description: "The site's id.", schema: { type: "string", pattern: "^[0-9a-f]{32}$" } },
  schedule_id: { description: "The schedule's id.", schema: uuid },
  badge: { description: "What it is about, and a signature.", schema: { type: "string", maxLength: 100 } },
  device_id: { description: "The device's id.", schema: uuid },
  muting_id: { description: "The muting's id.", schema: numericId },
  guest_account_id: { description: "The guest token.", schema: secret },
  guest_token: { description: "The guest token of the invitation.", schema: secret },
  api_token_id: { description: "The token's id, not the token itself.", schema: uuid },
  basic_auth_id: { description: "The id of the stored credentials.", schema: uuid },
  secret: { description: "The hook's secret: the last part of deploy_hook_url.", schema: secret },
};

/** A query parameter. The meaning of some names depends on the operation. */
export function queryParameter(name: string, operationId: string): Parameter {
  const { description, schema } = described(name, operationId);
  return { name, in: "query", description, schema };
}

/** By common issues, one for each kind of check. */
const commonIssueFilters = new Map(
  checkKinds.map((kind) => [
    `filter[common_${nounOf(kind)}_issue_id]`,
    { description: `Pages that have this common ${manifestOf(kind).name} issue.`, schema: numericId },
  ]),
);

function described(name: string, operationId: string) {
  const ofKind = commonIssueFilters.get(name);
  if (ofKind) return ofKind;
  switch (name) {
    case "page[number]":
      return {
        description: "The number of the page.",
        schema: { type: "integer", minimum: 1, maximum: 1_000_000, default: 1 },
      };
    case "page[size]":
      return { description: "Entries per page.", schema: { type: "integer", minimum: 1, maximum: 100, default: 25 } };
    case "page[after]":
      return { description: "Where the page begins; copy it from links.next of the page before it.", schema: cursor };
    case "filter[rule]":
      return { description: "The engine's name for the rule, exactly.", schema: text };
    case "filter[impact]":
      return {
        description: `The severity. Findings of ${namesOf(kindsThat(({ hasImpact }) => !hasImpact))} have none.`,
        schema: { type: "string", enum: impacts },
      };
    case "filter[issue_type]":
      return {
        description: "Errors or warnings; what a person must review is a warning.",
        schema: { type: "string", enum: ["error", "warning"] },
      };
    case "filter[state]":
      return stateParameter(operationId);
    case "filter[component]":
      return { description: "Findings of this component.", schema: { type: "string", pattern: "^[0-9a-f]{20}$" } };
    case "filter[report_id]":
      return { description: "Links to this report.", schema: uuid };
    case "filter[site_id]":
      return { description: "Links to this site.", schema: { type: "string", pattern: "^[0-9a-f]{32}$" } };
    case "filter[search]":
      return {
        description: "The name, the starting URL or the owner contains this, regardless of case.",
        schema: text,
      };
    case "filter[owner]":
      return { description: "Sites of this owner, exactly.", schema: text };
    case "filter[change]":
      return {
        description: "Sites with more errors per page than before the period, or with fewer.",
        schema: { type: "string", enum: ["worse", "better"] },
      };
    case "period":
      return {
        description: "How many days ago the report was created, or earlier, that a site's change is compared with.",
        schema: { type: "string", enum: ["7", "30", "90"], default: "30" },
      };
    case "filter[role]":
      return {
        description: "Findings with this role; of common issues: those with an element of it.",
        schema: { type: "string", enum: Object.keys(roles) },
      };
    case "filter[web_page_id]":
      return { description: "Findings on this page.", schema: numericId };
    case "filter[path]":
      return pathParameter(operationId);
    case "filter[status]":
      return { description: "Pages with this status.", schema: { type: "string", enum: pageStatuses } };
    case "filter[url]":
      return {
        description: operationId === "listWebPages" ? "The URL contains this." : "The starting URL contains this.",
        schema: text,
      };
    case "report_id":
      return { description: "Counts in this report only.", schema: uuid };
    case "muting_id":
      return { description: "The muting that would be changed.", schema: numericId };
    case "base":
      return { description: "The id of another report to compare with.", schema: uuid };
    case "filter[starting_url]":
      return { description: "The site that starts at this URL.", schema: text };
    case "filter[schedule_id]":
      return { description: "Reports of this schedule.", schema: uuid };
    case "filter[kind]":
      return { description: "Findings of this kind of check.", schema: { type: "string", enum: checkKinds } };
    case "filter[message]":
      return { description: "The message contains this, regardless of case.", schema: text };
    case "filter[help]":
      return { description: "The help contains this, regardless of case.", schema: text };
    case "filter[repeated]":
      return {
        description: "true: only components on several pages, where one change mends them all.",
        schema: { type: "string", enum: ["true", "false"] },
      };
    case "filter[muted]":
      if (operationId.startsWith("exportReport"))
        return {
          description: "true: muted findings instead of the others; any: both.",
          schema: { type: "string", enum: ["true", "false", "any"], default: "false" },
        };
      return {
        description:
          operationId === "listWebPages"
            ? "true: pages with muted occurrences of the common issue, instead of the others. Allowed only with a filter by common issue."
            : operationId.startsWith("getCommon")
              ? "true: how_many counts the muted occurrences, instead of the others, and web_pages lists their pages."
              : operationId.startsWith("get")
                ? "true: html and how_many are about the muted elements instead of the others."
                : "true: muted entries instead of the others.",
        schema: { type: "string", enum: ["true", "false"], default: "false" },
      };
    case "filter[tags][mode]":
      return {
        description:
          "Whether any, all or none of the tags in filter[tags][list] must match; by default, any. Allowed only with filter[tags][list].",
        schema: { type: "string", enum: ["any", "all", "none"] },
      };
    case "filter[tags][list]":
      return { description: "Comma-separated tags.", schema: { type: "string", pattern: "[^\\s,]" } };
    case "force":
      return {
        description: "true: even while they are in use. Reports that use them then get 401 from the site, or fail.",
        schema: { type: "string", enum: ["true", "false"] },
      };
    case "created_by":
      return {
        description: "me: the account itself; guests: its guests; all: both. A guest always sees only its own.",
        schema: { type: "string", enum: ["me", "all", "guests"], default: "me" },
      };
    case "guest_token":
      return {
        description: "With created_by=guests: only the reports of these guests; comma-separated guest tokens.",
        schema: text,
      };
    case "sort":
      return sortParameter(operationId);
    default:
      throw new Error(`The query parameter ${name} is not documented: src/api/openapi/parameters.ts.`);
  }
}

function pathParameter(operationId: string) {
  const counts = operationId.startsWith("listCommon") || operationId === "listComponents";
  const what =
    operationId === "listWebPages" ? "Pages" : counts ? "Counts only elements on pages" : "Findings on pages";
  return {
    description: `${what} in this folder and those in it, such as /products/. / alone is the pages that are in no folder.`,
    schema: { type: "string", pattern: "^/([^/\\\\?#\\u0000][^\\\\?#\\u0000]*/)?$" },
  };
}

/** Only the list of findings includes findings of the report's base, so only it knows the states that those have. */
function stateParameter(operationId: string) {
  if (operationId === "listComparedRules")
    return {
      description: "Only elements in this state.",
      schema: { type: "string", enum: Object.keys(findingStates) },
    };
  if (operationId === "listCriteria")
    return {
      description: "Criteria in this state.",
      schema: { type: "string", enum: Object.keys(criterionStates) },
    };
  if (operationId === "listWebPages")
    return {
      description: "Pages with errors in this state, compared with the report before it.",
      schema: { type: "string", enum: ["new"] },
    };
  if (operationId === "listFindings")
    return {
      description:
        "Findings with an element in this state. Fixed and gone findings, and some unknown ones, belong to the base, the report that this one is compared with; their relationship report links to it.",
      schema: { type: "string", enum: Object.keys(findingStates) },
    };
  const what = operationId.startsWith("exportReport")
    ? "Findings in this state"
    : operationId === "listComponents"
      ? "Counts only elements in this state"
      : "Issues with an element in this state";
  return { description: `${what}, compared with the report before it.`, schema: { type: "string", enum: ownStates } };
}

const sortKeys: Readonly<Record<string, readonly string[]>> = {
  listReports: reportSortKeys,
  listWebPages: webPageSortKeys,
  listSites: siteSortKeys,
  listComparedRules: comparedRuleSortKeys,
  listSections: sectionSortKeys,
  listCriteria: criterionSortKeys,
  listComponents: componentSortKeys,
  ...namedByKind((kind) => [`list${capitalized(kind)}Issues`, issueSortKeys(kind, { common: false })]),
  ...namedByKind((kind) => [`listCommon${capitalized(kind)}Issues`, issueSortKeys(kind, { common: true })]),
};

const sortDescriptions: Readonly<Record<string, string>> = {
  listReports: `The sort order. ${checkKinds.map((kind) => `${nounOf(kind)}_issues`).join(" and ")} sort by errors, then warnings; last_checked_at uses the creation time for reports that have not been checked yet. Ties are sorted by id.`,
  listWebPages:
    "The sort order; errors are those of all checks of a page, and duration is duration_ms. Without it: in the order found.",
  listCriteria: "The sort order. Ties are sorted by the number.",
  listSites:
    "The sort order; change is that of errors per page. Sites without a result come last in descending order. Ties are sorted by the URL.",
  listComparedRules: "The sort order: by elements, by severity, or by pages.",
  listSections: "The sort order. Ties are sorted by the path.",
  listComponents: "The sort order: by severity, by the number of elements, or by the number of pages.",
};
const sortDefaults: Readonly<Record<string, string>> = {
  listSites: "last_report-desc",
  listComparedRules: "how_many-desc",
  listSections: "errors-desc",
  listCriteria: "number-asc",
  listReports: "last_checked_at-desc",
  listComponents: "pages-desc",
};

function sortParameter(operationId: string) {
  const ofIssues = "The sort order. Without it errors come first, the most severe first, then the most frequent first.";
  const orders = Object.keys(sortOrders(sortKeys[operationId] ?? []));
  const fallback = sortDefaults[operationId];
  return {
    description: sortDescriptions[operationId] ?? ofIssues,
    schema: { type: "string", enum: orders, ...(fallback !== undefined && { default: fallback }) },
  };
}

/** Request headers, by the name of their component. */
export const headerParameters = {
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description:
      "Makes retries safe: for 24 hours, the same key, URL and body give the same response. The same key with another URL or body gives 422; a retry while the first request is still running gives 409.",
    schema: { type: "string", pattern: "^[\\x21-\\x7e]{1,255}$" },
  },
  IfNoneMatch: {
    name: "If-None-Match",
    in: "header",
    description: "ETag of the version that the client has; 304 when it has not changed.",
    schema: { type: "string" },
  },
  Prefer: {
    name: "Prefer",
    in: "header",
    description:
      "wait=<seconds>, at most 60 (RFC 7240): the response waits for a version other than the one in If-None-Match, or for the end of the report. Preference-Applied confirms it.",
    schema: { type: "string", examples: ["wait=30"] },
  },
  LastEventId: {
    name: "Last-Event-ID",
    in: "header",
    description: "The id of the last event received.",
    schema: { type: "string" },
  },
} as const satisfies Readonly<Record<string, Parameter>>;
