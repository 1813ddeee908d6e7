/** A token of RELAX NG's compact syntax. `name` includes dots and colons; `keyword` was not escaped with a backslash. */
export type Token =
  | { type: "name" | "keyword" | "literal" | "symbol"; value: string; offset: number }
  | { type: "end"; value: ""; offset: number };

const keywords = new Set(
  (
    "attribute default datatypes div element empty external grammar include inherit list mixed namespace " +
    "notAllowed parent start string text token"
  ).split(" "),
);

const SPACE = /(?:[ \t\r\n]+|#[^\n]*)+/y;
const NAME = /\\?[\p{L}_][\p{L}\p{N}\p{M}._·-]*(?::(?:\*|[\p{L}_][\p{L}\p{N}\p{M}._·-]*))?/uy;
const LITERAL = /"""[\s\S]*?"""|'''[\s\S]*?'''|"[^"\n]*"|'[^'\n]*'/y;
const SYMBOL = /\|=|&=|>>|[=|,&?*+(){}[\]~-]/y;

/**
 * Splits a schema in RELAX NG's compact syntax into tokens. Comments are left out.
 *
 * @throws Error that names the line of what is not a token
 * @see RELAX NG Compact Syntax, section 2.2 and 5
 */
export function tokenize(source: string): Token[] {
  const text = source.replaceAll("\r\n", "\n");
  const tokens: Token[] = [];
  let offset = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = offset;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) offset += found.length;
    return found;
  };
  for (;;) {
    take(SPACE);
    const start = offset;
    if (start >= text.length) break;
    const name = take(NAME);
    if (name !== undefined) {
      const value = name.replace(/^\\/, "");
      tokens.push({ type: keywords.has(name) ? "keyword" : "name", value, offset: start });
      continue;
    }
    const literal = take(LITERAL);
    if (literal !== undefined) {
      const quotes = /^("""|''')/.test(literal) ? 3 : 1;
      tokens.push({ type: "literal", value: withoutEscapes(literal.slice(quotes, -quotes)), offset: start });
      continue;
    }
    const symbol = take(SYMBOL);
    if (symbol === undefined) {
      const line = text.slice(0, start).split("\n").length;
      throw new Error(`Line ${line}: ${JSON.stringify(text.slice(start, start + 20))} is not a token.`);
    }
    tokens.push({ type: "symbol", value: symbol, offset: start });
  }
  tokens.push({ type: "end", value: "", offset });
  return tokens;
}

/** `\\x{A}` stands for U+000A. */
function withoutEscapes(text: string): string {
  return text.replace(/\\x+\{([0-9a-fA-F]+)\}/g, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)));
}
