import { validate as isUuid } from "uuid";
import type { Attributes, CursorList, One, Resource } from "../../api/documents.ts";
import { actors, areas, MAX_COUNTED } from "../../domain/audit/entry.ts";
import { DAY_MS, nextDay } from "../../domain/calendar-day.ts";
import { dayIn } from "../fields.ts";
import { type Html, html } from "../html.ts";
import type { PageContext, PageRoute, View } from "../page.ts";
import { requireHost } from "../parts/access.ts";
import { chips } from "../parts/chips.ts";
import { input, select } from "../parts/form.ts";
import { type Icon, icon, menu } from "../parts/icon.ts";
import { settingsView } from "../parts/settings.ts";
import { cursorQuery, nextPart, table } from "../parts/table.ts";
import { empty, time } from "../parts/text.ts";
import { texts } from "../texts/en.ts";

const PATH = "/audit";
const t = texts.audit;

type Log = CursorList<"audit_entry">;
type Entry = Attributes<"audit_entry">;

export const auditPages: readonly PageRoute[] = [
  { path: PATH, access: "account", read },
  ...(["csv", "ndjson"] as const).map(
    (format): PageRoute => ({
      path: `${PATH}/export.${format}`,
      access: "account",
      read: async ({ query }) => ({ forward: { path: `/audit/export.${format}`, query: filterOf(query) } }),
    }),
  ),
];

const filterNames = ["q", "what", "site", "from", "to", "who", "token", "of"] as const;

/** The API's filter for an address. The last day is part of what is shown. */
function filterOf(query: URLSearchParams): Record<string, string | undefined> {
  const to = dayIn(query, "to");
  return {
    "filter[text]": query.get("q") || undefined,
    "filter[area]": areas.find((known) => known === query.get("what")),
    "filter[site_url]": query.get("site") || undefined,
    "filter[from]": dayIn(query, "from"),
    "filter[to]": to && nextDay(to),
    "filter[who]": actors.find((known) => known === query.get("who")),
    "filter[token_id]": uuidIn(query, "token"),
    "filter[target_id]": query.get("of") || undefined,
  };
}

function uuidIn(query: URLSearchParams, name: string): string | undefined {
  const text = query.get(name) ?? "";
  return isUuid(text) ? text : undefined;
}

async function read(context: PageContext): Promise<View> {
  requireHost(context);
  const { api, query, href } = context;
  const filter = filterOf(query);
  const log = await api.get<Log>("/audit", { ...filter, ...cursorQuery(query) });
  if (log.meta.since === null && log.data.length === 0)
    return settingsView(context, "audit", html`${empty(t.none, t.noneWhat)} ${keptCard(context, log)}`);
  const shown = filterNames.map((name) => [name, query.get(name) ?? undefined] as const);
  const content = html`<section class="card flush" aria-labelledby="log">
      ${head(context, log)} ${await filters(context, log)}
      ${log.data.length === 0 ? nothingFound(context, log) : entryTable(context, log.data)}
      ${
        log.data.length > 0 &&
        html`<div class="tools line">
          <p class="quiet">${t.shownOf(log.data.length, countOf(log.meta, query.get("who")))}</p>
          ${log.links.next !== null && html`<div class="push">${nextPart({ path: PATH, href }, log.links, Object.fromEntries(shown))}</div>`}
        </div>`
      }
    </section>
    ${await entryCard(context, log.data)} ${keptCard(context, log)}`;
  return settingsView(context, "audit", content);
}

function head({ href, query }: PageContext, { meta }: Log): Html {
  const same = Object.fromEntries(filterNames.map((name) => [name, query.get(name) ?? undefined]));
  const formats = (["csv", "ndjson"] as const).map(
    (format) => html`<li><a href=${href(`${PATH}/export.${format}`, same)}>${t.exportAs[format]}</a></li>`,
  );
  const choices = html`<ul class="choices">
    ${formats}
    <li><a href=${href("/api/v1/docs")}>${t.byApi}</a></li>
  </ul>`;
  return html`<div class="tools line">
    <h2 id="log">${t.title}</h2>
    ${meta.since !== null && html`<p class="quiet">${t.keptSince(meta.num_kept)} ${time(meta.since)}</p>`}
    <div class="push">${menu(html`${icon("export")} ${t.export}`, choices)}</div>
  </div>`;
}

async function filters(context: PageContext, { meta }: Log): Promise<Html> {
  const { query, href } = context;
  const sites = ((await context.siteNames?.()) ?? []).map(({ name, starting_url }) => ({
    value: starting_url,
    label: name ?? starting_url,
  }));
  const hidden = (["who", "token", "of"] as const).map((name) => {
    const value = query.get(name);
    return value && html`<input type="hidden" name=${name} value=${value} />`;
  });
  const field = (name: "from" | "to") =>
    input({ name, label: t[name], type: "date", value: dayIn(query, name) ?? "", bare: true });
  return html`<div class="grid tools close">
    <form class="filters" method="get" action=${href(PATH)} aria-label=${t.filters}>
      ${hidden} ${input({ name: "q", label: t.find, value: query.get("q") ?? "", bare: true })}
      ${select({
        name: "what",
        label: t.what,
        value: query.get("what") ?? "",
        options: [{ value: "", label: t.everything }, ...areas.map((value) => ({ value, label: t.areas[value] }))],
      })}
      ${select({
        name: "site",
        label: t.on,
        value: query.get("site") ?? "",
        options: [{ value: "", label: t.allSites }, ...sites],
      })}
      ${field("from")} ${field("to")}
      <button class="quiet">${t.apply}</button>
    </form>
    ${whoChips(context, meta.counts)}
  </div>`;
}

