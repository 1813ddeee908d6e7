import type { Attributes, List, Resource } from "../../api/documents.ts";
import { type Html, html } from "../html.ts";
import type { PageContext, PageRoute, View } from "../page.ts";
import { forWriters } from "../parts/access.ts";
import { guestColumn } from "../parts/guest-names.ts";
import { pageQuery, pagination, table } from "../parts/table.ts";
import { empty, time } from "../parts/text.ts";
import { texts } from "../texts/en.ts";

const PATH = "/mutings";
const t = texts.mutings;

export const mutingsPage: PageRoute = { path: PATH, access: "account", read };

async function read(context: PageContext): Promise<View> {
  const { api, href, query } = context;
  const mutings = await api.get<List<"muting">>(PATH, pageQuery(query));
  const tools = forWriters(context, () => html`<a class="button" href=${href("/mutings/new")}>${t.add}</a>`);
  const content = html`<div>
    ${
      mutings.meta.total === 0
        ? empty(t.none, t.noneWhat)
        : html`${await mutingTable(context, mutings.data)} ${pagination(context, t.title, mutings.meta)}`
    }
  </div>`;
  return { title: t.title, section: "mutings", content, tools };
}

async function mutingTable(context: PageContext, mutings: readonly Resource<"muting">[]): Promise<Html> {
  const { columns: c } = t;
  const guests = await guestColumn(context, mutings);
  return table<Resource<"muting">>({
    caption: t.caption,
    hideCaption: true,
    rows: mutings,
    columns: [
      {
        title: c.what,
        header: true,
        cell: ({ id, attributes }) => html`<a href=${context.href(`${PATH}/${id}`)}>${criteriaList(attributes)}</a>`,
      },
      {
        title: c.why,
        cell: ({ attributes }) => why(attributes),
      },
      {
        title: c.ends,
        cell: ({ attributes: { expires_at } }) => (expires_at === null ? t.noEnd : time(expires_at)),
      },
      ...guests,
    ],
  });
}

/** A muting's criteria, such as "Rule image-alt, Address /shop". A finding must match all of them. */
export function criteriaList(muting: Attributes<"muting">): Html {
  const names = Object.keys(t.criteria) as (keyof typeof t.criteria)[];
  return names
    .filter((name) => muting[name] !== null)
    .map((name, index) => html`${index > 0 && ", "}<span class="url">${t.criteria[name]} ${muting[name]}</span>`);
}

/** Why findings are muted: in a word, and in people's own. */
export function why({
  category,
  comment,
  reason,
}: Pick<Attributes<"muting">, "category" | "comment" | "reason">): Html {
  const given = [comment, reason].filter((text) => text);
  const word = category && html`<span class="tag">${t.categories[category]}</span> `;
  return given.length === 0
    ? word || "–"
    : html`${word}${given.map((text, index) => html`${index > 0 && html`<br />`}<span class="url">${text}</span>`)}`;
}
