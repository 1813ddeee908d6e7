import type { One, Resource } from "../../api/documents.ts";
import type { Box } from "../../domain/findings/box.ts";
import { type Html, html } from "../html.ts";
import type { PageContext } from "../page.ts";
import { texts } from "../texts/en.ts";
import { reportPath } from "./report.ts";

/** An element as an example of what was found, on one of its pages. */
type Example = Resource<"finding" | "component">;

/** The picture of an example; null if none is stored, or if the element is not in it. */
export type Crop = (example: Example) => Html;

/**
 * The most screenshots that a browser loads for one list, each once for all of its pictures: each may have megabytes.
 * They are loaded after the text is painted. `loading="lazy"` would not help: a list is about as long as the distance
 * within which browsers load images in advance.
 */
const MAX_SCREENSHOTS = 2;
/** The most pictures in one list. */
const MAX_CROPS = 10;
/** The margin that is shown around an element, in CSS pixels. */
const MARGIN = 16;
/** The smallest and the largest size of a picture. */
const LEAST = { width: 240, height: 80 };
const MOST = { width: 960, height: 480 };

/**
 * Finds the screenshots of the pages on which the examples are.
 *
 * @param known pages that were read before
 */
export async function readCrops(
  context: PageContext,
  examples: readonly Example[],
  known: readonly Resource<"web_page">[] = [],
): Promise<Crop> {
  const shown = examples.filter(({ attributes }) => attributes.element?.box).slice(0, MAX_CROPS);
  const ids = [...new Set(shown.flatMap((example) => pageOf(context, example) ?? []))].slice(0, MAX_SCREENSHOTS);
  const pages = await Promise.all(
    ids.map(async (id) => {
      const page = known.find((one) => one.id === id);
      if (page) return page;
      const path = `/reports/${context.params.report_id}/web_pages/${id}`;
      return (await context.api.get<One<"web_page">>(path)).data;
    }),
  );
  const withPicture = new Map(
    pages.flatMap((page) =>
      page.relationships.screenshot && page.attributes.screenshot_size ? [[page.id, page]] : [],
    ),
  );
  return (example) => {
    const box = example.attributes.element?.box;
    const page = withPicture.get(pageOf(context, example) ?? "");
    const size = page?.attributes.screenshot_size;
    if (!box || !page || !size || !shown.includes(example)) return null;
    const part = cropAround(box, size);
    return part && crop(context, page, { number: shown.indexOf(example) + 1, box, size, part });
  };
}

/** The page of an example. Fixed and gone findings are on the base's pages, of which this report has no pictures. */
function pageOf({ params }: PageContext, { relationships }: Example): string | undefined {
  const address = relationships.web_page.links.related;
  const [, report, page] = /\/reports\/([^/]+)\/web_pages\/([^/]+)$/.exec(address) ?? [];
  return report === params.report_id ? page : undefined;
}

/**
 * The part of a screenshot that shows an element with margins, in CSS pixels.
 *
 * @returns undefined for an element that is not in the picture
 */
export function cropAround(box: Box, size: { width: number; height: number }): Box | undefined {
  if (box.x >= size.width || box.y >= size.height) return undefined;
  const [x, width] = stretch(box.x, box.width, { least: LEAST.width, most: MOST.width, end: size.width });
  const [y, height] = stretch(box.y, box.height, { least: LEAST.height, most: MOST.height, end: size.height });
  return { x, y, width, height };
}

type Bounds = { least: number; most: number; end: number };

/** An element and its margins in one direction, moved and cut to fit the picture. Large elements lose their end. */
function stretch(start: number, length: number, { least, most, end }: Bounds): [start: number, length: number] {
  const wanted = Math.min(Math.max(length + 2 * MARGIN, least), most, end);
  const before = Math.max(MARGIN, Math.floor((wanted - length) / 2));
  const from = Math.min(Math.max(0, start - before), end - wanted);
  return [from, wanted];
}

type Cut = { number: number; box: Box; size: { width: number; height: number }; part: Box };

/**
 * A part of the stored screenshot. Cutting it by a style would need another Content-Security-Policy. It is drawn as a
 * pattern: the hidden parts of an image would lie over or under the text around it, so that axe-core could not
 * determine that text's contrast.
 */
function crop(context: PageContext, { id, attributes }: Resource<"web_page">, { number, box, size, part }: Cut): Html {
  const source = context.href(reportPath(context, `/pages/${id}/screenshot`));
  const { x, y, width, height } = part;
  return html`<svg
    class="crop"
    viewBox=${`${x} ${y} ${width} ${height}`}
    width=${width}
    height=${height}
    role="img"
    aria-label=${texts.crop.alt(attributes.url)}
  >
    <pattern id=${`crop-${number}`} patternUnits="userSpaceOnUse" width=${size.width} height=${size.height}>
      <image href=${source} width=${size.width} height=${size.height} />
    </pattern>
    <rect x=${x} y=${y} width=${width} height=${height} fill=${`url(#crop-${number})`} />
    <rect class="outline" x=${box.x} y=${box.y} width=${box.width} height=${box.height} />
  </svg>`;
}
