import type { List, One, Resource } from "../../api/documents.ts";
import { DAY_MS } from "../../domain/calendar-day.ts";
import { RequestError } from "../../domain/errors.ts";
import { formatValue } from "../../schema/validate.ts";
import { textIn } from "../fields.ts";
import { type Html, html } from "../html.ts";
import type { Attempt, Fields, FormRoute, PageContext, PageRoute, View } from "../page.ts";
import { forWriters, onSite } from "../parts/access.ts";
import { copyField } from "../parts/copy.ts";
import { utc } from "../parts/dates.ts";
import { confirmForm, hiddenFields, problems, select } from "../parts/form.ts";
import { formRoute } from "../parts/form-route.ts";
import { siteName } from "../parts/site-name.ts";
import { pageQuery, pagination, table } from "../parts/table.ts";
import { empty, time } from "../parts/text.ts";
import { texts } from "../texts/en.ts";

const PATH = "/share-links";
const API = "/share_links";
const t = texts.shareLinks;
/** The id of a cause. */
const CAUSE = /^[0-9a-f]{20}$/;
/** How long a link may work, in days: the API allows no more than the last. */
const lifetimes = ["7", "30", "90", "365"];

export const shareLinksPage: PageRoute = { path: PATH, access: "account", read: (context) => view(context) };

export const shareLinkForms: readonly FormRoute[] = [
  formRoute(
    PATH,
    (context, attempt) => view({ ...context, query: attempt.fields }, attempt),
    async (context, fields) => {
      const thing = thingIn(fields);
      const days = lifetimeIn(fields);
      const expires_at = new Date(context.now.getTime() + Number(days) * DAY_MS).toISOString();
      // Before the link is made: its secret is shown once, and not after an error.
      const cause = await causeIn(context, fields);
      const { data } = await context.api.post<One<"share_link">>(
        API,
        { ...thing, expires_at },
        { repeatKey: fields.get("key") ?? undefined, asked: { ...thing, days } },
      );
      return createdView(context, data, cause);
    },
  ),
  {
    path: `${PATH}/:share_link_id/end`,
    access: "account",
    submit: async ({ api, href, params }, fields) => {
      await api.delete(`${API}/${params.share_link_id}`);
      return { redirect: href(PATH, { ...thingIn(fields), done: "linkEnded" }) };
    },
  },
];

/** What a link opens, as an address of ours or a form names it. */
function thingIn(fields: Fields): { report_id?: string; site_id?: string } {
  const [report_id, site_id] = [fields.get("report_id") || undefined, fields.get("site_id") || undefined];
  return { ...(report_id !== undefined && { report_id }), ...(site_id !== undefined && { site_id }) };
}

/** How long a link is to work, in days. @throws RequestError 422 */
function lifetimeIn(fields: Fields): string {
  const given = textIn(fields, "days");
  const days = lifetimes.find((known) => known === given);
  if (days !== undefined) return days;
  const detail = `days is ${formatValue(given)}; it must be one of ${lifetimes.join(", ")}.`;
  const source = { pointer: "/data/attributes/days" };
  throw new RequestError({ status: 422, code: "not_allowed", title: "Invalid attribute", detail, source });
}

/** The cause of a report that a link is to lead to, if there is one. @throws RequestError 404 */
async function causeIn({ api }: PageContext, fields: Fields): Promise<Resource<"cause"> | undefined> {
  const [report, cause] = [fields.get("report_id"), fields.get("cause") ?? ""];
  if (!report || !CAUSE.test(cause)) return undefined;
  return (await api.get<One<"cause">>(`/reports/${encodeURIComponent(report)}/causes/${cause}`)).data;
}

/** The only page that shows the link: its secret is not stored anywhere. */
function createdView(
  { href }: PageContext,
  { attributes, relationships }: Resource<"share_link">,
  cause: Resource<"cause"> | undefined,
): View {
  const { secret, expires_at, report_id, site_id } = attributes;
  // The service knows its own address, which the API's links have.
  const { origin } = new URL((relationships?.report ?? relationships?.site)?.links.related ?? "");
  const thing = { report_id: report_id ?? undefined, site_id: site_id ?? undefined };
  const link = `${origin}${href(`/shared/${secret}${cause ? `/causes/${cause.id}` : ""}`)}`;
  const content = html`<div class="card grid sheet">
    <p role="status">${t.createdWhat} ${time(expires_at)}.</p>
    ${copyField({ name: "link", label: t.link, value: link })}
    ${cause && html`<p class="line"><a class="button" href=${mailTo(cause.attributes.title, t.mailText(link, utc(expires_at)))}>${t.mail}</a> <span class="quiet">${t.mailWhat}</span></p>`}
    <p class="line"><a href=${href(`/shared/${secret}`)}>${t.see}</a> ${report_id !== null && html`<a href=${href(`/shared/${secret}/editors`)}>${t.seeAsEditor}</a>`} <a href=${href(PATH, thing)}>${t.back}</a></p>
  </div>`;
  return { title: t.createdTitle, section: "sites", status: 201, content };
}

