import type { CheckTexts } from "../manifest.ts";

export const texts = {
  title: "Accessibility",
  anIssue: "an accessibility issue",
  perform: "Check each page with the accessibility engine.",
  storeRaw: "Keep the accessibility engine's unprocessed results of every page.",
  getRaw: "Get the accessibility engine's own results for a page",
  raw: "The accessibility engine's own output",
  check: "check accessibility too (axe-core in Chromium)",
} as const satisfies CheckTexts;
