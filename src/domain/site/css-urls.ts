import { string, tokenize, tokenTypes, url as urlToken } from "css-tree";

/** What a style sheet needs a URL for. */
export type CssUrl = { url: string; as: "style sheet" | "font" | "image" };

/** How many a style sheet may name: more are not read. */
const MAX_URLS = 1_000;
const usedAs: Readonly<Record<string, CssUrl["as"]>> = { "@import": "style sheet", "@font-face": "font" };

/**
 * What a style sheet loads, as written: fonts, imported sheets and pictures. What a page may never use is among it.
 *
 * @returns with how many more there are than are read
 */
export function cssUrls(css: string): { urls: CssUrl[]; leftOut: number } {
  const urls: CssUrl[] = [];
  let leftOut = 0;
  let rule = "";
  let depth = 0;
  let inUrl = false;
  const add = (url: string): void => {
    // A namespace is a name. An address within the document is nothing that is loaded.
    if (rule === "@namespace" || url === "" || url.startsWith("#")) return;
    if (urls.length >= MAX_URLS) leftOut += 1;
    else urls.push({ url, as: usedAs[rule] ?? "image" });
  };
  const addText = (text: string): void => {
    const isImport = rule === "@import" && depth === 0;
    if (inUrl || isImport) add(text);
    // What follows the address of an import are conditions.
    if (isImport) rule = "";
  };
  const handlers: Record<number, (text: string) => void> = {
    [tokenTypes.AtKeyword]: (text) => {
      rule = text.toLowerCase();
    },
    [tokenTypes.LeftCurlyBracket]: () => {
      depth += 1;
    },
    [tokenTypes.RightCurlyBracket]: () => {
      depth = Math.max(0, depth - 1);
      rule = "";
    },
    [tokenTypes.Semicolon]: () => {
      if (depth === 0) rule = "";
    },
    [tokenTypes.Url]: (text) => {
      add(urlToken.decode(text));
      if (rule === "@import") rule = "";
    },
    [tokenTypes.String]: (text) => addText(string.decode(text)),
  };
  tokenize(css, (type, start, end) => {
    if (type === tokenTypes.WhiteSpace || type === tokenTypes.Comment) return;
    handlers[type]?.(css.slice(start, end));
    inUrl = type === tokenTypes.Function && /^(?:url|src)\($/i.test(css.slice(start, end));
  });
  return { urls, leftOut };
}
