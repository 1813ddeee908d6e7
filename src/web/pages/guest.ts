import type { Attributes, One } from "../../api/documents.ts";
import { numberIn } from "../fields.ts";
import { type Html, html } from "../html.ts";
import type { Attempt, FormRoute, PageContext, PageRoute, View } from "../page.ts";
import { forWriters, requireHost } from "../parts/access.ts";
import { copyField } from "../parts/copy.ts";
import { actionForm, confirmForm, hiddenFields, input, problems } from "../parts/form.ts";
import { formRoute } from "../parts/form-route.ts";
import { quota } from "../parts/quota.ts";
import { settingsCrumbs } from "../parts/settings.ts";
import { time } from "../parts/text.ts";
import { texts } from "../texts/en.ts";

const t = texts.guests;
const PATH = "/guests/:guest_account_id";

export const guestPage: PageRoute = { path: PATH, access: "account", read: (context) => view(context) };

export const guestForms: readonly FormRoute[] = [
  formRoute(PATH, view, async (context, fields) => {
    await context.api.patch(apiPath(context), { max_usage: numberIn(fields, "max_usage") ?? "" });
    return { redirect: context.href(pagePath(context), { done: "saved" }) };
  }),
  {
    path: `${PATH}/reset`,
    access: "account",
    submit: async (context) => {
      await context.api.patch(apiPath(context), { current_usage: 0 });
      return { redirect: context.href(pagePath(context), { done: "reset" }) };
    },
  },
  {
    path: `${PATH}/delete`,
    access: "account",
    submit: async (context) => {
      await context.api.delete(apiPath(context));
      return { redirect: context.href("/guests", { done: "deleted" }) };
    },
  },
];

const apiPath = ({ params }: PageContext) => `/guest_accounts/${params.guest_account_id}`;
const pagePath = ({ params }: PageContext) => `/guests/${params.guest_account_id}`;

async function view(context: PageContext, attempt?: Attempt): Promise<View> {
  const { data } = await context.api.get<One<"guest_account">>(apiPath(context));
  requireHost(context);
  const { guest, invitation_url } = data.attributes;
  const content = html`<div>
    ${facts(data.attributes)} ${invitation_url !== null && invitation(invitation_url)}
    <section class="card grid" aria-labelledby="usage">
      <h2 id="usage">${t.usage}</h2>
      <p>${t.used}: ${quota(data.attributes.current_usage, data.attributes.max_usage, texts.usage.number)}</p>
      ${forWriters(context, () => changes(context, data.attributes, attempt))}
    </section>
    ${confirmForm(context, `${pagePath(context)}/delete`, { summary: t.delete, what: t.deleteWhat, sure: t.deleteSure })}
  </div>`;
  return { title: guest?.name ?? t.invited, ...settingsCrumbs(context, "guests"), content };
}

function facts({ guest, inserted_at, accepted_at }: Attributes<"guest_account">): Html {
  return html`<ul class="line">
    ${guest && html`<li><span class="quiet">${t.columns.email}</span> <span class="url">${guest.email}</span></li>`}
    <li><span class="quiet">${t.columns.since}</span> ${time(inserted_at)}</li>
    ${accepted_at !== null && html`<li><span class="quiet">${t.accepted}</span> ${time(accepted_at)}</li>`}
  </ul>`;
}

function invitation(url: string): Html {
  return html`<section class="card grid sheet" aria-labelledby="invitation">
    <h2 id="invitation">${t.invitation}</h2>
    <p>${t.invitationWhat}</p>
    ${copyField({ name: "invitation", label: t.invitationLink, value: url })}
  </section>`;
}

function changes(context: PageContext, guest: Attributes<"guest_account">, attempt: Attempt | undefined): Html {
  const limit = { name: "max_usage", label: t.maxUsage, value: String(guest.max_usage), attempt };
  return html`<form class="grid sheet" method="post" action=${context.href(pagePath(context))}>
      ${hiddenFields(context)} ${problems(attempt, ["max_usage"])}
      ${input({ ...limit, type: "number", min: 1, required: true })}
      <p class="line near"><button>${t.save}</button></p>
    </form>
    ${actionForm(context, `${pagePath(context)}/reset`, t.reset, { quiet: true })}`;
}
