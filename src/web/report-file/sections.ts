import type { Attributes, Resource, ResourceType } from "../../api/documents.ts";
import { checkKinds, nounOf } from "../../checks/kinds.ts";
import type { Guides } from "../../domain/guides/guides.ts";
import { type Html, html } from "../html.ts";
import type { PageContext } from "../page.ts";
import { faultCard } from "../page-findings/fault-card.ts";
import type { Fault } from "../page-findings/faults.ts";
import { criteriaList, why } from "../pages/mutings.ts";
import { criteria, titleOf, typeBadge } from "../parts/finding.ts";
import { guideText } from "../parts/guide-text.ts";
import { icon } from "../parts/icon.ts";
import { issueElement } from "../parts/issue-element.ts";
import { linkedFrom } from "../parts/linked-from.ts";
import { reportResult } from "../parts/report-result.ts";
import { rulesList } from "../parts/rules-list.ts";
import { address, externalLink, time } from "../parts/text.ts";
import { formatNumber, texts } from "../texts/en.ts";
import type { First } from "./lists.ts";
import type { Amount, RuleFindings, RulesOfKind } from "./rules.ts";

const t = texts.reportFile;

/** What the report is of, and what a run found. */
export async function head(
  context: PageContext,
  report: Attributes<"report">,
  kinds: readonly RulesOfKind[],
  linksToPages: boolean,
): Promise<Html> {
  const listed = new Set(kinds.filter(({ total }) => total.number > 0).map(({ kind }) => kind));
  return html`<div class="line">
      <h1>${report.starting_url}</h1>
      ${linksToPages && externalLink(report.starting_url, icon("out", texts.report.openSite))}
      <span class="push quiet">${t.made} ${time(context.now.toISOString().slice(0, 19))}</span>
    </div>
    ${await reportResult(context, report, { issues: (kind) => (listed.has(kind) ? `#${kind}` : undefined) })}`;
}

/** The rules with links to their sections, the worst first. */
export function overview(kinds: readonly RulesOfKind[]): Html {
  return html`<div class="grid" id="issues">
    ${kinds.map(({ kind, rules, total }) => {
      if (total.number === 0) return null;
      const title = `${titleOf(kind)}: ${atLeast(total, texts.count.rules(total.number))}`;
      const pages = ({ pages: { number, isLeast } }: RuleFindings) =>
        isLeast ? t.atLeast(formatNumber(number)) : formatNumber(number);
      return rulesList(
        { id: kind, title, below: left(rules.length, total) },
        rules,
        ({ anchor }) => `#${anchor}`,
        pages,
      );
    })}
  </div>`;
}

/** A rule: what is wrong, the elements, and the pages. */
export function ruleSection(
  context: PageContext,
  rule: RuleFindings,
  found: First<"component">,
  pages: { urls: readonly string[]; total: Amount },
  linkTo: (url: string) => Html,
): Html {
  return html`<section class="rule card grid close" aria-labelledby=${rule.anchor}>
    <h2 id=${rule.anchor}>${rule.title}</h2>
    <ul class="line">
      <li>${typeBadge(rule.type, rule.outside)}</li>
      <li>
        ${texts.count.findings(rule.how_many)}, ${atLeast(pages.total, texts.count.pages(pages.total.number))}
      </li>
      ${rule.rule && html`<li><code>${rule.rule}</code></li>`}
      ${rule.criteria.length > 0 && html`<li>${criteria(rule.criteria)}</li>`}
      ${rule.helpUrl && html`<li>${externalLink(rule.helpUrl, texts.issue.standard)}</li>`}
    </ul>
    ${rule.guide && html`<div class="guide">${guideText(rule.guide)}</div>`}
    <ol class="cards">
      ${found.data.map((component) => {
        const { message } = component.attributes;
        return issueElement(context, component, undefined, message === rule.title ? undefined : message);
      })}
    </ol>
    ${leftOf(found)}
    <h3>${texts.issue.pages}</h3>
    <ul class="rows">${pages.urls.map((url) => html`<li>${linkTo(url)}</li>`)}</ul>
    ${left(pages.urls.length, pages.total)}
  </section>`;
}

/** What editors can repair on a page. @param others how many errors of the page are in templates and the design */
export function pageSection(
  context: PageContext,
  guides: Guides,
  page: Resource<"web_page">,
  found: { faults: readonly Fault[]; isMore: boolean; others: number },
  linkTo: (url: string) => Html,
): Html {
  const id = `page-${page.id}`;
  return html`<section class="grid close" aria-labelledby=${id}>
    <h3 id=${id}>${linkTo(page.attributes.url)}</h3>
    <ol class="cards">${found.faults.map((fault) => faultCard(context, guides, fault))}</ol>
    ${found.isMore && html`<p class="quiet">${t.perhapsOthers}</p>`}
    ${found.others > 0 && html`<p class="quiet">${texts.editors.others(found.others)}</p>`}
  </section>`;
}

/** The pages that could not be checked, and why. */
export function failures({ data, total }: First<"web_page">): Html {
  if (total === 0) return null;
  return html`<section class="card grid" aria-labelledby="failed">
    <h2 id="failed">${texts.failed.failed}: ${formatNumber(total)}</h2>
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
  return left(data.length, { number: total, isLeast: false });
}

export function left(shown: number, { number, isLeast }: Amount): Html {
  if (number > shown)
    return html`<p class="quiet">${isLeast ? t.atLeastOthers(number - shown) : texts.count.others(number - shown)}</p>`;
  return isLeast ? html`<p class="quiet">${t.perhapsOthers}</p>` : null;
}

function atLeast({ isLeast }: Amount, text: string): string {
  return isLeast ? t.atLeast(text) : text;
}
