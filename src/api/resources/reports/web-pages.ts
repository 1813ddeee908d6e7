import { type CheckKind, checkKinds, manifestOf, type Noun, namedByKind, nounOf } from "../../../checks/kinds.ts";
import { hasPageViews } from "../../../database/reports/page-views.ts";
import {
  type CheckRow,
  countPageResults,
  listWebPages,
  type PageResultCounts,
  pageResults,
  type WebPageQuery,
  type WebPageRow,
  webPageSortKeys,
} from "../../../database/reports/web-pages.ts";
import type { CheckStatus } from "../../../domain/findings/check-counts.ts";
import { type PageStatus, pageStatus, pageStatuses } from "../../../domain/page/page-status.ts";
import { deletePage, requeuePage } from "../../../transactions/change-pages.ts";
import type { Context, Route } from "../../context.ts";
import type { Attributes, List, Resource } from "../../documents.ts";
import { attributesReader } from "../../http/request/attributes.ts";
import {
  choiceParameter,
  idParameter,
  issueTypeParameter,
  issueTypes,
  kindParameter,
  mutedParameter,
  outsideParameter,
  pageParameters,
  pathParameter,
  sortParameter,
  stateParameter,
  textParameter,
} from "../../http/request/parameters.ts";
import { idsIn, isNumericId, mutedIn, type Query } from "../../http/request/query.ts";
import { list, one, related, timestamp } from "../../http/response/documents.ts";
import { malformed, notFound } from "../../http/response/errors.ts";
import { bodyOf } from "../../openapi/request-body.ts";
import { webPageMeta } from "../../openapi/response-schemas/reports.ts";
import { type WebPageAttributes, webPageSchema } from "../../request-attributes.ts";
import { requireCredits, requireStorage } from "./create-report.ts";
import {
  ownReport,
  pageUrl,
  reportUrl,
  requireOwner,
  visiblePage,
  visiblePart,
  visibleReport,
} from "./report-access.ts";
import { failure, foundOf, inboundAttributes } from "./report-document.ts";

const readChange = attributesReader<WebPageAttributes>(webPageSchema);

const commonIssueFilter = (kind: CheckKind): string => `filter[common_${nounOf(kind)}_issue_id]`;
const commonIssueFilters = checkKinds.map((kind) =>
  idParameter(commonIssueFilter(kind), `Pages that have this common ${manifestOf(kind).name} issue.`),
);

/** The common issues whose pages are asked for. */
function commonIssuesOf(query: Query): Partial<Record<CheckKind, string>> {
  const ids = checkKinds.map((kind) => [kind, query.id(commonIssueFilter(kind))] as const);
  return Object.fromEntries(ids.filter(([, id]) => id !== undefined));
}

/** The rule whose pages are asked for. @throws RequestError 400 for a part of what names one */
function ruleIn(query: Query): WebPageQuery["rule"] {
  const kind = query.choice("filter[kind]", checkKinds);
  const rule = query.text("filter[rule]");
  const issueType = query.choice("filter[issue_type]", issueTypes);
  const outside = query.choice("filter[outside_standard]", ["true", "false"]);
  if (kind && rule !== undefined)
    return { kind, rule, ...(issueType && { issueType }), ...(outside && { outsideStandard: outside === "true" }) };
  const part = {
    "filter[kind]": kind,
    "filter[rule]": rule,
    "filter[issue_type]": issueType,
    "filter[outside_standard]": outside,
  };
  const [given] = Object.entries(part).find(([, value]) => value !== undefined) ?? [];
  if (given === undefined) return undefined;
  throw malformed("invalid_parameter", `${given} needs both filter[kind] and filter[rule] here: they name a rule.`, {
    parameter: given,
  });
}

