import type { FindingDetails, FindingElement } from "../../../database/findings/findings.ts";
import type { StoredPicture } from "../../../database/reports/element-pictures.ts";
import { actRulesOf } from "../../../domain/findings/act-rules.ts";
import type { Box } from "../../../domain/findings/box.ts";
import { standardsOf } from "../../../domain/findings/standards.ts";
import { successCriteriaOf } from "../../../domain/findings/success-criteria.ts";
import type { Guides } from "../../../domain/guides/guides.ts";
import { titleOfRule } from "../../../domain/guides/title-of-rule.ts";
import type { Context } from "../../context.ts";
import { pageUrl } from "../reports/report-access.ts";

/** The attributes of findings and components that describe their rule. */
export function ruleAttributes(
  { kind, rule, message, help_url, tags, outside_standard }: FindingDetails,
  guides: Pick<Guides, "find">,
) {
  return {
    kind,
    rule: rule === "" ? null : rule,
    title: titleOfRule(guides, { kind, rule, message }),
    message,
    help_url,
    tags,
    outside_standard,
    ...standardAttributes(tags),
  };
}

/** What a rule is about, by its tags. */
export function standardAttributes(tags: readonly string[]) {
  return { success_criteria: successCriteriaOf(tags), act_rules: actRulesOf(tags), standards: standardsOf(tags) };
}

/** HTML findings have a position in the source, accessibility findings a selector and what to fix. */
export function elementAttributes(element: FindingElement | null, picture: ElementPictureAttributes | null) {
  if (!element) return null;
  const { extract, coordinates = null, target = null, selector = null, failure_summary = null } = element;
  const { box = null, contrast = null, caused_by = null, fix = null } = element;
  return { extract, coordinates, target, selector, failure_summary, box, contrast, picture, caused_by, fix };
}

type ElementPictureAttributes = { url: string; area: Box };

/** The address of an element's picture; null without one. */
export function pictureAttributes(
  context: Context,
  picture: StoredPicture | undefined,
  reportId: string,
): ElementPictureAttributes | null {
  if (!picture) return null;
  const { id, web_page_id, area } = picture;
  return { url: `${pageUrl(context, { report_id: reportId, web_page_id })}/pictures/${id}`, area };
}
