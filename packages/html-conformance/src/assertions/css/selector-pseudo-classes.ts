import type { CssNode } from "css-tree";
import { type Element, elementChildren, isElement, type Node } from "../../tree.ts";
import { type Budget, type Match, not, or, type Test } from "./selector-test.ts";

/** Pseudo-classes that may match: only a browser knows. */
const MAY_HOLD = new Set(
  (
    "active any-link autofill checked default dir disabled enabled focus focus-visible focus-within hover indeterminate " +
    "in-range invalid lang link open optional out-of-range placeholder-shown read-only read-write required target " +
    "user-invalid user-valid valid visited fullscreen modal popover-open"
  ).split(" "),
);
const POSITIONS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "first-child": "nth-child",
    "last-child": "nth-last-child",
    "first-of-type": "nth-of-type",
    "last-of-type": "nth-last-of-type",
  }),
);

type PseudoClass = Extract<CssNode, { type: "PseudoClassSelector" }>;
type Compile = (node: CssNode) => Test | undefined;
type CompileList = (list: CssNode | undefined) => Test | undefined;

/** The test of a pseudo-class; undefined where it is not understood. */
export function pseudoClass(part: PseudoClass, compile: Compile, compileList: CompileList): Test | undefined {
  const name = part.name.toLowerCase();
  const argument = part.children?.first ?? undefined;
  if (MAY_HOLD.has(name)) return () => 0.5;
  const position = POSITIONS.get(name);
  if (position) return positionTest(position, 0, 1);
  switch (name) {
    case "root":
      return ({ parentNode }) => (parentNode && !isElement(parentNode) ? 1 : 0);
    case "empty":
      return ({ childNodes }) => (childNodes.every(isIgnored) ? 1 : 0);
    case "only-child":
      return both("nth-child", "nth-last-child");
    case "only-of-type":
      return both("nth-of-type", "nth-last-of-type");
    case "is":
    case "where":
      return compileList(argument);
    case "not": {
      const test = compileList(argument);
      return test && ((element, budget) => not(test(element, budget)));
    }
    case "has":
      return hasTest(argument, compile);
    default:
      return name.startsWith("nth-") ? nthTest(name, argument) : undefined;
  }
}

function isIgnored(node: Node): boolean {
  return !isElement(node) && !(node.nodeName === "#text" && "value" in node && node.value !== "");
}

function both(first: string, last: string): Test {
  const isFirst = positionTest(first, 0, 1);
  const isLast = positionTest(last, 0, 1);
  return (element, budget) => (isFirst(element, budget) && isLast(element, budget) ? 1 : 0);
}

function nthTest(name: string, argument: CssNode | undefined): Test | undefined {
  if (argument?.type !== "Nth" || argument.selector) return undefined;
  const { nth } = argument;
  if (nth.type === "Identifier") return positionTest(name, 2, nth.name.toLowerCase() === "odd" ? 1 : 0);
  return nth.type === "AnPlusB" ? positionTest(name, Number(nth.a ?? 0), Number(nth.b ?? 0)) : undefined;
}

/** True for the positions `a` times a number from zero, plus `b`. */
function positionTest(name: string, a: number, b: number): Test {
  const isOfType = name.endsWith("of-type");
  const isFromEnd = name.includes("-last-");
  return (element, budget) => {
    const { parentNode } = element;
    if (!parentNode) return 0;
    const siblings = elementChildren(parentNode).filter(
      ({ tagName, namespaceURI }) =>
        !isOfType || (tagName === element.tagName && namespaceURI === element.namespaceURI),
    );
    budget.left -= parentNode.childNodes.length;
    const index = siblings.indexOf(element);
    const distance = (isFromEnd ? siblings.length - index : index + 1) - b;
    return (a === 0 ? distance === 0 : distance % a === 0 && distance / a >= 0) ? 1 : 0;
  };
}

/** `:has()` with one compound selector behind a combinator. */
function hasTest(list: CssNode | undefined, compile: Compile): Test | undefined {
  if (list?.type !== "SelectorList") return undefined;
  const tests: Test[] = [];
  for (const selector of list.children) {
    if (selector.type !== "Selector") return undefined;
    const [first, ...rest] = selector.children.toArray();
    const combinator = first?.type === "Combinator" ? first.name : " ";
    const compound = first?.type === "Combinator" ? rest : [first, ...rest];
    const isCompound = compound.every((part) => part && part.type !== "Combinator");
    const children = selector.children.copy();
    if (first?.type === "Combinator") children.shift();
    const test = isCompound ? compile({ ...selector, children }) : undefined;
    if (!test) return undefined;
    tests.push((element, budget) => matchesSome(related(element, combinator), test, budget));
  }
  return (element, budget) => {
    let found: Match = 0;
    for (const test of tests) found = or(found, test(element, budget));
    return found;
  };
}

function matchesSome(elements: Iterable<Element>, test: Test, budget: Budget): Match {
  let found: Match = 0;
  for (const element of elements) {
    if (budget.left-- <= 0 || found === 1) break;
    found = or(found, test(element, budget));
  }
  return found;
}

/** The elements that a relative selector is for. */
function* related(element: Element, combinator: string): Generator<Element> {
  if (combinator === ">") yield* elementChildren(element);
  else if (combinator === "+" || combinator === "~") {
    const siblings = elementChildren(element.parentNode ?? { childNodes: [] });
    const after = siblings.slice(siblings.indexOf(element) + 1);
    yield* combinator === "+" ? after.slice(0, 1) : after;
  } else {
    const rest = elementChildren(element).reverse();
    for (let next = rest.pop(); next; next = rest.pop()) {
      yield next;
      rest.push(...elementChildren(next).reverse());
    }
  }
}