/** How many entries a filter finds; undefined if they were not counted to the end. */
function countOf({ counts }: Pick<Log["meta"], "counts">, who: string | null): number | undefined {
  const of = actors
    .filter((actor) => who === actor || !actors.some((known) => known === who))
    .map((actor) => counts[actor] ?? 0);
  return of.includes(MAX_COUNTED) ? undefined : of.reduce((sum, count) => sum + count, 0);
}

/** Whether nobody did it, or somebody whom the filter leaves out. */
function nothingFound({ href, query }: PageContext, { meta }: Log): Html {
  const others = query.get("who") ? countOf(meta, null) : 0;
  const withoutWho = Object.fromEntries(
    filterNames.map((name) => [name, name === "who" ? "" : (query.get(name) ?? "")]),
  );
  return html`<div class="grid tools close">
    <p>${t.noMatch}</p>
    <p class="quiet">
      ${
        others === 0
          ? html`<a href=${href(PATH)}>${t.showAll}</a>`
          : html`${t.byOthers(others)} <a href=${href(PATH, withoutWho)}>${t.showOthers}</a>`
      }
    </p>
  </div>`;
}

/** Counts of many entries are not known to the end. */
function whoChips(context: PageContext, counts: Log["meta"]["counts"]): Html {
  const all = countOf({ counts }, null);
  const many = (count: number) => html` <span class="quiet">${t.atMost(count)}</span>`;
  const found = actors.filter((who) => counts[who] !== undefined);
  return chips(context, {
    name: "who",
    label: t.who,
    values: [
      { value: "", text: html`${texts.all}${all === undefined && many(MAX_COUNTED)}`, count: all },
      ...found.map((value) => {
        const count = counts[value] ?? 0;
        const text = html`${icon(icons[value])} ${t.whos[value]}`;
        return count === MAX_COUNTED ? { value, text: html`${text}${many(count)}` } : { value, text, count };
      }),
    ],
  });
}

const icons = {
  person: "person",
  token: "key",
  guest: "guest",
  link: "share",
  service: "clock",
  cluster: "cluster",
} as const satisfies Record<Entry["who"], Icon>;

function entryTable(context: PageContext, entries: readonly Resource<"audit_entry">[]): Html {
  const { columns: c } = t;
  return table<Resource<"audit_entry">>({
    caption: t.caption,
    hideCaption: true,
    rows: entries,
    columns: [
      {
        title: c.when,
        header: true,
        cell: ({ id, attributes: { at } }) => {
          const isShown = id === context.query.get("entry");
          return html`<a href=${entryLink(context, id)} aria-current=${isShown ? "true" : undefined}>${time(at)}</a>`;
        },
      },
      {
        title: c.who,
        cell: ({ attributes: { who, who_name } }) =>
          html`<span class="who">${icon(icons[who], t.whoIs[who])} <span class="url">${who_name}</span></span>`,
      },
      {
        title: c.what,
        cell: ({ attributes: { verb, outcome } }) =>
          html`${verb}${outcome === "unknown" && html` <span class="small quiet block">${t.unknown}</span>`}`,
      },
      { title: c.on, cell: ({ attributes }) => target(context, attributes) },
      {
        title: c.where,
        cell: ({ attributes: { via, address } }) =>
          html`<span class="quiet">${t.ways[via]}${address !== null && html` <span class="small url">${address}</span>`}</span>`,
      },
    ],
  });
}

/** An entry below its list, which stays as it is. */
function entryLink({ href, query }: PageContext, id: string): string {
  return `${href(PATH, { ...Object.fromEntries(query), entry: id })}#entry`;
}

/** What was changed, with where it is now if it is still there. */
function target({ href }: PageContext, entry: Entry): Html {
  const name = entry.target_name ?? entry.site_url;
  if (name === null) return "–";
  const text = html`<span class="url">${name}</span>`;
  const page = pageOf(entry);
  return page === undefined ? text : html`<a href=${href(page)}>${text}</a>`;
}

/** The pages of what the API names, by the first part of its path. */
const pagesOf: Readonly<Record<string, (id: string) => string>> = {
  reports: (id) => `/reports/${id}`,
  pins: (id) => `/reports/${id}`,
  sites: (id) => `/sites/${id}`,
  schedules: (id) => `/schedules/${id}`,
  receivers: (id) => `/receivers/${id}`,
  deliveries: (id) => `/deliveries/${id}`,
  basic_auths: (id) => `/credentials/${id}`,
  mutings: (id) => `/mutings/${id}`,
  deletions: (id) => `/kept/deletions/${id}`,
  api_tokens: () => "/tokens",
  share_links: () => "/share-links",
  retention: () => "/kept",
  people: (id) => `/people/${id}`,
  teams: (id) => `/teams/${id}`,
  guest_accounts: (id) => `/guests/${id}`,
};

