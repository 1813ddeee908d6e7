import type { CheckTexts } from "../manifest.ts";

export const texts = {
  title: "Links",
  anIssue: "a link issue",
  perform:
    "Check that what each page links to and loads is there, within the site and elsewhere. It begins when the crawl has ended.",
  storeRaw: "Keep what each page links to and loads, with what was found out about it.",
  getRaw: "Get what a page links to and loads",
  raw: "What pages link to and load",
  check: "check links, on the site and to others",
} as const satisfies CheckTexts;
