import { tokenize, tokenTypes } from "css-tree/tokenizer";
import { string, url as urlToken } from "css-tree/utils";

/** What a style sheet needs a URL for. */
export type CssUrl = { url: string; as: "style sheet" | "font" | "image" };

/** How many a style sheet may name: more are not read. */
const MAX_URLS = 1_000;
/** Rules after which no sheet may import others any more: https://drafts.csswg.org/css-cascade/#at-import. Unknown ones do not count. */
const END_IMPORTS =
  /^@(?:namespace|media|supports|font-(?:face|feature-values|palette-values)|(?:-webkit-)?keyframes|page|container|property|counter-style|scope|starting-style|view-transition|position-try)$/;
/** Functions whose strings are addresses. */
const OF_ADDRESSES: ReadonlySet<string> = new Set(["url", "src", "image-set", "-webkit-image-set"]);

/**
 * What a style sheet loads, as written: fonts, imported sheets and pictures. What a page may never use is among it.
 *
 * @returns with how many more there are than are read
 */
export function cssUrls(css: string): { urls: CssUrl[]; leftOut: number } {
  const urls: CssUrl[] = [];
  let leftOut = 0;
  /** The at-rule that has begun, up to its block or its end, and whether it has had its address, if it is an import. */
  let prelude = "";
  let isImported = false;
  let mayImport = true;
  /** The functions and parentheses, and the blocks, that are open. */
  let open: string[] = [];
  const blocks: string[] = [];
  const begin = (rule: string): void => {
    prelude = rule;
    isImported = false;
    open = [];
  };
  const add = (url: string): void => {
    const isImport = prelude === "@import" && !isImported && mayImport && blocks.length === 0;
    isImported = prelude === "@import";
    // What else an at-rule has before its block are names and conditions. Browsers ignore an import that comes too late.
    if (prelude !== "" && !isImport) return;
    // An address within the document is nothing that is loaded.
    if (url.trim() === "" || url.trim().startsWith("#")) return;
    const as = isImport ? "style sheet" : blocks.at(-1) === "@font-face" ? "font" : "image";
    if (urls.length >= MAX_URLS) leftOut += 1;
    else urls.push({ url, as });
  };
  const handlers: Record<number, (text: string) => void> = {
    [tokenTypes.AtKeyword]: (text) => {
      begin(text.toLowerCase());
      if (END_IMPORTS.test(prelude)) mayImport = false;
    },
    [tokenTypes.LeftCurlyBracket]: () => {
      if (prelude === "" || prelude === "@layer") mayImport = false;
      blocks.push(prelude);
      begin("");
    },
    [tokenTypes.RightCurlyBracket]: () => {
      blocks.pop();
      begin("");
    },
    [tokenTypes.Semicolon]: () => begin(""),
    [tokenTypes.Function]: (text) => open.push(text.slice(0, -1).toLowerCase()),
    [tokenTypes.LeftParenthesis]: () => open.push(""),
    [tokenTypes.RightParenthesis]: () => open.pop(),
    [tokenTypes.Url]: (text) => add(urlToken.decode(text)),
    [tokenTypes.String]: (text) => {
      const isImport = prelude === "@import" && open.length === 0;
      if (isImport || OF_ADDRESSES.has(open.at(-1) ?? "")) add(string.decode(text));
    },
  };
  tokenize(css, (type, start, end) => {
    if (type === tokenTypes.WhiteSpace || type === tokenTypes.Comment) return;
    handlers[type]?.(css.slice(start, end));
  });
  return { urls, leftOut };
}
