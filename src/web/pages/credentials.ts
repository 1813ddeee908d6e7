import type { List, Resource } from "../../api/documents.ts";
import { type Html, html } from "../html.ts";
import type { Attempt, PageContext, PageRoute, View } from "../page.ts";
import { forWriters } from "../parts/access.ts";
import { hiddenFields, problems } from "../parts/form.ts";
import { formRoute } from "../parts/form-route.ts";
import { guestColumn } from "../parts/guest-names.ts";
import { settingsView } from "../parts/settings.ts";
import { pageQuery, pagination, table } from "../parts/table.ts";
import { empty, time } from "../parts/text.ts";
import { texts } from "../texts/en.ts";
import { credentialAttributes, credentialFields, credentialNames } from "./credential.ts";

const PATH = "/credentials";
const API = "/basic_auths";
const t = texts.credentials;

export const credentialsPage: PageRoute = { path: PATH, access: "account", read: (context) => view(context) };

export const storeCredentials = formRoute(PATH, view, async (context, fields) => {
  const given = credentialAttributes(fields);
  // Without a sign-in both are needed, and the API says so of each.
  const attributes = given.sign_in === undefined ? { password: "", ...given } : given;
  await context.api.post(API, attributes, { repeatKey: fields.get("key") ?? undefined });
  return { redirect: context.href(PATH, { done: "created" }) };
});

async function view(context: PageContext, attempt?: Attempt): Promise<View> {
  const { api, href, query } = context;
  const credentials = await api.get<List<"basic_auth">>(API, pageQuery(query));
  const content = html`${
    credentials.meta.total === 0
      ? empty(t.none, t.noneWhat)
      : html`<section class="card grid" aria-labelledby="credentials">
          <h2 id="credentials">${t.title}</h2>
          <p class="quiet">${t.what}</p>
          ${await credentialTable(context, credentials.data)} ${pagination(context, t.title, credentials.meta)}
        </section>`
  }
  ${forWriters(
    context,
    () => html`<section class="card grid" aria-labelledby="new">
      <h2 id="new">${t.add}</h2>
      <form class="grid sheet" method="post" action=${href(PATH)}>
        ${hiddenFields(context)} ${problems(attempt, credentialNames)} ${credentialFields({}, attempt)}
        <button>${t.create}</button>
      </form>
    </section>`,
    "common",
  )}`;
  return settingsView(context, "credentials", content);
}

async function credentialTable(context: PageContext, credentials: readonly Resource<"basic_auth">[]): Promise<Html> {
  const { columns: c } = t;
  const guests = await guestColumn(context, credentials);
  return table<Resource<"basic_auth">>({
    caption: t.caption,
    hideCaption: true,
    rows: credentials,
    columns: [
      {
        title: c.host,
        header: true,
        cell: ({ id, attributes: { host } }) => html`<a class="url" href=${context.href(`${PATH}/${id}`)}>${host}</a>`,
      },
      {
        title: c.username,
        cell: ({ attributes: { username } }) => (username === null ? "–" : html`<span class="url">${username}</span>`),
      },
      { title: c.changed, cell: ({ attributes: { updated_at } }) => time(updated_at) },
      ...guests,
    ],
  });
}
