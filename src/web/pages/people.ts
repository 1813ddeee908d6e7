import type { Attributes, List, One, Resource } from "../../api/documents.ts";
import { type Right, type Role, rights, roleHas, roles, siteRoles } from "../../domain/accounts/roles.ts";
import { endOfDay } from "../../domain/calendar-day.ts";
import { given, textIn } from "../fields.ts";
import { type Html, html } from "../html.ts";
import type { Attempt, Fields, FormRoute, PageContext, PageRoute, View } from "../page.ts";
import { mayWrite, requireHost } from "../parts/access.ts";
import { copyField } from "../parts/copy.ts";
import { actionForm, checkbox, confirmForm, hiddenFields, input, problems, radios, select } from "../parts/form.ts";
import { formRoute } from "../parts/form-route.ts";
import { icon } from "../parts/icon.ts";
import { invitationField, invitationIn, invitationMail } from "../parts/invitation-mail.ts";
import { onSingleSites } from "../parts/roles.ts";
import { settingsCrumbs, settingsView } from "../parts/settings.ts";
import { pageQuery, pagination, table } from "../parts/table.ts";
import { ago, shortTime, time } from "../parts/text.ts";
import { texts } from "../texts/en.ts";
import { OWN } from "./own.ts";
import { heirField, heirQuery, teamsCard } from "./teams.ts";

const PATH = "/people";
const ONE = `${PATH}/:person_id`;
const t = texts.people;

type Person = Attributes<"person">;

export const peoplePages: readonly PageRoute[] = [
  { path: PATH, access: "account", read: (context) => view(context) },
  { path: ONE, access: "account", read: (context) => personView(context) },
];

export const peopleForms: readonly FormRoute[] = [
  {
    ...formRoute(PATH, view, async (context, fields) => {
      const name = textIn(fields, "name") || undefined;
      const role = textIn(fields, "site_role") ?? "reader";
      const sites = fields.getAll("sites").flatMap((site_id) => (site_id === "" ? [] : [{ site_id, role }]));
      const attributes = {
        ...given({ name }),
        mail: textIn(fields, "mail") ?? "",
        ...rightsIn(fields),
        ...{ ...invitationIn(fields), sites },
      };
      const { data } = await context.api.post<One<"person">>(PATH, attributes, {
        repeatKey: fields.get("key") ?? undefined,
      });
      return invitedView(context, data.attributes);
    }),
    right: "people",
  },
  {
    ...formRoute(ONE, personView, async ({ api, href, params, provider }, fields) => {
      await api.patch(`${PATH}/${params.person_id}`, {
        ...{ name: textIn(fields, "name") ?? "", ...rightsIn(fields), sites: sitesIn(fields) },
        // Without a provider the form has no such box.
        ...(provider !== undefined && { awaits_provider: fields.has("awaits_provider") }),
      });
      return { redirect: href(`${PATH}/${params.person_id}`, { done: "saved" }) };
    }),
    right: "people",
  },
  {
    ...formRoute(`${ONE}/remove`, personView, async ({ api, href, params }, fields) => {
      await api.delete(`${PATH}/${params.person_id}${heirQuery(fields)}`);
      return { redirect: href(PATH, { done: "removed" }) };
    }),
    right: "people",
  },
  {
    // Each as it is listed: the API decides of whom somebody may see and end sessions.
    path: "/sessions/end",
    access: "account",
    right: "self",
    submit: async ({ api, href }, fields) => {
      const of = textIn(fields, "of");
      const query = { ...(of && { "filter[person_id]": of }), "page[size]": "100" };
      const { data } = await api.get<List<"session">>("/sessions", query);
      for (const { id } of data) await api.delete(`/sessions/${id}`);
      return { redirect: href(of ? `${PATH}/${encodeURIComponent(of)}` : PATH, { done: "signedOutEverywhere" }) };
    },
  },
  {
    path: "/sessions/:session_id/end",
    access: "account",
    right: "self",
    submit: async ({ api, href, params }, fields) => {
      await api.delete(`/sessions/${params.session_id}`);
      const of = textIn(fields, "of");
      return { redirect: href(of ? `${PATH}/${encodeURIComponent(of)}` : PATH, { done: "signedOut" }) };
    },
  },
];

