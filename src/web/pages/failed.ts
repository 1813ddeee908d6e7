import type { Attributes, List, One, Resource } from "../../api/documents.ts";
import { checkKinds, nounOf } from "../../checks/kinds.ts";
import { leftOutTexts } from "../../domain/coverage/left-out.ts";
import type { ExclusionReason, Failure } from "../../domain/failure.ts";
import { type Html, html } from "../html.ts";
import type { PageContext, View } from "../page.ts";
import { titleOf } from "../parts/finding.ts";
import { icon } from "../parts/icon.ts";
import { linkedFrom } from "../parts/linked-from.ts";
import { reportPath, reportRoutes } from "../parts/report.ts";
import { readFrame } from "../parts/report-head.ts";
import { pageQuery, pagination, table } from "../parts/table.ts";
import { address, externalLink } from "../parts/text.ts";
import { formatNumber, texts } from "../texts/en.ts";

const t = texts.failed;

export const failedPages = reportRoutes("/failed", read);

type FailedPage = Pick<Attributes<"web_page">, "url" | "linked_from" | "num_linked_from" | "linked_from_pages"> & {
  id: string;
  failures: { kind: string; failure: Failure }[];
};

/** As many addresses as are grouped by reason at once. */
const SIZE = 100;

async function read(context: PageContext): Promise<View> {
  const { api, params, query } = context;
  const root = `/reports/${params.report_id}`;
  const { data } = await api.get<One<"report">>(root);
  const failedPages = (isWithout: boolean, part: Record<string, string>) =>
    api.get<List<"web_page">>(`${root}/web_pages`, {
      ...{ "filter[status]": "failed", "filter[without_page]": String(isWithout) },
      ...part,
    });
  const failed = await failedPages(false, pageQuery(query, SIZE));
  const without = await failedPages(true, pageQuery(query, SIZE, "without"));
  const { meta: left } = await api.get<List<"excluded_url">>(`${root}/excluded_urls`, { "page[size]": "1" });
  const reasons = await leftOut(context, left.reasons);
  const excluded = Object.values(left.reasons).reduce((sum, count) => sum + count, 0);
  const { tabs, ...frame } = await readFrame(context, data.attributes, "failed");
  const content = html`<div>
    ${tabs}
    <p class="verdict">
      ${failed.meta.total > 0 && icon("alert")} <b>${t.couldNot(failed.meta.total)}</b>, ${without.meta.total > 0 && html`${t.withoutPageSaid(without.meta.total)}, `}${t.wereLeftOut(excluded)}.
    </p>
    <section class="card flush" aria-labelledby="failed">
      <h2 id="failed" class="group tools">${t.failed}: ${formatNumber(failed.meta.total)}</h2>
      ${failed.meta.total === 0 && html`<p class="tools">${t.failedNone}</p>`} ${ofPart(failed)}
      ${byReason(failed.data.map(failedPage), reasonOf).map(([reason, alike]) => group(reason, alike.length, failedTable(context, alike, reason), true))}
      <div class="tools">${pagination(context, t.failed, failed.meta, { size: SIZE })}</div>
    </section>
    ${
      without.meta.total > 0 &&
      html`<section class="card flush" aria-labelledby="without">
        <h2 id="without" class="group tools">${t.withoutPage}: ${formatNumber(without.meta.total)}</h2>
        ${ofPart(without)}
        ${byReason(without.data.map(failedPage), reasonOf).map(([reason, alike]) => group(reason, alike.length, failedTable(context, alike, reason), true))}
        <div class="tools">${pagination(context, t.withoutPage, without.meta, { name: "without", size: SIZE, section: "without" })}</div>
      </section>`
    }
    <section class="card flush" aria-labelledby="excluded">
      <h2 id="excluded" class="group tools">${t.excluded}: ${formatNumber(excluded)}</h2>
      ${excluded === 0 && html`<p class="tools">${t.excludedNone}</p>`}
      ${reasons.map(({ reason, list, isOpen }) => group(whyLeftOut(reason), list.meta.total, html`${excludedTable(list, whyLeftOut(reason))} ${restOf(context, reason, list, isOpen)}`, false, isOpen))}
    </section>
  </div>`;
  return { ...frame, title: `${t.title}: ${data.attributes.starting_url}`, content };
}

function failedPage({ id, attributes: page }: Resource<"web_page">): FailedPage {
  const failures = checkKinds.flatMap((kind) => {
    const failure = page[`${nounOf(kind)}_check`]?.failure;
    return failure ? [{ kind: titleOf(kind), failure }] : [];
  });
  return { id, ...page, failures };
}

