import type { List, One, Resource } from "../../api/documents.ts";
import { RequestError } from "../../domain/errors.ts";
import { readAll } from "../api.ts";
import { textIn } from "../fields.ts";
import { type Html, html } from "../html.ts";
import type { Attempt, FormRoute, PageContext, PageRoute, View } from "../page.ts";
import { mayWrite, onSite } from "../parts/access.ts";
import { assignmentForm, saidIn } from "../parts/assignment.ts";
import { formRoute } from "../parts/form-route.ts";
import { heldBy, heldName } from "../parts/held.ts";
import { siteName } from "../parts/site-name.ts";
import { pageQuery, pagination, table } from "../parts/table.ts";
import { formatNumber, texts } from "../texts/en.ts";

const t = texts.held;
const SITE = "/sites/:site_id/held";
const ALL = "/held";
const ONE = `${ALL}/:assignment_id`;

export const heldPages: readonly PageRoute[] = [
  { path: SITE, access: "account", read: (context) => siteView(context) },
  { path: ALL, access: "account", read: allView },
  { path: ONE, access: "account", read: (context) => oneView(context) },
];

export const heldForms: readonly FormRoute[] = [
  formRoute(SITE, siteView, async ({ api, params, href }, fields) => {
    const path = textIn(fields, "path") ?? "";
    await api.post("/assignments", { site_id: params.site_id, ...(path !== "" && { path }), ...saidIn(fields) });
    return { redirect: href(`/sites/${params.site_id}`, { done: "saved" }) };
  }),
  formRoute(ONE, oneView, async ({ api, params, href }, fields) => {
    const path = `/assignments/${params.assignment_id}`;
    if (fields.get("act") === "leave") await api.delete(path);
    else await api.patch(path, saidIn(fields));
    return { redirect: href(ALL, { done: "saved" }) };
  }),
];

/** Sections of a site that can be chosen, those with the most errors. */
const MAX_SECTIONS = 100;

/** Who has a site, or a section of it: the part is chosen by links, so that the form shows what is said of it. */
async function siteView(context: PageContext, attempt?: Attempt): Promise<View> {
  const { api, params, href, query } = context;
  const here = `/sites/${params.site_id}/held`;
  const { data } = await api.get<One<"site">>(`/sites/${params.site_id}`);
  const site = data.attributes;
  const report = (site.latest_whole ?? site.latest).id;
  const sections = await api.get<List<"section">>(`/reports/${report}/sections`, {
    "page[size]": String(MAX_SECTIONS),
  });
  const held = await readAll<"assignment">(api, "/assignments", { "filter[site_id]": data.id });
  const path = attempt?.fields.get("path") ?? query.get("path") ?? "";
  const of = (part: string) =>
    held.find(({ attributes: { kind, path: its } }) =>
      part === "" ? kind === "site" : kind === "section" && its === part,
    );
  const said = of(path)?.attributes;
  const { meta } = await api.get<List<"cause">>(`/reports/${report}/causes`, { "page[size]": "1" });
  const paths = [
    ...new Set([
      ...sections.data.map(({ id }) => id),
      ...held.flatMap(({ attributes }) => attributes.path ?? []),
      ...(path ? [path] : []),
    ]),
  ];
  const errors = new Map(sections.data.map(({ id, attributes }) => [id, attributes.errors]));
  const parts = [
    "",
    ...(paths.length > 1 || held.some(({ attributes }) => attributes.kind === "section") ? paths : []),
  ];
  const nameOf = (part: string) => (part === "" ? t.wholeSite : part === "/" ? texts.report.cards.topLevel : part);
  const list = table<string>({
    caption: t.parts,
    hideCaption: true,
    rows: parts,
    columns: [
      {
        title: t.what,
        header: true,
        cell: (part) =>
          html`<a href=${`${href(here, { path: part || undefined })}#who`} aria-current=${part === path ? "true" : undefined}>${nameOf(part)}</a>`,
      },
      {
        title: t.errors,
        numeric: true,
        cell: (part) =>
          errors.has(part)
            ? formatNumber(errors.get(part) ?? 0)
            : part === "" && site.numbers
              ? formatNumber(site.numbers.errors)
              : "–",
      },
      {
        title: t.who,
        cell: (part) => {
          const one = of(part);
          return one
            ? heldBy(context, one)
            : html`<span class="quiet">${part === "" || !of("") ? t.nobodyHas : t.asTheSite}</span>`;
        },
      },
    ],
  });
  const content = html`<section class="card flush" aria-labelledby="parts"><div class="tools grid close"><h2 id="parts">${t.parts}</h2><p class="quiet">${t.nearest}</p></div>${list}</section>
    ${
      mayWrite(context) &&
      (await assignmentForm(
        context,
        {
          action: here,
          title: t.formOf(nameOf(path)),
          heading: t.formOf(nameOf(path)),
          assignment: said ? { ...said, of: said.kind } : null,
          shares: meta.assignees,
          fields: html`<input type="hidden" name="path" value=${path} />`,
          canLeave: false,
        },
        attempt,
      ))
    }
  `;
  return {
    title: t.title,
    section: "sites",
    crumbs: [
      { text: texts.sites.title, to: href("/") },
      { text: siteName(site), to: href(`/sites/${data.id}`) },
    ],
    content: html`${content} ${held.length > 0 && leaveList(context, held)}`,
  };
}

