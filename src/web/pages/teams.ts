import type { List, One, Resource } from "../../api/documents.ts";
import { readAll } from "../api.ts";
import { textIn } from "../fields.ts";
import { type Html, html } from "../html.ts";
import type { Attempt, Fields, FormRoute, PageContext, PageRoute, View } from "../page.ts";
import { checkboxes, confirmForm, hiddenFields, input, problems, select } from "../parts/form.ts";
import { formRoute } from "../parts/form-route.ts";
import { settingsCrumbs } from "../parts/settings.ts";
import { table } from "../parts/table.ts";
import { texts } from "../texts/en.ts";

const t = texts.teams;
const NEW = "/teams";
const ONE = `${NEW}/:team_id`;
const PEOPLE = "/people";

export const teamPages: readonly PageRoute[] = [
  { path: NEW, access: "account", read: (context) => newView(context) },
  { path: ONE, access: "account", read: (context) => teamView(context) },
];

export const teamForms: readonly FormRoute[] = [
  {
    ...formRoute(NEW, newView, async ({ api, href }, fields) => {
      await api.post("/teams", teamIn(fields), { repeatKey: fields.get("key") ?? undefined });
      return { redirect: href(PEOPLE, { done: "saved" }) };
    }),
    right: "people",
  },
  {
    ...formRoute(ONE, teamView, async ({ api, href, params }, fields) => {
      await api.patch(`/teams/${params.team_id}`, teamIn(fields));
      return { redirect: href(PEOPLE, { done: "saved" }) };
    }),
    right: "people",
  },
  {
    ...formRoute(`${ONE}/remove`, teamView, async ({ api, href, params }, fields) => {
      await api.delete(`/teams/${params.team_id}${heirQuery(fields)}`);
      return { redirect: href(PEOPLE, { done: "removed" }) };
    }),
    right: "people",
  },
];

function teamIn(fields: Fields) {
  return { name: textIn(fields, "name") ?? "", member_ids: fields.getAll("member_ids") };
}

/** The query of a removal, with who takes over what somebody has. */
export function heirQuery(fields: Fields): string {
  const heir = textIn(fields, "successor_id");
  return heir ? `?${new URLSearchParams({ successor_id: heir })}` : "";
}

/** A choice of who takes over what somebody has who is removed; null when there is nothing. */
export async function heirField({ api }: PageContext, leaving: string, has: number): Promise<Html> {
  if (has === 0) return null;
  const data = await readAll<"assignee">(api, "/assignees");
  const others = data.filter(({ id }) => id !== leaving);
  const options = others.map(({ id, attributes }) => ({ value: id, label: attributes.name }));
  return select({
    name: "successor_id",
    label: t.heir,
    help: t.heirHelp,
    value: "",
    options: [{ value: "", label: t.nobody }, ...options],
  });
}

/** The teams of the account, for the page of its people. */
export async function teamsCard({ api, href }: PageContext): Promise<Html> {
  const { data } = await api.get<List<"team">>("/teams", { "page[size]": "100" });
  return html`<section class="card flush" aria-labelledby="teams">
    <div class="tools line"><h2 id="teams">${t.title}</h2><a class="button quiet push" href=${href(NEW)}>${t.add}</a></div>
    ${
      data.length === 0
        ? html`<p class="tools quiet">${t.none}</p>`
        : table<Resource<"team">>({
            caption: t.title,
            hideCaption: true,
            rows: data,
            columns: [
              {
                title: t.name,
                header: true,
                cell: ({ id, attributes }) => html`<a href=${href(`${NEW}/${id}`)}>${attributes.name}</a>`,
              },
              {
                title: t.members,
                cell: ({ attributes }) => attributes.members.map(({ name }) => name).join(", ") || "–",
              },
              {
                title: t.has,
                cell: ({ attributes: { name, num_assignments } }) =>
                  num_assignments === 0
                    ? "–"
                    : html`<a href=${href("/held", { who: name })}>${t.things(num_assignments)}</a>`,
              },
            ],
          })
    }
  </section>`;
}

async function newView(context: PageContext, attempt?: Attempt): Promise<View> {
  return {
    title: t.add,
    ...settingsCrumbs(context, "people"),
    content: await teamForm(context, NEW, { name: "", members: [] }, attempt),
  };
}

async function teamView(context: PageContext, attempt?: Attempt): Promise<View> {
  const { api, params } = context;
  const path = `${NEW}/${params.team_id}`;
  const { data } = await api.get<One<"team">>(`/teams/${params.team_id}`);
  const { name, num_assignments } = data.attributes;
  const fields = await heirField(context, data.id, num_assignments);
  const content = html`<div class="grid split">
    ${await teamForm(context, path, data.attributes, attempt)}
    <div class="card">${confirmForm(context, `${path}/remove`, { summary: t.remove, what: t.removeWhat(num_assignments), sure: t.removeSure(name), fields })}</div>
  </div>`;
  return { title: name, ...settingsCrumbs(context, "people"), content };
}

type Team = Pick<Resource<"team">["attributes"], "name" | "members">;

async function teamForm(
  context: PageContext,
  action: string,
  { name, members }: Team,
  attempt?: Attempt,
): Promise<Html> {
  // All of them: whoever is not listed would leave the team when it is saved.
  const data = await readAll<"person">(context.api, "/people");
  const options = data.map(({ id, attributes }) => ({ value: id, label: attributes.name, what: attributes.mail }));
  return html`<form class="card grid" method="post" action=${context.href(action)}>
    ${hiddenFields(context)} ${problems(attempt, ["name", "member_ids"])}
    ${input({ name: "name", label: t.name, value: name, required: true, attempt })}
    ${options.length > 0 ? checkboxes({ name: "member_ids", label: t.members, value: members.map(({ id }) => id).join(","), options, attempt }) : html`<p class="quiet">${t.noPeople}</p>`}
    <p><button>${t.save}</button></p>
  </form>`;
}
