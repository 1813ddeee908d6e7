import type { Attributes } from "../../api/documents.ts";
import type { CheckKind } from "../../checks/kinds.ts";
import type { Guides, RenderedGuide } from "../../domain/guides/guides.ts";
import { type Html, html } from "../html.ts";
import type { PageContext } from "../page.ts";
import { mayWrite } from "../parts/access.ts";
import { fixLine, foldedConsequences, followsFrom } from "../parts/consequence.ts";
import { copyText } from "../parts/copy.ts";
import { crop } from "../parts/crop.ts";
import { criteria, engineText, type PageIssueType, snippet, titleOf, typeBadge } from "../parts/finding.ts";
import { guideText } from "../parts/guide-text.ts";
import { icon } from "../parts/icon.ts";
import { reportPath } from "../parts/report.ts";
import { roleName } from "../parts/report-cards.ts";
import { externalLink, time } from "../parts/text.ts";
import { texts } from "../texts/en.ts";
import { type Fault, firstOf } from "./faults.ts";
import { markdownOf } from "./markdown.ts";

const t = texts.page;

/** An element of an issue, as the page's issue lists it. */
export type IssueElement = Attributes<PageIssueType>["html"][number];

type Selected = {
  fault: Fault;
  /** All elements of the fault that are listed: they look alike. */
  elements: readonly IssueElement[];
  /** Whether the reader may mute it. */
  owned: boolean;
  /** Where the fault is in the list, and links to those before and after it. */
  steps: Html;
};

/** What is wrong with the selected fault: its element, why that matters, who is affected, and how to mend it. */
export function details(context: PageContext, guides: Guides, { fault, elements, owned, steps }: Selected): Html {
  const { attributes: finding } = fault.findings[0];
  const guide = guideOf(guides, fault);
  const picture = fault.findings.map((one) => crop(context, one)).find(Boolean);
  const impact = firstOf(fault, (one) => one.impact);
  const judged = firstOf(fault, (one) => (one.success_criteria.length > 0 ? one.success_criteria : undefined));
  return html`<section class="grid tools wide" aria-labelledby="how">
    <div class="line">
      <h3 id="how" class="now" tabindex="-1"><span class=${`no ${fault.shape}`}>${fault.number}</span> ${finding.title}</h3> ${engineText(finding)}
      <p class="line near">
        ${typeBadge(finding.issue_type, finding.outside_standard)}
        ${impact && html`<span>${icon(impact)} ${texts.impacts[impact]}</span>`} ${finding.role && html`<span class="tag">${roleName(finding.role)}</span>`}
        ${judged && criteria(judged)}
      </p>
      <div class="line near push">
        ${steps} ${copyText({ name: "markdown", text: markdownOf(fault, guide), label: t.copyMarkdown })}
        ${owned && mayWrite(context, "common") && muteLink(context, finding)}
      </div>
    </div>
    <div class="grid pair">
      <div class="grid">
        ${picture} ${elementOf(fault, elements)} ${fixLine(firstOf(fault, (one) => one.element?.fix))}
        ${followsFrom(firstOf(fault, (one) => one.element?.caused_by))} ${foldedConsequences(fault.consequences)}
        <dl class="facts">
          ${guide?.parts.slice(0, -1).map((part) => fact(part.heading, guideText(part.html)))}
          ${fact(texts.issues.role, whoFixes(context, finding))}
          ${fact(
            t.foundBy,
            fault.findings.map(({ attributes }) => foundBy(attributes)),
          )}
        </dl>
      </div>
      <div class="grid close">${guide ? remedy(context, guide) : helpLinks(fault)} ${failureSummaries(fault)}</div>
    </div>
  </section>`;
}

function fact(name: string, value: Html): Html {
  return html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
}

/** The guide to one of the rules that found it. */
export function guideOf(guides: Guides, fault: Fault): RenderedGuide | undefined {
  return firstOf(fault, ({ kind, rule }) => (rule === null ? undefined : guides.find(kind, rule)));
}

/** The element's source, and where it is. @param elements all of the fault, if they are known */
export function elementOf(fault: Fault, elements: readonly IssueElement[] = []): Html {
  const shown = firstOf(fault, (one) => one.element);
  if (!shown) return null;
  const target = firstOf(fault, (one) => one.element?.target ?? one.element?.selector);
  const coordinates = firstOf(fault, (one) => one.element?.coordinates);
  const exact = firstOf(fault, (one) => (one.element?.coordinates ? one.element : undefined)) ?? shown;
  const lines = elements.flatMap((one) => ("coordinates" in one && one.coordinates ? one.coordinates : []));
  return html`<div>
    ${snippet(exact.extract, coordinates ? { start: coordinates.hilite_start, length: coordinates.hilite_length } : undefined)}
    <p class="quiet">
      ${target && html`<code>${target}</code> `}
      ${
        lines.length > 1
          ? t.lines(lines.map(({ first_line }) => first_line))
          : coordinates && texts.issue.line(coordinates.first_line, coordinates.first_column)
      }
    </p>
  </div>`;
}

/** Who mends it, and whether the same is wrong on other pages. */
function whoFixes(context: PageContext, { role, component, first_seen_at }: Attributes<"finding">): Html {
  const all = context.href(reportPath(context, `/components/${component}`));
  return html`${role && texts.report.cards.roleMeans[role]}${role && ". "}<a href=${all}>${t.onPages}</a>.
    ${first_seen_at && html` ${texts.issue.firstSeen} ${time(first_seen_at)}.`}`;
}

function foundBy({ kind, rule, how_many }: Attributes<"finding">): Html {
  const count = how_many > 1 && `, ${texts.count.elements(how_many)}`;
  return html`<span class="block">${titleOf(kind)}${rule && html` <code>${rule}</code>`}${count}</span>`;
}

/** How the findings of a rule are mended, by its guide. */
export function remedy({ href }: Pick<PageContext, "href">, { guide, parts }: RenderedGuide): Html {
  const source = ({ source: text }: { source: string }) => html`<pre class="source"><code>${text}</code></pre>`;
  const kind: CheckKind = guide.kind;
  return html`${guideText(parts.at(-1)?.html ?? "")}
    <div class="grid pair">
      <div class="grid close"><p>${icon("failed")} ${texts.guide.before}</p>${source(guide.before)}</div>
      <div class="grid close"><p>${icon("passed")} ${texts.guide.after}</p>${source(guide.after)}</div>
    </div>
    <p><a href=${href(`/guides/${kind}/${guide.rule}`)}>${texts.issue.wholeGuide}</a></p>`;
}

function helpLinks({ findings }: Fault): Html {
  const urls = new Set(findings.flatMap(({ attributes }) => attributes.help_url ?? []));
  return [...urls].map((url) => html`<p>${externalLink(url, texts.issue.howToFix)}</p>`);
}

/** What an engine says about this element, beyond the guide. */
function failureSummaries({ findings }: Fault): Html {
  return findings.map(
    ({ attributes: { element: found } }) =>
      found?.failure_summary && html`<p class="fix quiet">${found.failure_summary}</p>`,
  );
}

function muteLink({ href, params, path }: PageContext, { component, url, title }: Attributes<"finding">): Html {
  const query = { component, url_match: `//${new URL(url).host}/`, report_id: params.report_id, next: path };
  return html`<a class="button quiet" href=${href("/mutings/new", query)} aria-label=${`${texts.issue.mute}: ${title}`}>${icon("mute")} ${texts.issue.mute}</a>`;
}
