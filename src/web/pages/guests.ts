import type { List, One, Resource } from "../../api/documents.ts";
import { numberIn } from "../fields.ts";
import { type Html, html } from "../html.ts";
import type { Attempt, PageContext, PageRoute, View } from "../page.ts";
import { forWriters, requireHost } from "../parts/access.ts";
import { hiddenFields, input, problems } from "../parts/form.ts";
import { formRoute } from "../parts/form-route.ts";
import { quota } from "../parts/quota.ts";
import { settingsView } from "../parts/settings.ts";
import { pageQuery, pagination, table } from "../parts/table.ts";
import { empty, time } from "../parts/text.ts";
import { texts } from "../texts/en.ts";

const PATH = "/guests";
const API = "/guest_accounts";
const t = texts.guests;
const MAX_USAGE = 1000;

export const guestsPage: PageRoute = { path: PATH, access: "account", read: (context) => view(context) };

export const inviteGuest = formRoute(PATH, view, async (context, fields) => {
  const attributes = { max_usage: numberIn(fields, "max_usage") ?? "" };
  const repeatKey = fields.get("key") ?? undefined;
  const { data } = await context.api.post<One<"guest_account">>(API, attributes, { repeatKey });
  return { redirect: context.href(`${PATH}/${encodeURIComponent(data.id)}`, { done: "invited" }) };
});

async function view(context: PageContext, attempt?: Attempt): Promise<View> {
  requireHost(context);
  const guests = await context.api.get<List<"guest_account">>(API, pageQuery(context.query));
  const content = html`${
    guests.meta.total === 0
      ? empty(t.none, t.noneWhat)
      : html`<section class="card grid" aria-labelledby="guests">
          <h2 id="guests">${t.title}</h2>
          ${guestTable(context, guests.data)} ${pagination(context, t.title, guests.meta)}
        </section>`
  }
  ${forWriters(context, () => invitation(context, attempt))}`;
  return settingsView(context, "guests", content);
}

function guestTable({ href }: PageContext, guests: readonly Resource<"guest_account">[]): Html {
  const { columns: c } = t;
  return table<Resource<"guest_account">>({
    caption: t.caption,
    hideCaption: true,
    rows: guests,
    columns: [
      {
        title: c.guest,
        header: true,
        cell: ({ id, attributes: { guest } }) =>
          html`<a href=${href(`${PATH}/${encodeURIComponent(id)}`)}>${guest?.name ?? t.invited}</a>`,
      },
      { title: c.email, cell: ({ attributes: { guest } }) => html`<span class="url">${guest?.email ?? "–"}</span>` },
      {
        title: c.usage,
        cell: ({ attributes: guest }) => quota(guest.current_usage, guest.max_usage, texts.usage.number),
      },
      { title: c.since, cell: ({ attributes: { inserted_at } }) => time(inserted_at) },
    ],
  });
}

function invitation(context: PageContext, attempt: Attempt | undefined): Html {
  const limit = { name: "max_usage", label: t.maxUsage, help: t.maxUsageHelp, value: String(MAX_USAGE), attempt };
  return html`<section class="card grid" aria-labelledby="invite">
    <h2 id="invite">${t.invite}</h2>
    <form class="grid sheet" method="post" action=${context.href(PATH)}>
      ${hiddenFields(context)} ${problems(attempt, ["max_usage"])}
      ${input({ ...limit, type: "number", min: 1, required: true })}
      <button>${t.create}</button>
    </form>
  </section>`;
}
