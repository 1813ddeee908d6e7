import { type CssNode, type Declaration, fork, generate, parse } from "css-tree";
import { mediaQueryProblem } from "../../datatypes/css/media-query.ts";
import { unshared } from "../../datatypes/remembering.ts";
import { formatValue } from "../open-element.ts";
import { gridAreasProblem, mathProblem } from "./css-math.ts";
import type { CssProblem } from "./css-problem.ts";
import {
  AT_RULES,
  DESCRIPTIVE,
  DESCRIPTORS,
  DRAFT_KEYWORDS,
  FONT_FACE_DESCRIPTORS,
  FORGIVING,
  FREE,
  MORE_PROPERTIES,
  NEED_ARGUMENTS,
  PSEUDO_CLASSES,
  PSEUDO_ELEMENTS,
  WITHOUT_ARGUMENTS,
} from "./css-tables.ts";

const MAX_VALUE = 1_000;

/** Functions whose value only a browser knows, and browsers' own syntax. */
const UNKNOWABLE =
  /(?:^|[^\w-])(?:var|env|attr|if|random|random-item|sibling-(?:count|index)|inherit|ident|toggle|first-valid|alpha|calc-[\w-]+|color-interpolate|color-layers|contrast-color|control-value|cycle|hdr-color|ictcp|interpolate|jzazbz|jzczhz|media|param|progress|shape|snap-block|snap-inline|src|stripes|transform-interpolate|transform-mix|wcag2|--[\w-]+)\(|\(from\s|(?:^|[\s,(])-(?:webkit|moz|ms|o|khtml|apple|epub|internal)-|\\|progid:|alpha\(/i;

/** What is wrong with a part of a style sheet. */
export type Problem = Pick<CssProblem, "rule" | "message">;

/** @param atrule the name of the at-rule around it */
export function problemOf(node: CssNode, atrule: string | undefined): Problem | undefined {
  switch (node.type) {
    case "Declaration":
      return declarationProblem(node, atrule?.toLowerCase());
    case "Atrule":
      return isKnown(node.name, AT_RULES)
        ? undefined
        : { rule: "css/at-rule", message: `"@${formatValue(node.name)}" is not an at-rule of CSS.` };
    case "Selector":
      return selectorProblem(node);
    case "Combinator":
      return COMBINATORS.has(node.name)
        ? undefined
        : { rule: "css/selector", message: `"${formatValue(node.name)}" is not a combinator of CSS.` };
    case "IdSelector":
      return /^-?[0-9]/.test(node.name)
        ? {
            rule: "css/selector",
            message: `"#${formatValue(node.name)}" is not a selector: an ID may not begin with a digit.`,
          }
        : undefined;
    case "PseudoClassSelector":
      return isKnown(node.name, PSEUDO_CLASSES)
        ? argumentProblem(node.name.toLowerCase(), node.children?.size)
        : { rule: "css/selector", message: `":${formatValue(node.name)}" is not a pseudo-class of CSS.` };
    case "PseudoElementSelector":
      return isKnown(node.name, PSEUDO_ELEMENTS)
        ? undefined
        : { rule: "css/selector", message: `"::${formatValue(node.name)}" is not a pseudo-element of CSS.` };
    default:
      return undefined;
  }
}

/** What the grammar of values does not say. */
function detailProblem(property: string, text: string): Problem | undefined {
  const why =
    (text.includes("(") ? mathProblem(text) : undefined) ??
    (/^grid(?:-template(?:-areas)?)?$/i.test(property) ? gridAreasProblem(text) : undefined);
  return why === undefined
    ? undefined
    : { rule: "css/value", message: `"${formatValue(text)}" is not a value of the property "${property}": ${why}.` };
}

/** Why the text after `@media` is not a list of media queries. Old ones of browsers are not reported. */
export function queryProblem(text: string): Problem | undefined {
  if (text.length > MAX_VALUE) return undefined;
  const query = text.replace(COMMENTS, " ").trim();
  const problem =
    query === "" || /-(?:webkit|moz|ms|o)-|\\|\(\s*min--moz/i.test(query) ? undefined : mediaQueryProblem(query);
  return problem
    ? { rule: "css/media", message: `"${formatValue(query)}" is not a media query: ${problem}.` }
    : undefined;
}

/** Two combinators with nothing between them, as in the former ">>>". */
function selectorProblem({ children }: Extract<CssNode, { type: "Selector" }>): Problem | undefined {
  let last: CssNode | undefined;
  for (const part of children) {
    if (part.type === "Combinator" && last?.type === "Combinator")
      return { rule: "css/selector", message: `"${last.name}" and "${part.name}" follow each other in a selector.` };
    last = part;
  }
  return undefined;
}

const COMBINATORS = new Set([" ", ">", "+", "~", "||"]);
const COMMENTS = /\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\//g;

/** @param size how many arguments there are; undefined without parentheses */
function argumentProblem(name: string, size: number | undefined): Problem | undefined {
  if (NEED_ARGUMENTS.has(name) && size === undefined)
    return { rule: "css/selector", message: `":${name}" needs arguments in parentheses.` };
  if (NEED_ARGUMENTS.has(name) && size === 0 && !FORGIVING.has(name))
    return { rule: "css/selector", message: `The parentheses of ":${name}()" are empty.` };
  if (WITHOUT_ARGUMENTS.has(name) && size !== undefined)
    return { rule: "css/selector", message: `":${name}" has no arguments; the parentheses are not allowed.` };
  return undefined;
}

function isKnown(name: string, known: ReadonlySet<string>): boolean {
  return name.startsWith("-") || name.includes("\\") || known.has(name.toLowerCase());
}

/** Results by declaration: pages repeat the same ones. */
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
  const problem = knownProperty(property)
    ? (valueProblem(property, value, text) ?? detailProblem(property, text))
    : unknownProperty(property);
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

/**
 * Why a text is not a value of a property, as the end of a sentence; undefined also where only a browser knows.
 *
 * @param isAttribute a presentation attribute of SVG, which may have numbers in place of lengths and angles
 */
export function propertyValueProblem(property: string, text: string, isAttribute: boolean): string | undefined {
  if (text.length > MAX_VALUE || text.trim() === "" || !knownProperty(property)) return undefined;
  const judge = (one: string): Problem | undefined => {
    try {
      return valueProblem(property, parse(one, { context: "value" }), one);
    } catch {
      return unknownProperty(property);
    }
  };
  if (!judge(text)) return undefined;
  // https://www.w3.org/TR/SVG2/types.html#presentation-attribute-css-value
  if (isAttribute && !judge(text.replace(/(?<![\w.%#-])[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.%])/g, "$&px")))
    return undefined;
  return `it is not a value of the property "${property}"`;
}

function unknownProperty(property: string): Problem {
  return { rule: "css/property", message: `"${formatValue(property)}" is not a property of CSS.` };
}

function valueProblem(property: string, value: CssNode, text: string): Problem | undefined {
  const known = (lexer as unknown as Lexer).getProperty(property.toLowerCase());
  if (!known || MORE_PROPERTIES.has(property.toLowerCase()) || UNKNOWABLE.test(text)) return undefined;
  const { error } = (lexer as unknown as Lexer).matchProperty(property, value);
  if (error?.name !== "SyntaxMatchError" || hasDraftKeyword(property.toLowerCase(), text)) return undefined;
  return { rule: "css/value", message: `"${formatValue(text)}" is not a value of the property "${property}".` };
}

function hasDraftKeyword(property: string, text: string): boolean {
  const words = text.toLowerCase().match(/[a-z][a-z-]*(?![\w(-])/g) ?? [];
  return DRAFT_KEYWORDS.some(
    ([properties, keywords]) => properties.test(property) && words.some((word) => keywords.has(word)),
  );
}
