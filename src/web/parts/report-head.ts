import type { Attributes, List } from "../../api/documents.ts";
import { tallyPages } from "../../domain/coverage/coverage.ts";
import type { ExportFormat } from "../../domain/export/exported.ts";
import { exportFormats } from "../../domain/export/formats.ts";
import { isEndPhase } from "../../schema/status.ts";
import { type Html, html } from "../html.ts";
import type { PageContext, View } from "../page.ts";
import { formatNumber, texts } from "../texts/en.ts";
import { mayWrite } from "./access.ts";
import { actionForm } from "./form.ts";
import { icon, menu } from "./icon.ts";
import { pinButton } from "./pin.ts";
import { isOwned, reportPath } from "./report.ts";
import { resultOf } from "./report-sections.ts";
import { siteName } from "./site-name.ts";
import { address, externalLink, time } from "./text.ts";
import { listBefore } from "./way-back.ts";

const t = texts.report;

export type ReportTab = "summary" | "issues" | "changes" | "pages" | "editors" | "failed";
/** What pages of a report have in common, above their content. */
export type ReportFrame = Pick<View, "heading" | "crumbs" | "about" | "tools" | "section" | "since"> & { tabs: Html };

/** The newest runs of the same starting URL. */
export async function siteOf({ api }: PageContext, url: string): Promise<SiteOfReport | undefined> {
  const { data } = await api.get<List<"site">>("/sites", { "filter[starting_url]": url });
  const found = data.find(({ attributes }) => attributes.starting_url === url);
  return found && { id: found.id, ...found.attributes };
}

/** A site with its id. */
export type SiteOfReport = Attributes<"site"> & { id: string };

/**
 * Where the reader is, what can be done with the report, and links to its parts.
 *
 * @param site the runs of the site, for its owner
 */
export function reportFrame(
  context: PageContext,
  report: Attributes<"report">,
  current: ReportTab,
  site?: SiteOfReport,
): ReportFrame {
  const owned = isOwned(context, report);
  const ended = isEndPhase(report.phase);
  const again = () =>
    actionForm(context, `/reports/${context.params.report_id}/again`, html`${icon("again")} ${t.again}`);
  return {
    heading: site ? html`<a href=${context.href(`/sites/${site.id}`)}>${siteName(site)}</a>` : report.starting_url,
    ...(owned ? { crumbs: [{ text: texts.sites.title, to: context.href("/") }] } : {}),
    about: externalLink(
      report.starting_url,
      html`${site && site.name !== null && html`<span class="quiet">${address(site.starting_url)}</span>`} ${icon("out", t.openSite)}`,
    ),
    tools: html`${owned && site && runPicker(context, report, site)} ${owned && ended && current === "summary" && pinButton(context, report)} ${owned && share(context, report)} ${ended && exports(context)}
    ${owned && ended && again()}`,
    section: "sites",
    since:
      context.query.get("done") === "muted" &&
      html`<p>${t.resultNow} ${resultOf({ ...report, passed: report.passed_now, gate_results: report.gate_results_now })}</p>`,
    tabs: tabs(context, report, current),
  };
}

/** The same with the runs of the site, which its owner may see. */
export async function readFrame(
  context: PageContext,
  report: Attributes<"report">,
  current: ReportTab,
): Promise<ReportFrame> {
  const site = isOwned(context, report) ? await siteOf(context, report.starting_url) : undefined;
  return reportFrame(context, report, current, site);
}

/** Of a page below a tab: the report is one of the pages above it, and the page has its own title and actions. */
export async function frameBelow(
  context: PageContext,
  report: Attributes<"report">,
  current: ReportTab,
  tools?: Html,
): Promise<Omit<ReportFrame, "heading" | "about">> {
  const { crumbs = [], tabs, section, since } = reportFrame(context, report, current);
  const site = isOwned(context, report) ? await siteOf(context, report.starting_url) : undefined;
  const to = context.href(reportPath(context));
  const list = listBefore(context);
  return {
    ...{ crumbs: [...crumbs, { text: site ? siteName(site) : report.starting_url, to }, ...(list ? [list] : [])] },
    ...{ tabs, section, since, tools },
  };
}

