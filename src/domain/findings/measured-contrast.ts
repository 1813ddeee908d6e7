import { ratioText } from "./luminance.ts";

/** What the pixels behind a text come to: see `contrastOver`. */
export type MeasuredContrast = { least: number; most: number; below: number };

/** What is decided by that: a text that is nowhere readable fails, one that is everywhere passes; all else is for a person. */
export function settledBy({ least, most }: MeasuredContrast, required: number): "passed" | "failed" | "open" {
  if (least >= required) return "passed";
  return most < required ? "failed" : "open";
}

/** What was measured, in a sentence. */
export function measuredText({ least, most, below }: MeasuredContrast, required: number): string {
  const share = below >= 0.995 ? "everywhere" : `on ${Math.max(1, Math.round(below * 100))} % of what is behind it`;
  return `Measured in the picture of the page, the contrast of this text is between ${ratioText(least)} and ${ratioText(most)}; it needs ${required}, and has less ${share}.`;
}
