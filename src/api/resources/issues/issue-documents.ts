import { type CheckKind, manifestOf, nounOf } from "../../../checks/kinds.ts";
import type { CommonIssueRow, IssueRow } from "../../../database/reports/issues.ts";
import { ownStates } from "../../../domain/findings/finding-state.ts";
import type { Guides } from "../../../domain/guides/guides.ts";
import { titleOfRule } from "../../../domain/guides/title-of-rule.ts";
import type { Context } from "../../context.ts";
import type { Resource } from "../../documents.ts";
import { mutedIn } from "../../http/request/query.ts";
import { related, timestamp } from "../../http/response/documents.ts";
import { comparedAttributes } from "../findings/compared-attributes.ts";
import { standardAttributes } from "../findings/finding-attributes.ts";
import { pageUrl, reportUrl } from "../reports/report-access.ts";
import { guideAttributes } from "./guide-attributes.ts";

/** An issue of a page. */
export function issueDocument(context: Context, kind: CheckKind, issue: IssueRow, guides: Guides): Resource {
  const parts: readonly string[] = manifestOf(kind).issues.element;
  const nulls = Object.fromEntries(
    ["box", "contrast"].filter((part) => parts.includes(part)).map((part) => [part, null]),
  );
  return {
    id: issue.id,
    type: `${nounOf(kind)}_issue`,
    attributes: {
      ...attributesOf(kind, issue),
      title: titleOfRule(guides, issue),
      html: issue.html.map((element) => ({ ...nulls, ...element })),
      how_many: issue.how_many,
      html_truncated: issue.html.length < issue.how_many,
      ...comparedAttributes(issue, ownStates),
      ...guideAttributes(context, guides, kind, issue.rule),
      ...timesOf(issue),
    },
    relationships: related({
      report: reportUrl(context, issue.report_id),
      web_page: pageUrl(context, issue),
    }),
    // What depends on the kind is typed in its folder.
  } as Resource;
}

/** A common issue of a report. */
export function commonIssueDocument(
  context: Context,
  kind: CheckKind,
  issue: CommonIssueRow,
  guides: Guides,
): Resource {
  const pages = `${reportUrl(context, issue.report_id)}/web_pages`;
  const folder = context.query.folder();
  const filter = {
    [`filter[common_${nounOf(kind)}_issue_id]`]: issue.id,
    ...(mutedIn(context.query) && { "filter[muted]": "true" }),
    ...(folder && { "filter[path]": folder.path }),
  };
  return {
    id: issue.id,
    type: `common_${nounOf(kind)}_issue`,
    attributes: {
      report_id: issue.report_id,
      ...attributesOf(kind, issue),
      title: titleOfRule(guides, issue),
      how_many: issue.how_many,
      num_pages: issue.num_pages,
      roles: issue.roles,
      ...comparedAttributes(issue, ownStates),
      ...guideAttributes(context, guides, kind, issue.rule),
      ...(manifestOf(kind).issues.commonHasTimes && timesOf(issue)),
    },
    relationships: related({ web_pages: `${pages}?${new URLSearchParams(filter)}` }),
  } as unknown as Resource;
}

function attributesOf(kind: CheckKind, issue: IssueRow | CommonIssueRow) {
  const { issues, hasStandards } = manifestOf(kind);
  return { ...issues.attributesOf(issue), ...(hasStandards && standardAttributes(issue.tags)) };
}

function timesOf({ inserted_at, updated_at }: IssueRow | CommonIssueRow) {
  return { inserted_at: timestamp(inserted_at), updated_at: timestamp(updated_at) };
}