/** As many addresses of each reason as are shown before somebody asks for all of one. */
const FIRST = 25;
type LeftOut = { reason: ExclusionReason; list: List<"excluded_url">; isOpen: boolean };

/** What was left out, the most frequent reason first: of the one that the address names a part, of others the first few. */
async function leftOut(
  { api, params, query }: PageContext,
  reasons: Partial<Record<string, number>>,
): Promise<LeftOut[]> {
  const names = (Object.keys(reasons) as ExclusionReason[]).toSorted((a, b) => (reasons[b] ?? 0) - (reasons[a] ?? 0));
  return Promise.all(
    names.map(async (reason): Promise<LeftOut> => {
      const isOpen = query.get("reason") === reason;
      const part = isOpen ? pageQuery(query, SIZE, "excluded") : { "page[size]": String(FIRST) };
      const list = await api.get<List<"excluded_url">>(`/reports/${params.report_id}/excluded_urls`, {
        "filter[reason]": reason,
        ...part,
      });
      return { reason, list, isOpen };
    }),
  );
}

/** The way to the others of a reason. */
function restOf(context: PageContext, reason: ExclusionReason, { data, meta }: LeftOut["list"], isOpen: boolean): Html {
  if (isOpen)
    return html`<div class="tools">${pagination(context, t.excluded, meta, { name: "excluded", size: SIZE, section: "excluded" })}</div>`;
  return (
    meta.total > data.length &&
    html`<p class="tools"><a href=${`${context.href(context.path, { reason })}#excluded`}>${t.allOf(meta.total)}</a></p>`
  );
}

/** Says that reasons are counted of a part of the list, where it has others. */
function ofPart({ data, meta }: { data: readonly unknown[]; meta: { total: number } }): Html {
  return data.length < meta.total && html`<p class="tools quiet">${t.countedOf(data.length, meta.total)}</p>`;
}

/** What is listed, by why it was not checked: the most frequent reason first. */
function byReason<Row>(rows: readonly Row[], reasonOfRow: (row: Row) => string): [reason: string, rows: Row[]][] {
  return [...Map.groupBy(rows, reasonOfRow)].sort(([, a], [, b]) => b.length - a.length);
}

/** Why a page failed, or several reasons of its checks. */
function reasonOf({ failures }: FailedPage): string {
  return [...new Set(failures.map(({ failure }) => t.reasons[failure.code] ?? failure.code))].join(" ");
}

function group(reason: string, count: number, content: Html, isAlert: boolean, isOpen = isAlert): Html {
  return html`<details class="reason" open=${isOpen || undefined}>
    <summary class="line"><span>${icon(isAlert ? "alert" : "ended")} ${reason}</span> <b class="n push">${formatNumber(count)}</b></summary>
    ${content}
  </details>`;
}

function failedTable(context: PageContext, rows: readonly FailedPage[], reason: string): Html {
  return table<FailedPage>({
    caption: `${t.failed}: ${reason}`,
    hideCaption: true,
    rows,
    columns: [
      {
        title: t.columns.address,
        header: true,
        cell: ({ id, url }) => address(url, context.href(reportPath(context, `/pages/${id}`))),
      },
      { title: t.columns.why, cell: ({ failures }) => reasons(failures) },
      { title: t.columns.from, cell: (page) => linkedFrom(page, externalLink) ?? "–" },
    ],
  });
}

/** Why a page failed: one text if all engines failed for the same reason. */
function reasons(failures: FailedPage["failures"]): Html {
  const details = new Set(failures.map(({ failure }) => failure.detail ?? t.reasons[failure.code] ?? failure.code));
  if (details.size === 1) return [...details][0];
  return html`<ul class="rows">${failures.map(({ kind, failure }) => html`<li>${kind}: ${failure.detail ?? t.reasons[failure.code]}</li>`)}</ul>`;
}

function whyLeftOut(reason: ExclusionReason): string {
  const { clause } = leftOutTexts[reason];
  return `${clause.charAt(0).toUpperCase()}${clause.slice(1)}.`;
}

function excludedTable({ data }: LeftOut["list"], reason: string): Html {
  const rows = data.map(({ attributes }) => attributes);
  return table<Attributes<"excluded_url">>({
    caption: `${t.excluded}: ${reason}`,
    hideCaption: true,
    rows,
    columns: [
      { title: t.columns.address, header: true, cell: ({ url }) => externalLink(url) },
      { title: t.columns.from, cell: (page) => linkedFrom(page, externalLink) ?? "–" },
    ],
  });
}
