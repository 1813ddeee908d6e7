import { type Finding, htmlSection, type Report } from "./finding.ts";
import type { Derivatives } from "./grammar/derivative.ts";
import { allowedAttributes, allowedValues } from "./grammar/expectations.ts";
import type { Grammar, Pattern } from "./grammar/pattern.ts";
import type { DatatypeProblem } from "./grammar/value.ts";
import { type Attribute, type Element, HTML, SVG, XML } from "./tree.ts";

const XMLNS = "http://www.w3.org/2000/xmlns/";
const SPACES = /[ \t\n\r\f]+/;
/** These decide which others an element may have: with them first, the other one is blamed. */
const first = new Map(
  ["type", "rel", "http-equiv", "name", "itemprop", "property", "charset"].map((name, i) => [name, i]),
);
const MAX_QUOTED = 80;

export type AttributeRules = ReturnType<typeof createAttributeRules>;

export function createAttributeRules(
  grammar: Grammar,
  derive: Derivatives,
  matches: (pattern: Pattern, value: string) => boolean,
  problem: DatatypeProblem,
) {
  return { grammar, derive, matches, problem, roles: knownRoles(grammar) };
}

/** Holds an element's attributes against the grammar. @returns what may follow them */
export function checkAttributes(rules: AttributeRules, opened: Pattern, element: Element, report: Report): Pattern {
  const { derive, matches } = rules;
  const { notAllowed, choice } = rules.grammar.patterns;
  let pattern = opened;
  for (const attribute of inOrder(element.attrs)) {
    const seen = asSeenByGrammar(attribute, element, rules.roles);
    if (!seen) continue;
    const derived = derive.attribute(pattern, seen.namespace, seen.name);
    if (derived === notAllowed) {
      report(attributeNotAllowed(element, attribute, opened));
      continue;
    }
    const alternatives = derived.kind === "choice" ? derived.children : [derived];
    const fitting = alternatives.filter((one) => one.kind === "after" && matches(one.inner, seen.value));
    if (fitting.length === 0) report(badValue(rules, element, attribute, seen.value, alternatives));
    const rest = (fitting.length === 0 ? alternatives : fitting).flatMap((one) =>
      one.kind === "after" ? one.outer : [],
    );
    pattern = rest.length === 1 && rest[0] ? rest[0] : choice(rest);
  }
  return pattern;
}

/** An order that does not depend on the page: the same attributes lead to the same patterns. */
function inOrder(attributes: readonly Attribute[]): readonly Attribute[] {
  if (attributes.length < 2) return attributes;
  return attributes.toSorted(
    (a, b) => (first.get(a.name) ?? 99) - (first.get(b.name) ?? 99) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0),
  );
}

/** What the grammar knows nothing of is left out, and `lang` is what XML calls it. */
function asSeenByGrammar({ name, value, namespace }: Attribute, { namespaceURI }: Element, roles: ReadonlySet<string>) {
  if (namespace === XMLNS || (!namespace && name === "xmlns")) return undefined;
  if (namespace) return { namespace, name, value };
  const isHtml = namespaceURI === HTML;
  if (name.length > 5 && name.startsWith("data-")) return undefined;
  if (isHtml && name === "xml:lang") return undefined;
  if (isHtml && name === "lang") return { namespace: XML, name, value };
  if (value === "" && name.startsWith("aria-")) return undefined;
  if (name === "role" && (isHtml || namespaceURI === SVG)) {
    const known = value.split(SPACES).find((token) => roles.has(token));
    return { namespace: "", name, value: known ?? value.trim() };
  }
  return { namespace: "", name, value };
}

function knownRoles({ elements }: Grammar): ReadonlySet<string> {
  const roles = new Set<string>();
  const seen = new Set<Pattern>();
  const visit = (pattern: Pattern): void => {
    if (seen.has(pattern)) return;
    seen.add(pattern);
    if (pattern.kind === "attribute" && pattern.name.type === "name" && pattern.name.name === "role")
      for (const value of allowedValues(pattern.child).values) roles.add(value);
    else if (pattern.kind === "choice" || pattern.kind === "interleave") pattern.children.forEach(visit);
    else if (pattern.kind === "group") {
      visit(pattern.first);
      visit(pattern.rest);
    } else if (pattern.kind === "oneOrMore") visit(pattern.child);
  };
  for (const { content } of elements) visit(content);
  return roles;
}

function attributeNotAllowed(element: Element, attribute: Attribute, opened: Pattern): Finding {
  const near = allowedAttributes(opened).find((name) => isNear(name, attribute.name));
  const hint = near ? ` Did you mean "${near}"?` : "";
  return {
    severity: "error",
    rule: `attribute-not-allowed/${attribute.name.slice(0, 60)}`,
    message: `The attribute "${quote(attribute.name)}" is not allowed on <${element.tagName}> here.${hint}`,
    section: htmlSection("indices.html#attributes-3"),
    element,
    attribute,
  };
}

function badValue(
  { problem }: AttributeRules,
  element: Element,
  attribute: Attribute,
  value: string,
  alternatives: readonly Pattern[],
): Finding {
  const inners = alternatives.flatMap((one) => (one.kind === "after" ? one.inner : []));
  const { values } = inners
    .map(allowedValues)
    .reduce((a, b) => ({ values: [...a.values, ...b.values], datatypes: [] }));
  const why = inners.flatMap((inner) => reasons(inner, value, problem))[0];
  const allowed = [...new Set(values)].filter(Boolean).map((one) => `"${one}"`);
  return {
    severity: "error",
    rule: `bad-value/${attribute.name.slice(0, 60)}`,
    message:
      `The value "${quote(attribute.value)}" of the attribute "${quote(attribute.name)}" on <${element.tagName}> is not valid` +
      `${why ? `: ${why}` : ""}${allowed.length > 0 ? `; allowed: ${allowed.slice(0, 20).join(", ")}` : ""}.`,
    section: htmlSection("indices.html#attributes-3"),
    element,
    attribute,
  };
}

function reasons(pattern: Pattern, value: string, problem: DatatypeProblem): string[] {
  switch (pattern.kind) {
    case "data":
      return [problem(pattern.datatype, value)].flatMap((found) => found ?? []);
    case "choice":
      return pattern.children.flatMap((child) => reasons(child, value, problem));
    case "list":
    case "oneOrMore":
      return value.split(SPACES).flatMap((token) => (token ? reasons(pattern.child, token, problem) : []));
    default:
      return [];
  }
}

function quote(text: string): string {
  return text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text;
}

/** One letter more, less, other, or two swapped. */
function isNear(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1 || a === b) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const left = [a.slice(start, a.length - end), b.slice(start, b.length - end)] as const;
  if (left[0].length <= 1 && left[1].length <= 1) return true;
  return left[0].length === 2 && left[1] === [...left[0]].reverse().join("");
}
