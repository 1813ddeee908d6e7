import type { Attributes, List, Resource } from "../../api/documents.ts";
import { isEndPhase } from "../../schema/status.ts";
import { type Html, html } from "../html.ts";
import type { PageContext } from "../page.ts";
import { runBars } from "../plot/run-bars.ts";
import { formatNumber, formatShare, texts } from "../texts/en.ts";
import { bar } from "./chart.ts";
import { noticesSoFar } from "./coverage.ts";
import { crop } from "./crop.ts";
import { confirmForm } from "./form.ts";
import { icon } from "./icon.ts";
import { errorsOf } from "./page-checks.ts";
import { perPage } from "./rates.ts";
import { isOwned, pagePathOf, reportPath, totalsOf, verdict } from "./report.ts";
import { table } from "./table.ts";
import { address, ago, duration, milliseconds, shortTime } from "./text.ts";

const t = texts.live;
const REST = texts.report;
/** Rules and pages that are listed, and findings that are shown with their picture. */
const SHOWN = { rules: 8, pages: 9, found: 3 };

type Progress = Attributes<"progress">;
type Page = Resource<"web_page">;

/** What the page of a report shows while that runs: how far it is, above what it has found so far. */
export type Live = { head: Html; found: Html; beside: Html };

export async function readLive(context: PageContext, report: Attributes<"report">, progress: Progress): Promise<Live> {
  const { api } = context;
  const root = `/reports/${context.params.report_id}`;
  const [rules, last] = await Promise.all([
    api.get<List<"report_rule">>(`${root}/rules`, { "filter[issue_type]": "error", "page[size]": `${SHOWN.rules}` }),
    api.get<List<"web_page">>(`${root}/web_pages`, { sort: "last_checked-desc", "page[size]": `${SHOWN.pages}` }),
  ]);
  const ended = last.data.filter(({ attributes }) => attributes.last_checked_at !== null);
  return {
    head: head(context, report, progress),
    found: html`<section class="card flush" aria-labelledby="so-far">
      <div class="tools line"><h2 id="so-far">${t.soFar}</h2><p class="push quiet">${t.sum(totalsOf(report).errors, rules.meta.total)}</p></div>
      ${rules.data.length > 0 && ruleRows(context, rules.data)}
      ${await justFound(context, ended)}
    </section>`,
    beside: [rates(progress), ended.length > 0 && lastPages(context, ended)],
  };
}

/** How far a report is, and how long it may take. */
function head(context: PageContext, report: Attributes<"report">, progress: Progress): Html {
  const { pages, pages_per_minute, seconds_left, all_pages_found, comparing, notices } = progress;
  const { errors } = totalsOf(report);
  const done = pages.checked + pages.failed;
  const limit = report.max_pages > 0 && REST.limitOf(formatNumber(report.max_pages));
  const tiles: { name: string; figure: string; what: Html }[] = [
    { name: REST.found, figure: formatNumber(pages.found), what: limit },
    { name: t.checked, figure: formatNumber(pages.checked), what: formatShare(pages.checked, pages.found) },
    { name: t.notChecked, figure: formatNumber(pages.failed), what: null },
    { name: t.rate, figure: pages_per_minute === null ? "–" : formatNumber(pages_per_minute), what: t.perMinute },
    {
      name: t.errors,
      figure: formatNumber(errors),
      what: pages.checked > 0 && REST.tiles.perPage(perPage(errors, pages.checked)),
    },
  ];
  return html`<section class="card grid" aria-labelledby="progress">
    <div class="line">
      <h2 id="progress" class="verdict">${verdict(report)} <b>${t.pagesChecked(done, pages.found)}</b></h2>
      <p class="quiet" role="status">${comparing ? REST.comparing : seconds_left !== null && timeLeft(seconds_left, all_pages_found)}</p>
      <div class="push">${isOwned(context, report) && cancel(context, report)}</div>
    </div>
    <progress aria-labelledby="progress" value=${done} max=${Math.max(1, pages.found)}></progress>
    ${phases(all_pages_found, comparing)}
    <dl class="tiles">${tiles.map(({ name, figure, what }) => html`<div><dt class="quiet">${name}</dt><dd><b class="figure">${figure} ${what && html`<span class="quiet">${what}</span>`}</b></dd></div>`)}</dl>
    ${noticesSoFar(notices)}
    <p class="quiet when-script">${REST.live}</p>
    <noscript><p class="quiet">${REST.liveWithout}</p></noscript>
  </section>`;
}

/** What a report does one after the other, and where it is. */
function phases(allPagesFound: boolean, comparing: boolean): Html {
  const current = comparing ? 2 : allPagesFound ? 1 : 0;
  return html`<ol class="line phases">
    ${[REST.findPages, REST.checkPages, REST.compareRuns, REST.done].map(
      (name, index) =>
        html`<li class=${index < current ? "past" : undefined} aria-current=${index === current ? "step" : undefined}>
          ${index < current ? icon("passed") : index === current && icon("running")} ${name}
        </li>`,
    )}
  </ol>`;
}

