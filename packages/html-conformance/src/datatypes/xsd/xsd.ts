import type { Parameter } from "../../grammar/syntax.ts";
import { nmtokenProblem, xmlNameProblem } from "../names.ts";
import { type Check, characterAt, quote } from "../text.ts";
import { matchesXsdPattern } from "./xsd-pattern.ts";

const MAX_UNSIGNED_LONG = 18_446_744_073_709_551_615n;

type XsdType = {
  /** Why a value, with its whitespace handled, is not of the type. */
  problem: Check;
  /** Whether whitespace is removed at the ends, and becomes single spaces inside. */
  collapses: boolean;
};

const numeric = (form: RegExp, what: string): Check => {
  return (value) => (value === "" ? "it is empty" : form.test(value) ? undefined : `${quote(value)} is not ${what}`);
};

const integer = numeric(/^[+-]?\d+$/, "an integer");

function ncNameProblem(value: string): string | undefined {
  return value.includes(":") ? "a colon is not allowed" : xmlNameProblem(value);
}

function nmtokensProblem(value: string): string | undefined {
  if (value === "") return "it is empty";
  for (const token of value.split(" ")) {
    const problem = nmtokenProblem(token);
    if (problem) return problem;
  }
  return undefined;
}

function unsignedLongProblem(value: string): string | undefined {
  const problem = nonNegativeProblem(value);
  if (problem) return problem;
  const digits = value.replace(/^[+-]?0*/, "");
  return digits.length > 20 || (digits.length === 20 && BigInt(digits) > MAX_UNSIGNED_LONG)
    ? "it is too large"
    : undefined;
}

function nonNegativeProblem(value: string): string | undefined {
  return integer(value) ?? (/^-.*[1-9]/.test(value) ? "a number below zero is not allowed" : undefined);
}

function positiveProblem(value: string): string | undefined {
  return nonNegativeProblem(value) ?? (/[1-9]/.test(value) ? undefined : "zero is not allowed");
}

function base64Problem(value: string): string | undefined {
  const characters = value.replaceAll(" ", "");
  const wrong = /[^A-Za-z0-9+/=]/.exec(characters) ?? /=[^=]/.exec(characters);
  if (wrong) return `${characterAt(characters, wrong.index)} is not allowed in base64 there`;
  const padding = characters.endsWith("==") ? 2 : characters.endsWith("=") ? 1 : 0;
  if (
    characters.length % 4 !== 0 ||
    (characters.indexOf("=") < characters.length - padding && characters.includes("="))
  )
    return "its base64 is cut off";
  const last = characters[characters.length - 1 - padding] ?? "";
  const complete = padding === 0 || (padding === 1 ? "AEIMQUYcgkosw048" : "AQgw").includes(last);
  return complete ? undefined : "the last character of its base64 has bits that belong to nothing";
}

/** The types of https://www.w3.org/TR/xmlschema-2/ that the grammar uses. */
const TYPES: Record<string, XsdType> = {
  string: { problem: () => undefined, collapses: false },
  token: { problem: () => undefined, collapses: true },
  anyURI: { problem: anyUriProblem, collapses: true },
  integer: { problem: integer, collapses: true },
  nonNegativeInteger: { problem: nonNegativeProblem, collapses: true },
  positiveInteger: { problem: positiveProblem, collapses: true },
  unsignedLong: { problem: unsignedLongProblem, collapses: true },
  decimal: { problem: numeric(/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/, "a decimal number"), collapses: true },
  double: {
    problem: numeric(/^(?:[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|-?INF|NaN)$/, "a number"),
    collapses: true,
  },
  NCName: { problem: ncNameProblem, collapses: true },
  NMTOKEN: { problem: nmtokenProblem, collapses: true },
  NMTOKENS: { problem: nmtokensProblem, collapses: true },
  language: { problem: numeric(/^[a-zA-Z]{1,8}(?:-[a-zA-Z0-9]{1,8})*$/, "a language tag"), collapses: true },
  base64Binary: { problem: base64Problem, collapses: true },
};

/** A URI reference of RFC 2396, where every character that is not allowed in one stands for its percent-encoded form. */
function anyUriProblem(value: string): string | undefined {
  if (/%(?![0-9a-fA-F]{2})/.test(value)) return '"%" is not followed by two hexadecimal digits';
  if (value.indexOf("#") !== value.lastIndexOf("#")) return '"#" occurs twice';
  const scheme = /^[^/?#:]*:/.exec(value)?.[0];
  if (scheme === undefined) return undefined;
  if (!/^[a-z][a-z0-9+.-]*:$/i.test(scheme)) return `${quote(scheme.slice(0, -1))} is not a scheme`;
  return /^(?:#|$)/.test(value.slice(scheme.length))
    ? `nothing follows the scheme ${quote(scheme.slice(0, -1))}`
    : undefined;
}

/** The check of a type of XML Schema with its facets. Throws if the type or a facet is unknown: a bug. */
export function xsdCheck(name: string, parameters: readonly Parameter[]): Check {
  const type = TYPES[name];
  if (!type)
    throw new Error(`the datatype ${name} of XML Schema is not known; known are ${Object.keys(TYPES).join(", ")}`);
  const facets = parameters.map(({ name: facet, value }) => facetCheck(facet, value));
  return (raw) => {
    const value = type.collapses ? collapse(raw) : raw;
    const problem = type.problem(value);
    if (problem) return problem;
    for (const facet of facets) {
      const wrong = facet(value);
      if (wrong) return wrong;
    }
    return undefined;
  };
}

function collapse(value: string): string {
  return /[\t\n\r]|^ | $| {2}/.test(value)
    ? value
        .split(/[ \t\n\r]+/)
        .filter((part) => part !== "")
        .join(" ")
    : value;
}

function facetCheck(facet: string, limit: string): Check {
  const bound = Number(limit);
  switch (facet) {
    case "pattern":
      matchesXsdPattern(limit, "");
      return (value) =>
        matchesXsdPattern(limit, value) ? undefined : `${quote(value)} does not have the form that is needed`;
    case "length":
      return (value) =>
        [...value.slice(0, 2 * bound + 2)].length === bound ? undefined : `it does not have ${limit} characters`;
    case "minLength":
      return (value) =>
        [...value.slice(0, 2 * bound)].length < bound ? `it has fewer than ${limit} characters` : undefined;
    case "maxLength":
      return (value) =>
        [...value.slice(0, 2 * bound + 2)].length > bound ? `it has more than ${limit} characters` : undefined;
    case "minInclusive":
      return (value) => (xsdNumber(value) >= bound ? undefined : `it is less than ${limit}`);
    case "maxInclusive":
      return (value) => (xsdNumber(value) <= bound ? undefined : `it is greater than ${limit}`);
    case "minExclusive":
      return (value) => (xsdNumber(value) > bound ? undefined : `it is not greater than ${limit}`);
    case "maxExclusive":
      return (value) => (xsdNumber(value) < bound ? undefined : `it is not less than ${limit}`);
    default:
      throw new Error(`the facet ${facet} of XML Schema is not known`);
  }
}

function xsdNumber(value: string): number {
  return value.endsWith("INF")
    ? value.startsWith("-")
      ? Number.NEGATIVE_INFINITY
      : Number.POSITIVE_INFINITY
    : Number(value);
}
