import type { Attributes, List, One, Resource } from "../../api/documents.ts";
import { FIRST_TOKEN_NAME, mayDo } from "../../domain/accounts/principal.ts";
import { oneYearMore, tokenEnd } from "../../domain/accounts/token-ends.ts";
import { textIn } from "../fields.ts";
import { type Html, html } from "../html.ts";
import type { Attempt, FormRoute, PageContext, PageRoute, View } from "../page.ts";
import { forWriters, mayWrite } from "../parts/access.ts";
import { segments } from "../parts/chips.ts";
import { copyField } from "../parts/copy.ts";
import { actionForm, confirmForm, hiddenFields, input, problems, select } from "../parts/form.ts";
import { formRoute } from "../parts/form-route.ts";
import { guestColumn } from "../parts/guest-names.ts";
import { icon } from "../parts/icon.ts";
import { settingsCrumbs, settingsView } from "../parts/settings.ts";
import { pageQuery, pagination, table } from "../parts/table.ts";
import { shortTime, time } from "../parts/text.ts";
import { texts } from "../texts/en.ts";

const PATH = "/tokens";
const ONE = `${PATH}/:api_token_id`;
const API = "/api_tokens";
const DAY_MS = 86_400_000;
const t = texts.tokens;

type Token = Attributes<"api_token">;
type Listed = List<"api_token"> & { meta: { counts: { all: number; end_soon: number; not_used: number } } };

export const tokensPage: PageRoute = { path: PATH, access: "account", read: (context) => view(context) };

export const tokenForms: readonly FormRoute[] = [
  formRoute(PATH, view, async (context, fields) => {
    const end = textIn(fields, "expires_at") ?? "";
    const attributes = {
      ...{ name: textIn(fields, "name") ?? "", scope: textIn(fields, "scope") ?? "read" },
      expires_at: end === "" ? null : end.length === 10 ? `${end}T23:59:59` : end,
    };
    const { data } = await context.api.post<One<"api_token">>(API, attributes, {
      repeatKey: fields.get("key") ?? undefined,
    });
    return secretView(context, data.attributes, t.made(data.attributes.name));
  }),
  formRoute(`${ONE}/secret`, view, async (context) => {
    const { data } = await context.api.post<One<"api_token">>(`${API}/${context.params.api_token_id}/secret`, {});
    return secretView(context, data.attributes, `${t.renewed(data.attributes.name)} ${t.renewedWhat}`);
  }),
  formRoute(`${ONE}/longer`, view, async ({ api, href, params, now }) => {
    const path = `${API}/${params.api_token_id}`;
    const { data } = await api.get<One<"api_token">>(path);
    const expires_at = oneYearMore(dateOf(data.attributes.expires_at), now).toISOString();
    await api.patch(path, { expires_at });
    return { redirect: href(PATH, { done: "saved" }) };
  }),
  {
    path: `${ONE}/revoke`,
    access: "account",
    submit: async (context) => {
      const { api, href, params, reader } = context;
      const path = `${API}/${params.api_token_id}`;
      const { data } = await api.get<One<"api_token">>(path);
      await api.delete(path);
      if (params.api_token_id === reader?.principal.tokenId) return { redirect: href("/sign-in", { ended: "1" }) };
      return view(context, undefined, revokedStrip(context, data));
    },
  },
];

const dateOf = (text: string | null): Date | null => (text === null ? null : new Date(`${text}Z`));

/** The only page that shows the secret: the response to the form, which is not stored anywhere. */
function secretView(context: PageContext, { scope, expires_at, token }: Token, what: string): View {
  const until = expires_at !== null && html`, ${t.until} ${shortTime(expires_at, "date")}`;
  const content = html`<div class="card grid">
    <div class="strip fine" role="status">${icon("passed")}<p><b>${what}</b> ${t.may[scope]}${until}.</p></div>
    ${copyField({ name: "token", label: t.token, value: token ?? "" })}
    <p class="line"><a class="button" href=${context.href(PATH)}>${t.back}</a> <a class="quiet" href=${context.href("/api/v1/docs")}>${t.sent}</a></p>
  </div>`;
  return { title: t.createdTitle, ...settingsCrumbs(context, "tokens"), status: 201, content };
}

/** What was revoked, and who may miss it. */
function revokedStrip(context: PageContext, { id, attributes }: Resource<"api_token">): Html {
  const { name, recent_requests: requests, last_used_at: last } = attributes;
  const used = requests > 0 && last !== null ? html`${t.wasUsed(requests)} ${time(last)}.` : t.wasNotUsed;
  return html`<div class="strip fine" role="status">${icon("passed")}<p><b>${t.isRevoked(name)}</b> ${t.isRevokedWhat} ${used}</p>
    ${maySeeLog(context) && html`<p><a href=${context.href("/audit", { token: id })}>${t.inLog}</a></p>`}
  </div>`;
}

const maySeeLog = ({ reader }: PageContext): boolean =>
  reader !== null && reader.principal.guestToken === null && mayDo(reader.principal, { method: "GET", right: "audit" });

