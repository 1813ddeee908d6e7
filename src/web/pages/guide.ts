import { checkKinds, manifestOf } from "../../checks/kinds.ts";
import { RequestError } from "../../domain/errors.ts";
import { understandingUrl } from "../../domain/findings/success-criteria.ts";
import type { Guide } from "../../domain/guides/guide.ts";
import { sectionName } from "../guides/section-name.ts";
import { type Html, html } from "../html.ts";
import type { PageContext, PageRoute, View } from "../page.ts";
import { titleOf } from "../parts/finding.ts";
import { guideText } from "../parts/guide-text.ts";
import { externalLink } from "../parts/text.ts";
import { texts } from "../texts/en.ts";

const t = texts.guide;

/** The guide to a rule, to which issues link. The rule's name may have a slash. */
export const guidePage: PageRoute = { path: "/guides/:kind/*rule", access: "public", read };

async function read({ params, guides, href }: PageContext): Promise<View> {
  const kind = checkKinds.find((name) => name === params.kind);
  const found = kind && (await guides()).get(kind, params.rule ?? "");
  if (!found) throw notFound();
  const { guide, parts } = found;
  const content = html`<article>
    <ul class="line">
      <li>${titleOf(guide.kind)}</li>
      <li><span class="quiet">${t.rule}</span> <code>${guide.rule}</code></li>
      <li><span class="quiet">${t.engine}</span> ${guide.engine}</li>
    </ul>
    ${manifestOf(guide.kind).hasStandards && guide.criteria.length === 0 && html`<p>${t.goodPractice}</p>`}
    ${parts.map((part) => html`<h2>${part.heading}</h2>${guideText(part.html)}`)}
    <h2>${t.before}</h2>
    <pre class="source"><code>${guide.before.source}</code></pre>
    <h2>${t.after}</h2>
    <pre class="source"><code>${guide.after.source}</code></pre>
    <h2>${t.readMore}</h2>
    <ul>${references(guide).map((reference) => html`<li>${reference}</li>`)}</ul>
    <p><a href=${href("/guides")}>${t.all}</a></p>
  </article>`;
  return { title: guide.title, content, isForEverybody: true };
}

function references({ section, criteria }: Guide): Html[] {
  const understanding = criteria.map((criterion) => {
    const { number, title, level } = criterion;
    return externalLink(understandingUrl(criterion), t.understanding(`${number} ${title}`, level));
  });
  return [...(section === undefined ? [] : [externalLink(section, sectionName(section))]), ...understanding];
}

function notFound(): RequestError {
  const detail = "There is no guide to this rule.";
  return new RequestError({ status: 404, code: "not_found", title: "Not found", detail });
}
