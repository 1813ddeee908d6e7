import type { Attributes, One } from "../../api/documents.ts";
import { html } from "../html.ts";
import type { PageContext, PageRoute, View } from "../page.ts";
import { withSharedReport } from "../parts/report.ts";
import { siteCharts } from "../parts/site-charts.ts";
import { siteName } from "../parts/site-name.ts";
import { siteTiles } from "../parts/site-tiles.ts";
import { address, externalLink, time } from "../parts/text.ts";
import { texts } from "../texts/en.ts";
import { readReport } from "./report.ts";

const t = texts.shareLinks;

/** What a share link opens: a report, whose other pages are below this one, or the numbers of a site. */
export const sharedPage: PageRoute = {
  path: "/shared/:share_secret",
  access: "public",
  async read(context) {
    const { data } = await context.api.get<One<"shared">>(`/shared/${context.params.share_secret}`);
    return data.attributes.site
      ? siteView(context, data.attributes, data.attributes.site)
      : readReport(await withSharedReport(context));
  },
};

type SharedSite = NonNullable<Attributes<"shared">["site"]>;

function siteView({ now }: PageContext, { expires_at }: Attributes<"shared">, site: SharedSite): View {
  const content = html`<div>
    <p class="quiet">${t.sharedUntil} ${time(expires_at)}.</p>
    ${site.numbers ? siteTiles(site.numbers) : html`<p class="card">${texts.sites.noNumbers}</p>`} ${siteCharts(site.days, { days: 365, now })}
  </div>`;
  return {
    title: siteName(site),
    content,
    about: externalLink(site.starting_url, site.name === null ? texts.report.openSite : address(site.starting_url)),
  };
}