/** The address that opens a mail in the reader's own program, without a receiver (RFC 6068). */
function mailTo(subject: string, body: string): string {
  return `mailto:?subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(body.replaceAll("\n", "\r\n"))}`;
}

async function view(context: PageContext, attempt?: Attempt): Promise<View> {
  const { api, href, query } = context;
  const thing = thingIn(query);
  const links = await api.get<List<"share_link">>(API, {
    ...{ "filter[report_id]": thing.report_id, "filter[site_id]": thing.site_id },
    ...pageQuery(query),
  });
  const of = await nameOf(context, thing);
  const content = html`<div>
    <p>${thing.site_id ? t.siteWhat : texts.report.shareWhat}</p>
    ${of && forWriters(context, () => form(context, thing, attempt))}
    ${links.data.length === 0 ? empty(t.none, t.noneWhat) : html`${linkTable(context, links.data, { thing, names: await namesOf(context, links.data) })} ${pagination(context, t.title, links.meta)}`}
  </div>`;
  const crumbs = [{ text: texts.sites.title, to: href("/") }, ...(of ? [of] : [])];
  return { title: t.title, section: "sites", crumbs, content };
}

/** @throws RequestError 404 for what is not the reader's */
async function nameOf(
  { api, href }: PageContext,
  { report_id, site_id }: ReturnType<typeof thingIn>,
): Promise<Named | undefined> {
  if (report_id !== undefined) {
    const { data } = await api.get<One<"report">>(`/reports/${encodeURIComponent(report_id)}`);
    const { starting_url } = data.attributes;
    return { text: starting_url, to: href(`/reports/${data.id}`), starting_url };
  }
  if (site_id === undefined) return undefined;
  const { data } = await api.get<One<"site">>(`/sites/${encodeURIComponent(site_id)}`);
  const { starting_url } = data.attributes;
  return { text: siteName(data.attributes), to: href(`/sites/${data.id}`), starting_url };
}

/** What a link opens: how people call it, where it is, and of which site it is. */
type Named = { text: string; to: string; starting_url: string };

/** What people call the things that links open, by their ids. A site whose reports are deleted has no name. */
async function namesOf(context: PageContext, links: readonly Resource<"share_link">[]): Promise<Map<string, Named>> {
  const things = new Map(
    links.map(({ attributes: { report_id, site_id } }): [string, ReturnType<typeof thingIn>] =>
      report_id === null ? [`${site_id}`, { site_id: `${site_id}` }] : [report_id, { report_id }],
    ),
  );
  const named = await Promise.all(
    [...things].map(async ([id, thing]) => {
      const of = await nameOf(context, thing).catch((error: unknown) => {
        if (error instanceof RequestError && error.status === 404) return undefined;
        throw error;
      });
      return of ? [[id, of] as const] : [];
    }),
  );
  return new Map(named.flat());
}

function hiddenThing(thing: ReturnType<typeof thingIn>): Html {
  return Object.entries(thing).map(([name, value]) => html`<input type="hidden" name=${name} value=${value} />`);
}

function form(context: PageContext, thing: ReturnType<typeof thingIn>, attempt: Attempt | undefined): Html {
  return html`<form class="card grid sheet" method="post" action=${context.href(PATH)}>
    ${hiddenFields(context)} ${hiddenThing(thing)}
    ${CAUSE.test(context.query.get("cause") ?? "") && html`<input type="hidden" name="cause" value=${context.query.get("cause") ?? ""} />`}
    <h2>${t.create}</h2>
    ${problems(attempt, ["days"])}
    ${select({ name: "days", label: t.works, value: "30", attempt, options: lifetimes.map((value) => ({ value, label: t.lifetimes[value] ?? value })) })}
    <p><button>${t.submit}</button></p>
  </form>`;
}

/** @param options.thing whose links are listed, if not all */
function linkTable(
  context: PageContext,
  links: readonly Resource<"share_link">[],
  { thing, names }: { thing: ReturnType<typeof thingIn>; names: ReadonlyMap<string, Named> },
): Html {
  const { columns: c } = t;
  return table<Resource<"share_link">>({
    caption: t.title,
    hideCaption: true,
    rows: links,
    columns: [
      {
        title: c.opens,
        header: true,
        cell: ({ attributes: { report_id, site_id } }) => {
          const [to, what] = report_id === null ? [`/sites/${site_id}`, t.site] : [`/reports/${report_id}`, t.report];
          const name = names.get(report_id ?? `${site_id}`);
          return html`<a href=${context.href(to)}>${what}${name && html`: <span class="url">${name.text}</span>`}</a>`;
        },
      },
      { title: c.made, cell: ({ attributes }) => time(attributes.inserted_at) },
      { title: c.until, cell: ({ attributes }) => time(attributes.expires_at) },
      {
        title: t.end,
        hideTitle: true,
        cell: ({ id, attributes }) => {
          const of = names.get(attributes.report_id ?? `${attributes.site_id}`);
          return confirmForm(of ? onSite(context, of.starting_url) : context, `${PATH}/${id}/end`, {
            summary: t.end,
            what: t.endWhat,
            sure: t.endSure(utc(attributes.inserted_at)),
            fields: hiddenThing(thing),
          });
        },
      },
    ],
  });
}
