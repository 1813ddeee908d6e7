import type { Attributes } from "../../api/documents.ts";
import { checkKinds } from "../../checks/kinds.ts";
import { type Html, html } from "../html.ts";
import { timeChart } from "../plot/time-chart.ts";
import { formatNumber, texts } from "../texts/en.ts";
import { axisDate } from "./axis-date.ts";
import { calendarDay } from "./dates.ts";
import { titleOf } from "./finding.ts";
import { rateParts, rateText } from "./rates.ts";
import { colourOf, legend, type Period } from "./site-charts.ts";
import { table } from "./table.ts";

const t = texts.overview;

type Day = Attributes<"sites_series">["days"][number];
/** A day counts with all of its runs. */
const timeOf = ({ date }: Day) => new Date(`${date}T23:59:59Z`).getTime();

/** Errors for each checked page of all sites together, by kind of check; null without a result. */
export function allSites(days: readonly Day[], { days: length, now }: Period): Html {
  const last = days.at(-1);
  if (!last) return null;
  const kinds = checkKinds.filter((kind) => days.some(({ by_kind }) => by_kind[kind] > 0));
  const partsOf = ({ by_kind, pages }: Day) =>
    rateParts(
      kinds.map((kind) => by_kind[kind]),
      pages,
    );
  const to = now.getTime();
  const from = to - length * 86_400_000;
  const drawn = days.map((one) => ({ at: Math.min(to, Math.max(from, timeOf(one))), values: partsOf(one) }));
  // What was known last still holds now.
  const points = [...drawn, { at: to, values: partsOf(last) }];
  const said = kinds.map((kind, index) => `${titleOf(kind)} ${rateText(partsOf(last)[index] ?? 0)}`).join(", ");
  return html`<section class="card grid close" aria-labelledby="all-sites">
    <div class="line">
      <h2 id="all-sites">${texts.site.perPage}</h2>
      <p class="quiet">${t.ofAll(rateText(last.errors_per_page), last.num_sites)}</p>
    </div>
    ${legend(kinds.map((kind, index) => ({ kind: colourOf(kind, kinds), name: titleOf(kind), value: rateText(partsOf(last)[index] ?? 0) })))}
    ${timeChart({
      ...{ points, style: "areas", from, to, kinds: kinds.map((kind) => colourOf(kind, kinds)) },
      label: `${texts.site.perPage}: ${said}`,
      dateOf: axisDate(length),
    })}
    <details>
      <summary>${texts.report.trendTable}</summary>
      ${table<Day>({
        caption: texts.site.perPage,
        hideCaption: true,
        rows: [...days].reverse(),
        columns: [
          { title: t.day, header: true, cell: ({ date }) => calendarDay(date) },
          { title: texts.site.perPage, numeric: true, cell: (one) => rateText(one.errors_per_page) },
          ...kinds.map((kind, index) => ({
            title: titleOf(kind),
            numeric: true,
            cell: (one: Day) => rateText(partsOf(one)[index] ?? 0),
          })),
          { title: texts.sites.columns.errors, numeric: true, cell: ({ errors }) => formatNumber(errors) },
          { title: texts.report.tiles.checked, numeric: true, cell: ({ pages }) => formatNumber(pages) },
          { title: texts.sites.title, numeric: true, cell: ({ num_sites }) => formatNumber(num_sites) },
        ],
      })}
    </details>
  </section>`;
}
