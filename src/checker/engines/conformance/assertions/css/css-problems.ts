import { type CssNode, type Declaration, fork, generate, parse, walk } from "css-tree";
import { mediaQueryProblem } from "../../datatypes/css/media-query.ts";
import { unshared } from "../../datatypes/remembering.ts";
import { formatValue } from "../open-element.ts";
import { blocksOf } from "./css-blocks.ts";
import { declaredPrefixes, prefixProblem } from "./css-namespaces.ts";
import { orderProblems } from "./css-order.ts";
import { type Piece, piecesOf } from "./css-pieces.ts";
import type { CssProblem } from "./css-problem.ts";
import {
  AT_RULES,
  DESCRIPTIVE,
  DESCRIPTORS,
  FONT_FACE_DESCRIPTORS,
  FREE,
  MORE_PROPERTIES,
  PSEUDO_CLASSES,
  PSEUDO_ELEMENTS,
} from "./css-tables.ts";

/** Longer or deeper CSS is not looked at: its time and stack stay bounded. */
const MAX_LENGTH = 500_000;
const MAX_DEPTH = 60;
const MAX_VALUE = 1_000;
const MAX_PROBLEMS = 200;
/** Errors after which no more of a sheet is read: each costs the parser a good deal. */
const MAX_ERRORS = 300;

