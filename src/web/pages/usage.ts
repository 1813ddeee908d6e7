import type { Attributes, One } from "../../api/documents.ts";
import { type Html, html } from "../html.ts";
import type { PageContext, PageRoute, View } from "../page.ts";
import { type GuestLink, guestLinks } from "../parts/guest-names.ts";
import { quota } from "../parts/quota.ts";
import { settingsView } from "../parts/settings.ts";
import { table } from "../parts/table.ts";
import { runBars } from "../plot/run-bars.ts";
import { formatNumber, texts } from "../texts/en.ts";

const t = texts.usage;

export const usagePage: PageRoute = { path: "/usage", access: "account", read };

async function read(context: PageContext): Promise<View> {
  const { data } = await context.api.get<One<"usage">>("/usage");
  const { month, months, storage, guests = [], ...credits } = data.attributes;
  const limits: Limit[] = [
    {
      name: t.creditsIn(month),
      quota: quota(credits.charged + credits.reserved, credits.limit, t.countCredits, t.number),
      note: [
        t.charged(credits.charged, credits.reserved),
        ...(credits.left === null ? [] : [t.leftOver(credits.left)]),
      ].join(", "),
      what: t.creditsWhat,
    },
    ...(storage
      ? [{ name: t.storage, quota: quota(storage.bytes, storage.limit, t.bytes), note: "", what: t.storageWhat }]
      : []),
  ];
  const { limitColumns: c } = t;
  const content = html`${byMonth(months, credits.limit)}
    <section class="card grid" aria-labelledby="limits">
      <h2 id="limits">${t.limits}</h2>
      ${table<Limit>({
        caption: t.limits,
        hideCaption: true,
        rows: limits,
        columns: [
          {
            title: c.limit,
            header: true,
            cell: ({ name, what }) => html`${name}<span class="small quiet">${what}</span>`,
          },
          {
            title: c.used,
            cell: (limit) =>
              html`${limit.quota}${limit.note !== "" && html`<span class="small quiet">${limit.note}</span>`}`,
          },
        ],
      })}
    </section>
    ${guests.length > 0 && guestTable(await guestLinks(context), guests)}`;
  return settingsView(context, "usage", content);
}

type Month = Attributes<"usage">["months"][number];

/** A bar for each month, the current one last, and the limit. */
function byMonth(months: readonly Month[], limit: number | null): Html {
  const { monthColumns: c } = t;
  const bars = months.map(({ month, charged }, index) => {
    return { value: charged, date: t.shortMonth(month), current: index === months.length - 1 };
  });
  const numbers = months.map(({ month, charged }) => `${t.monthName(month)} ${formatNumber(charged)}`).join(", ");
  return html`<section class="card grid close" aria-labelledby="months">
    <div class="line">
      <h2 id="months">${t.months}</h2>
      ${limit !== null && html`<span class="quiet small push">${t.monthlyLimit(limit)}</span>`}
    </div>
    ${runBars(bars, `${t.months}: ${numbers}`, { limit: limit ?? undefined })}
    <details>
      <summary>${texts.report.trendTable}</summary>
      ${table<Month>({
        caption: t.months,
        hideCaption: true,
        rows: [...months].reverse(),
        columns: [
          { title: c.month, header: true, cell: ({ month }) => t.monthName(month) },
          { title: c.charged, numeric: true, cell: ({ charged }) => formatNumber(charged) },
        ],
      })}
    </details>
  </section>`;
}

/** A limit of the account, and how much of it is used. */
type Limit = { name: string; quota: Html; note: string; what: string };

type GuestUsage = NonNullable<Attributes<"usage">["guests"]>[number];

function guestTable(link: GuestLink, guests: readonly GuestUsage[]): Html {
  const { guestColumns: c } = t;
  const number = (value: number | null) => (value === null ? t.noLimit : formatNumber(value));
  return html`<section class="card grid" aria-labelledby="guests">
    <h2 id="guests">${t.guests}</h2>
    ${table<GuestUsage>({
      caption: t.guestsCaption,
      hideCaption: true,
      rows: guests,
      columns: [
        {
          title: c.guest,
          header: true,
          cell: ({ guest_token }) => link(guest_token),
        },
        { title: c.charged, numeric: true, cell: ({ charged }) => number(charged) },
        { title: c.reserved, numeric: true, cell: ({ reserved }) => number(reserved) },
        { title: c.left, numeric: true, cell: ({ left }) => number(left) },
        { title: c.limit, numeric: true, cell: ({ limit }) => number(limit) },
      ],
    })}
  </section>`;
}
