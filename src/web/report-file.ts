import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { searchOf } from "./api.ts";
import type { CommonA11yIssue, CommonHtmlIssue, Component, Many, One, Report, Resource, WebPage } from "./documents.ts";
import { type Html, html, render } from "./html.ts";
import { criteria, element, typeBadge } from "./parts/finding.ts";
import { comparison, facts, failure, gate, severity, summary } from "./parts/report-sections.ts";
import { table } from "./parts/table.ts";
import { address, amount, outside, time } from "./parts/text.ts";
import { formatNumber, texts } from "./texts/en.ts";

/** Reads a document of the API by its path below `/api/v1`, with its query. */
export type Source = { get<Document>(path: string): Promise<Document> };

/** A file is read by people: what is beyond these numbers is counted. */
const MAX_RULES = 300;
const MAX_ELEMENTS = 20;
const MAX_PAGES = 50;
const MAX_COMPONENTS = 20;
const MAX_FAILED = 500;

const t = texts.reportFile;

/** A rule with its findings, whichever messages it has. */
type Rule = {
  anchor: string;
  kind: "html" | "a11y";
  rule: string | null;
  title: string;
  type: "error" | "warning";
  outside: boolean;
  howMany: number;
  pages: number;
  issues: Resource<Partial<CommonA11yIssue> & Omit<CommonHtmlIssue, "message" | "issue_type">>[];
};

/**
 * A report that has ended as one HTML file, piece by piece: it loads nothing, needs no script, and prints. The whole
 * is not in memory at any time.
 *
 * @param options.now when the file is made
 * @param options.linksToPages whether the site will still be where it was checked
 */
export async function* reportFile(
  source: Source,
  reportId: string,
  { now, linksToPages }: { now: Date; linksToPages: boolean },
): AsyncGenerator<string> {
  const linkTo = linksToPages ? (url: string) => outside(url) : (url: string) => address(url);
  const root = `/reports/${reportId}`;
  const { data } = await source.get<One<Report>>(root);
  const report = data.attributes;
  const rules = [
    ...(report.checks.a11y
      ? rulesOf("a11y", await all<CommonA11yIssue>(source, `${root}/common_a11y_issues`, "impact-desc"))
      : []),
    ...(report.checks.html
      ? rulesOf("html", await all<CommonHtmlIssue>(source, `${root}/common_html_issues`, "how_many-desc"))
      : []),
  ];
  const shown = rules.slice(0, MAX_RULES);
  const style = await readFile(new URL("./assets/style.css", import.meta.url), "utf8");
  const digest = createHash("sha256").update(style).digest("base64");
  yield `<!doctype html>
<html lang="${texts.language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${digest}'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${render(html`<title>${report.starting_url} – ${texts.product}</title>`)}
<style>${style}</style>
</head>
<body>
<main>
`;
  yield part(head(report, now, linksToPages));
  yield part(overview(shown, rules.length));
  if (report.num_pages > 1) yield part(components(await componentsOf(source, root)));
  for (const rule of shown) yield part(await ruleSection(source, root, rule, linkTo));
  yield part(failures(await list<WebPage>(source, `${root}/web_pages`, { "filter[status]": "failed" }, MAX_FAILED)));
  yield "</main>\n</body>\n</html>\n";
}

function part(content: Html): string {
  return `${render(content)}\n`;
}

