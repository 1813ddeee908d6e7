import type { Attributes, List, One, Resource } from "../../api/documents.ts";
import { assignmentStates } from "../../domain/causes/assignment.ts";
import { knownBy as knownValues } from "../../domain/causes/causes.ts";
import { impacts } from "../../domain/findings/findings.ts";
import { type Role, roles } from "../../domain/findings/role.ts";
import { type Html, html } from "../html.ts";
import type { PageContext, View } from "../page.ts";
import { holderName, until } from "../parts/assignment.ts";
import { causePath, impactName, knownBy, place } from "../parts/cause.ts";
import { bar } from "../parts/chart.ts";
import { chips } from "../parts/chips.ts";
import { input, select } from "../parts/form.ts";
import { icon } from "../parts/icon.ts";
import { isOwned, reportPath, reportRoutes, totalsOf } from "../parts/report.ts";
import { partsOf, roleName } from "../parts/report-cards.ts";
import { frameBelow } from "../parts/report-head.ts";
import { pageQuery, pagination, table } from "../parts/table.ts";
import { formatCompact, formatNumber, texts } from "../texts/en.ts";

const t = texts.causes;
type Sort = keyof typeof t.sorts;

/** What these tell is not shared with a report. */
const ownersSorts: ReadonlySet<string> = new Set<Sort>(["due_on-asc", "met-desc"]);

export const causesPages = reportRoutes("/causes", read);

const filters = {
  role: Object.keys(roles),
  impact: [...impacts, "none"],
  known_by: knownValues,
  state: assignmentStates,
} as const;

async function read(context: PageContext): Promise<View> {
  const { api, params, query } = context;
  const root = `/reports/${params.report_id}`;
  const choice = (name: keyof typeof filters) =>
    (filters[name] as readonly string[]).find((value) => value === query.get(name));
  const { data } = await api.get<One<"report">>(root);
  const owned = isOwned(context, data.attributes);
  const asked = (Object.keys(t.sorts) as Sort[]).find((value) => value === query.get("sort")) ?? "how_many-desc";
  const sort = owned || !ownersSorts.has(asked) ? asked : "how_many-desc";
  const list = await api.get<List<"cause">>(`${root}/causes`, {
    "filter[role]": choice("role"),
    "filter[impact]": choice("impact"),
    "filter[known_by]": choice("known_by"),
    "filter[path]": query.get("path") ?? undefined,
    "filter[state]": choice("state"),
    "filter[assignee]": query.get("assignee") || undefined,
    "filter[mine]": query.get("mine") ? "true" : undefined,
    "filter[search]": query.get("text") || undefined,
    sort,
    ...pageQuery(query),
  });
  const { tabs, ...frame } = await frameBelow(context, data.attributes, "summary");
  const { meta } = list;
  const parts = await partsOf(context);
  const content = html`<div>
    ${tabs}
    <section class="card flush" aria-labelledby="list">
      ${tools(context, meta, { sort, owned, parts, hasViews: list.data.some(({ attributes }) => attributes.met !== null) })}
      <div class="tools line">
        <h2 id="list">${t.sum(meta.total, meta.how_many)}</h2>
        <p class="quiet push">${t.knownSums(meta)}</p>
      </div>
      ${meta.total === 0 ? await nothing(context) : causeTable(context, list, totalsOf(data.attributes).errors, owned)}
      <div class="tools grid close quiet small">
        <p>${t.means}</p>
        <p>${t.knownMeans}</p>
        ${meta.left_out.causes > 0 && html`<p>${t.leftOut(meta.left_out.causes, meta.left_out.how_many)}</p>`}
      </div>
    </section>
    ${pagination(context, t.title, meta)}
  </div>`;
  return { ...frame, title: t.title, content };
}

type Meta = List<"cause">["meta"];

function tools(
  context: PageContext,
  { counts, assignees }: Meta,
  { sort, owned, hasViews, parts }: { sort: Sort; owned: boolean; hasViews: boolean; parts: Html },
): Html {
  const { query } = context;
  const kept = ["role", "impact", "known_by", "state", "mine"].flatMap((name) => {
    const value = query.get(name);
    return value ? [html`<input type="hidden" name=${name} value=${value} />`] : [];
  });
  const names = [...new Set(assignees.flatMap(({ assignee }) => assignee ?? []))];
  const chip = (text: Html, value: string, count: number) => ({ value, text, count });
  const some = (name: string, values: readonly { value: string; text: Html; count: number }[]) =>
    values.filter(({ value, count }) => count > 0 || value === query.get(name));
  return html`<form class="tools grid" action=${context.href(reportPath(context, "/causes"))}>
    <div class="filters">
      ${kept} ${input({ name: "text", label: t.find, value: query.get("text") ?? "", bare: true })}
      ${parts}
      ${names.length > 0 && select({ name: "assignee", label: t.columns.who, value: query.get("assignee") ?? "", options: [{ value: "", label: texts.all }, ...names.map((value) => ({ value, label: value }))] })}
      ${select({
        name: "sort",
        label: t.sort,
        value: sort,
        options: Object.entries(t.sorts).flatMap(([value, label]) =>
          value === sort || (value === "met-desc" ? hasViews : owned || !ownersSorts.has(value))
            ? [{ value, label }]
            : [],
        ),
      })}
      <button class="quiet">${t.apply}</button>
    </div>
    <div class="line">
      ${chips(context, {
        name: "role",
        label: t.columns.role,
        values: some(
          "role",
          (Object.keys(roles) as Role[]).map((role) => chip(roleName(role), role, counts.role[role])),
        ),
      })}
      ${chips(context, {
        name: "impact",
        label: t.columns.impact,
        values: some(
          "impact",
          ([...impacts].reverse() as (keyof Meta["counts"]["impact"])[])
            .concat("none")
            .map((impact) =>
              chip(impactName({ impact: impact === "none" ? null : impact }), impact, counts.impact[impact]),
            ),
        ),
      })}
      ${chips(context, {
        name: "known_by",
        label: t.columns.knownBy,
        values: some(
          "known_by",
          knownValues.map((value) => chip(html`${icon(value)} ${t.knownBy[value]}`, value, counts.known_by[value])),
        ),
      })}
      ${
        owned &&
        chips(context, {
          name: "state",
          label: t.state,
          values: some(
            "state",
            assignmentStates.map((value) => chip(t.states[value], value, counts.state[value])),
          ),
        })
      }
      ${
        owned &&
        context.reader?.principal.person &&
        chips(context, {
          name: "mine",
          label: t.columns.who,
          values: some("mine", [chip(t.mine, "true", counts.mine)]),
        })
      }
    </div>
  </form>`;
}

