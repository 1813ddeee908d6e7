import { Parser } from "htmlparser2";

/** Elements whose text nobody reads there. */
const UNREAD = new Set(["script", "style", "template", "noscript", "title"]);

/** The text that a document shows before its scripts run, in one line; what styles hide is in it. @param html of any length */
export function shownText(html: string): string {
  let depth = 0;
  let text = "";
  const isUnread = (name: string, given: Readonly<Record<string, string>> = {}): boolean =>
    UNREAD.has(name) || "hidden" in given;
  const open: boolean[] = [];
  const parser = new Parser({
    onopentag: (name, attributes) => {
      const unread = isUnread(name, attributes);
      open.push(unread);
      if (unread) depth += 1;
    },
    onclosetag: () => {
      if (open.pop()) depth -= 1;
    },
    ontext: (part) => {
      if (depth === 0) text += part;
    },
  });
  parser.write(html);
  parser.end();
  return text.replace(/\s+/g, " ").trim();
}