async function view(context: PageContext, attempt?: Attempt, strip: Html = null): Promise<View> {
  const { api, query } = context;
  const show = (["soon", "not"] as const).find((known) => known === query.get("show"));
  const filter = {
    ...(show === "soon" && { "filter[ends]": "soon" }),
    ...(show === "not" && { "filter[used]": "not" }),
  };
  const { data, meta } = await api.get<Listed>(API, { ...filter, ...pageQuery(query) });
  const { all, end_soon, not_used } = meta.counts;
  const kinds = [
    { value: "soon", text: t.kinds.soon, count: end_soon },
    { value: "not", text: t.kinds.not, count: not_used },
  ];
  const content = html`${strip}
    <section class="card flush" aria-labelledby="tokens">
      <div class="tools line">
        <h2 id="tokens">${t.title}</h2>
        ${segments({ ...context, path: PATH }, { name: "show", label: t.show, all, allText: t.kinds.all, values: kinds })}
        ${mayWrite(context, "tokens") && html`<a class="button push" href="#new">${t.create}</a>`}
      </div>
      ${data.length === 0 ? html`<p class="tools">${t.none}</p>` : await tokenTable(context, data)}
      ${pagination(context, t.title, meta)}
      <p class="tools quiet">${t.what}</p>
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
        cell: ({ id, attributes: { name, made_by, shown } }) =>
          html`<b class="url">${name}</b> <span class="small quiet block">${made_by ?? t.ofAccount}${shown !== null && html` · <code>${shown}</code>`}</span>${id === own && html` <span class="small quiet block">${t.this}</span>`}`,
      },
      { title: c.scope, cell: ({ attributes: { scope } }) => t.scopes[scope] },
      { title: c.lastUsed, cell: (token) => lastUse(context, token) },
      { title: c.ends, cell: ({ attributes }) => endOf(context, attributes) },
      ...guests,
      { title: c.change, hideTitle: true, cell: (token) => changes(context, token, token.id === own) },
    ],
  });
}

function lastUse(context: PageContext, { id, attributes }: Resource<"api_token">): Html {
  const { last_used_at: last, last_used_from: from, recent_requests: requests } = attributes;
  if (last === null) return html`<span class="quiet">${t.neverUsed}</span>`;
  const times = t.times(requests);
  const counted = maySeeLog(context) ? html`<a href=${context.href("/audit", { token: id })}>${times}</a>` : times;
  return html`${time(last)} <span class="small quiet block">${from !== null && html`<span class="url">${t.from(from)}</span>, `}${counted}</span>`;
}

function endOf({ now }: PageContext, { expires_at }: Token): Html {
  const end = tokenEnd(dateOf(expires_at), now);
  if (expires_at === null || end === "none") return html`<span class="quiet">${t.noEnd}</span>`;
  const date = shortTime(expires_at, "date");
  if (end === "over") return html`${date} <span class="small bad">${t.over}</span>`;
  return end === "later" ? date : html`${date} <span class="small warn">${t.inDays(end.days)}</span>`;
}

function changes(context: PageContext, { id, attributes }: Resource<"api_token">, isOwn: boolean): Html {
  const { name } = attributes;
  const path = `${PATH}/${id}`;
  const what = isOwn ? `${t.revokeWhat} ${t.revokeOwn}` : t.revokeWhat;
  const revoke = confirmForm(context, `${path}/revoke`, { summary: t.revoke, what, sure: t.revokeSure(name) });
  if (!mayWrite(context, "tokens")) return null;
  if (name === FIRST_TOKEN_NAME) return html`<span class="quiet">${t.elsewhere}</span> ${revoke}`;
  return html`<details class="menu">
    <summary class="button quiet">${t.columns.change}<span class="hidden"> ${name}</span></summary>
    <div class="choices grid close">
      ${actionForm(context, `${path}/secret`, html`${icon("again")} ${t.renew}`, { quiet: true, right: "tokens" })}
      ${attributes.expires_at !== null && actionForm(context, `${path}/longer`, t.longer, { quiet: true, right: "tokens" })}
      ${maySeeLog(context) && html`<a href=${context.href("/audit", { token: id })}>${t.did}</a>`}
      ${revoke}
    </div>
  </details>`;
}

function newToken(context: PageContext, attempt: Attempt | undefined): Html {
  const scopes = ["read", "write"] as const;
  const inAYear = new Date(context.now.getTime() + 365 * DAY_MS).toISOString().slice(0, 10);
  return html`<form class="card grid" method="post" action=${context.href(PATH)} aria-labelledby="new">
    <h2 id="new">${t.create}</h2>
    ${hiddenFields(context)} ${problems(attempt, ["name", "scope", "expires_at"])}
    <div class="grid pair">
      <div class="grid">
        ${input({ name: "name", label: t.name, required: true, attempt })}
        ${select({
          name: "scope",
          label: t.scope,
          value: "read",
          attempt,
          options: scopes.map((value) => ({ value, label: t.scopes[value] })),
        })}
      </div>
      <div class="grid">
        ${input({ name: "expires_at", label: t.ends, type: "date", value: inAYear, help: t.endsHelp, attempt })}
        <p class="line"><button>${t.submit}</button></p>
      </div>
    </div>
  </form>`;
}
