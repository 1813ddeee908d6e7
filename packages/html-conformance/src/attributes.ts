import type { Finding, Report } from "./finding.ts";
import { createAttributeSets } from "./grammar/attribute-set.ts";
import type { Derivatives } from "./grammar/derivative.ts";
import { allowedAttributes, allowedValues } from "./grammar/expectations.ts";
import { forEachPattern, type Names } from "./grammar/names.ts";
import type { Grammar, Pattern } from "./grammar/pattern.ts";
import { createValueMatcher, type DatatypeProblem } from "./grammar/value.ts";
import { near } from "./messages/near.ts";
import { attributeSection } from "./sections.ts";
import { type Attribute, type Element, HTML, SVG, XML } from "./tree.ts";

const XMLNS = "http://www.w3.org/2000/xmlns/";
const SPACES = /[ \t\n\r\f]+/;
/** Attributes that decide which others are allowed. They come first, so that the other one is reported. */
const first = new Map(
  ["type", "rel", "http-equiv", "name", "itemprop", "property", "charset", "shape", "role"].map((name, i) => [name, i]),
);
const MAX_QUOTED = 80;

/** What an element's attributes are compared with. */
export type AttributeRules = ReturnType<typeof createAttributeRules>;

export function createAttributeRules(
  grammar: Grammar,
  names: Names,
  derive: Derivatives,
  problem: DatatypeProblem,
  warning: DatatypeProblem,
) {
  return {
    grammar,
    names,
    derive,
    problem,
    warning,
    matches: createValueMatcher(grammar.patterns, problem),
    sets: createAttributeSets(grammar.patterns, names),
    roles: knownRoles(grammar),
    xmlLang: names.numberOf(XML, "lang"),
    allowed: rememberAllowed(),
  };
}

/** Warns of a value that is allowed but most likely not intended. */
function warn(
  rules: AttributeRules,
  pattern: Pattern,
  element: Element,
  attribute: Attribute,
  value: string,
  report: Report,
): void {
  if (pattern.kind === "choice")
    for (const child of pattern.children) warn(rules, child, element, attribute, value, report);
  if (pattern.kind !== "data") return;
  const why = rules.warning(pattern.datatype, value);
  if (why === undefined) return;
  report({
    severity: "warning",
    rule: `questionable-value/${attribute.name.slice(0, 60)}`,
    message: `The value "${quote(attribute.value)}" of the attribute "${quote(attribute.name)}" on <${element.tagName}> is allowed, but ${why}.`,
    section: attributeSection(element, attribute.name),
    element,
    attribute,
  });
}

/** The names of the attributes that a pattern allows. */
function rememberAllowed(): (opened: Pattern) => readonly string[] {
  const known = new WeakMap<Pattern, readonly string[]>();
  return (opened) => {
    const found = known.get(opened) ?? allowedAttributes(opened);
    known.set(opened, found);
    return found;
  };
}

/** Compares an element's attributes with the grammar. @returns what may follow them */
export function checkAttributes(rules: AttributeRules, opened: Pattern, element: Element, report: Report): Pattern {
  const { independent, rest } = rules.sets.of(opened);
  let others: { attribute: Attribute; seen: Seen }[] | undefined;
  let unknown = 0;
  for (const attribute of element.attrs) {
    const seen = asSeenByGrammar(rules, attribute, element);
    if (seen === undefined) continue;
    const pattern = independent.get(seen.name);
    if (pattern === undefined && rules.names.isUnlisted(seen.name) && isNotAllowed(rules, rest, seen.name)) {
      // They have no influence on others, and a hostile element has a million.
      report(attributeNotAllowed(rules, element, attribute, ++unknown > MAX_HINTS ? undefined : opened));
    } else if (pattern === undefined) {
      others ??= [];
      others.push({ attribute, seen });
    } else if (!rules.matches(pattern, seen.value)) report(badValue(rules, element, attribute, seen.value, [pattern]));
    else if (pattern.kind !== "text") warn(rules, pattern, element, attribute, seen.value, report);
  }
  if (others === undefined) return rest;
  if (others.length > 1) others.sort((a, b) => order(a.attribute, b.attribute));
  let pattern = rest;
  for (const { attribute, seen } of others)
    pattern = checkDependent(rules, opened, pattern, element, attribute, seen, report);
  return pattern;
}

/** Beyond these, nobody asks what is meant by an attribute of one element. */
const MAX_HINTS = 100;

function isNotAllowed({ derive, grammar }: AttributeRules, pattern: Pattern, name: number): boolean {
  return derive.attribute(pattern, name) === grammar.patterns.notAllowed;
}

/** Checks an attribute that decides what else is allowed, or that is not allowed itself. */
function checkDependent(
  rules: AttributeRules,
  opened: Pattern,
  pattern: Pattern,
  element: Element,
  attribute: Attribute,
  seen: Seen,
  report: Report,
): Pattern {
  const { notAllowed, choice } = rules.grammar.patterns;
  const derived = rules.derive.attribute(pattern, seen.name);
  if (derived === notAllowed) {
    report(attributeNotAllowed(rules, element, attribute, opened));
    return pattern;
  }
  const alternatives = derived.kind === "choice" ? derived.children : [derived];
  const fitting = alternatives.filter((one) => one.kind === "after" && rules.matches(one.inner, seen.value));
  if (fitting.length === 0) {
    const inners = alternatives.flatMap((one) => (one.kind === "after" ? one.inner : []));
    report(badValue(rules, element, attribute, seen.value, inners));
  }
  for (const one of fitting) if (one.kind === "after") warn(rules, one.inner, element, attribute, seen.value, report);
  const after = (fitting.length === 0 ? alternatives : fitting).flatMap((one) =>
    one.kind === "after" ? one.outer : [],
  );
  return after.length === 1 && after[0] ? after[0] : choice(after);
}

