import type { Attributes, List, Resource } from "../../api/documents.ts";
import { type MutingCategory, mutingCategories } from "../../schema/muting.ts";
import { type Html, html } from "../html.ts";
import type { PageContext, PageRoute, View } from "../page.ts";
import { forWriters } from "../parts/access.ts";
import { chips } from "../parts/chips.ts";
import { input } from "../parts/form.ts";
import { guestColumn } from "../parts/guest-names.ts";
import { icon } from "../parts/icon.ts";
import { pageQuery, pagination, table } from "../parts/table.ts";
import { empty, shortTime } from "../parts/text.ts";
import { formatNumber, texts } from "../texts/en.ts";

const PATH = "/mutings";
const t = texts.mutings;
const categories = Object.keys(mutingCategories) as MutingCategory[];
const states = ["ends_soon", "matches_nothing"] as const;
const DAY = 86_400_000;
const noCounts: NonNullable<List<"muting">["meta"]["counts"]> = {
  ...{ all: 0, findings: 0, ends_soon: 0, matches_nothing: 0 },
  categories: { false_positive: 0, accepted: 0, third_party: 0, later: 0, passed: 0 },
};
/** As the API counts what ends soon. */
const SOON = 14;

export const mutingsPage: PageRoute = { path: PATH, access: "account", read };

async function read(context: PageContext): Promise<View> {
  const { api, href, query } = context;
  const mutings = await api.get<List<"muting">>(PATH, {
    "filter[category]": categories.find((known) => known === query.get("category")),
    "filter[state]": states.find((known) => known === query.get("state")),
    "filter[search]": query.get("q") || undefined,
    now: "true",
    ...pageQuery(query),
  });
  const counts = mutings.meta.counts ?? noCounts;
  const tools = forWriters(context, () => html`<a class="button" href=${href("/mutings/new")}>${t.add}</a>`, "common");
  const content = html`<div>
    ${
      counts.all === 0
        ? empty(t.none, t.noneWhat)
        : html`<section class="card flush" aria-label=${t.title}>
            ${filters(context, counts)}
            ${mutings.meta.total === 0 ? html`<p class="tools">${t.noMatch} <a href=${href(PATH)}>${t.showAll(counts.all)}</a></p>` : await mutingTable(context, mutings.data)}
            <div class="tools">${pagination(context, t.title, mutings.meta)}</div>
            <p class="tools quiet">${t.mutedNow(counts.findings)} ${counts.matches_nothing > 0 && html`${t.canGo} <a href=${href(PATH, { state: "matches_nothing" })}>${t.lookAtThem(counts.matches_nothing)}</a>.`}</p>
          </section>`
    }
  </div>`;
  return { title: t.title, section: "mutings", content, tools };
}

function filters(context: PageContext, counts: typeof noCounts): Html {
  const { query, href } = context;
  const hidden = ["category", "state"].map((name) => {
    const value = query.get(name);
    return value && html`<input type="hidden" name=${name} value=${value} />`;
  });
  return html`<div class="grid tools close">
    <form class="filters" method="get" action=${href(PATH)} aria-label=${texts.issues.filters}>
      ${hidden} ${input({ name: "q", label: t.find, value: query.get("q") ?? "", bare: true })}
      <button class="quiet">${texts.issues.apply}</button>
    </form>
    <div class="line">
      ${chips(context, {
        name: "category",
        label: t.columns.why,
        values: [
          { value: "", text: texts.all, count: counts.all },
          ...categories.map((value) => ({ value, text: t.categories[value], count: counts.categories[value] })),
        ],
      })}
      ${chips(context, { name: "state", label: t.state, values: states.map((value) => ({ value, text: t.states[value], count: counts[value] })) })}
    </div>
  </div>`;
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
        cell: (muting) => whatAndWhere(context, muting),
      },
      {
        title: c.why,
        cell: ({ attributes }) => why(attributes),
      },
      {
        title: c.by,
        cell: ({ attributes: { created_by, inserted_at } }) =>
          html`<span class="quiet">${created_by && html`${created_by}, `}${shortTime(inserted_at, "date")}</span>`,
      },
      {
        title: c.ends,
        cell: ({ attributes: { expires_at } }) => (expires_at === null ? t.noEnd : ends(expires_at, context.now)),
      },
      { title: c.findings, numeric: true, cell: ({ attributes: { now } }) => silenced(now) },
      ...guests,
    ],
  });
}

/** The title of the rule, with what exactly is muted below; that alone where no rule is known. */
function whatAndWhere(context: PageContext, { id, attributes }: Resource<"muting">): Html {
  const link = (text: Html) => html`<a href=${context.href(`${PATH}/${id}`)}>${text}</a>`;
  const { title, impact, example } = attributes.now ?? {};
  if (!title) return link(criteriaList(attributes));
  const selector = example?.selector ?? attributes.rule;
  return html`${impact ? icon(impact, texts.impacts[impact]) : icon("markup")} ${link(title)} ${selector && html`<code class="quiet">${selector}</code>`}
    <span class="small quiet block">${criteriaList(attributes)}</span>`;
}

/** When it ends, and in how many days if these are few. */
function ends(expiresAt: string, now: Date): Html {
  const days = Math.floor((new Date(`${expiresAt}Z`).getTime() - now.getTime()) / DAY);
  return html`${shortTime(expiresAt, "date")}${days >= 0 && days < SOON && html` <span class="small warn">${t.inDays(days)}</span>`}`;
}

function silenced(now: Attributes<"muting">["now"]): Html {
  if (now && now.findings > 0) return html`<b>${formatNumber(now.findings)}</b>`;
  const since =
    now?.none_since && html` <span class="small quiet">${t.since} ${shortTime(now.none_since, "day")}</span>`;
  return html`${icon("alert", t.states.matches_nothing)} 0${since}`;
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
