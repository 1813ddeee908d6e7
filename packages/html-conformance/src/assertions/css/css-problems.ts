import { type CssNode, parse, walk } from "css-tree";
import { type Block, blocksOf } from "./css-blocks.ts";
import { declaredPrefixes, prefixProblem } from "./css-namespaces.ts";
import { nestedProblems, type Place } from "./css-nested.ts";
import { orderProblems } from "./css-order.ts";
import type { CssProblem } from "./css-problem.ts";
import { type Problem, problemOf, queryProblem } from "./css-rules.ts";

/** Longer or deeper CSS is not checked, which bounds time and stack. */
const MAX_LENGTH = 500_000;
const MAX_DEPTH = 60;
const MAX_VALUE = 1_000;
const MAX_PROBLEMS = 200;
/** The number of errors after which the rest of a sheet is not read: each costs the parser a lot. */
const MAX_ERRORS = 300;

/** The rule of what says that CSS is not checked; the message says why. */
export const NOT_CHECKED = "css/not-checked";

/** Whether CSS is not checked because of its length or depth. */
export function isTooLarge(css: string): boolean {
  return css.length > MAX_LENGTH || depthOf(css) > MAX_DEPTH;
}

export const TOO_LARGE = `more than ${MAX_LENGTH / 1_000} kB, or brackets in more than ${MAX_DEPTH} others`;

/**
 * What is wrong with a style sheet, or with the declarations of a `style` attribute.
 *
 * @param budget how many pieces of rules in rules may still be read
 */
export function cssProblems(
  source: string,
  context: "stylesheet" | "declarationList",
  budget: { pieces: number },
): CssProblem[] {
  if (isTooLarge(source)) return [];
  const css = withoutConditions(source);
  const problems: CssProblem[] = [];
  const { nesting, nestedAt, conditions, unclosed } = blocksOf(css, context === "stylesheet");
  if (nestedAt !== undefined) {
    const message = 'there is a "{", but an attribute has declarations only, without rules and braces.';
    return [{ rule: "css/syntax", message, line: 1, column: nestedAt + 1 }];
  }
  const isCondition = (offset: number) => conditions.some(([from, to]) => from <= offset && offset < to);
  const add = (problem: Problem, { line, column }: Place) => {
    if (problems.length >= MAX_PROBLEMS) throw new RangeError("Too many problems.");
    problems.push({ ...problem, line, column });
  };
  let errors = 0;
  const addError = (message: string, at: Place & { offset: number }) => {
    if (++errors > MAX_ERRORS) throw new RangeError("Too many errors.");
    const last = problems.at(-1);
    const isKnown = last?.rule === "css/syntax" && last.line === at.line;
    if (!isKnown && !isOfOldBrowsers(css, at.offset) && !isCondition(at.offset))
      add({ rule: "css/syntax", message: syntaxMessage(message, css, at.offset) }, at);
  };
  try {
    const tree = parse(without(nesting, css), {
      context,
      positions: true,
      parseCustomProperty: false,
      onParseError: (error) => addError(error.message, error as unknown as Place & { offset: number }),
    });
    for (const { at, ...problem } of orderProblems(tree)) add(problem, at);
    const prefixes = declaredPrefixes(css);
    walk(tree, function (node) {
      if (this.atrulePrelude && node !== this.atrulePrelude && node.loc && isCondition(node.loc.start.offset)) return;
      const problem = problemOf(node, this.atrule?.name) ?? prefixProblem(node, prefixes) ?? preludeProblem(node, css);
      if (problem && node.loc) add(problem, node.loc.start);
    });
    nestedProblems(css, nesting, { add, addError, budget });
  } catch (error) {
    const { line = 1, column = 1 } = problems.at(-1) ?? {};
    const why = error instanceof RangeError ? "it has too many faults or rules" : "its syntax cannot be read";
    return [...inOrder(problems), { rule: NOT_CHECKED, message: `from here on: ${why}`, line, column }];
  }
  if (unclosed && problems.length === 0) problems.push(unclosed);
  return inOrder(problems);
}

/** Functions with a syntax of their own: conditions, types of attributes. Brackets in them are read four deep. */
const OWN_SYNTAX =
  /(?<![\w-])(?:if|attr|--[\w-]{1,99})\((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]{0,500}\)){0,500}\)){0,500}\)){0,2000}\)/gi;

/** The CSS with such functions as css-tree can read them: without what means something else outside of them. */
function withoutConditions(css: string): string {
  return css.replace(OWN_SYNTAX, (found) => found.replace(/[;:<>=|*#]/g, " "));
}

function inOrder(problems: CssProblem[]): CssProblem[] {
  return problems.sort((x, y) => x.line - y.line || x.column - y.column);
}

/** @see https://drafts.csswg.org/css-syntax/#charset-rule */
const CHARSET = /^@charset "[^"]*";/;

function preludeProblem(node: CssNode, css: string): Problem | undefined {
  if (node.type !== "Atrule") return undefined;
  const name = node.name.toLowerCase();
  if (name === "charset" && !CHARSET.test(css))
    return { rule: "css/at-rule", message: '"@charset" must come first, as in `@charset "utf-8";`.' };
  if (name !== "media" || !node.prelude?.loc) return undefined;
  const { start, end } = node.prelude.loc;
  return queryProblem(css.slice(start.offset, end.offset));
}

/** The sheet with consecutive blocks replaced by white space, so that the rest keeps its place. */
function without(blocks: readonly Block[], css: string): string {
  let left = "";
  let from = 0;
  for (const { start, end } of blocks) {
    left += css.slice(from, start) + css.slice(start, end + 1).replace(/[^\n]/g, " ");
    from = end + 1;
  }
  return left + css.slice(from);
}

/** What css-tree's parser expects, in words that authors of CSS use; what is not here is its own. */
const EXPECTED: Readonly<Record<string, string>> = {
  Colon: '":"',
  Identifier: "a name",
  Name: "a name",
  Selector: "a selector",
  "Semicolon or block": '";" or "{"',
  "Percent sign": '"%"',
};

/** One token, or all of it up to white space. */
const TOKEN = /[\w-]+|\S/uy;

/** Says of an error of css-tree's parser what was expected and what is there. */
function syntaxMessage(error: string, css: string, offset: number): string {
  TOKEN.lastIndex = offset + (/^\s*/.exec(css.slice(offset, offset + MAX_VALUE))?.[0].length ?? 0);
  const token = TOKEN.exec(css)?.[0].slice(0, 60);
  const found = token === undefined ? "the end" : token === '"' ? "a double quote" : `"${token}"`;
  const [, expected] = /^(.*) is expected$/.exec(error) ?? [];
  if (expected !== undefined) return `${EXPECTED[expected] ?? expected} is expected, but ${found} is found.`;
  return error === "Unexpected input" ? `${found} is not expected here.` : `${error}.`;
}

/** Internet Explorer's filters are not CSS, but are in many style sheets; the Nu checker accepts them, too. */
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
