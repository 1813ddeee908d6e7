import type { Attributes, List, One, Resource } from "../../api/documents.ts";
import { FIRST_TOKEN_NAME, mayDo } from "../../domain/accounts/principal.ts";
import { grantNames } from "../../domain/accounts/roles.ts";
import { oneYearMore, tokenEnd } from "../../domain/accounts/token-ends.ts";
import { DAY_MS, endOfDay } from "../../domain/calendar-day.ts";
import { textIn } from "../fields.ts";
import { type Html, html } from "../html.ts";
import type { Attempt, Fields, FormRoute, PageContext, PageRoute, View } from "../page.ts";
import { forWriters, mayWrite } from "../parts/access.ts";
import { segments } from "../parts/chips.ts";
import { copyField } from "../parts/copy.ts";
import {
  actionForm,
  checkboxes,
  confirmForm,
  hiddenFields,
  input,
  type Option,
  problems,
  select,
} from "../parts/form.ts";
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
const t = texts.tokens;

type Token = Attributes<"api_token">;
type Listed = List<"api_token"> & { meta: { counts: { all: number; end_soon: number; not_used: number } } };

export const tokensPage: PageRoute = { path: PATH, access: "account", read: (context) => view(context) };

export const tokenForms: readonly FormRoute[] = [
  formRoute(PATH, view, async (context, fields) => {
    const end = textIn(fields, "expires_at") ?? "";
    const attributes = {
      ...{ name: textIn(fields, "name") ?? "", may: fields.getAll("may"), ...sitesIn(fields) },
      expires_at: end === "" ? null : endOfDay(end),
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

/** The sites that were chosen. What is chosen of another kind stays in the form and is not sent. */
function sitesIn(fields: Fields): { site_urls?: string[]; site_tags?: string[] } {
  const kind = fields.get("sites");
  if (kind === "tags") return { site_tags: tagsIn(textIn(fields, "site_tags") ?? "") };
  return kind === "these" ? { site_urls: fields.getAll("site_urls") } : {};
}

const tagsIn = (text: string) => text.split(",").flatMap((tag) => tag.trim() || []);

const dateOf = (text: string | null): Date | null => (text === null ? null : new Date(`${text}Z`));

/** The only page that shows the secret: the response to the form, which is not stored anywhere. */
async function secretView(context: PageContext, made: Token, what: string): Promise<View> {
  const { may, scope, site_urls, site_tags, expires_at, token } = made;
  const isForSites = site_urls !== null || site_tags !== null;
  const of = isForSites && html` ${t.of} ${sitesOf(made, await namesOfSites(context))}`;
  const until = expires_at !== null && html`, ${t.until} ${shortTime(expires_at, "date")}`;
  const content = html`<div class="card grid">
    <div class="strip fine" role="status">${icon("passed")}<p><b>${what}</b> ${may ? t.itMay(may) : t.may[scope]}${of}${until}.</p></div>
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
  // For their names, and to choose from.
  const sites = await namesOfSites(context);
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
      ${data.length === 0 ? html`<p class="tools">${t.none}</p>` : await tokenTable(context, data, sites)}
      ${pagination(context, t.title, meta)}
      <p class="tools quiet">${t.what}</p>
    </section>
    ${forWriters(context, () => newToken(context, attempt, sites), "tokens")}`;
  return settingsView(context, "tokens", content);
}

async function tokenTable(
  context: PageContext,
  tokens: readonly Resource<"api_token">[],
  sites: readonly Option[],
): Promise<Html> {
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
      { title: c.scope, cell: ({ attributes: { may, scope } }) => (may ? t.mayShort(may) : t.scopes[scope]) },
      { title: c.sites, cell: ({ attributes }) => sitesOf(attributes, sites) },
      { title: c.lastUsed, cell: (token) => lastUse(context, token) },
      { title: c.ends, cell: ({ attributes }) => endOf(context, attributes) },
      ...guests,
      { title: c.change, hideTitle: true, cell: (token) => changes(context, token, token.id === own) },
    ],
  });
}

/** The account's own sites, by their names. */
async function namesOfSites({ siteNames }: PageContext): Promise<Option[]> {
  const sites = (await siteNames?.()) ?? [];
  return sites.map(({ starting_url, name }) => ({ value: starting_url, label: name ?? starting_url }));
}

/** The sites that a token is for, in words. */
function sitesOf({ site_urls: urls, site_tags: tags, guest_token }: Token, sites: readonly Option[]): Html {
  if (urls === null && tags === null) return guest_token === undefined ? t.allSites(sites.length) : t.guestsSites;
  const names = (urls ?? []).map((url) => sites.find(({ value }) => value === url)?.label ?? url);
  return html`<span class="url">${t.listed([...names, ...(tags ? [t.tagged(tags)] : [])])}</span>`;
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

function newToken(context: PageContext, attempt: Attempt | undefined, sites: readonly Option[]): Html {
  const inAYear = new Date(context.now.getTime() + 365 * DAY_MS).toISOString().slice(0, 10);
  const isGuest = context.reader?.principal.guestToken !== null;
  const names = ["name", "may", "sites", "site_tags", "site_urls", "expires_at"];
  return html`<form class="card grid" method="post" action=${context.href(PATH)} aria-labelledby="new">
    <h2 id="new">${t.create}</h2>
    ${hiddenFields(context)} ${problems(attempt, names)}
    <div class="grid pair">
      <div class="grid">
        ${input({ name: "name", label: t.name, help: t.nameHelp, required: true, attempt })}
        ${checkboxes({
          name: "may",
          label: t.scope,
          value: "read",
          attempt,
          options: grantNames.map((value) => ({
            value,
            label: t.grants[value],
            what: value === "run" ? t.runWhat : "",
          })),
        })}
      </div>
      <div class="grid">
        ${!isGuest && sitesFields(attempt, sites)}
        ${input({ name: "expires_at", label: t.ends, type: "date", value: inAYear, help: context.invitesByMail ? `${t.endsHelp} ${t.endsMail}` : t.endsHelp, attempt })}
        <p class="line"><button>${t.submit}</button></p>
      </div>
    </div>
  </form>`;
}

/** Which sites a token is for: what is not chosen is hidden by the style. */
function sitesFields(attempt: Attempt | undefined, sites: readonly Option[]): Html {
  const kinds = { all: t.allSites(sites.length), tags: t.sitesWithTags, these: t.theseSites };
  return html`<div class="grid token-sites">
    ${select({
      ...{ name: "sites", label: t.onSites, value: "all", attempt },
      options: Object.entries(kinds).map(([value, label]) => ({ value, label })),
    })}
    <div class="for-tags">${input({ name: "site_tags", label: t.tags, help: t.tagsHelp, bare: true, attempt })}</div>
    <div class="for-these">
      ${select({
        ...{ name: "site_urls", label: t.chosenSites, attempt, multiple: true },
        options: sites,
      })}
    </div>
  </div>`;
}
