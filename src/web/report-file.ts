import type { CursorList, One, Resource } from "../api/documents.ts";
import type { Guides } from "../domain/guides/guides.ts";
import type { Api } from "./api.ts";
import { fileFrame } from "./file-frame.ts";
import { type Html, html, render } from "./html.ts";
import type { PageContext } from "./page.ts";
import { faultsOf } from "./page-findings/faults.ts";
import { readConsequences } from "./page-findings/read-consequences.ts";
import { address, externalLink } from "./parts/text.ts";
import { createFileContext, type Source } from "./report-file/file-context.ts";
import { readFirst } from "./report-file/lists.ts";
import { elementsOf, pagesOf, rulesOf } from "./report-file/rules.ts";
import { failures, head, left, muted, overview, pageSection, ruleSection } from "./report-file/sections.ts";
import { formatBytes, texts } from "./texts/en.ts";

/** People read the file: rules beyond this number are only counted. */
const MAX_RULES = 300;
/** Pages that are looked at for errors in their text. */
const MAX_LISTED = 1_000;
const MAX_ELEMENTS = 20;
const MAX_FAILED = 500;
const MAX_MUTINGS = 500;
/** Of the pages with the most errors, and of what is to be repaired on each. */
const MAX_PAGES = 100;
const MAX_FINDINGS = 20;
/** Of all pictures together, as mail accepts them with the rest of the file. */
const MAX_PICTURES = 8_000_000;

/**
 * A report that has ended as one HTML file, piece by piece, of the same parts as its pages. The file loads nothing, needs
 * no script and can be printed. It is never in memory as a whole.
 *
 * @param options.now when the file is made
 * @param options.linksToPages whether the site will still be where it was checked
 * @param options.mostPictures in bytes; more are only counted
 */
export async function* reportFile(
  source: Source,
  reportId: string,
  options: { now: Date; linksToPages: boolean; guides: () => Promise<Guides>; mostPictures?: number },
): AsyncGenerator<string> {
  const { now, linksToPages, guides, mostPictures = MAX_PICTURES } = options;
  const linkTo = linksToPages ? (url: string) => externalLink(url) : (url: string) => address(url);
  const root = `/reports/${reportId}`;
  const anchors = new Map<string, string>();
  const { context, addAnchor, leftOut } = createFileContext(
    source,
    reportId,
    { now, guides, mostBytes: mostPictures },
    (document) => {
      for (const { id, type, attributes } of fixesIn(document)) {
        const anchor = anchors.get(`${attributes.kind} ${attributes.rule}`);
        if (anchor !== undefined) addAnchor(`/${type}s/${id}`, anchor);
      }
    },
  );
  const { api } = context;
  const { data } = await api.get<One<"report">>(root);
  const report = data.attributes;
  const shown = await rulesOf(api, root, report, MAX_RULES);
  for (const { anchor, attributes } of shown.flatMap(({ rules }) => rules))
    anchors.set(`${attributes.kind} ${attributes.rule}`, anchor);
  const pages = await pagesToEdit(api, root);
  const failedPages = (isWithout: boolean) => {
    const query = { "filter[status]": "failed", "filter[without_page]": String(isWithout) };
    return readFirst<"web_page">(api, `${root}/web_pages`, query, MAX_FAILED);
  };
  const [failed, without] = [await failedPages(false), await failedPages(true)];
  addAnchor("/issues", "issues");
  addAnchor("/components", "issues");
  addAnchor("/causes", "issues");
  if (pages.total > 0) addAnchor("/pages", "by-page");
  if (report.comparison) addAnchor("/changes", "comparison");
  if (failed.total > 0) addAnchor("/failed", "failed");
  else if (without.total > 0) addAnchor("/failed", "without");
  const frame = await fileFrame(report.starting_url, { pictures: true });
  yield frame.start;
  yield part(await head(context, report, shown, linksToPages));
  yield part(overview(shown));
  for (const rule of shown.flatMap(({ rules }) => rules)) {
    const found = await elementsOf(api, root, rule, MAX_ELEMENTS);
    yield part(ruleSection(context, rule, found, await pagesOf(api, root, rule), linkTo));
  }
  if (pages.total > 0) {
    const { byPage, byPageWhat } = texts.editors;
    yield part(html`<div><h2 id="by-page">${byPage}</h2><p class="quiet">${byPageWhat}</p></div>`);
    for (const page of pages.data) yield part(await toEdit(context, page, linkTo));
    yield part(left(pages.data.length, pages.total, pages.isLeast));
  }
  yield part(failures(failed, { id: "failed", title: texts.failed.failed }));
  yield part(failures(without, { id: "without", title: texts.failed.withoutPage }));
  yield part(muted(await readFirst<"muting">(api, `${root}/mutings`, {}, MAX_MUTINGS)));
  const cut = leftOut();
  if (cut > 0) yield part(html`<p class="quiet">${texts.reportFile.pictures(cut, formatBytes(mostPictures))}</p>`);
  yield part(html`<p class="quiet">${texts.editors.limits}</p>`);
  yield "</main>\n</body>\n</html>\n";
}

/** The pages with errors in their text, those with the most errors first, and how many there are. */
async function pagesToEdit(api: Api, root: string) {
  const { data, total } = await readFirst<"web_page">(api, `${root}/web_pages`, { sort: "errors-desc" }, MAX_LISTED);
  const found = data.filter(({ attributes }) => attributes.faults.content > 0);
  return { data: found.slice(0, MAX_PAGES), total: found.length, isLeast: total > data.length };
}

async function toEdit(context: PageContext, page: Resource<"web_page">, linkTo: (url: string) => Html): Promise<Html> {
  const findings = await context.api.get<CursorList<"finding">>(`/reports/${context.params.report_id}/findings`, {
    ...{ "filter[web_page_id]": page.id, "filter[role]": "content", "page[size]": String(MAX_FINDINGS) },
    "filter[consequence]": "false",
  });
  const consequences = await readConsequences(context.api, context.params.report_id ?? "", page.id);
  return pageSection(context, await context.guides(), page, faultsOf(findings.data, consequences), linkTo);
}

/** What of a document is listed as something to fix, and leads to its rule. */
function fixesIn(document: unknown): Resource<"component" | "cause">[] {
  const { data } = document as { data: unknown };
  return Array.isArray(data) ? data.filter(({ type }) => type === "component" || type === "cause") : [];
}

function part(content: Html): string {
  return `${render(content)}\n`;
}
