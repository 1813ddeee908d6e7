import type { Resource } from "../../api/documents.ts";
import { urlText } from "../../domain/addresses/page-variant.ts";
import type { Box } from "../../domain/findings/box.ts";
import { type Html, html } from "../html.ts";
import type { PageContext } from "../page.ts";
import { reportPath } from "../parts/report.ts";
import { texts } from "../texts/en.ts";
import { boxOfFault, type Fault } from "./faults.ts";

const t = texts.page;

/** More numbers would hide the picture. */
const MAX_NUMBERS = 200;
/** What is shown around an element, in CSS pixels of the checked page. */
const MARGIN = 6;
/** How wide the picture is drawn at least, and a number in it, in CSS pixels. */
const DRAWN = 280;
const NUMBER = 26;

type Size = { width: number; height: number };

/**
 * The stored picture of a page with a number at each fault. What is around the selected one is dark.
 *
 * @param link the address that selects a fault
 * @returns null where no picture is stored
 */
export function pagePicture(
  context: PageContext,
  { id, attributes, relationships }: Resource<"web_page">,
  { faults, selected, link }: { faults: readonly Fault[]; selected: number; link: (fault: Fault) => string },
): Html {
  if (!relationships.screenshot) return null;
  const source = context.href(reportPath(context, `/pages/${id}/screenshot`));
  const size = attributes.screenshot_size;
  return html`<section class="pane" aria-labelledby="picture">
    <h3 id="picture">${t.screenshot}</h3>
    <div class="view" tabindex="0" role="group" aria-labelledby="picture">
      <div class="shot">
        <img src=${source} alt=${t.screenshotAlt(urlText(attributes.url))} width=${size?.width} height=${size?.height} loading="lazy" />
        ${size && over(placed(faults, size), size, { selected, link })}
      </div>
    </div>
  </section>`;
}

/** A fault in the picture, and the middle of its number, which avoids the numbers of others. */
type Placed = { fault: Fault; box: Box; number: { x: number; y: number } };

/** The faults that the picture shows: those below its end are left out. */
function placed(faults: readonly Fault[], size: Size): Placed[] {
  const room = NUMBER * Math.max(1, size.width / DRAWN) * 0.75;
  const taken: Placed["number"][] = [];
  const isTaken = ({ x, y }: Placed["number"]) =>
    taken.some((other) => Math.abs(other.x - x) < room && Math.abs(other.y - y) < room);
  return faults.flatMap((fault): Placed[] => {
    const box = boxOfFault(fault);
    if (!box || taken.length >= MAX_NUMBERS || box.y >= size.height || box.x >= size.width) return [];
    const number = { x: Math.max(box.x, room / 2), y: Math.max(box.y, room / 2) };
    while (isTaken(number) && number.x + room < size.width) number.x += room;
    taken.push(number);
    return [{ fault, box, number }];
  });
}

const share = (part: number, whole: number) => `${Math.round((part / whole) * 10_000) / 100}%`;

/**
 * What is drawn over the picture. Numbers keep their size: the drawing has no `viewBox`, and its places are shares of the
 * picture.
 */
function over(
  elements: readonly Placed[],
  { width, height }: Size,
  { selected, link }: { selected: number; link: (fault: Fault) => string },
): Html {
  if (elements.length === 0) return null;
  const current = elements.find(({ fault }) => fault.number === selected);
  const outline = ({ box, fault }: Placed) =>
    html`<rect class=${fault.number === selected ? "now" : undefined} x=${share(box.x - MARGIN, width)} y=${share(box.y - MARGIN, height)} width=${share(box.width + 2 * MARGIN, width)} height=${share(box.height + 2 * MARGIN, height)} rx="3" />`;
  return html`<svg class="over" width="100%" height="100%" role="group" aria-label=${t.inScreenshot}>
    ${current && shade(current.box, { width, height })} ${elements.map(outline)}
    ${elements.map(
      ({ fault, number }) =>
        html`<a href=${link(fault)} aria-label=${t.box(fault.number)} aria-current=${fault.number === selected ? "true" : undefined}>
          <svg x=${share(number.x, width)} y=${share(number.y, height)} overflow="visible">
            <foreignObject x="-12" y="-12" width="24" height="24"><span class=${`no ${fault.shape}`}>${fault.number}</span></foreignObject>
          </svg>
        </a>`,
    )}
  </svg>`;
}

/** Everything but an element. */
function shade({ x, y, width, height }: Box, whole: Size): Html {
  const [left, top] = [x - MARGIN, y - MARGIN];
  const [right, bottom] = [x + width + MARGIN, y + height + MARGIN];
  return html`<svg viewBox=${`0 0 ${whole.width} ${whole.height}`} preserveAspectRatio="none">
    <path class="shade" fill-rule="evenodd" d=${`M0 0H${whole.width}V${whole.height}H0zM${left} ${top}V${bottom}H${right}V${top}z`} />
  </svg>`;
}
