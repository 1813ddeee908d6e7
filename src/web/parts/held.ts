import type { List, Resource } from "../../api/documents.ts";
import { type Html, html } from "../html.ts";
import type { PageContext } from "../page.ts";
import { texts } from "../texts/en.ts";
import { mayWrite } from "./access.ts";
import { holderName, until } from "./assignment.ts";
import { table } from "./table.ts";

const t = texts.held;

type Held = Resource<"assignment">;

/** What somebody has of a site: the site, a section or a cause, with a link to it. */
export function heldName({ href }: PageContext, { attributes, relationships }: Held): Html {
  const { kind, path, title, cause_id, is_seen } = attributes;
  const idOf = (name: "site" | "report") => relationships[name]?.links.related.split("/").at(-1) ?? "";
  if (kind === "site") return html`<a href=${href(`/sites/${idOf("site")}`)}>${t.wholeSite}</a>`;
  const report = idOf("report");
  if (kind === "section")
    return report ? html`<a href=${href(`/reports/${report}/causes`, { path: path ?? "" })}>${path}</a>` : path;
  return is_seen ? html`<a href=${href(`/reports/${report}/causes/${cause_id}`)}>${title}</a>` : title;
}

/** Who has something, until when, and whether it is still seen. */
export function heldBy({ now }: PageContext, { attributes }: Held): Html {
  const gone = attributes.kind === "cause" && !attributes.is_seen;
  return html`${holderName(attributes)} <span class="small quiet">${gone ? t.notSeen : until(attributes, now)}</span>`;
}

const SHOWN = 20;

/** Who has the site and what of it. */
export async function heldCard(context: PageContext, siteId: string): Promise<Html> {
  const query = { "filter[site_id]": siteId, "page[size]": String(SHOWN) };
  const { data, meta } = await context.api.get<List<"assignment">>("/assignments", query);
  const to = context.href(`/sites/${siteId}/held`);
  return html`<section class="card flush" aria-labelledby="held">
    <div class="tools line"><h2 id="held">${t.title}</h2>${mayWrite(context) && html`<a class="push screen" href=${to}>${t.change}</a>`}</div>
    ${
      data.length === 0
        ? html`<p class="tools quiet">${t.nobody}</p>`
        : table<Held>({
            caption: t.title,
            hideCaption: true,
            rows: data,
            columns: [
              { title: t.what, header: true, cell: (held) => heldName(context, held) },
              { title: t.who, cell: (held) => heldBy(context, held) },
            ],
          })
    }
    ${meta.total > data.length && html`<p class="tools quiet">${texts.count.others(meta.total - data.length)}</p>`}
  </section>`;
}
