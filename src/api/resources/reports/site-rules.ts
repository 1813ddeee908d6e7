import { nounOf } from "../../../checks/kinds.ts";
import { listSiteRules, type SiteRule } from "../../../database/reports/sites.ts";
import { checkKinds } from "../../../domain/findings/findings.ts";
import type { Context, Route } from "../../context.ts";
import type { Resource } from "../../documents.ts";
import { callerOf } from "../../http/request/caller.ts";
import { kindParameter, pageParameters, ruleParameter } from "../../http/request/parameters.ts";
import { list, related } from "../../http/response/documents.ts";
import { reportUrl } from "./report-access.ts";

/** How often rules were found on the caller's sites. */
export const siteRules: readonly Route[] = [
  {
    method: "GET",
    path: "/site_rules",
    id: "listSiteRules",
    tag: "Reports",
    summary: "List how often rules were found on sites",
    description:
      "Of each site the newest report of the whole site; those with the most errors come first. A guest sees only its own.",
    success: { kind: "list", type: "site_rule" },
    access: "account",
    site: "caller",
    parameters: [kindParameter, ruleParameter, ...pageParameters],
    handle: async (context) => {
      const { query, deps } = context;
      const page = query.page();
      const of = { kind: query.choice("filter[kind]", checkKinds), rule: query.text("filter[rule]") };
      const listed = await listSiteRules(deps.db, callerOf(context), of, page);
      return list(context, page, listed, (row) => siteRuleDocument(context, row));
    },
  },
];

function siteRuleDocument(context: Context, row: SiteRule): Resource<"site_rule"> {
  const { site_id, common_id, report_id, ...attributes } = row;
  const report = reportUrl(context, report_id);
  return {
    id: `${site_id}.${common_id}`,
    type: "site_rule",
    attributes: { ...attributes, report_id },
    relationships: related({
      site: `${context.base}/sites/${site_id}`,
      report,
      common_issue: `${report}/common_${nounOf(row.kind)}_issues/${common_id}`,
    }),
  };
}
