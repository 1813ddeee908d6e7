import type { Tab } from "../../../browser/tab.ts";
import type { A11yIssue, Screenshot } from "../../../domain/findings/findings.ts";
import {
  areaAround,
  boxesToPicture,
  type ElementPicture,
  MAX_PICTURE_BYTES,
} from "../../../domain/findings/picture.ts";
import { within } from "../../../time/within.ts";

/** The time for all pictures of a page; without them it still has its result. */
const LIMIT_MS = 5_000;

/** Cuts pictures of elements out of a page's screenshot, in the page's browser: there is no other decoder here. */
export async function cutPictures(
  tab: Tab,
  { png, width, height, scale }: Screenshot,
  issues: readonly A11yIssue[],
): Promise<ElementPicture[]> {
  const cuts = boxesToPicture(issues).flatMap((box) => {
    const area = areaAround(box, { width, height });
    return area ? [{ box, area }] : [];
  });
  if (cuts.length === 0) return [];
  const areas = cuts.map(({ area }) => [area.x, area.y, area.width, area.height]);
  const cutting = tab
    .createWorld(tab.mainFrameId)
    .then((world) => tab.call(world, cutInPage, Buffer.from(png).toString("base64"), areas, scale, MAX_PICTURE_BYTES));
  const pictures: unknown = await within(LIMIT_MS, cutting, []).catch(() => []);
  if (!Array.isArray(pictures)) return [];
  return cuts.flatMap((cut, index) => {
    const picture: unknown = pictures[index];
    return typeof picture === "string" ? [{ ...cut, webp: Buffer.from(picture, "base64") }] : [];
  });
}

/** Runs in the page, in an isolated world: it must not use anything outside itself. @returns base64; null for one that is too large */
async function cutInPage(png: string, areas: number[][], scale: number, maxBytes: number): Promise<(string | null)[]> {
  const bytes = Uint8Array.from(atob(png), (character) => character.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  const pictures: (string | null)[] = [];
  for (const [x = 0, y = 0, width = 1, height = 1] of areas) {
    const canvas = new OffscreenCanvas(width, height);
    canvas
      .getContext("2d")
      ?.drawImage(bitmap, x * scale, y * scale, width * scale, height * scale, 0, 0, width, height);
    const blob = await canvas.convertToBlob({ type: "image/webp", quality: 0.6 });
    const cut = new Uint8Array(await blob.arrayBuffer());
    const fits = blob.type === "image/webp" && cut.length <= maxBytes;
    pictures.push(fits ? btoa(String.fromCharCode(...cut)) : null);
  }
  bitmap.close();
  return pictures;
}
