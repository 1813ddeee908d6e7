import { type CssNode, type Declaration, generate, lexer, parse, walk } from "css-tree";
import { mediaQueryProblem } from "../../datatypes/css/media-query.ts";
import { unshared } from "../../datatypes/remembering.ts";
import { formatValue } from "../open-element.ts";
import { blocksOf, type Nesting } from "./css-blocks.ts";
import type { CssProblem } from "./css-problem.ts";
import {
  AT_RULES,
  DESCRIPTIVE,
  DESCRIPTORS,
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
export function cssProblems(css: string, context: "stylesheet" | "declarationList"): CssProblem[] {
  if (css.length > MAX_LENGTH || depthOf(css) > MAX_DEPTH) return [];
  const problems: CssProblem[] = [];
  const { nesting, unclosed } = blocksOf(css, context === "stylesheet");
  const add = (problem: Problem, at: { line: number; column: number; offset: number }) => {
    if (problems.length < MAX_PROBLEMS && !covers(nesting, at.offset))
      problems.push({ ...problem, line: at.line, column: at.column });
  };
  let errors = 0;
  try {
    const tree = parse(css, {
      context,
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
    walk(tree, function (node) {
      const problem = problemOf(node, this.atrule?.name) ?? mediaProblem(node, css);
      if (problem && node.loc) add(problem, node.loc.start);
    });
  } catch {
    return problems;
  }
  if (unclosed && problems.length === 0) problems.push(unclosed);
  return problems.sort((x, y) => x.line - y.line || x.column - y.column);
}

/** True where one of the ranges, which follow each other, has the offset in it. */
function covers(ranges: readonly Nesting[], offset: number): boolean {
  let low = 0;
  for (let high = ranges.length; low < high; ) {
    const middle = (low + high) >> 1;
    if ((ranges[middle]?.end ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  return (ranges[low]?.start ?? Number.POSITIVE_INFINITY) <= offset;
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

function mediaProblem(node: CssNode, css: string): Problem | undefined {
  if (node.type !== "Atrule" || node.name.toLowerCase() !== "media" || !node.prelude?.loc) return undefined;
  const { start, end } = node.prelude.loc;
  if (end.offset - start.offset > MAX_VALUE) return undefined;
  const query = css.slice(start.offset, end.offset).replace(COMMENTS, " ").trim();
  const problem =
    query === "" || /-(?:webkit|moz|ms|o)-|\\|\(\s*min--moz/i.test(query) ? undefined : mediaQueryProblem(query);
  return problem
    ? { rule: "css/media", message: `"${formatValue(query)}" is not a media query: ${problem}.` }
    : undefined;
}

const COMMENTS = /\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\//g;

function isKnown(name: string, known: ReadonlySet<string>): boolean {
  return name.startsWith("-") || name.includes("\\") || known.has(name.toLowerCase());
}

/** The same declarations come again and again. */
const seen = new Map<string, Problem | undefined>();
const MAX_SEEN = 20_000;

function declarationProblem({ property, value }: Declaration, atrule: string | undefined): Problem | undefined {
  if (/^[-_*+$#&/]/.test(property) || property.includes("\\")) return undefined;
  if (atrule && FREE.has(atrule)) return undefined;
  if (atrule && DESCRIPTIVE.has(atrule))
    return DESCRIPTORS.has(property.toLowerCase()) || knownProperty(property) ? undefined : unknownProperty(property);
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