export const webPages: readonly Route[] = [
  {
    method: "GET",
    path: "/reports/:report_id/web_pages",
    id: "listWebPages",
    tag: "Web pages",
    summary: "List a report's web pages",
    description: "In the order in which they were found, unless sort says otherwise.",
    success: { kind: "list", type: "web_page", meta: webPageMeta },
    access: "shared",
    site: "report",
    parameters: [
      textParameter("filter[url]", "The URL contains this."),
      textParameter("filter[search]", "The title or the URL contains this, regardless of case."),
      choiceParameter(
        "filter[result]",
        "Pages whose checks ended like this, by the worst: it leads to no page, could not be checked, is still to be checked; has errors, only warnings, or nothing.",
        pageResults,
      ),
      textParameter("filter[id]", "Pages with these ids, at most 100, with commas between them."),
      pathParameter("Pages"),
      choiceParameter("filter[status]", "Pages with this status.", pageStatuses),
      choiceParameter("filter[without_page]", "Only addresses that lead to no page, or only others.", [
        "true",
        "false",
      ]),
      stateParameter("Pages with errors in this state, compared with the report before it.", ["new"]),
      ...commonIssueFilters,
      kindParameter,
      textParameter(
        "filter[rule]",
        "Pages on which this rule was found. Needs filter[kind], since kinds name theirs alike.",
      ),
      issueTypeParameter,
      outsideParameter("Only what the rule says outside of the report's standard, or only what it says within."),
      mutedParameter(
        "true: pages with muted occurrences of the common issue or rule, instead of the others. Allowed only with a filter by one.",
      ),
      sortParameter(
        "The sort order; errors are those of all checks of a page, and duration is duration_ms. views and met are for the owner alone; pages without them come last in descending order, by errors. Without it: in the order found.",
        webPageSortKeys,
      ),
      choiceParameter(
        "results",
        "true: meta.results says how many pages there are of each result, with filter[url], filter[search] and filter[path] alone.",
        ["true"],
      ),
      ...pageParameters,
    ],
    handle: async (context) => {
      const { deps, query } = context;
      const visible = await visibleReport(context);
      const page = query.page();
      const url = query.text("filter[url]");
      const folder = query.folder();
      const status = query.choice("filter[status]", pageStatuses);
      const withoutPage = query.choice("filter[without_page]", ["true", "false"]);
      const sort = query.sort(webPageSortKeys);
      const commonIssueIds = commonIssuesOf(query);
      const rule = ruleIn(query);
      requireOwner(visible, sort);
      const search = query.text("filter[search]");
      const result = query.choice("filter[result]", pageResults);
      const ids = idsIn(query, isNumericId, "numeric ids");
      const filters = [...checkKinds.map(commonIssueFilter), "filter[rule]"].join(" or ");
      if (Object.keys(commonIssueIds).length === 0 && !rule && query.text("filter[muted]") !== undefined)
        throw malformed("invalid_parameter", `filter[muted] can be used only with ${filters}.`, {
          parameter: "filter[muted]",
        });
      const listed = await listWebPages(deps.db, visible.report.id, {
        muted: mutedIn(query),
        ...(url !== undefined && { url }),
        ...(search !== undefined && { search }),
        ...(result && { result }),
        ...(ids && { ids }),
        ...(folder && { folder }),
        ...(status && { status }),
        ...(withoutPage && { withoutPage: withoutPage === "true" }),
        hasNew: query.choice("filter[state]", ["new"]) !== undefined,
        ...(sort && { sort }),
        commonIssueIds,
        ...(rule && { rule }),
        page,
      });
      const results = query.choice("results", ["true"])
        ? resultsOf(
            await countPageResults(deps.db, visible.report.id, {
              ...(url !== undefined && { url }),
              ...(search !== undefined && { search }),
              ...(folder && { folder }),
            }),
          )
        : null;
      const has_views = visible.owned && (await hasPageViews(deps.db, visible.report.id));
      const meta = { results, has_views } satisfies Partial<List<"web_page">["meta"]>;
      return list(context, page, { ...listed, meta }, (row) => webPageDocument(context, visiblePart(row, visible)));
    },
  },
  {
    method: "GET",
    path: "/reports/:report_id/web_pages/:web_page_id",
    id: "getWebPage",
    tag: "Web pages",
    summary: "Get a web page",
    success: { kind: "one", type: "web_page" },
    access: "shared",
    site: "report",
    handle: async (context) => one(webPageDocument(context, await visiblePage(context))),
  },
  {
    method: "PATCH",
    path: "/reports/:report_id/web_pages/:web_page_id",
    id: "updateWebPage",
    audit: { verb: "changed a page of a report, or had it checked again", area: "runs" },
    tag: "Web pages",
    summary: "Check a web page again",
    description: "Fetches the page again and repeats its checks; the report's counters are updated.",
    success: { kind: "one", type: "web_page" },
    errors: [402],
    access: "account",
    site: "report",
    right: "run",
    body: bodyOf("web_page", webPageSchema),
    handle: async (context) => {
      const { db, now } = context.deps;
      const { account_id: accountId, guest_token: guestToken } = await ownReport(context);
      const page = await visiblePage(context);
      readChange(context.attributes);
      await requireCredits(context, { accountId, guestToken });
      await requireStorage(context, { accountId });
      await requeuePage(db, page.report_id, page.id, now());
      return one(webPageDocument(context, await visiblePage(context)));
    },
  },
  {
    method: "DELETE",
    path: "/reports/:report_id/web_pages/:web_page_id",
    id: "deleteWebPage",
    audit: { verb: "deleted a page of a report", area: "deleted" },
    tag: "Web pages",
    summary: "Remove a web page from its report",
    description:
      "Removes the page with its issues; the report's counters are updated at once. 409 if the report is being compared with another one, and that takes long.",
    success: { kind: "nothing" },
    errors: [409],
    access: "account",
    site: "report",
    right: "share",
    handle: async (context) => {
      const { db, now, comparedAtOnce } = context.deps;
      const page = await ownPage(context);
      if (!(await deletePage(db, page.report_id, page.id, now(), comparedAtOnce))) throw notFound("web page");
      return { status: 204 };
    },
  },
];