function head(report: Report, now: Date, linksToPages: boolean): Html {
  const made = now.toISOString().slice(0, 19);
  return html`<h1>${report.starting_url}</h1>
    <p class="hint">${t.made} ${time(made)}</p>
    ${facts(report, linksToPages)} ${report.failure && failure(report)} ${summary(report, (kind) => `#${kind}`)} ${gate(report)}
    ${comparison(report)} ${severity(report)}`;
}

/** The rules with links to their sections, the worst first. */
function overview(rules: readonly Rule[], total: number): Html {
  const { columns: c } = texts.issues;
  const left = total - rules.length;
  return (["a11y", "html"] as const).map((kind) => {
    const ofKind = rules.filter((rule) => rule.kind === kind);
    if (ofKind.length === 0) return null;
    const title = `${texts.report.kinds[kind]}: ${texts.count.rules(ofKind.length)}`;
    return html`<section aria-labelledby=${kind}>
      <h2 id=${kind}>${title}</h2>
      ${table<Rule>({
        caption: title,
        hideCaption: true,
        rows: ofKind,
        columns: [
          {
            title: c.rule,
            header: true,
            cell: ({ type, outside: isOutside, anchor, title: name }) =>
              html`${typeBadge(type, isOutside)} <a href=${`#${anchor}`}>${name}</a>`,
          },
          { title: c.findings, numeric: true, cell: ({ howMany }) => amount(howMany) },
          { title: c.pages, numeric: true, cell: ({ pages }) => amount(pages) },
        ],
      })}
      ${left > 0 && html`<p class="hint">${texts.count.others(left)}</p>`}
    </section>`;
  });
}

function components({ data }: { data: readonly Resource<Component>[] }): Html {
  const repeated = data.filter(({ attributes }) => attributes.num_pages > 1);
  if (repeated.length === 0) return null;
  return html`<section aria-labelledby="components">
    <h2 id="components">${texts.issues.components}</h2>
    <p class="hint">${texts.issues.componentsWhat}</p>
    <ol class="cards">
      ${repeated.map(({ attributes }) => html`<li><h3>${attributes.message}</h3>${componentBody(attributes)}</li>`)}
    </ol>
  </section>`;
}

function componentBody(component: Component): Html {
  const { issue_type, outside_standard, how_many, num_pages, element: found } = component;
  return html`<p>
      ${typeBadge(issue_type, outside_standard)}
      ${texts.issues.mends(texts.count.findings(how_many), texts.count.pages(num_pages))}
    </p>
    ${found && element(found)}`;
}

async function ruleSection(source: Source, root: string, rule: Rule, linkTo: (url: string) => Html): Promise<Html> {
  const [issue] = rule.issues;
  const { attributes } = issue ?? {};
  const found = rule.rule
    ? await list<Component>(source, `${root}/components`, { "filter[rule]": rule.rule }, MAX_ELEMENTS)
    : { data: [], total: 0 };
  const pages = issue
    ? await list<WebPage>(
        source,
        `${root}/web_pages`,
        { [`filter[common_${rule.kind}_issue_id]`]: issue.id },
        MAX_PAGES,
      )
    : { data: [], total: 0 };
  return html`<section class="rule" aria-labelledby=${rule.anchor}>
    <h2 id=${rule.anchor}>${rule.title}</h2>
    <ul class="facts">
      <li>${typeBadge(rule.type, rule.outside)}</li>
      <li>${texts.count.findings(rule.howMany)}, ${texts.count.pages(rule.pages)}</li>
      ${rule.rule && html`<li><code>${rule.rule}</code></li>`}
      ${attributes?.success_criteria?.length ? html`<li>${criteria(attributes.success_criteria)}</li>` : null}
      ${attributes?.help_url && html`<li>${outside(attributes.help_url, texts.issue.standard)}</li>`}
    </ul>
    ${attributes?.description_html && html`<div class="guide" dangerouslySetInnerHTML=${{ __html: attributes.description_html }}></div>`}
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
    ${left(found)}
    <h3>${texts.issue.pages}</h3>
    <ul class="list">${pages.data.map(({ attributes: page }) => html`<li>${linkTo(page.url)}</li>`)}</ul>
    ${left(pages)}
  </section>`;
}

function failures({ data, total }: { data: readonly Resource<WebPage>[]; total: number }): Html {
  if (total === 0) return null;
  return html`<section aria-labelledby="failed">
    <h2 id="failed">${texts.failed.failed}: ${formatNumber(total)}</h2>
    <ul class="list">
      ${data.map(({ attributes: page }) => {
        const details = [page.html_check, page.a11y_check].flatMap((check) => check?.failure?.detail ?? []);
        return html`<li>${address(page.url)}<br /><span class="hint">${[...new Set(details)].join(" ")}</span></li>`;
      })}
    </ul>
    ${left({ data, total })}
  </section>`;
}

function left({ data, total }: { data: readonly unknown[]; total: number }): Html {
  return total > data.length ? html`<p class="hint">${texts.count.others(total - data.length)}</p>` : null;
}

/** Common issues by rule: an engine has several messages for some. */
function rulesOf(kind: Rule["kind"], issues: readonly Resource<CommonHtmlIssue | CommonA11yIssue>[]): Rule[] {
  const byRule = Map.groupBy(issues, ({ id, attributes }) => attributes.rule ?? `message ${id}`);
  return [...byRule.values()].map((ofRule, index) => {
    const [first] = ofRule.map(({ attributes }) => attributes);
    const titleOf = (issue: CommonHtmlIssue | CommonA11yIssue) => ("help" in issue ? issue.help : issue.message);
    const sum = (number: (issue: CommonHtmlIssue | CommonA11yIssue) => number) =>
      ofRule.reduce((total, { attributes }) => total + number(attributes), 0);
    const isReview = first !== undefined && "review" in first && first.review;
    return {
      ...{ anchor: `${kind}-${index + 1}`, kind, rule: first?.rule ?? null },
      title: first ? (ofRule.length === 1 ? titleOf(first) : (first.rule ?? titleOf(first))) : "",
      type: first && "issue_type" in first ? first.issue_type : isReview ? "warning" : "error",
      outside: first !== undefined && "outside_standard" in first && first.outside_standard,
      howMany: sum(({ how_many }) => how_many),
      pages: Math.max(...ofRule.map(({ attributes }) => attributes.num_pages)),
      issues: ofRule as Rule["issues"],
    };
  });
}

async function componentsOf(source: Source, root: string): Promise<{ data: Resource<Component>[]; total: number }> {
  return list<Component>(source, `${root}/components`, {}, MAX_COMPONENTS);
}

/** The first entries of a list, and how many there are. */
async function list<Attributes>(source: Source, path: string, query: Record<string, string>, most: number) {
  const data: Resource<Attributes>[] = [];
  for (let number = 1; ; number += 1) {
    const page = { ...query, "page[size]": String(Math.min(100, most)), "page[number]": String(number) };
    const found = await source.get<Many<Attributes>>(`${path}?${searchOf(page)}`);
    data.push(...found.data);
    if (!found.links.next || data.length >= most) return { data: data.slice(0, most), total: found.meta.total };
  }
}

async function all<Attributes>(source: Source, path: string, sort: string): Promise<Resource<Attributes>[]> {
  return (await list<Attributes>(source, path, { sort }, 1_000)).data;
}