function pageOf({ target_path, operation }: Entry): string | undefined {
  if (target_path === null || operation.startsWith("delete")) return undefined;
  const [, kind = "", id = ""] = target_path.split("/");
  return pagesOf[kind]?.(id);
}

async function entryCard(context: PageContext, listed: readonly Resource<"audit_entry">[]): Promise<Html> {
  const id = context.query.get("entry");
  if (id === null) return null;
  const { data } = await context.api.get<One<"audit_entry">>(`/audit/${encodeURIComponent(id)}`);
  const { attributes: of } = data;
  const place = listed.findIndex((entry) => entry.id === data.id);
  const step = (to: number, text: Html) => {
    const other = place === -1 ? undefined : listed[to];
    return other && html`<a class="button quiet" href=${entryLink(context, other.id)}>${text}</a>`;
  };
  return html`<section class="card flush" aria-labelledby="entry">
    <div class="tools line">
      <div>
        <h2 id="entry"><span class="url">${of.who_name}</span> ${of.verb}</h2>
        <p class="quiet">${time(of.at)}</p>
      </div>
      <p class="line near push">
        ${step(place + 1, html`${icon("previous")} ${t.earlier}`)} ${step(place - 1, html`${t.later} ${icon("next")}`)}
      </p>
    </div>
    <div class="grid split group tools">
      <div class="grid close">
        <h3>${t.changed}</h3>
        ${of.outcome === "unknown" ? html`<p>${t.unknownWhat}</p>` : changeTable(of)}
        ${await linksOf(context, of)}
      </div>
      <div class="grid close">
        <h3>${t.how}</h3>
        ${facts(context, of)}
      </div>
    </div>
  </section>`;
}

function changeTable({ changes }: Entry): Html {
  if (changes.length === 0) return html`<p class="quiet">${t.noFields}</p>`;
  const { fields: f } = t;
  const text = (value: string | null) => (value === null ? t.nothing : html`<span class="url">${value}</span>`);
  return html`${table<Entry["changes"][number]>({
    caption: t.changes,
    hideCaption: true,
    rows: changes,
    columns: [
      { title: f.field, header: true, cell: ({ field }) => html`<span class="url">${field}</span>` },
      {
        title: f.before,
        cell: ({ before, hidden }) => html`<span class="quiet">${hidden ? t.hidden : text(before)}</span>`,
      },
      { title: f.after, cell: ({ after, hidden }) => html`<b>${hidden ? t.hiddenNow : text(after)}</b>` },
    ],
  })}
    <p class="quiet">${t.onlyChanged}</p>`;
}

async function linksOf({ api, href }: PageContext, of: Entry): Promise<Html> {
  const page = pageOf(of);
  if (of.target_id === null) return page && html`<p><a href=${href(page)}>${t.asItIs(of.target_type)}</a></p>`;
  const { meta } = await api.get<Log>("/audit", { "filter[target_id]": of.target_id, "page[size]": "1" });
  return html`<p>
    ${page !== undefined && html`<a href=${href(page)}>${t.asItIs(of.target_type)}</a> · `}<a
      href=${href(PATH, { of: of.target_id })}
      >${t.allOfIt(countOf(meta, null))}</a
    >
  </p>`;
}

function facts({ href }: PageContext, of: Entry): Html {
  const who = html`${icon(icons[of.who], t.whoIs[of.who])} <span class="url">${of.who_name}</span>`;
  const rows: [string, Html][] = [
    [t.who, of.who_id === null ? who : html`<a href=${href(PATH, { token: of.who_id })}>${who}</a>`],
    [t.columns.on, of.target_name ?? "–"],
    [t.by, t.ways[of.via]],
    [t.address, of.address ?? "–"],
    [t.agent, of.agent === null ? "–" : html`<span class="url">${of.agent}</span>`],
    [t.request, of.request_id === null ? "–" : html`<code class="url">${of.request_id}</code>`],
  ];
  return html`<dl class="facts">
    ${rows.map(([title, value]) => html`<div><dt>${title}</dt><dd>${value}</dd></div>`)}
  </dl>`;
}

/** When an entry is kept no longer. */
function goesAt(at: string, days: number): string {
  return new Date(Date.parse(`${at}Z`) + days * DAY_MS).toISOString().slice(0, at.length);
}

function keptCard({ href }: PageContext, { meta }: Log): Html {
  return html`<section class="card grid pair" aria-labelledby="kept">
    <div class="grid close">
      <h2 id="kept">${t.kept}</h2>
      <p>${t.keptFor(meta.kept_days)} <a href=${href("/kept")}>${texts.sections.kept}</a>. ${meta.since !== null && html`${t.oldestGoes} ${time(goesAt(meta.since, meta.kept_days))}.`}</p>
    </div>
    <p class="quiet">${t.keptWhat}</p>
  </section>`;
}