function resultsOf({ errors_in_all, new_errors_in_all, ...pages }: PageResultCounts) {
  return { errors: errors_in_all, new_errors: new_errors_in_all, pages };
}

/** The page in the address, if the caller may change its report. @throws RequestError 404 */
async function ownPage(context: Context): Promise<WebPageRow> {
  await ownReport(context);
  return visiblePage(context);
}

function webPageDocument(context: Context, page: WebPageRow): Resource<"web_page"> {
  const self = pageUrl(context, { report_id: page.report_id, web_page_id: page.id });
  return {
    id: page.id,
    type: "web_page",
    attributes: {
      url: page.url,
      title: page.title,
      linked_from: page.linked_from,
      ...inboundAttributes(page.inbound),
      status: pageStatus(Object.values(page.checks).map(({ status }) => status)),
      http_status: page.http_status,
      ...namedByKind<Pick<Attributes<"web_page">, `${Noun}_check`>>((kind) => [
        `${nounOf(kind)}_check`,
        checkDocument(kind, page.checks[kind]),
      ]),
      num_faults: page.num_faults,
      faults: page.faults,
      without_page: page.withoutPage,
      views: page.views,
      met: page.views === null ? null : page.views * errorsOf(page),
      new_errors: page.new_errors,
      roles: page.roles,
      like_others: page.like_others,
      fetch_ms: page.fetch_ms,
      duration_ms: durationOf(page),
      screenshot_size: page.screenshotSize,
      inserted_at: timestamp(page.inserted_at),
      updated_at: timestamp(page.updated_at),
      last_checked_at: timestamp(page.last_checked_at),
    },
    relationships: related({
      report: reportUrl(context, page.report_id),
      ...namedByKind<Record<`${Noun}_issues`, string>>((kind) => [
        `${nounOf(kind)}_issues`,
        `${self}/${nounOf(kind)}_issues`,
      ]),
      ...namedByKind<Record<`raw_${Noun}_check`, string | undefined>>((kind) => [
        `raw_${nounOf(kind)}_check`,
        page.stored.has(kind) ? `${self}/raw_${nounOf(kind)}_check` : undefined,
      ]),
      screenshot: page.stored.has("screenshot") ? `${self}/screenshot` : undefined,
      source: page.stored.has("source") ? `${self}/source` : undefined,
    }),
  };
}

/** The errors of all of its checks. */
function errorsOf({ checks }: WebPageRow): number {
  return Object.values(checks).reduce((sum, { errors }) => sum + errors, 0);
}

/** The time of everything that is known to have taken some; null before. */
function durationOf({ fetch_ms, checks }: WebPageRow): number | null {
  const times = [fetch_ms, ...Object.values(checks).map(({ duration_ms }) => duration_ms)].filter((ms) => ms !== null);
  return times.length === 0 ? null : times.reduce((sum, ms) => sum + ms, 0);
}

/** The API's names for the states of a check. */
const statusNames: Record<CheckStatus, PageStatus> = {
  queued: "pending",
  leased: "checking",
  checked: "checked",
  failed: "failed",
};

function checkDocument(kind: CheckKind, check: CheckRow | undefined) {
  if (!check) return null;
  const { errors, warnings, ...more } = foundOf(kind, check);
  const { duration_ms, reused } = check;
  return { status: statusNames[check.status], errors, warnings, failure: failure(check), duration_ms, reused, ...more };
}
