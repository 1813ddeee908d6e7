import type { Attributes, List, One } from "../../api/documents.ts";
import { checkKinds, nounOf } from "../../checks/kinds.ts";
import { leftOutTexts } from "../../domain/coverage/left-out.ts";
import type { ExclusionReason, Failure } from "../../domain/failure.ts";
import { type Html, html } from "../html.ts";
import type { PageContext, View } from "../page.ts";
import { titleOf } from "../parts/finding.ts";
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

async function read(context: PageContext): Promise<View> {
  const { api, params, query } = context;
  const root = `/reports/${params.report_id}`;
  const { data } = await api.get<One<"report">>(root);
  const failed = await api.get<List<"web_page">>(`${root}/web_pages`, {
    "filter[status]": "failed",
    ...pageQuery(query),
  });
  const excluded = await api.get<List<"excluded_url">>(`${root}/excluded_urls`, pageQuery(query, 25, "excluded"));
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
    <section class="card grid" aria-labelledby="failed">
      <h2 id="failed">${t.failed}: ${formatNumber(failed.meta.total)}</h2>
      ${failed.meta.total === 0 ? html`<p>${t.failedNone}</p>` : failedTable(context, rows)} ${pagination(context, t.failed, failed.meta)}
    </section>
    <section class="card grid" aria-labelledby="excluded">
      <h2 id="excluded">${t.excluded}: ${formatNumber(excluded.meta.total)}</h2>
      ${excluded.meta.total === 0 ? html`<p>${t.excludedNone}</p>` : excludedTable(excluded.data.map(({ attributes }) => attributes))}
      ${pagination(context, t.excluded, excluded.meta, { name: "excluded", section: "excluded" })}
    </section>
  </div>`;
  return { ...frame, title: `${t.title}: ${data.attributes.starting_url}`, content };
}

function failedTable(context: PageContext, rows: readonly FailedPage[]): Html {
  return table<FailedPage>({
    caption: t.failed,
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

function excludedTable(rows: readonly Attributes<"excluded_url">[]): Html {
  return table<Attributes<"excluded_url">>({
    caption: t.excluded,
    hideCaption: true,
    rows,
    columns: [
      { title: t.columns.address, header: true, cell: ({ url }) => externalLink(url) },
      { title: t.columns.why, cell: ({ reason }) => whyLeftOut(reason as ExclusionReason) },
      { title: t.columns.from, cell: (page) => linkedFrom(page, externalLink) ?? "–" },
    ],
  });
}