/** In steps, so that screen readers do not read it out each second. A minimum while pages are still being found. */
export function timeLeft(seconds: number, allPagesFound: boolean): string {
  const step = 10;
  const left = duration(Math.max(step, Math.round(seconds / step) * step) * 1_000);
  return allPagesFound ? REST.remaining(left) : REST.remainingAtLeast(left);
}

/** The form that cancels a running report. */
function cancel(context: PageContext, report: Attributes<"report">): Html {
  if (report.cancelled || isEndPhase(report.phase)) return null;
  return confirmForm(context, `/reports/${context.params.report_id}/cancel`, {
    summary: REST.cancel,
    what: REST.cancelWhat,
    sure: REST.cancelSure,
  });
}

/** The rules with the most errors. The script says beside each how many came since it read the page before. */
function ruleRows(context: PageContext, rules: readonly Resource<"report_rule">[]): Html {
  const most = Math.max(...rules.map(({ attributes }) => attributes.how_many));
  return html`<ol class="rows tree named">
    ${rules.map(({ id, attributes: { title, impact, how_many, rules: named } }) => {
      const [first] = named;
      const to = context.href(reportPath(context, "/issues"), { rule: first?.rule ?? undefined, kind: first?.kind });
      return html`<li><a class="tools" href=${to}>
        <span>${impact ? icon(impact, texts.impacts[impact]) : icon("markup")} ${title}</span>
        ${bar({ value: how_many, kind: impact ?? "markup" }, most)}
        <b class="n" data-count=${id} data-value=${how_many}>${formatNumber(how_many)}</b>
        <span class="n bad" data-since=${id} data-words=${t.sinceUpdate}></span>
      </a></li>`;
    })}
  </ol>`;
}

/** An error of each of the pages that were checked last. */
async function justFound(context: PageContext, pages: readonly Page[]): Promise<Html> {
  const wrong = pages.filter(({ attributes }) => errorsOf(attributes) > 0).slice(0, SHOWN.found);
  const found = await Promise.all(
    wrong.map(async (page) => {
      const query = { "filter[web_page_id]": page.id, "filter[issue_type]": "error", "page[size]": "1" };
      const list = await context.api.get<List<"finding">>(`/reports/${context.params.report_id}/findings`, query);
      return list.data.map((finding) => ({ finding, page }));
    }),
  );
  if (found.flat().length === 0) return null;
  return html`<h3 class="group tools">${t.justFound}</h3>
    <ul class="fixes tools">
      ${found.flat().map(({ finding, page }) => {
        const { title, impact, component } = finding.attributes;
        const to = pagePathOf(context, finding);
        const picture = crop(context, finding);
        return html`<li>
          ${picture && html`<div>${picture}</div>`}
          <div class=${picture ? "grid close" : "grid close unpictured"}>
            <h4>${impact ? icon(impact, texts.impacts[impact]) : icon("markup")} ${title}</h4>
            <p>${address(page.attributes.url, to && context.href(to, { component }))}</p>
          </div>
          <p class="quiet n">${ago(page.attributes.last_checked_at ?? page.attributes.inserted_at, context.now)}</p>
        </li>`;
      })}
    </ul>`;
}

function rates({ rates: bars }: Progress): Html {
  if (bars.every(({ pages_per_minute }) => pages_per_minute === 0)) return null;
  const label = `${t.rates}: ${bars.map(({ pages_per_minute }) => pages_per_minute).join(", ")}`;
  const drawn = bars.map(({ at, pages_per_minute }) => ({ value: pages_per_minute, date: shortTime(at, "clock") }));
  return html`<section class="card grid close" aria-labelledby="rates"><h2 id="rates">${t.rates}</h2>${runBars(drawn, label)}</section>`;
}

function lastPages(context: PageContext, pages: readonly Page[]): Html {
  return html`<section class="card flush" aria-labelledby="last">
    <h2 id="last" class="tools">${t.lastPages}</h2>
    ${table<Page>({
      caption: t.lastPagesWhat,
      hideCaption: true,
      rows: pages,
      columns: [
        {
          title: texts.pages.columns.page,
          header: true,
          cell: ({ id, attributes: { url, last_checked_at } }) =>
            html`${address(url, context.href(reportPath(context, `/pages/${id}`)))} <span class="small quiet block">${last_checked_at && ago(last_checked_at, context.now)}</span>`,
        },
        {
          title: texts.report.summaryColumns.errors,
          numeric: true,
          cell: ({ attributes }) =>
            attributes.status === "failed" ? icon("alert", t.notChecked) : formatNumber(errorsOf(attributes)),
        },
        {
          title: t.took,
          numeric: true,
          cell: ({ attributes: { duration_ms } }) => (duration_ms === null ? "–" : milliseconds(duration_ms)),
        },
      ],
    })}
  </section>`;
}
