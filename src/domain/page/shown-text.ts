import { Parser } from "htmlparser2";

/** Elements whose text nobody reads there. */
const UNREAD = new Set(["script", "style", "template", "noscript", "title"]);

/** The text that a document shows before its scripts run, in one line; what styles hide is in it. @param html of any length */
export function shownText(html: string): string {
  /** Whether each open element is unread. */
  const open: boolean[] = [];
  let unread = 0;
  let text = "";
  const parser = new Parser({
    onopentag: (name, attributes) => {
      open.push(UNREAD.has(name) || "hidden" in attributes);
      if (open.at(-1)) unread += 1;
    },
    onclosetag: () => {
      if (open.pop()) unread -= 1;
    },
    ontext: (part) => {
      if (unread === 0) text += part;
    },
  });
  parser.end(html);
  return text.replace(/\s+/g, " ").trim();
}
