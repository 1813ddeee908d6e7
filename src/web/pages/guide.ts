import type { List } from "../../api/documents.ts";
import { checkKinds, manifestOf } from "../../checks/kinds.ts";
import { RequestError } from "../../domain/errors.ts";
import { understandingUrl } from "../../domain/findings/success-criteria.ts";
import type { Guide } from "../../domain/guides/guide.ts";
import type { Api } from "../api.ts";
import { guidePath } from "../guides/guide-list.ts";
import { sectionName } from "../guides/section-name.ts";
import { type Html, html } from "../html.ts";
import type { PageContext, PageRoute, View } from "../page.ts";
import { bar } from "../parts/chart.ts";
import { titleOf } from "../parts/finding.ts";
import { guideText } from "../parts/guide-text.ts";
import { icon } from "../parts/icon.ts";
import { siteName } from "../parts/site-name.ts";
import { externalLink } from "../parts/text.ts";
import { formatNumber, texts } from "../texts/en.ts";
import { errorView, meantAddress } from "./error.ts";

const t = texts.guide;

/**
 * The guide to a rule, to which issues link. The rule's name may have a slash. It is for everybody, and tells a reader who
 * has signed in where the rule was found.
 */
export const guidePage: PageRoute = { path: "/guides/:kind/*rule", access: "public", read };

async function read(context: PageContext): Promise<View> {
  const { params, guides, href } = context;
  const kind = checkKinds.find((name) => name === params.kind);
  const all = await guides();
  const found = kind && all.get(kind, params.rule ?? "");
  if (!found) return errorView(notFound(), undefined, meantAddress(context, all.list().map(guidePath)));
  const { guide, parts } = found;
  const source = (title: string, name: "failed" | "passed", text: string) =>
    html`<div class="grid close"><div class="line near">${icon(name)} <h2>${title}</h2></div><pre class="source"><code>${text}</code></pre></div>`;
  const content = html`<article class="grid split">
    <div class="grid">
      ${parts.map((part) => html`<section class="card grid close"><h2>${part.heading}</h2>${guideText(part.html)}</section>`)}
      <div class="card grid pair">${source(t.before, "failed", guide.before.source)} ${source(t.after, "passed", guide.after.source)}</div>
    </div>
    <div class="grid">
      ${context.own && (await inMySites(context.own, context, guide))}
      <section class="card grid close">
        <h2>${t.about}</h2>
        <dl class="facts">
          <div><dt>${t.kind}</dt><dd>${titleOf(guide.kind)}</dd></div>
          <div><dt>${t.rule}</dt><dd><code>${guide.rule}</code></dd></div>
          <div><dt>${t.engine}</dt><dd>${guide.engine}</dd></div>
        </dl>
        ${manifestOf(guide.kind).hasStandards && guide.criteria.length === 0 && html`<p>${t.goodPractice}</p>`}
      </section>
      <section class="card grid close">
        <h2>${t.readMore}</h2>
        <ul>${references(guide).map((reference) => html`<li>${reference}</li>`)}</ul>
      </section>
    </div>
  </article>`;
  const crumbs = [{ text: texts.guides.title, to: href("/guides") }];
  return { title: guide.title, crumbs, content, isForEverybody: true };
}

/** The most sites that are listed. */
const SITES = 10;

/** How often the rule was found in the newest reports of the reader's sites. Each leads to what was found. */
async function inMySites(api: Api, { href }: PageContext, { kind, rule }: Guide): Promise<Html> {
  const query = { "filter[kind]": kind, "filter[rule]": rule, "page[size]": String(SITES) };
  const { data, meta } = await api.get<List<"site_rule">>("/site_rules", query);
  if (data.length === 0)
    return html`<section class="card grid close" aria-labelledby="mine"><h2 id="mine">${t.mine}</h2><p class="quiet">${t.nowhere}</p></section>`;
  const most = Math.max(...data.map(({ attributes }) => attributes.how_many));
  return html`<section class="card grid close" aria-labelledby="mine">
    <div class="line"><h2 id="mine">${t.mine}</h2><span class="quiet small push">${t.mineColumns}</span></div>
    <ul class="tree">
      ${data.map(({ attributes: { name, starting_url, report_id, how_many, num_pages }, relationships }) => {
        const issue = relationships.common_issue.links.related.split("/").at(-1);
        return html`<li><a href=${href(`/reports/${report_id}/issues/${kind}/${issue}`)}>
          <span class="url">${siteName({ name, starting_url })}</span>${bar({ value: how_many, kind: "markup" }, most)}<b class="n">${formatNumber(how_many)}</b><span class="n quiet">${formatNumber(num_pages)}</span>
        </a></li>`;
      })}
    </ul>
    ${meta.total > data.length && html`<p class="quiet">${texts.count.others(meta.total - data.length)}</p>`}
  </section>`;
}

function references({ section, criteria, act }: Guide): Html[] {
  const understanding = criteria.map((criterion) => {
    const { number, title, level } = criterion;
    return externalLink(understandingUrl(criterion), t.understanding(`${number} ${title}`, level));
  });
  const rules = act.map(({ id, url }) => externalLink(url, t.actRule(id)));
  return [...(section === undefined ? [] : [externalLink(section, sectionName(section))]), ...understanding, ...rules];
}

function notFound(): RequestError {
  const detail = "There is no guide to this rule.";
  return new RequestError({ status: 404, code: "not_found", title: "Not found", detail });
}
