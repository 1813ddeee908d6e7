import type { Attributes, ResourceType } from "../../api/documents.ts";
import { checkKinds, nounOf } from "../../checks/kinds.ts";
import { type Html, html } from "../html.ts";
import { criteriaList, why } from "../pages/mutings.ts";
import { coverage, coveredPages } from "../parts/coverage.ts";
import { criteria, element, titleOf, typeBadge } from "../parts/finding.ts";
import { guideText } from "../parts/guide-text.ts";
import { linkedFrom } from "../parts/linked-from.ts";
import { comparison, ending, facts, gate, severity, summary, verdictLine } from "../parts/report-sections.ts";
import { table } from "../parts/table.ts";
import { address, amount, externalLink, time } from "../parts/text.ts";
import { formatNumber, texts } from "../texts/en.ts";
import type { First } from "./lists.ts";
import type { Amount, RuleFindings, RulesOfKind } from "./rules.ts";

const t = texts.reportFile;

/** What the report is and how it ended. @param kinds those whose rules the file lists */
export function head(
  report: Attributes<"report">,
  kinds: readonly RulesOfKind[],
  now: Date,
  linksToPages: boolean,
): Html {
  const made = now.toISOString().slice(0, 19);
  const listed = new Set(kinds.filter(({ total }) => total.number > 0).map(({ kind }) => kind));
  return html`<h1>${report.starting_url}</h1>
    <p class="quiet">${t.made} ${time(made)}</p>
    ${verdictLine(report)} <p class="quiet">${coveredPages(report).join(" · ")}</p>
    ${linksToPages && html`<p>${externalLink(report.starting_url, texts.report.openSite)}</p>`}
    ${facts(report)} ${ending(report)} ${coverage(report)}
    ${summary(report, (kind) => (listed.has(kind) ? `#${kind}` : undefined))} ${gate(report)}
    ${comparison(report)} ${severity(report)}`;
}

/** The rules with links to their sections, the worst first. */
export function overview(kinds: readonly RulesOfKind[]): Html {
  const { columns: c } = texts.issues;
  return kinds.map(({ kind, rules, total }) => {
    if (total.number === 0) return null;
    const title = `${titleOf(kind)}: ${atLeast(total, texts.count.rules(total.number))}`;
    return html`<section class="card grid" aria-labelledby=${kind}>
      <h2 id=${kind}>${title}</h2>
      ${
        rules.length > 0 &&
        table<RuleFindings>({
          caption: title,
          hideCaption: true,
          rows: rules,
          columns: [
            {
              title: c.rule,
              header: true,
              cell: ({ type, outside: isOutside, anchor, title: name }) =>
                html`${typeBadge(type, isOutside)} <a href=${`#${anchor}`}>${name}</a>`,
            },
            { title: c.findings, numeric: true, cell: ({ howMany }) => amount(howMany) },
            {
              title: c.pages,
              numeric: true,
              cell: ({ pages }) => (pages.isLeast ? t.atLeast(formatNumber(pages.number)) : amount(pages.number)),
            },
          ],
        })
      }
      ${left(rules.length, total)}
    </section>`;
  });
}

/** What one change fixes on several pages. */
export function components({ data }: First<"component">): Html {
  const repeated = data.filter(({ attributes }) => attributes.num_pages > 1);
  if (repeated.length === 0) return null;
  return html`<section class="card grid" aria-labelledby="components">
    <h2 id="components">${texts.issues.components}</h2>
    <p class="quiet">${texts.issues.componentsWhat}</p>
    <ol class="cards">
      ${repeated.map(({ attributes }) => html`<li><h3>${attributes.message}</h3>${componentBody(attributes)}</li>`)}
    </ol>
  </section>`;
}

function componentBody(component: Attributes<"component">): Html {
  const { issue_type, outside_standard, how_many, num_pages, element: found } = component;
  return html`<p>
      ${typeBadge(issue_type, outside_standard)}
      ${texts.issues.fixes(texts.count.findings(how_many), texts.count.pages(num_pages))}
    </p>
    ${found && element(found)}`;
}

/** A rule: what is wrong, the elements, and the pages. */
export function ruleSection(
  rule: RuleFindings,
  found: First<"component">,
  pages: { urls: readonly string[]; total: Amount },
  linkTo: (url: string) => Html,
): Html {
  return html`<section class="rule" aria-labelledby=${rule.anchor}>
    <h2 id=${rule.anchor}>${rule.title}</h2>
    <ul class="line">
      <li>${typeBadge(rule.type, rule.outside)}</li>
      <li>
        ${texts.count.findings(rule.howMany)}, ${atLeast(pages.total, texts.count.pages(pages.total.number))}
      </li>
      ${rule.rule && html`<li><code>${rule.rule}</code></li>`}
      ${rule.criteria.length > 0 && html`<li>${criteria(rule.criteria)}</li>`}
      ${rule.helpUrl && html`<li>${externalLink(rule.helpUrl, texts.issue.standard)}</li>`}
    </ul>
    ${rule.guide && html`<div class="guide">${guideText(rule.guide)}</div>`}
    <ol class="cards">
      ${found.data.map(
        ({ attributes: component }) =>
          html`<li>
            <p>
              ${component.message === rule.title ? null : html`${component.message}<br />`}
              ${texts.count.findings(component.how_many)}, ${texts.count.pages(component.num_pages)}
            </p>
            ${component.element && element(component.element)}
            ${component.element?.failure_summary && html`<p class="fix">${component.element.failure_summary}</p>`}
          </li>`,
      )}
    </ol>
    ${leftOf(found)}
    <h3>${texts.issue.pages}</h3>
    <ul class="rows">${pages.urls.map((url) => html`<li>${linkTo(url)}</li>`)}</ul>
    ${left(pages.urls.length, pages.total)}
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
        return html`<li>${criteriaList(muting)}${until}<br /><span class="quiet">${why(muting.comment, muting.reason)}</span></li>`;
      })}
    </ul>
    ${leftOf({ data, total })}
  </section>`;
}

function leftOf({ data, total }: First<ResourceType>): Html {
  return left(data.length, { number: total, isLeast: false });
}

function left(shown: number, { number, isLeast }: Amount): Html {
  if (number > shown)
    return html`<p class="quiet">${isLeast ? t.atLeastOthers(number - shown) : texts.count.others(number - shown)}</p>`;
  return isLeast ? html`<p class="quiet">${t.perhapsOthers}</p>` : null;
}

function atLeast({ isLeast }: Amount, text: string): string {
  return isLeast ? t.atLeast(text) : text;
}
