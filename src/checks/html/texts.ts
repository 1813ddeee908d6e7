import type { CheckTexts } from "../manifest.ts";

export const texts = {
  title: "HTML",
  anIssue: "an HTML issue",
  perform: "Check each page with the HTML validator.",
  storeRaw: "Keep the HTML validator's unprocessed output of every page.",
  getRaw: "Get the HTML validator's own output for a page",
  raw: "The HTML checker's own output",
  check: "check HTML",
} as const satisfies CheckTexts;
