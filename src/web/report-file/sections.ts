import type { Attributes, Resource, ResourceType } from "../../api/documents.ts";
import { checkKinds, nounOf } from "../../checks/kinds.ts";
import type { Guides } from "../../domain/guides/guides.ts";
import { type Html, html } from "../html.ts";
import type { PageContext } from "../page.ts";
import { faultCard } from "../page-findings/fault-card.ts";
import type { Fault } from "../page-findings/faults.ts";
import { criteriaList, why } from "../pages/mutings.ts";
import { criteria, engineText, titleOf, typeBadge } from "../parts/finding.ts";
import { guideText } from "../parts/guide-text.ts";
import { icon } from "../parts/icon.ts";
import { issueElement } from "../parts/issue-element.ts";
import { linkedFrom } from "../parts/linked-from.ts";
import { reportResult } from "../parts/report-result.ts";
import { rulesList } from "../parts/rules-list.ts";
import { address, externalLink, time } from "../parts/text.ts";
import { formatNumber, texts } from "../texts/en.ts";
import type { First } from "./lists.ts";
import type { RuleInFile, RulesOfKind } from "./rules.ts";

const t = texts.reportFile;

/** What the report is of, and what a run found. */
export async function head(
  context: PageContext,
  report: Attributes<"report">,
  kinds: readonly RulesOfKind[],
  linksToPages: boolean,
): Promise<Html> {
  const listed = new Set(kinds.filter(({ total, isOutside }) => total > 0 && !isOutside).map(({ kind }) => kind));
  return html`<div class="line">
      <h1>${report.starting_url}</h1>
      ${linksToPages && externalLink(report.starting_url, icon("out", texts.report.openSite))}
      <span class="push quiet">${t.made} ${time(context.now.toISOString().slice(0, 19))}</span>
    </div>
    ${await reportResult(context, report, { issues: (kind) => (listed.has(kind) ? `#${kind}` : undefined) })}`;
}

/** The rules with links to their sections, the worst first. */
export function overview(kinds: readonly RulesOfKind[]): Html {
  const anchors = new Map(kinds.flatMap(({ rules }) => rules.map(({ id, anchor }) => [id, anchor] as const)));
  return html`<div class="grid" id="issues">
    ${kinds.map(({ kind, isOutside, rules, total }) => {
      if (total === 0) return null;
      const what = isOutside ? `${titleOf(kind)}, ${texts.report.outside.toLowerCase()}` : titleOf(kind);
      const id = isOutside ? `${kind}-outside` : kind;
      const title = `${what}: ${texts.count.rules(total)}`;
      return rulesList({ id, title, below: left(rules.length, total) }, rules, {
        link: (rule) => `#${anchors.get(rule.id)}`,
      });
    })}
  </div>`;
}

/** A rule: what is wrong, the elements, and the pages. */
export function ruleSection(
  context: PageContext,
  { anchor, attributes: rule }: RuleInFile,
  found: First<"component">,
  pages: readonly string[],
  linkTo: (url: string) => Html,
): Html {
  // Rules of several engines, and errors and warnings of one, share a title.
  return html`<section class="rule card grid close" aria-labelledby=${`${anchor} ${anchor}-type ${anchor}-rule`}>
    <h2 id=${anchor}>${rule.title}</h2> ${engineText(rule)}
    <ul class="line">
      <li id=${`${anchor}-type`}>${typeBadge(rule.issue_type, rule.outside_standard)}</li>
      <li>${texts.count.findings(rule.how_many)}, ${texts.count.pages(rule.num_pages)}</li>
      <li id=${`${anchor}-rule`}>${rule.rule ? html`<code>${rule.rule}</code>` : titleOf(rule.kind)}</li>
      ${rule.success_criteria.length > 0 && html`<li>${criteria(rule.success_criteria)}</li>`}
      ${rule.help_url && html`<li>${externalLink(rule.help_url, texts.issue.standard)}</li>`}
    </ul>
    ${rule.description_html && html`<div class="guide">${guideText(rule.description_html)}</div>`}
    <ol class="cards">
      ${found.data.map((component) => {
        const { message } = component.attributes;
        return issueElement(context, component, undefined, rule.message === null ? message : undefined);
      })}
    </ol>
    ${leftOf(found)}
    <h3>${texts.issue.pages}</h3>
    <ul class="rows">${pages.map((url) => html`<li>${linkTo(url)}</li>`)}</ul>
    ${left(pages.length, rule.num_pages)}
  </section>`;
}

/** What editors can repair on a page. @param faults the first of what is in its text */
export function pageSection(
  context: PageContext,
  guides: Guides,
  page: Resource<"web_page">,
  faults: readonly Fault[],
  linkTo: (url: string) => Html,
): Html {
  const id = `page-${page.id}`;
  const { template = 0, design = 0 } = page.attributes.roles ?? {};
  const others = template + design;
  return html`<section class="grid close" aria-labelledby=${id}>
    <h3 id=${id}>${linkTo(page.attributes.url)}</h3>
    <ol class="cards">${faults.map((fault) => faultCard(context, guides, fault))}</ol>
    ${left(faults.length, page.attributes.faults.content)}
    ${others > 0 && html`<p class="quiet">${texts.editors.others(others)}</p>`}
  </section>`;
}

/** The pages that could not be checked, or addresses without a page, and why. */
export function failures({ data, total }: First<"web_page">, { id, title }: { id: string; title: string }): Html {
  if (total === 0) return null;
  return html`<section class="card grid" aria-labelledby=${id}>
    <h2 id=${id}>${title}: ${formatNumber(total)}</h2>
    <ul class="rows">
      ${data.map(({ attributes: page }) => {
        const details = checkKinds.flatMap((kind) => page[`${nounOf(kind)}_check`]?.failure?.detail ?? []);
        const from = linkedFrom(page, address);
        return html`<li>${address(page.url)}<br /><span class="quiet">${[...new Set(details)].join(" ")}${from && html`<br />${texts.page.linkedFrom} ${from}`}</span></li>`;
      })}
    </ul>
    ${leftOf({ data, total })}
  </section>`;
}

/** What silenced findings of the report, and why. */
export function muted({ data, total }: First<"muting">): Html {
  if (total === 0) return null;
  return html`<section class="card grid" aria-labelledby="muted">
    <h2 id="muted">${texts.mutings.caption}: ${formatNumber(total)}</h2>
    <ul class="rows">
      ${data.map(({ attributes: muting }) => {
        const until = muting.expires_at && html`, ${texts.mutings.columns.ends} ${time(muting.expires_at)}`;
        return html`<li>${criteriaList(muting)}${until}<br /><span class="quiet">${why(muting)}</span></li>`;
      })}
    </ul>
    ${leftOf({ data, total })}
  </section>`;
}

function leftOf({ data, total }: First<ResourceType>): Html {
  return left(data.length, total);
}

/** @param isLeast there may be more than `number` */
export function left(shown: number, number: number, isLeast = false): Html {
  if (number > shown)
    return html`<p class="quiet">${isLeast ? t.atLeastOthers(number - shown) : texts.count.others(number - shown)}</p>`;
  return isLeast ? html`<p class="quiet">${t.perhapsOthers}</p>` : null;
}