function tabs(context: PageContext, report: Attributes<"report">, current: ReportTab): Html {
  const { comparison, coverage, num_pages } = report;
  // As the summary and the page have it: what was left out is another number there.
  const notChecked = coverage ? tallyPages(coverage).failed : 0;
  const newErrors = comparison?.states.new.errors ?? 0;
  const counts: Partial<Record<ReportTab, string | false>> = {
    changes: newErrors > 0 && `${formatNumber(newErrors)} ${texts.states.new}`,
    pages: num_pages > 0 && formatNumber(num_pages),
    failed: notChecked > 0 && formatNumber(notChecked),
  };
  return html`<nav class="tabs" aria-label=${t.parts}>
    <ul class="line">
      ${(Object.keys(t.tabs) as ReportTab[]).map(
        (tab) =>
          html`<li>
            <a href=${context.href(reportPath(context, tab === "summary" ? "" : `/${tab}`))} aria-current=${tab === current ? "page" : undefined}>${t.tabs[tab]}</a>
            ${counts[tab] && html` <span class="quiet">${counts[tab]}</span>`}
          </li>`,
      )}
    </ul>
  </nav>`;
}

/** Links to the runs before and after this one, and to all that are known. */
function runPicker(
  { href, params }: PageContext,
  report: Attributes<"report">,
  { id, runs, num_reports }: SiteOfReport,
): Html {
  const at = runs.findIndex(({ report_id }) => report_id === params.report_id);
  const beside = (index: number, name: "previous" | "next") => {
    const run = at < 0 ? undefined : runs[index];
    return (
      run &&
      html`<a class="button quiet" href=${href(`/reports/${run.report_id}`)} aria-label=${t.runs[name]}>${icon(name)}</a>`
    );
  };
  const list = html`<ul class="choices">
    ${[...runs]
      .reverse()
      .map(
        ({ report_id, inserted_at }) =>
          html`<li><a href=${href(`/reports/${report_id}`)} aria-current=${report_id === params.report_id ? "true" : undefined}>${time(inserted_at)}</a></li>`,
      )}
    <li><a href=${href(`/sites/${id}`)}>${t.allRuns(num_reports)}</a></li>
  </ul>`;
  return html`${beside(at - 1, "previous")} ${menu(html`${time(report.inserted_at)} ${icon("down")}`, list)} ${beside(at + 1, "next")}`;
}

function share(context: PageContext, { shared }: Attributes<"report">): Html {
  if (!mayWrite(context)) return null;
  const id = context.params.report_id;
  const fields = html`<input type="hidden" name="shared" value=${String(!shared)} />`;
  const button = shared ? t.unshare : t.shareNow;
  return menu(
    html`${icon("share")} ${t.share}`,
    html`<p>${shared ? t.shared : t.shareWhat}</p>
      ${shared && html`<p>${address(t.shareLink, context.href(`/r/${id}`))}</p>`}
      ${actionForm(context, `/reports/${id}/share`, button, { quiet: shared, fields })}
      <p><a href=${context.href("/share-links", { report_id: id })}>${texts.shareLinks.withEnd}</a></p>`,
  );
}

function exports(context: PageContext): Html {
  return menu(
    html`${icon("export")} ${t.exports}`,
    html`<ul class="choices">
      <li><a download href=${context.href(reportPath(context, "/export.html"))}>${t.exportFile}</a></li>
      ${Object.entries<ExportFormat>(exportFormats).map(([format, { label = format.toUpperCase() }]) => html`<li><a download href=${context.href(reportPath(context, `/export.${format}`))}>${label}</a></li>`)}
    </ul>`,
  );
}