function leaveList(context: PageContext, held: readonly Resource<"assignment">[]): Html {
  return html`<section class="card flush" aria-labelledby="all"><h2 id="all" class="tools">${t.allOfSite}</h2>${heldTable(context, held, false)}</section>`;
}

function heldTable(context: PageContext, rows: readonly Resource<"assignment">[], withSite: boolean): Html {
  const { href } = context;
  return table<Resource<"assignment">>({
    caption: t.title,
    hideCaption: true,
    rows,
    columns: [
      { title: t.what, header: true, cell: (held) => heldName(context, held) },
      ...(withSite
        ? [
            {
              title: t.site,
              cell: ({ attributes: { site_name, starting_url } }: Resource<"assignment">) =>
                html`<span class=${site_name === null ? "url" : undefined}>${site_name ?? starting_url}</span>`,
            },
          ]
        : []),
      { title: t.who, cell: (held) => heldBy(context, held) },
      { title: t.note, cell: ({ attributes: { note } }) => note ?? "–" },
      {
        title: t.change,
        hideTitle: true,
        cell: ({ id, attributes }) =>
          mayWrite(onSite(context, attributes.starting_url)) &&
          html`<a href=${href(`${ALL}/${id}`)} aria-label=${t.changeOf(attributes.title ?? attributes.path ?? attributes.site_name ?? attributes.starting_url, attributes.assignee)}>${t.change}</a>`,
      },
    ],
  });
}

const shows = { mine: "filter[mine]", left: "filter[left]" } as const;

/** Who has what of all sites: the own things, those of people who are removed, or everything. */
async function allView(context: PageContext): Promise<View> {
  const { api, href, query, reader } = context;
  const show = query.get("show");
  const filter = show === "mine" || show === "left" ? { [shows[show]]: "true" } : {};
  const who = query.get("who");
  const list = await api.get<List<"assignment">>("/assignments", {
    ...filter,
    ...(who && { "filter[assignee]": who }),
    ...pageQuery(query),
  });
  const item = (value: string | undefined, text: string) =>
    html`<a href=${href(ALL, { show: value })} aria-current=${(show ?? undefined) === value && !who ? "true" : undefined}>${text}</a>`;
  const content = html`<section class="card flush" aria-labelledby="list">
    <div class="tools line">
      <h2 id="list">${who ? t.ofSomebody(who) : t.counted(list.meta.total)}</h2>
      <nav class="seg push" aria-label=${t.title}>${item(undefined, t.all)} ${reader?.principal.person && item("mine", t.mine)} ${item("left", t.left)}</nav>
    </div>
    ${list.data.length === 0 ? html`<p class="tools">${show === "left" ? t.noneLeft : t.none}</p>` : heldTable(context, list.data, true)}
    <div class="tools">${pagination(context, t.title, list.meta)}</div>
  </section>`;
  return { title: t.title, section: "sites", crumbs: [{ text: texts.sites.title, to: href("/") }], content };
}

/** Who has one thing. */
async function oneView(context: PageContext, attempt?: Attempt): Promise<View> {
  const { api, params, href } = context;
  const { data } = await api.get<One<"assignment">>(`/assignments/${params.assignment_id}`);
  const { attributes } = data;
  const name = attributes.title ?? attributes.path ?? attributes.site_name ?? attributes.starting_url;
  if (!mayWrite(context)) throw readOnly();
  const content = html`<p>${heldName(context, data)}, ${heldBy(context, data)}</p>
    ${await assignmentForm(context, { action: `${ALL}/${data.id}`, title: t.formOf(name), heading: t.formOf(name), assignment: { ...attributes, of: attributes.kind }, shares: [] }, attempt)}`;
  return { title: name, section: "sites", crumbs: [{ text: t.title, to: href(ALL) }], content };
}

function readOnly(): Error {
  const detail = texts.readOnly;
  return new RequestError({ status: 403, code: "insufficient_scope", title: "Forbidden", detail });
}
