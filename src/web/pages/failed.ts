import type { Attributes, List, One } from "../../api/documents.ts";
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
  const failed = await api.get<List<"web_page">>(`${root}/web_pages`, {
    "filter[status]": "failed",
    ...pageQuery(query, SIZE),
  });
  const excluded = await api.get<List<"excluded_url">>(`${root}/excluded_urls`, pageQuery(query, SIZE, "excluded"));
  const rows = failed.data.map(({ id, attributes: page }): FailedPage => {
    const failures = checkKinds.flatMap((kind) => {
      const failure = page[`${nounOf(kind)}_check`]?.failure;
      return failure ? [{ kind: titleOf(kind), failure }] : [];
    });
    return { id, ...page, failures };
  });
  const { tabs, ...frame } = await readFrame(context, data.attributes, "failed");
  const content = html`<div>
    ${tabs}
    <p class="verdict">
      ${failed.meta.total > 0 && icon("alert")} <b>${t.couldNot(failed.meta.total)}</b>, ${t.wereLeftOut(excluded.meta.total)}.
    </p>
    <section class="card flush" aria-labelledby="failed">
      <h2 id="failed" class="group tools">${t.failed}: ${formatNumber(failed.meta.total)}</h2>
      ${failed.meta.total === 0 && html`<p class="tools">${t.failedNone}</p>`} ${ofPart(failed)}
      ${byReason(rows, reasonOf).map(([reason, alike]) => group(reason, alike.length, failedTable(context, alike, reason), true))}
      <div class="tools">${pagination(context, t.failed, failed.meta, { size: SIZE })}</div>
    </section>
    <section class="card flush" aria-labelledby="excluded">
      <h2 id="excluded" class="group tools">${t.excluded}: ${formatNumber(excluded.meta.total)}</h2>
      ${excluded.meta.total === 0 && html`<p class="tools">${t.excludedNone}</p>`} ${ofPart(excluded)}
      ${byReason(
        excluded.data.map(({ attributes }) => attributes),
        ({ reason }) => whyLeftOut(reason as ExclusionReason),
      ).map(([reason, alike]) => group(reason, alike.length, excludedTable(alike, reason), false))}
      <div class="tools">${pagination(context, t.excluded, excluded.meta, { name: "excluded", size: SIZE, section: "excluded" })}</div>
    </section>
  </div>`;
  return { ...frame, title: `${t.title}: ${data.attributes.starting_url}`, content };
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

function group(reason: string, count: number, content: Html, isOpen: boolean): Html {
  return html`<details class="reason" open=${isOpen || undefined}>
    <summary class="line"><span>${icon(isOpen ? "alert" : "ended")} ${reason}</span> <b class="n push">${formatNumber(count)}</b></summary>
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

function excludedTable(rows: readonly Attributes<"excluded_url">[], reason: string): Html {
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
