import { plural } from "../plural.ts";

/** What a badge shows of a report. */
export type BadgeResult =
  | { state: "pending" | "failed" }
  /** `passed`: by its gate; null without one. `complete`: nothing was left out. */
  | { state: "ended"; errors: number; passed: boolean | null; complete: boolean };

const LABEL = "site check";
/** White text on each of them has a contrast of 4.5 or more. */
const colours = { good: "#1a7f37", bad: "#c42b1c", unknown: "#57606a" } as const;

/** The words of a badge, and how good they are. */
export function badgeText(result: BadgeResult): { text: string; tone: keyof typeof colours } {
  if (result.state !== "ended")
    return { text: result.state === "pending" ? "no result yet" : "could not be checked", tone: "unknown" };
  const { errors, passed, complete } = result;
  const found =
    passed === null ? plural(errors, "error") : `${passed ? "passed" : "failed"}, ${plural(errors, "error")}`;
  const isGood = passed ?? errors === 0;
  return { text: complete ? found : `${found}, incomplete`, tone: isGood ? (complete ? "good" : "unknown") : "bad" };
}

/** About what a letter of the font takes, in px; the text is fitted to that. */
const LETTER = 6.6;
const PADDING = 12;

/** A badge as a picture of 20 px height, which also says its words. */
export function badgeSvg(result: BadgeResult): string {
  const { text, tone } = badgeText(result);
  const [left, right] = [LABEL, text].map((part) => Math.round(part.length * LETTER) + PADDING) as [number, number];
  const word = (part: string, at: number, width: number) =>
    `<text x="${at + width / 2}" y="14" textLength="${width - PADDING}">${part}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${LABEL}: ${text}"><title>${LABEL}: ${text}</title><rect width="${left}" height="20" fill="#24292f"/><rect x="${left}" width="${right}" height="20" fill="${colours[tone]}"/><g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11">${word(LABEL, 0, left)}${word(text, left, right)}</g></svg>\n`;
}
