import type { Attributes, List, One, Resource } from "../../api/documents.ts";
import { textIn } from "../fields.ts";
import { type Html, html } from "../html.ts";
import type { Attempt, FormRoute, PageContext, PageRoute, View } from "../page.ts";
import { forWriters } from "../parts/access.ts";
import { copyField } from "../parts/copy.ts";
import { confirmForm, hiddenFields, input, problems, select } from "../parts/form.ts";
import { formRoute } from "../parts/form-route.ts";
import { guestColumn } from "../parts/guest-names.ts";
import { settingsCrumbs, settingsView } from "../parts/settings.ts";
import { pageQuery, pagination, table } from "../parts/table.ts";
import { time } from "../parts/text.ts";
import { texts } from "../texts/en.ts";

const PATH = "/tokens";
const API = "/api_tokens";
const t = texts.tokens;

export const tokensPage: PageRoute = { path: PATH, access: "account", read: (context) => view(context) };

export const tokenForms: readonly FormRoute[] = [
  formRoute(PATH, view, async (context, fields) => {
    const attributes = { name: textIn(fields, "name") ?? "", scope: textIn(fields, "scope") ?? "read" };
    const { data } = await context.api.post<One<"api_token">>(API, attributes, {
      repeatKey: fields.get("key") ?? undefined,
    });
    return createdView(context, data.attributes);
  }),
  {
    path: `${PATH}/:api_token_id/revoke`,
    access: "account",
    submit: async ({ api, href, params, reader }) => {
      await api.delete(`${API}/${params.api_token_id}`);
      const isOwn = params.api_token_id === reader?.principal.tokenId;
      return { redirect: isOwn ? href("/sign-in", { ended: "1" }) : href(PATH, { done: "revoked" }) };
    },
  },
];

/** The only page that shows the secret: the response to the form, which is not stored anywhere. */
function createdView(context: PageContext, { name, token }: Attributes<"api_token">): View {
  const content = html`<div class="card grid sheet">
    <p role="status">${t.createdWhat}</p>
    ${copyField({ name: "token", label: `${t.token}: ${name}`, value: token ?? "" })}
    <p><a href=${context.href(PATH)}>${t.back}</a></p>
  </div>`;
  return { title: t.createdTitle, ...settingsCrumbs(context, "tokens"), status: 201, content };
}

async function view(context: PageContext, attempt?: Attempt): Promise<View> {
  const tokens = await context.api.get<List<"api_token">>(API, pageQuery(context.query));
  const content = html`<section class="card grid" aria-labelledby="tokens">
      <h2 id="tokens">${t.title}</h2>
      <p class="quiet">${t.what}</p>
      ${await tokenTable(context, tokens.data)} ${pagination(context, t.title, tokens.meta)}
    </section>
    ${forWriters(context, () => newToken(context, attempt), "tokens")}`;
  return settingsView(context, "tokens", content);
}

async function tokenTable(context: PageContext, tokens: readonly Resource<"api_token">[]): Promise<Html> {
  const { columns: c } = t;
  const own = context.reader?.principal.tokenId;
  const guests = await guestColumn(context, tokens);
  return table<Resource<"api_token">>({
    caption: t.caption,
    hideCaption: true,
    rows: tokens,
    columns: [
      {
        title: c.name,
        header: true,
        cell: ({ id, attributes: { name } }) =>
          html`<span class="url">${name}</span>${id === own && html` <span class="quiet">${t.this}</span>`}`,
      },
      { title: c.scope, cell: ({ attributes: { scope } }) => t.scopes[scope] },
      {
        title: c.lastUsed,
        cell: ({ attributes: { last_used_at } }) => (last_used_at === null ? t.neverUsed : time(last_used_at)),
      },
      { title: c.created, cell: ({ attributes: { inserted_at } }) => time(inserted_at) },
      ...guests,
      {
        title: t.revoke,
        hideTitle: true,
        cell: ({ id, attributes: { name } }) => revoke(context, id, name, id === own),
      },
    ],
  });
}

function revoke(context: PageContext, id: string, name: string, isOwn: boolean): Html {
  const what = isOwn ? `${t.revokeWhat} ${t.revokeOwn}` : t.revokeWhat;
  return confirmForm(context, `${PATH}/${id}/revoke`, { summary: t.revoke, what, sure: t.revokeSure(name) });
}

function newToken(context: PageContext, attempt: Attempt | undefined): Html {
  const scopes = ["read", "write"] as const;
  return html`<section class="card grid" aria-labelledby="new">
    <h2 id="new">${t.create}</h2>
    <form class="grid sheet" method="post" action=${context.href(PATH)}>
      ${hiddenFields(context)} ${problems(attempt, ["name", "scope"])}
      ${input({ name: "name", label: t.name, required: true, attempt })}
      ${select({
        name: "scope",
        label: t.scope,
        value: "read",
        attempt,
        options: scopes.map((value) => ({ value, label: t.scopes[value] })),
      })}
      <button>${t.submit}</button>
    </form>
  </section>`;
}
