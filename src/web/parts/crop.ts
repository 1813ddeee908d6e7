import type { Resource } from "../../api/documents.ts";
import { urlText } from "../../domain/addresses/page-variant.ts";
import { type Html, html } from "../html.ts";
import type { PageContext } from "../page.ts";
import { texts } from "../texts/en.ts";
import { reportPath } from "./report.ts";

/**
 * The picture of an element as an example of what was found, with an outline; null where none is stored. Fixed and gone
 * findings are on the base's pages, whose pictures readers of this report may not see.
 */
export function crop(
  context: Pick<PageContext, "params" | "path" | "href" | "picture">,
  { attributes: { element, url } }: Pick<Resource<"finding" | "component" | "cause">, "attributes">,
): Html {
  const { box, picture } = element ?? {};
  const [, report, page, id] =
    /\/reports\/([^/]+)\/web_pages\/([^/]+)\/pictures\/([^/]+)$/.exec(picture?.url ?? "") ?? [];
  if (!box || !picture || report !== context.params.report_id) return null;
  const { x, y, width, height } = picture.area;
  const source = (context.picture ?? context.href)(reportPath(context, `/pages/${page}/pictures/${id}`));
  if (source === undefined) return null;
  return html`<svg class="crop" viewBox=${`${x} ${y} ${width} ${height}`} width=${width} height=${height} role="img" aria-label=${texts.crop.alt(urlText(url))}>
    <image href=${source} x=${x} y=${y} width=${width} height=${height} />
    <rect class="outline" x=${box.x} y=${box.y} width=${box.width} height=${box.height} />
  </svg>`;
}