/** An order that does not depend on the page: the same attributes lead to the same patterns. */
function order(a: Attribute, b: Attribute): number {
  return (first.get(a.name) ?? 99) - (first.get(b.name) ?? 99) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
}

type Seen = { name: number; value: string };

/** The attributes as the grammar knows them: unknown ones are left out, and `lang` has its name in XML. */
function asSeenByGrammar(
  { names, roles, xmlLang }: AttributeRules,
  { name, value, namespace }: Attribute,
  { namespaceURI }: Element,
): Seen | undefined {
  if (namespace) return namespace === XMLNS ? undefined : { name: names.numberOf(namespace, name), value };
  const isHtml = namespaceURI === HTML;
  switch (name) {
    case "xmlns":
      return undefined;
    case "xml:lang":
      if (isHtml) return undefined;
      break;
    case "lang":
      if (isHtml) return { name: xmlLang, value };
      break;
    case "role": {
      if (!isHtml && namespaceURI !== SVG) break;
      const known = roles.has(value) ? value : value.split(SPACES).find((token) => roles.has(token));
      return { name: names.numberOf("", name), value: known ?? value.trim() };
    }
  }
  if (name.length > 5 && name.startsWith("data-")) return undefined;
  return { name: names.numberOf("", name), value };
}

function knownRoles({ elements }: Grammar): ReadonlySet<string> {
  const roles = new Set<string>();
  const seen = new Set<Pattern>();
  for (const { content } of elements)
    forEachPattern(content, seen, (pattern) => {
      if (pattern.kind === "attribute" && pattern.name.type === "name" && pattern.name.name === "role")
        for (const value of allowedValues(pattern.child).values) roles.add(value);
    });
  return roles;
}

function attributeNotAllowed(
  rules: AttributeRules,
  element: Element,
  attribute: Attribute,
  opened: Pattern | undefined,
): Finding {
  const meant = opened && near(attribute.name, rules.allowed(opened));
  const hint = meant ? ` Did you mean "${meant}"?` : "";
  return {
    severity: "error",
    rule: `attribute-not-allowed/${attribute.name.slice(0, 60)}`,
    message: `The attribute "${quote(attribute.name)}" is not allowed on <${element.tagName}> here.${hint}`,
    section: attributeSection(element, attribute.name),
    element,
    attribute,
    meant,
  };
}

function badValue(
  { problem, roles }: AttributeRules,
  element: Element,
  attribute: Attribute,
  value: string,
  inners: readonly Pattern[],
): Finding {
  const values = [...new Set(inners.flatMap((inner) => allowedValues(inner).values))];
  const isRole = attribute.name === "role";
  const meant = near(value.trim().toLowerCase(), isRole && !roles.has(value) ? roles : values);
  const why = meant
    ? undefined
    : (inners.flatMap((inner) => reasons(inner, value, problem))[0] ?? emptiness(value, values));
  const what = meant ? `. Did you mean "${meant}"?` : `${why ? `: ${why}` : ""}${listed(values)}.`;
  return {
    severity: "error",
    rule: `bad-value/${attribute.name.slice(0, 60)}`,
    message: isRole
      ? roleMessage(roles, element, value, values)
      : `The value "${quote(attribute.value)}" of the attribute "${quote(attribute.name)}" on <${element.tagName}> is not valid${what}`,
    section: attributeSection(element, attribute.name),
    element,
    attribute,
    meant,
  };
}

/** Where nothing else says why: a list without entries is not valid for what none of its entries is. */
function emptiness(value: string, values: readonly string[]): string | undefined {
  if (values.length > 0 || value.trim() !== "") return undefined;
  return value === "" ? "it is empty" : "it is white space only";
}

/** More values than these do not help: only roles have as many. */
const MAX_VALUES = 40;

/** The values that are allowed, as the end of a sentence. */
function listed(values: readonly string[]): string {
  const names = values.filter(Boolean).map((one) => `"${one}"`);
  if (names.length === 0 || names.length > MAX_VALUES) return "";
  return `; allowed: ${names.join(", ")}${values.includes("") ? ", or no value" : ""}`;
}

/** A role that there is not, or one that the element cannot have. */
function roleMessage(roles: ReadonlySet<string>, element: Element, value: string, values: readonly string[]): string {
  const role = `"${quote(value)}"`;
  if (!roles.has(value)) {
    const meant = near(value.toLowerCase(), roles);
    return `${role} is not a role of ARIA.${meant ? ` Did you mean "${meant}"?` : ""}`;
  }
  const allowed = values.toSorted().map((one) => `"${one}"`);
  const others = allowed.length <= MAX_VALUES ? `; allowed: ${allowed.join(", ")}` : "";
  return `The role ${role} is not allowed on <${element.tagName}> here${others}.`;
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
