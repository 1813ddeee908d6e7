import type { CssNode } from "css-tree";
import { attribute, type Element, isElement } from "../../tree.ts";
import { tokens } from "../open-element.ts";
import { pseudoClass } from "./selector-pseudo-classes.ts";
import { and, type Budget, type Match, or, type Test } from "./selector-test.ts";

/** A compound selector, and the combinator between it and the one before. */
type Step = { test: Test; combinator: string };

/** The test of a selector; undefined where it has a part that is not understood. */
export function compile(selector: CssNode): Test | undefined {
  if (selector.type !== "Selector") return undefined;
  const steps: Step[] = [];
  let combinator = "";
  let compound: Test[] = [];
  const end = (): void => {
    const tests = compound;
    const test: Test = (element, budget) => tests.reduce<Match>((so, one) => so && and(so, one(element, budget)), 1);
    steps.push({ test, combinator });
    compound = [];
  };
  for (const part of selector.children) {
    if (part.type === "Combinator") {
      if (compound.length === 0 || !/^[ >+~]$/.test(part.name)) return undefined;
      end();
      combinator = part.name;
      continue;
    }
    const test = testOf(part);
    if (!test) return undefined;
    compound.push(test);
  }
  if (compound.length === 0) return undefined;
  end();
  return (element, budget) => matchesStep(steps, steps.length - 1, element, budget);
}

/** The tests of a list of selectors as one: undefined where one of them is not understood. */
export function compileList(list: CssNode | undefined): Test | undefined {
  if (list?.type !== "SelectorList") return undefined;
  const tests: Test[] = [];
  for (const selector of list.children) {
    const test = compile(selector);
    if (!test) return undefined;
    tests.push(test);
  }
  return (element, budget) => tests.reduce<Match>((so, one) => (so === 1 ? so : or(so, one(element, budget))), 0);
}

function matchesStep(steps: readonly Step[], index: number, element: Element, budget: Budget): Match {
  if (budget.left-- <= 0) return 0;
  const step = steps[index] as Step;
  const own = step.test(element, budget);
  if (own === 0 || index === 0) return own;
  const isNearest = step.combinator === ">" || step.combinator === "+";
  const isAbove = step.combinator === ">" || step.combinator === " ";
  let found: Match = 0;
  for (const other of isAbove ? ancestors(element) : previous(element, budget)) {
    found = or(found, matchesStep(steps, index - 1, other, budget));
    if (isNearest || found === 1 || budget.left <= 0) break;
  }
  return and(own, found);
}

function* ancestors({ parentNode }: Element): Generator<Element> {
  for (let node = parentNode; node && isElement(node); node = node.parentNode) yield node;
}

/** The siblings before an element, the nearest first. */
function previous(element: Element, budget: Budget): Element[] {
  const siblings = element.parentNode?.childNodes ?? [];
  budget.left -= siblings.length;
  return siblings.slice(0, siblings.indexOf(element)).filter(isElement).reverse();
}

function testOf(part: CssNode): Test | undefined {
  switch (part.type) {
    case "TypeSelector": {
      const name = part.name.toLowerCase().replace(/^\*\|/, "");
      if (name.includes("|")) return undefined;
      return name === "*" ? () => 1 : ({ tagName }) => (tagName.toLowerCase() === name ? 1 : 0);
    }
    case "ClassSelector":
      return (element) => (tokens(attribute(element, "class") ?? "").includes(part.name) ? 1 : 0);
    case "IdSelector":
      return (element) => (attribute(element, "id") === part.name ? 1 : 0);
    case "AttributeSelector":
      return attributeTest(part);
    case "PseudoClassSelector":
      return pseudoClass(part, compile, compileList);
    case "PseudoElementSelector":
      return part.children ? undefined : () => 1;
    default:
      return undefined;
  }
}

function attributeTest({ name, matcher, value, flags }: Extract<CssNode, { type: "AttributeSelector" }>): Test {
  const key = name.name.toLowerCase();
  if (!matcher || !value) return (element) => (attribute(element, key) === undefined ? 0 : 1);
  const fold = (text: string): string => (flags === "i" ? text.toLowerCase() : text);
  const wanted = fold(value.type === "String" ? value.value : value.name);
  return (element) => {
    const given = attribute(element, key);
    return given !== undefined && compare(matcher, fold(given), wanted) ? 1 : 0;
  };
}

function compare(matcher: string, given: string, wanted: string): boolean {
  switch (matcher) {
    case "=":
      return given === wanted;
    case "~=":
      return tokens(given).includes(wanted);
    case "|=":
      return given === wanted || given.startsWith(`${wanted}-`);
    case "^=":
      return wanted !== "" && given.startsWith(wanted);
    case "$=":
      return wanted !== "" && given.endsWith(wanted);
    case "*=":
      return wanted !== "" && given.includes(wanted);
    default:
      return false;
  }
}
