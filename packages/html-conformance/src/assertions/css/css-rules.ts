import { type CssNode, type Declaration, fork, generate } from "css-tree";
import { mediaQueryProblem } from "../../datatypes/css/media-query.ts";
import { unshared } from "../../datatypes/remembering.ts";
import { formatValue } from "../open-element.ts";
import type { CssProblem } from "./css-problem.ts";
import {
  AT_RULES,
  DESCRIPTIVE,
  DESCRIPTORS,
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
  /(?:^|[^\w-])(?:var|env|attr|if|random|random-item|sibling-(?:count|index)|inherit|ident|toggle|first-valid|--[\w-]+)\(|\(from\s|(?:^|[\s,(])-(?:webkit|moz|ms|o|khtml|apple|epub|internal)-|\\|progid:|alpha\(/i;

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
