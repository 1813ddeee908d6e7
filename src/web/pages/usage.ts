import type { Attributes, One } from "../../api/documents.ts";
import { type Html, html } from "../html.ts";
import type { PageContext, PageRoute, View } from "../page.ts";
import { type GuestLink, guestLinks } from "../parts/guest-names.ts";
import { quota } from "../parts/quota.ts";
import { table } from "../parts/table.ts";
import { formatNumber, texts } from "../texts/en.ts";

const t = texts.usage;

export const usagePage: PageRoute = { path: "/usage", access: "account", read };

async function read(context: PageContext): Promise<View> {
  const { data } = await context.api.get<One<"usage">>("/usage");
  const { month, storage, guests = [], ...credits } = data.attributes;
  const content = html`<div>
    <section class="card grid" aria-labelledby="credits">
      <h2 id="credits">${t.credits}</h2>
      <p>${t.month(month)}: ${quota(credits.charged + credits.reserved, credits.limit, t.countCredits, t.number)}</p>
      <dl class="numbers">${numbers(credits).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
      <p class="quiet">${t.creditsWhat}</p>
    </section>
    ${
      storage &&
      html`<section class="card grid" aria-labelledby="storage">
        <h2 id="storage">${t.storage}</h2>
        <p>${quota(storage.bytes, storage.limit, t.bytes)}</p>
        <p class="quiet">${t.storageWhat}</p>
      </section>`
    }
    ${guests.length > 0 && guestTable(await guestLinks(context), guests)}
  </div>`;
  return { title: t.title, section: "usage", content };
}

function numbers({
  charged,
  reserved,
  left,
  limit,
}: Pick<Attributes<"usage">, "charged" | "reserved" | "left" | "limit">) {
  const entries: [string, number | null][] = [
    [t.charged, charged],
    [t.reserved, reserved],
    [t.left, left],
    [t.limit, limit],
  ];
  // Without a limit nothing is left of it.
  return entries.flatMap(([name, value]) => (value === null ? [] : [[name, formatNumber(value)] as const]));
}

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
