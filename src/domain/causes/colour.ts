import type { Contrast } from "../findings/contrast.ts";

/** A pair of colours of a text, of which one is to be changed. */
export type ColourToChange = { changed: "foreground" | "background"; colour: string; against: string };

/** Lighter or darker colours than these are hardly chosen for one text: the other one of the pair is. */
const [WHITE, BLACK] = [0.9, 0.02];

/** Which colour of a text with too little contrast is to be changed; undefined where one of them is not known. */
export function colourToChange({
  foreground,
  background,
}: Pick<Contrast, "foreground" | "background">): ColourToChange | undefined {
  if (foreground === null || background === null) return undefined;
  const isExtreme = (colour: string) => luminance(colour) > WHITE || luminance(colour) < BLACK;
  return isExtreme(foreground) && !isExtreme(background)
    ? { changed: "background", colour: background, against: foreground }
    : { changed: "foreground", colour: foreground, against: background };
}

/**
 * The colour nearest to the given one that has the required contrast with another, darker or lighter.
 *
 * @param colour and against as #rrggbb
 * @returns undefined where no colour has it
 */
export function withContrast(
  { colour, against }: Pick<ColourToChange, "colour" | "against">,
  required: number,
): string | undefined {
  const isLighter = luminance(against) < 0.18;
  for (let step = 0; step <= 255; step++) {
    const mixed = mix(colour, isLighter ? 255 : 0, step / 255);
    if (contrast(mixed, against) >= required) return mixed;
  }
  return undefined;
}

function mix(colour: string, end: number, share: number): string {
  const parts = channels(colour).map((value) => Math.round(value + (end - value) * share));
  return `#${parts.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

function contrast(a: string, b: string): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

/** Relative luminance. @see https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = channels(colour).map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function channels(colour: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
}
