import { type Html, html } from "../html.ts";
import type { PageContext } from "../page.ts";
import { texts } from "../texts/en.ts";

const t = texts.siteTabs;
const paths = { runs: "", questions: "/questions", criteria: "/criteria", statement: "/statement" } as const;

export type SiteTab = keyof typeof paths;

/** Links to the parts of a site that hold for all of its runs. */
export function siteTabs({ href, params }: PageContext, current: SiteTab): Html {
  return html`<nav class="tabs" aria-label=${t.label}>
    <ul class="line">
      ${(Object.keys(paths) as SiteTab[]).map(
        (tab) =>
          html`<li><a href=${href(`/sites/${params.site_id}${paths[tab]}`)} aria-current=${tab === current ? "page" : undefined}>${t[tab]}</a></li>`,
      )}
    </ul>
  </nav>`;
}
