import type { Attributes, One } from "../../api/documents.ts";
import type { Html } from "../html.ts";
import type { PageContext, View } from "../page.ts";
import { texts } from "../texts/en.ts";
import { siteName } from "./site-name.ts";
import { type SiteTab, siteTabs } from "./site-tabs.ts";
import { address, externalLink } from "./text.ts";

export const sitePath = ({ params }: PageContext) => `/sites/${params.site_id}`;

/** What the pages of a site's parts have in common. */
export async function siteFrame(
  context: PageContext,
  tab: SiteTab,
  title: string,
): Promise<Omit<View, "content"> & { tabs: Html; site: Attributes<"site"> }> {
  const { data } = await context.api.get<One<"site">>(sitePath(context));
  const name = siteName(data.attributes);
  return {
    title: `${name}: ${title}`,
    heading: title,
    section: "sites",
    about: externalLink(data.attributes.starting_url, address(data.attributes.starting_url)),
    crumbs: [
      { text: texts.sites.title, to: context.href("/") },
      { text: name, to: context.href(sitePath(context)) },
    ],
    tabs: siteTabs(context, tab),
    site: data.attributes,
  };
}