function causeTable(context: PageContext, { data }: List<"cause">, all: number, owned: boolean): Html {
  const most = Math.max(1, ...data.map(({ attributes }) => attributes.how_many));
  const small = (text: Html) => html`<span class="small quiet">${text}</span>`;
  return table<Resource<"cause">>({
    caption: t.caption,
    hideCaption: true,
    rows: data,
    columns: [
      {
        title: t.columns.cause,
        header: true,
        cell: ({ id, attributes }) =>
          html`<span class="pick"
            ><span class="quiet n">${formatNumber(attributes.number)}</span
            ><a class="site" href=${causePath(context, id)}><b>${attributes.title}</b> ${small(place(attributes))}</a></span
          >`,
      },
      {
        title: t.columns.removes,
        cell: ({ attributes: { how_many, impact, rules, num_pages, met } }) =>
          html`<b>${t.removes(how_many)}</b> <span class="quiet">${t.share(how_many, all)}</span>${bar({ value: how_many, kind: impact ?? "markup" }, most)}${small(t.rules(rules.length, num_pages))}${met !== null && small(html`, ${t.met(formatCompact(met))}`)}`,
      },
      { title: t.columns.knownBy, cell: ({ attributes }) => knownBy(attributes) },
      {
        title: t.columns.impact,
        cell: ({ attributes }) => html`${impactName(attributes)} ${small(criteriaOf(attributes))}`,
      },
      { title: t.columns.role, cell: ({ attributes: { role } }) => html`<span class="tag">${roleName(role)}</span>` },
      {
        title: t.columns.places,
        cell: ({ attributes: { num_places, how_many } }) =>
          html`${t.places(num_places)} ${small(t.each((how_many / Math.max(1, num_places)).toFixed(1)))}`,
      },
      ...(owned
        ? [
            {
              title: t.columns.who,
              cell: ({ id, attributes: { assignment, title } }: Resource<"cause">) =>
                assignment
                  ? html`${icon(assignment.state === "done" ? "running" : "person")} ${holderName(assignment)} ${small(assignment.state === "open" ? t.states.open : until(assignment, context.now))}`
                  : html`<a class="screen" href=${`${causePath(context, id)}#who`} aria-label=${`${texts.assignment.take}: ${title}`}>${texts.assignment.take}</a>`,
            },
          ]
        : []),
    ],
  });
}

function criteriaOf({ success_criteria }: Attributes<"cause">): string {
  return success_criteria.map(({ number }) => number).join(", ") || t.noCriterion;
}

/** Filters in the order in which they are said. */
const said = ["impact", "role", "known_by", "state", "assignee", "mine", "path", "text"] as const;
const apiNames: Partial<Record<(typeof said)[number], string>> = { text: "filter[search]" };

/** When no cause is like what is asked for: how many have each part of it alone, which is where the nearest are. */
async function nothing(context: PageContext): Promise<Html> {
  const { api, params, query, href } = context;
  const asked = said.flatMap((name) => {
    const value = query.get(name);
    return value ? [{ name, value }] : [];
  });
  const count = async (filter: Record<string, string>) => {
    const path = `/reports/${params.report_id}/causes`;
    return (await api.get<List<"cause">>(path, { ...filter, "page[size]": "1" })).meta.total;
  };
  const alone: { name: (typeof said)[number]; value: string; total: number }[] = [];
  if (asked.length > 1)
    for (const { name, value } of asked)
      alone.push({ name, value, total: await count({ [apiNames[name] ?? `filter[${name}]`]: value }) });
  const all = await count({});
  const to = (filter: Record<string, string>) => href(reportPath(context, "/causes"), filter);
  const links = alone
    .filter(({ total }) => total > 0)
    .map(({ name, value }) => html`<a href=${to({ [name]: value })}>${t.only(wordOf(name, value))}</a> · `);
  return html`<div class="tools grid close">
    <p><b>${asked.length === 0 ? t.noneAtAll : t.noneLike(asked.map(({ name, value }) => phraseOf(name, value)))}</b></p>
    <p class="quiet">${alone.length > 0 && t.aloneSum(alone.map(({ name, value, total }) => ({ total, phrase: phraseOf(name, value) })))} ${links}${all > 0 && html`<a href=${to({})}>${t.showAllOf(all)}</a>`}</p>
  </div>`;
}

function wordOf(name: (typeof said)[number], value: string): string {
  const words: Readonly<Record<string, string>> =
    name === "impact"
      ? { ...texts.impacts, none: t.htmlOnly }
      : name === "role"
        ? texts.roles
        : name === "known_by"
          ? t.knownBy
          : name === "state"
            ? t.states
            : {};
  return words[value] ?? value;
}

function phraseOf(name: (typeof said)[number], value: string): string {
  return t.phrases[name](wordOf(name, value));
}
