import { emulateColours } from "./emulate-colours.ts";
import { openPersonsBrowser } from "./web-browser.ts";

/** What must be seen of an element against what is behind it. */
type Trait =
  | "border"
  | "thick border"
  | "start border"
  | "outline"
  | "text"
  | "weight"
  | "stroke"
  | "outline over a picture"
  | "fill"
  | "native";

/** What carries meaning on pages by more than its words. */
const carriers: Readonly<Record<string, Trait>> = {
  "button, .button, input:not([type=hidden], [type=checkbox], [type=radio]), select, textarea": "border",
  "input[type=checkbox], input[type=radio], progress": "native",
  ".tag": "border",
  ".code .no": "outline",
  "[aria-invalid=true]": "thick border",
  ".problems, .preview, .done": "start border",
  ".guide": "start border",
  "[aria-current]": "weight",
  ".amount.error": "weight",
  mark: "outline",
  ".sparkline polyline": "stroke",
  ".plot rect:not(.rest)": "fill",
  ".plot .rest": "stroke",
  ".meter:not(.quota) rect[width]:not([width='0'])": "fill",
  ".crop .outline": "outline over a picture",
  ".over .now": "outline over a picture",
  ".over .no": "text",
  "main button, header button, .button": "text",
  "a[href]:not(.over a)": "text",
};

/** Looks at pages as people do whose system replaces all colours: "high contrast", "contrast themes". */
export type ForcedColours = {
  /** What does not show on a page, one a line. */
  find(name: string, url: string): Promise<string[]>;
  /** The kinds of things that were on none of the pages. */
  neverSeen(): string[];
  close(): Promise<void>;
};

export async function openForcedColours(scheme: "light" | "dark"): Promise<ForcedColours> {
  const browser = await openPersonsBrowser();
  const page = await browser.person();
  await emulateColours(page, scheme, true);
  const seen = new Set<string>();
  return {
    async find(name, url) {
      await page.goto(url);
      // From then on the browser shows the focus, also where a script sets it.
      await page.keyboard.press("Tab");
      const { present, missing } = await page.evaluate(missingIn, carriers);
      for (const selector of present) seen.add(selector);
      return missing.map((what) => `${name}: ${what}`);
    },
    neverSeen: () => Object.keys(carriers).filter((selector) => !seen.has(selector)),
    close: () => browser.close(),
  };
}

/** Runs in the page. */
function missingIn(traits: Readonly<Record<string, Trait>>): { present: string[]; missing: string[] } {
  const LEAST = 3;
  const LEGIBLE = 4.5;
  const HALF = 128;
  const shade = document.createElement("canvas").getContext("2d", { willReadFrequently: true });

  /** Red, green, blue and alpha of a colour as CSS writes it. */
  function channels(colour: string): number[] {
    if (!shade) throw new Error("There is no canvas.");
    shade.clearRect(0, 0, 1, 1);
    shade.fillStyle = colour;
    shade.fillRect(0, 0, 1, 1);
    return [...shade.getImageData(0, 0, 1, 1).data];
  }
  function luminance(colour: string): number {
    const [red = 0, green = 0, blue = 0] = channels(colour).map((value) => {
      const part = value / 255;
      return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  }
  function contrast(one: string, another: string): number {
    const [low = 0, high = 0] = [luminance(one), luminance(another)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  }
  function isSeenThrough(colour: string): boolean {
    return colour === "none" || (channels(colour)[3] ?? 0) < HALF;
  }
  function behind(element: Element | null): string {
    for (let at = element; at; at = at.parentElement) {
      const { backgroundColor } = getComputedStyle(at);
      if (!isSeenThrough(backgroundColor)) return backgroundColor;
    }
    return "Canvas";
  }
  /** Whether a colour shows on what is behind an element. */
  const shows = (colour: string, element: Element | null) =>
    !isSeenThrough(colour) && contrast(colour, behind(element)) >= LEAST;
  function hasBorder(element: Element, side: "block-end" | "inline-start", least: number): boolean {
    const style = getComputedStyle(element);
    const width = Number.parseFloat(style.getPropertyValue(`border-${side}-width`));
    const isLine = style.getPropertyValue(`border-${side}-style`) !== "none";
    return isLine && width >= least && shows(style.getPropertyValue(`border-${side}-color`), element.parentElement);
  }
  function hasOutline(element: Element, least: number): boolean {
    const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(element);
    const isLine = outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= least;
    return isLine && shows(outlineColor, element.parentElement);
  }
  function has(element: Element, trait: Trait): boolean {
    const style = getComputedStyle(element);
    const strokeWidth = Number.parseFloat(style.strokeWidth);
    switch (trait) {
      case "border":
        return hasBorder(element, "block-end", 1);
      case "thick border":
        return hasBorder(element, "block-end", 2);
      case "start border":
        return hasBorder(element, "inline-start", 4);
      case "outline":
        return hasOutline(element, 1) && contrast(style.color, style.backgroundColor) >= LEGIBLE;
      case "text":
        return contrast(style.color, behind(element)) >= LEGIBLE;
      case "weight":
        return Number(style.fontWeight) >= 600;
      case "stroke":
        return strokeWidth >= 2 && shows(style.stroke, element.closest("svg"));
      case "outline over a picture":
        return strokeWidth >= 2 && !isSeenThrough(style.stroke);
      case "fill":
        return shows(style.fill, element.closest("svg"));
      case "native":
        return style.appearance === "auto";
    }
  }
  /** Where the focus is, is shown by a line around it. */
  function isFocusShown(element: HTMLElement | SVGElement): boolean {
    element.focus();
    if (document.activeElement !== element) return true;
    return hasOutline(element, 2);
  }

  const missing: string[] = [];
  const present: string[] = [];
  for (const [selector, trait] of Object.entries(traits)) {
    const elements = [...document.querySelectorAll(selector)];
    if (elements.length > 0) present.push(selector);
    for (const element of elements)
      if (element.checkVisibility() && !has(element, trait))
        missing.push(`no ${trait}: ${element.outerHTML.slice(0, 120)}`);
  }
  for (const element of document.querySelectorAll<HTMLElement>(
    "a[href], button, input, select, textarea, summary, [tabindex='0']",
  ))
    if (element.checkVisibility() && !isFocusShown(element))
      missing.push(`no focus ring: ${element.outerHTML.slice(0, 120)}`);
  return { present, missing };
}
