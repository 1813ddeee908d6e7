/** What was measured of a text's contrast, in the fields of the API. */
export type Contrast = {
  /** Rounded down to hundredths; null where a colour is not known. */
  ratio: number | null;
  /** The least that the text needs by its size. */
  required: number;
  /** Colours as #rrggbb, as they are seen: mixed with what is behind them. null where unknown. */
  foreground: string | null;
  background: string | null;
  /** Of a text shadow that decides, in place of one of the others. */
  shadow: string | null;
  /** In CSS pixels. */
  font_size: number;
  font_weight: "normal" | "bold";
};

/**
 * Reads axe-core's data of a check of contrast.
 *
 * @param data may be anything, since a page may control its process
 * @returns null for what is not such data
 */
export function contrastOf(data: unknown): Contrast | null {
  if (typeof data !== "object" || data === null) return null;
  const given = data as Readonly<Record<string, unknown>>;
  const required = numberIn(/^(\d+(?:\.\d+)?):1$/, given.expectedContrastRatio);
  const font_size = numberIn(/\((\d+(?:\.\d+)?)px\)$/, given.fontSize);
  if (required === null || font_size === null) return null;
  const [foreground, background, shadow] = [colour(given.fgColor), colour(given.bgColor), colour(given.shadowColor)];
  const ratio = given.contrastRatio;
  const isKnown = foreground !== null && background !== null && typeof ratio === "number" && ratio >= 1 && ratio <= 21;
  const font_weight = given.fontWeight === "bold" ? "bold" : "normal";
  return { ratio: isKnown ? ratio : null, required, foreground, background, shadow, font_size, font_weight };
}

function colour(text: unknown): string | null {
  return typeof text === "string" && /^#[0-9a-f]{6}$/.test(text) ? text : null;
}

function numberIn(pattern: RegExp, text: unknown): number | null {
  const found = typeof text === "string" && text.length < 100 ? pattern.exec(text)?.[1] : undefined;
  return found === undefined ? null : Number(found);
}