/** The role and the end that were chosen. */
function rightsIn(fields: Fields): Record<string, unknown> {
  const end = textIn(fields, "ends_at") ?? "";
  const role = textIn(fields, "role") ?? "";
  return { role: role === "" ? null : role, ends_at: end === "" ? null : endOfDay(end) };
}

/** The fields of roles on single sites end with the id of the site. */
const SITE_FIELD = "role-";

/** The roles on single sites that were chosen, and the site that is added. */
function sitesIn(fields: Fields): { site_id: string; role: string }[] {
  const chosen = [...fields].flatMap(([name, role]) =>
    name.startsWith(SITE_FIELD) && role !== "" ? [{ site_id: name.slice(SITE_FIELD.length), role }] : [],
  );
  const more = fields.get("do") === "add" ? (textIn(fields, "more") ?? "") : "";
  return more === "" ? chosen : [...chosen, { site_id: more, role: "reader" }];
}

async function view(context: PageContext, attempt?: Attempt): Promise<View> {
  requireHost(context);
  const decides = mayWrite(context, "people");
  const content = html`${decides && (await peopleCard(context))} ${decides && (await teamsCard(context))} ${await ownCard(context)}
    <div class="grid split">${rightsCard()} ${decides && (await inviteForm(context, attempt))}</div>`;
  return settingsView(context, "people", content);
}