/** Functions whose value only a browser knows, and syntax that browsers keep to themselves. */
const UNKNOWABLE =
  /(?:^|[^\w-])(?:var|env|attr|if|random|random-item|sibling-(?:count|index)|inherit|ident|toggle|first-valid|--[\w-]+)\(|\(from\s|(?:^|[\s,(])-(?:webkit|moz|ms|o|khtml|apple|epub|internal)-|\\|progid:|alpha\(/i;

/** What is wrong with a style sheet, or with the declarations of a `style` attribute. */
export function cssProblems(css: string, context: Piece["context"]): CssProblem[] {
  if (css.length > MAX_LENGTH || depthOf(css) > MAX_DEPTH) return [];
  const problems: CssProblem[] = [];
  const blocks = blocksOf(css, context === "stylesheet");
  const lines = lineStarts(css);
  const prefixes = declaredPrefixes(css);
  const add = (problem: Problem, at: { line: number; column: number }) => {
    if (problems.length < MAX_PROBLEMS) problems.push({ ...problem, line: at.line, column: at.column });
  };
  let errors = 0;
  const read = ({ text, offset, context }: Piece): void => {
    const line = lineAt(lines, offset);
    const tree = parse(text, {
      context,
      offset,
      line: line + 1,
      column: offset - (lines[line] ?? 0) + 1,
      positions: true,
      parseCustomProperty: false,
      onParseError: (error) => {
        const at = error as unknown as { line: number; column: number; offset: number };
        if (++errors > MAX_ERRORS) throw new RangeError("Too many errors.");
        const last = problems.at(-1);
        const isKnown = last?.rule === "css/syntax" && last.line === at.line;
        if (!isKnown && !isOfOldBrowsers(css, at.offset)) add({ rule: "css/syntax", message: `${error.message}.` }, at);
      },
    });
    if (offset === 0) for (const { at, ...problem } of orderProblems(tree)) add(problem, at);
    walk(tree, function (node) {
      const problem = problemOf(node, this.atrule?.name) ?? prefixProblem(node, prefixes) ?? preludeProblem(node, css);
      if (problem && node.loc) add(problem, node.loc.start);
    });
  };
  try {
    for (const piece of piecesOf(css, blocks, context)) read(piece);
  } catch {
    return problems;
  }
  if (blocks.unclosed && problems.length === 0) problems.push(blocks.unclosed);
  return problems.sort((x, y) => x.line - y.line || x.column - y.column);
}

/** Offsets of the first characters of lines, as css-tree counts them. */
function lineStarts(css: string): number[] {
  return [0, ...[...css.matchAll(/\r\n|[\n\r\f]/g)].map(({ 0: end, index }) => index + end.length)];
}

/** Index of the line of an offset. */
function lineAt(starts: readonly number[], offset: number): number {
  let low = 0;
  for (let high = starts.length - 1; low < high; ) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Filters of the Internet Explorer are not CSS, but stand in many style sheets; the Nu checker lets them pass, too. */
function isOfOldBrowsers(css: string, offset: number): boolean {
  const before = css.slice(Math.max(0, offset - MAX_VALUE), offset);
  const start = Math.max(before.lastIndexOf(";"), before.lastIndexOf("{"), 0);
  return /alpha\(|progid:|expression\(/i.test(before.slice(start));
}

function depthOf(css: string): number {
  let depth = 0;
  let deepest = 0;
  for (let i = 0; i < css.length; i++) {
    const code = css.charCodeAt(i);
    if (code === 123 || code === 40 || code === 91) deepest = Math.max(deepest, ++depth);
    else if (code === 125 || code === 41 || code === 93) depth--;
  }
  return deepest;
}

type Problem = Pick<CssProblem, "rule" | "message">;

function problemOf(node: CssNode, atrule: string | undefined): Problem | undefined {
  switch (node.type) {
    case "Declaration":
      return declarationProblem(node, atrule?.toLowerCase());
    case "Atrule":
      return isKnown(node.name, AT_RULES)
        ? undefined
        : { rule: "css/at-rule", message: `"@${formatValue(node.name)}" is not an at-rule of CSS.` };
    case "IdSelector":
      return /^-?[0-9]/.test(node.name)
        ? {
            rule: "css/selector",
            message: `"#${formatValue(node.name)}" is not a selector: an ID may not begin with a digit.`,
          }
        : undefined;
    case "PseudoClassSelector":
      return isKnown(node.name, PSEUDO_CLASSES)
        ? undefined
        : { rule: "css/selector", message: `":${formatValue(node.name)}" is not a pseudo-class of CSS.` };
    case "PseudoElementSelector":
      return isKnown(node.name, PSEUDO_ELEMENTS)
        ? undefined
        : { rule: "css/selector", message: `"::${formatValue(node.name)}" is not a pseudo-element of CSS.` };
    default:
      return undefined;
  }
}

function preludeProblem(node: CssNode, css: string): Problem | undefined {
  if (node.type !== "Atrule") return undefined;
  const name = node.name.toLowerCase();
  if (name === "charset" && !CHARSET.test(css))
    return { rule: "css/at-rule", message: '"@charset" must come first, as in `@charset "utf-8";`.' };
  if (name !== "media" || !node.prelude?.loc) return undefined;
  const { start, end } = node.prelude.loc;
  if (end.offset - start.offset > MAX_VALUE) return undefined;
  const query = css.slice(start.offset, end.offset).replace(COMMENTS, " ").trim();
  const problem =
    query === "" || /-(?:webkit|moz|ms|o)-|\\|\(\s*min--moz/i.test(query) ? undefined : mediaQueryProblem(query);
  return problem
    ? { rule: "css/media", message: `"${formatValue(query)}" is not a media query: ${problem}.` }
    : undefined;
}

/** @see https://drafts.csswg.org/css-syntax/#charset-rule */
const CHARSET = /^@charset "[^"]*";/;
const COMMENTS = /\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\//g;

function isKnown(name: string, known: ReadonlySet<string>): boolean {
  return name.startsWith("-") || name.includes("\\") || known.has(name.toLowerCase());
}

/** The same declarations come again and again. */
const seen = new Map<string, Problem | undefined>();
const MAX_SEEN = 20_000;

function declarationProblem(
  { property, value, important }: Declaration,
  atrule: string | undefined,
): Problem | undefined {
  if (typeof important === "string" && important.toLowerCase() !== "important")
    return { rule: "css/syntax", message: `"!${formatValue(important)}" follows a value; only "!important" may.` };
  if (/^[-_*+$#&/]/.test(property) || property.includes("\\")) return undefined;
  if (atrule && FREE.has(atrule)) return undefined;
  if (atrule && DESCRIPTIVE.has(atrule)) return descriptorProblem(property, atrule);
  if (value.type === "Raw") return knownProperty(property) ? undefined : unknownProperty(property);
  const start = value.loc?.start.offset ?? 0;
  const end = value.loc?.end.offset ?? 0;
  if (end - start > MAX_VALUE) return undefined;
  const text = generate(value);
  const key = `${property}:${text}`;
  if (seen.has(key)) return seen.get(key);
  if (seen.size >= MAX_SEEN) seen.clear();
  const problem = knownProperty(property) ? valueProblem(property, value, text) : unknownProperty(property);
  seen.set(unshared(key), problem && { ...problem, message: unshared(problem.message) });
  return problem;
}

function descriptorProblem(property: string, atrule: string): Problem | undefined {
  const name = property.toLowerCase();
  if (atrule !== "font-face")
    return DESCRIPTORS.has(name) || knownProperty(name) ? undefined : unknownProperty(property);
  if (FONT_FACE_DESCRIPTORS.has(name)) return undefined;
  return { rule: "css/property", message: `"${formatValue(property)}" is not a descriptor of "@font-face".` };
}

/** css-tree does not take one percentage as the radius of a circle. @see https://drafts.csswg.org/css-shapes/#typedef-radial-size */
const { lexer } = fork({
  types: { "radial-size": "<radial-extent>{1,2} | <length-percentage [0,∞]>{1,2}" },
} as unknown as Parameters<typeof fork>[0]);

function knownProperty(property: string): boolean {
  const name = property.toLowerCase();
  return name !== "behavior" && (MORE_PROPERTIES.has(name) || Boolean((lexer as unknown as Lexer).getProperty(name)));
}

type Lexer = {
  getProperty(name: string): unknown;
  matchProperty(name: string, value: CssNode | string): { matched: unknown; error: (Error & { name: string }) | null };
};

function unknownProperty(property: string): Problem {
  return { rule: "css/property", message: `"${formatValue(property)}" is not a property of CSS.` };
}

function valueProblem(property: string, value: CssNode, text: string): Problem | undefined {
  const known = (lexer as unknown as Lexer).getProperty(property.toLowerCase());
  if (!known || MORE_PROPERTIES.has(property.toLowerCase()) || UNKNOWABLE.test(text)) return undefined;
  const { error } = (lexer as unknown as Lexer).matchProperty(property, value);
  if (error?.name !== "SyntaxMatchError") return undefined;
  return { rule: "css/value", message: `"${formatValue(text)}" is not a value of the property "${property}".` };
}