async function peopleCard(context: PageContext): Promise<Html> {
  const { api, query, href } = context;
  const { data, meta } = await api.get<List<"person">>(PATH, pageQuery(query));
  const { max, invited } = meta as unknown as { max: number; invited: number };
  return html`<section class="card flush" aria-labelledby="people">
    <div class="tools line">
      <h2 id="people">${t.title}</h2>
      <p class="quiet">${t.count(meta.total, max, invited)}</p>
      <a class="button push" href="#invite">${t.invite}</a>
    </div>
    ${
      data.length === 0
        ? html`<p class="tools">${t.none}</p>`
        : table<Resource<"person">>({
            caption: t.caption,
            hideCaption: true,
            rows: data,
            columns: [
              {
                title: t.columns.who,
                header: true,
                cell: ({ id, attributes: { name, mail } }) =>
                  html`<a class="site" href=${href(`${PATH}/${id}`)}><b>${name}</b> <span class="small quiet">${mail}</span></a>`,
              },
              { title: t.columns.role, cell: ({ attributes }) => roleOf(attributes) },
              {
                title: t.columns.sites,
                cell: ({ id, attributes: { sites } }) =>
                  sites.length === 0
                    ? nothing
                    : onSingleSites(sites, `${href(`${PATH}/${id}`)}#roles`).map(
                        (one) => html`<span class="block">${one}</span>`,
                      ),
              },
              {
                title: t.columns.seen,
                cell: ({ attributes: { last_seen_at } }) =>
                  last_seen_at === null ? t.never : ago(last_seen_at, context.now),
              },
              { title: t.columns.by, cell: ({ attributes }) => signsInBy(context, attributes) },
            ],
          })
    }
    ${pagination(context, t.title, meta)}
  </section>`;
}

const nothing = html`<span class="quiet">–<span class="hidden"> ${t.noRole}</span></span>`;

function roleOf({ role, group_role, groups }: Person): Html {
  const own = role === null ? null : t.roles[role];
  const byGroup =
    group_role === null
      ? null
      : html`${t.roles[group_role]} <span class="small quiet">${t.byGroup(groups.join(", "))}</span>`;
  if (own === null && byGroup === null) return nothing;
  return html`${own}${own !== null && byGroup !== null && " "}${byGroup}`;
}

function signsInBy({ provider = t.provider }: PageContext, person: Person): Html {
  const { has_provider, has_password, has_second_factor, invitation_ends_at, inserted_at, ends_at } = person;
  const end = ends_at !== null && html` <span class="small">${t.until} ${shortTime(ends_at, "date")}</span>`;
  if (invitation_ends_at !== null)
    return html`${t.invitedOn} ${shortTime(inserted_at, "day")}${end}${invitationMail(person)}`;
  const password = has_password && (has_second_factor ? t.passwordAndFactor : t.password);
  return html`${[has_provider && provider, password].filter(Boolean).join("; ")}${end}`;
}

/** What somebody may do with the own sign-in. */
async function ownCard(context: PageContext): Promise<Html> {
  const principal = context.reader?.principal;
  if (principal?.person?.id !== principal?.tokenId) return null;
  const { data } = await context.api.get<List<"session">>("/sessions", { "page[size]": "100" });
  return html`<section class="card flush" aria-labelledby="own"><div class="tools line"><h2 id="own">${t.own}</h2><a class="push" href=${context.href(OWN)}>${t.ownChange}</a></div>${sessionsTable(context, t.own, data)}</section>`;
}

function sessionsTable(
  context: PageContext,
  name: string,
  sessions: readonly Resource<"session">[],
  of?: string,
): Html {
  if (sessions.length === 0) return html`<p class="tools quiet">${t.noSessions}</p>`;
  const everywhere = actionForm(context, "/sessions/end", t.endAll, {
    quiet: true,
    right: "self",
    fields: of && html`<input type="hidden" name="of" value=${of} />`,
  });
  const listed = table<Resource<"session">>({
    caption: t.sessionsOf(name),
    hideCaption: true,
    rows: sessions,
    columns: [
      {
        title: t.device,
        header: true,
        cell: ({ attributes: { user_agent, inserted_at } }) =>
          html`<span class="site">${deviceName(user_agent)} <span class="small quiet">${t.since} ${shortTime(inserted_at, "day")}</span></span>`,
      },
      {
        title: t.lastUsed,
        cell: ({ attributes: { last_used_at, address } }) =>
          html`${time(last_used_at)}${address !== null && html` <span class="small">${t.from} ${address}</span>`}`,
      },
      {
        title: t.end,
        hideTitle: true,
        cell: ({ id, attributes: { user_agent } }) =>
          actionForm(
            context,
            `/sessions/${id}/end`,
            html`${t.end}<span class="hidden">: ${deviceName(user_agent)}</span>`,
            {
              quiet: true,
              right: "self",
              fields: of && html`<input type="hidden" name="of" value=${of} />`,
            },
          ),
      },
    ],
  });
  return html`${listed}<div class="tools">${everywhere}</div>`;
}

/** A browser and a system, as people call them; what a browser says is long, and nearly the same of all. */
function deviceName(agent: string | null): string {
  const found = (names: Readonly<Record<string, RegExp>>) =>
    Object.keys(names).find((name) => names[name]?.test(agent ?? ""));
  const browser = found({ Edge: /Edg\//, Firefox: /Firefox\//, Chrome: /Chrome\//, Safari: /Safari\// });
  const system = found({
    Windows: /Windows/,
    iPhone: /iPhone/,
    iPad: /iPad/,
    Android: /Android/,
    macOS: /Mac OS/,
    Linux: /Linux/,
  });
  return [browser ?? t.unknownDevice, system].filter(Boolean).join(", ");
}

function rightsCard(): Html {
  return html`<section class="card flush" aria-labelledby="roles">
    <h2 id="roles" class="tools">${t.what}</h2>
    ${table<Right>({
      caption: t.what,
      hideCaption: true,
      rows: Object.keys(rights) as Right[],
      columns: [
        { title: t.right, header: true, cell: (right) => t.rights[right] },
        ...[...roles].reverse().map((role) => ({
          title: t.roles[role],
          cell: (right: Right) =>
            roleHas(role, right) ? html`${icon("passed")} ${t.yes}` : html`<span class="quiet">${t.no}</span>`,
        })),
      ],
    })}
    <p class="tools quiet">${t.rightsWhat}</p>
  </section>`;
}

async function inviteForm(context: PageContext, attempt: Attempt | undefined): Promise<Html> {
  const sites = await siteOptions(context);
  return html`<form class="card grid" method="post" action=${context.href(PATH)} aria-labelledby="invite">
    ${hiddenFields(context)}
    <h2 id="invite">${t.invite}</h2>
    ${problems(attempt, ["mail", "name", "role", "ends_at", "sites", "send_invitation"])}
    ${input({ name: "mail", label: t.mail, required: true, attempt })}
    ${input({ name: "name", label: t.name, help: t.nameHelp, attempt })}
    ${input({ name: "ends_at", label: t.ends, type: "date", help: t.endsHelp, attempt })}
    ${radios({ name: "role", label: t.role, value: "reader", attempt, options: [...roles.map((value) => ({ value, label: t.roles[value], what: t.rolesWhat[value] })), { value: "", label: t.singleOnly.label, what: t.singleOnly.what }] })}
    ${sites.length > 0 && select({ name: "sites", label: t.singleSites, help: t.singleSitesHelp, attempt, options: [{ value: "", label: t.noRole }, ...sites] })}
    ${sites.length > 0 && select({ name: "site_role", label: t.roleThere, value: "reader", attempt, options: roleOptions })}
    ${invitationField(context, attempt)}
    <p><button>${t.send}</button></p>
    <p class="quiet">${t.sendWhat}</p>
  </form>`;
}

const roleOptions = siteRoles.map((value) => ({ value, label: t.roles[value] }));

/** The account's own sites, by their names. */
async function siteOptions({ siteNames }: PageContext): Promise<{ value: string; label: string }[]> {
  const sites = (await siteNames?.()) ?? [];
  return sites.map(({ id, name, starting_url }) => ({ value: id, label: name ?? starting_url }));
}

/** What somebody may do where, with who has given it. What groups give is changed there. */
function rolesTable({ name, role, group_role, groups, sites }: Person, attempt: Attempt | undefined): Html {
  type Where = { name: string; label: string; value: string; options: readonly string[]; by: Html };
  const none = { value: "", label: t.noRole };
  const rows: Where[] = [
    {
      ...{ name: "role", label: t.allSites, value: role ?? "", options: roles },
      by: group_role === null ? nothing : html`${t.roles[group_role]} ${t.byGroup(groups.join(", "))}`,
    },
    ...sites.map((site) => ({
      ...{ name: `${SITE_FIELD}${site.site_id}`, label: site.name ?? site.starting_url, value: site.role },
      ...{ options: siteRoles, by: html`${site.given_by}, ${shortTime(site.given_at, "day")}` },
    })),
  ];
  return table<Where>({
    caption: t.rolesOf(name),
    hideCaption: true,
    rows,
    columns: [
      {
        title: t.roleColumns.where,
        header: true,
        cell: (row) => html`<label for=${`field-${row.name}`}>${row.label}</label>`,
      },
      {
        title: t.roleColumns.role,
        cell: (row) => {
          const chosen = attempt?.fields.get(row.name) ?? row.value;
          const options = [none, ...row.options.map((value) => ({ value, label: t.roles[value as Role] }))];
          return html`<select id=${`field-${row.name}`} name=${row.name}>${options.map(({ value, label }) => html`<option value=${value} selected=${value === chosen || undefined}>${label}</option>`)}</select>`;
        },
      },
      { title: t.roleColumns.by, cell: ({ by }) => html`<span class="quiet">${by}</span>` },
    ],
  });
}

/** Gives a role on one more site. */
function moreSites(options: readonly { value: string; label: string }[]): Html {
  if (options.length === 0) return null;
  return html`<label for="more" class="hidden">${t.anotherSite}</label>
    <select id="more" name="more"><option value="">${t.chooseSite}</option>${options.map(({ value, label }) => html`<option value=${value}>${label}</option>`)}</select>
    <button class="quiet" name="do" value="add">${t.addSite}</button>`;
}

/** The only page that shows the link: the response to the form, which is not stored anywhere. */
function invitedView(context: PageContext, { name, mail, invitation_url, send_invitation }: Person): View {
  return {
    title: t.invitedTitle,
    ...settingsCrumbs(context, "people"),
    status: 201,
    content: html`<div class="card grid sheet">
      <p role="status">${t.invitedWhat}</p>
      ${send_invitation && html`<p>${t.invitedByMail(mail)}</p>`}
      ${copyField({ name: "link", label: `${t.link}: ${name}`, value: invitation_url ?? "" })}
      <p><a href=${context.href(PATH)}>${t.back}</a></p>
    </div>`,
  };
}

async function personView(context: PageContext, attempt?: Attempt): Promise<View> {
  const { api, params } = context;
  const path = `${PATH}/${params.person_id}`;
  const { data } = await api.get<One<"person">>(path);
  const person = data.attributes;
  const sessions = await api.get<List<"session">>("/sessions", { "filter[person_id]": data.id, "page[size]": "100" });
  const heir = await heirField(context, data.id, person.num_assignments);
  const ends = person.ends_at === null ? "" : person.ends_at.slice(0, 10);
  const others = (await siteOptions(context)).filter(
    ({ value }) => !person.sites.some(({ site_id }) => site_id === value),
  );
  // What is refused may be the removal, whose form has none of these fields: they stay as they are.
  const typed = attempt?.fields.has("name") ? attempt : undefined;
  const content = html`<div class="grid split">
    <form class="card grid" method="post" action=${context.href(path)}>
      ${hiddenFields(context)} ${problems(attempt, ["name", "role", "ends_at", "sites"])}
      ${input({ name: "name", label: t.name, value: person.name, required: true, attempt: typed })}
      ${input({ name: "ends_at", label: t.ends, type: "date", value: ends, help: t.endsHelp, attempt: typed })}
      ${context.provider !== undefined && checkbox({ name: "awaits_provider", label: t.awaits(context.provider), help: t.awaitsHelp, value: String(person.awaits_provider), attempt: typed })}
      <h2 id="roles">${t.rolesTitle}</h2>
      ${rolesTable(person, typed)}
      <p class="line near"><button>${t.save}</button> ${moreSites(others)}</p>
      <p class="quiet">${t.groupRole}</p>
    </form>
    <div class="grid">
      <section class="card grid close" aria-labelledby="signs"><h2 id="signs">${t.signsIn}</h2>
        <dl class="facts">
          <div><dt>${t.by}</dt><dd>${signsInBy(context, person)}</dd></div>
          <div><dt>${t.first}</dt><dd>${time(person.inserted_at)}${person.invited_by !== null && html`, ${t.invitedBy(person.invited_by)}`}</dd></div>
          <div><dt>${t.last}</dt><dd>${person.last_seen_at === null ? t.never : time(person.last_seen_at)}</dd></div>
        </dl>
      </section>
      <section class="card flush" aria-labelledby="sessions"><h2 id="sessions" class="tools">${t.sessions}</h2>${sessionsTable(context, person.name, sessions.data, data.id)}</section>
      <div class="card">${confirmForm(context, `${path}/remove`, { summary: t.remove, what: t.removeWhat(person.name, person.num_tokens, person.num_assignments), fields: heir, sure: t.removeSure(person.name) })}</div>
    </div>
  </div>`;
  return {
    title: person.name,
    about: html`<a class="quiet" href=${`mailto:${person.mail}`}>${person.mail}</a>`,
    ...settingsCrumbs(context, "people"),
    content,
  };
}
