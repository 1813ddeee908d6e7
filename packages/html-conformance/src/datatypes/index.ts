import type { Parameter } from "../grammar/syntax.ts";
import { autofillProblem } from "./autocomplete.ts";
import { policyProblem, policyWarning } from "./content-security-policy.ts";
import { colorProblem, simpleColorProblem } from "./css/color.ts";
import { mediaQueryProblem } from "./css/media-query.ts";
import { sizesProblem, sizesWarning } from "./css/sizes.ts";
import {
  dateProblem,
  dateWarning,
  globalDateTimeProblem,
  localDateTimeProblem,
  monthProblem,
  timeProblem,
  weekProblem,
} from "./dates.ts";
import { encodingNameProblem, metaContentTypeProblem, metaContentTypeWarning } from "./encoding.ts";
import { integrityProblem, integrityWarning } from "./integrity.ts";
import { languageProblem, languageWarning } from "./language/language.ts";
import { linkTypesProblem } from "./link-types.ts";
import { microdataPropertyProblem } from "./microdata.ts";
import { acceptProblem, acceptWarning, mimeTypeProblem, mimeTypeWarning, scriptTypeProblem } from "./mime-type.ts";
import * as names from "./names.ts";
import * as numbers from "./numbers.ts";
import { refreshProblem } from "./refresh.ts";
import { remembering } from "./remembering.ts";
import { sandboxProblem, sandboxWarning } from "./sandbox.ts";
import { circleProblem, polylineProblem, rectangleProblem } from "./shapes.ts";
import { imageCandidatesProblem } from "./srcset.ts";
import { anything, lineBreakProblem, nonEmptyProblem } from "./strings.ts";
import { pathDataProblem } from "./svg-path.ts";
import * as svg from "./svg-values.ts";
import { asciiLowerCase, type Check, splitOnSpaces } from "./text.ts";
import { timeDatetimeProblem } from "./time-datetime.ts";
import { emailListProblem, emailProblem } from "./url/email.ts";
import { urlProblem, urlWarning } from "./url/url.ts";
import { xsdCheck } from "./xsd/xsd.ts";

export { imageCandidates, imageCandidatesProblem } from "./srcset.ts";
export { type UrlKind, urlProblem } from "./url/url.ts";

/** The library of the datatypes of HTML. */
export const HTML_DATATYPES = "http://whattf.org/datatype-draft";
/** The library of XML Schema. */
export const XSD_DATATYPES = "http://www.w3.org/2001/XMLSchema-datatypes";

/** How a datatype is judged. `title` completes "is not …": `an integer`. */
type Datatype = { readonly title: string; readonly problem: Check; readonly warning?: Check };

const URL_TITLE = "a valid URL";
const PART = { title: "a list of autofill detail tokens", problem: autofillProblem };

/** The names of the library of HTML that the schemas of HTML, SVG and MathML reach, and what assertions ask for besides. */
const HTML: Record<string, Datatype> = {
  ID: { title: "an id", problem: names.idProblem },
  IDREF: { title: "an id", problem: names.idProblem },
  IDREFS: { title: "a list of ids", problem: names.idsProblem },
  "autocomplete-any": PART,
  "browsing-context": { title: "a name for a navigable", problem: names.targetNameProblem },
  "browsing-context-or-keyword": { title: "a name or keyword for a navigable", problem: names.targetProblem },
  charset: { title: "the name of an encoding", problem: encodingNameProblem },
  circle: { title: "a circle", problem: circleProblem },
  color: { title: "a CSS color", problem: colorProblem },
  "content-security-policy": { title: "a content security policy", problem: policyProblem, warning: policyWarning },
  "custom-command": { title: "a command", problem: names.customCommandProblem },
  "icon-size": { title: "a size", problem: names.iconSizeProblem },
  "custom-element-name": { title: "a valid custom element name", problem: names.customElementNameProblem },
  date: { title: "a date", problem: dateProblem, warning: dateWarning },
  "datetime-local": { title: "a local date and time", problem: localDateTimeProblem, warning: dateWarning },
  "datetime-tz": { title: "a global date and time", problem: globalDateTimeProblem, warning: dateWarning },
  "default-style": { title: "the name of a style sheet", problem: nonEmptyProblem },
  "email-address": { title: "an email address", problem: emailProblem },
  "email-address-list": { title: "a list of email addresses", problem: emailListProblem },
  float: { title: "a floating-point number", problem: numbers.floatProblem },
  "float-non-negative": { title: "a non-negative floating-point number", problem: numbers.nonNegativeFloatProblem },
  "float-positive": { title: "a positive floating-point number", problem: numbers.positiveFloatProblem },
  "hash-name": { title: "a hash-name reference", problem: names.hashNameProblem },
  "image-candidate-strings": { title: "a list of images", problem: (value) => imageCandidatesProblem(value) },
  "image-candidate-strings-width-required": {
    title: "a list of images with widths",
    problem: (value) => imageCandidatesProblem(value, { widthRequired: true }),
  },
  integer: { title: "an integer", problem: numbers.integerProblem },
  "integer-non-negative": { title: "a non-negative integer", problem: numbers.nonNegativeIntegerProblem },
  "integer-positive": { title: "a positive integer", problem: numbers.positiveIntegerProblem },
  "integrity-metadata": { title: "integrity metadata", problem: integrityProblem, warning: integrityWarning },
  iri: { title: "a valid absolute URL", problem: (value) => urlProblem(value, "absolute"), warning: urlWarning },
  "iri-ref": { title: URL_TITLE, problem: (value) => urlProblem(value, "reference"), warning: urlWarning },
  "iri-ref-http-or-https": { title: "a valid http or https URL", problem: (value) => urlProblem(value, "http") },
  keylabellist: { title: "a list of key labels", problem: names.keyLabelsProblem },
  language: { title: "a valid language tag", problem: languageProblem, warning: languageWarning },
  "media-query": { title: "a valid media query list", problem: mediaQueryProblem },
  "meta-charset": {
    title: "an encoding declaration",
    problem: metaContentTypeProblem,
    warning: metaContentTypeWarning,
  },
  "microdata-property": { title: "the name of a microdata property", problem: microdataPropertyProblem },
  "mime-type": { title: "a valid MIME type", problem: mimeTypeProblem, warning: mimeTypeWarning },
  "mime-type-list": { title: "a list of file types", problem: acceptProblem, warning: acceptWarning },
  month: { title: "a month", problem: monthProblem },
  "non-empty-string": { title: "a non-empty string", problem: nonEmptyProblem },
  polyline: { title: "a polygon", problem: polylineProblem },
  rectangle: { title: "a rectangle", problem: rectangleProblem },
  refresh: { title: "a refresh declaration", problem: refreshProblem },
  "rel-value": { title: "a list of link types", problem: linkTypesProblem },
  "sandbox-allow-list": { title: "a list of sandbox keywords", problem: sandboxProblem, warning: sandboxWarning },
  "script-type": { title: "a script type", problem: scriptTypeProblem },
  "simple-color": { title: "a simple color", problem: simpleColorProblem },
  "source-size-list": { title: "a list of source sizes", problem: sizesProblem, warning: sizesWarning },
  string: { title: "a string", problem: anything },
  "string-without-line-breaks": { title: "a string without line breaks", problem: lineBreakProblem },
  "math-length": { title: "a length", problem: svg.mathLengthProblem },
  "svg-aspect-ratio": { title: "an alignment", problem: svg.svgAspectRatioProblem },
  "svg-length": { title: "a length", problem: svg.svgLengthProblem },
  "svg-length-list": { title: "a list of lengths", problem: svg.svgLengthsProblem },
  "svg-number": { title: "a number", problem: svg.svgNumberProblem },
  "svg-number-list": { title: "a list of numbers", problem: svg.svgNumbersProblem },
  "svg-number-or-percentage": { title: "a number or a percentage", problem: svg.svgNumberOrPercentageProblem },
  "svg-number-pair": { title: "one number or two", problem: svg.svgNumberPairProblem },
  "svg-orient": { title: "an orientation", problem: svg.svgOrientProblem },
  "svg-points": { title: "a list of points", problem: svg.svgPointsProblem },
  "svg-reference-point": { title: "a length", problem: svg.svgReferencePointProblem },
  "svg-transform": { title: "a list of transform functions", problem: svg.svgTransformProblem },
  "svg-view-box": { title: "four numbers", problem: svg.svgViewBoxProblem },
  "svg-pathdata": { title: "SVG path data", problem: pathDataProblem },
  time: { title: "a time", problem: timeProblem },
  "time-datetime": { title: "a date, a time or a duration", problem: timeDatetimeProblem, warning: dateWarning },
  week: { title: "a week", problem: weekProblem },
  "xml-name": { title: "an XML name", problem: names.xmlNameProblem },
  zero: { title: "zero", problem: numbers.zeroProblem },
};

const XSD_TITLES: Record<string, string> = {
  anyURI: "a URI",
  base64Binary: "base64",
  decimal: "a decimal number",
  double: "a number",
  integer: "an integer",
  language: "a language tag",
  NCName: "a name without a colon",
  NMTOKEN: "a name token",
  NMTOKENS: "a list of name tokens",
  nonNegativeInteger: "a non-negative integer",
  positiveInteger: "a positive integer",
  unsignedLong: "a non-negative integer",
};

const problems = new Map<string, Check>();
const warnings = new Map<string, Check>();
for (const [name, { problem, warning }] of Object.entries(HTML)) {
  const check = problem === anything ? anything : remembering(problem);
  problems.set(name, check);
  const warnIfValid: Check = (value) => (check(value) === undefined ? warning?.(value) : undefined);
  warnings.set(name, warning ? remembering(warnIfValid) : anything);
}
/** By the array of facets, which the grammar keeps, then by name. */
const schemaChecks = new WeakMap<readonly Parameter[], Map<string, Check>>();

function schemaCheck(name: string, parameters: readonly Parameter[]): Check {
  let checks = schemaChecks.get(parameters);
  if (!checks) {
    checks = new Map();
    schemaChecks.set(parameters, checks);
  }
  let check = checks.get(name);
  if (!check) {
    check = name === "string" && parameters.length === 0 ? anything : remembering(xsdCheck(name, parameters));
    checks.set(name, check);
  }
  return check;
}

function unknown(library: string, name: string): Error {
  return new Error(`the datatype ${name} of the library ${library || "(built in)"} is not known`);
}

/**
 * Why a value is not of a datatype, as the end of a sentence (`"a" is not a digit`); undefined when it is.
 * Throws if the grammar has a datatype that is not implemented here.
 */
export function datatypeProblem(
  library: string,
  name: string,
  parameters: readonly Parameter[],
  value: string,
): string | undefined {
  if (library === HTML_DATATYPES) {
    const check = problems.get(name);
    if (!check) throw unknown(library, name);
    return check(value);
  }
  if (library === XSD_DATATYPES) return schemaCheck(name, parameters)(value);
  if (library === "" && (name === "string" || name === "token")) return undefined;
  throw unknown(library, name);
}

/** A warning about a value of the right datatype, as the end of a sentence; undefined if there is none. */
export function datatypeWarning(library: string, name: string, value: string): string | undefined {
  return library === HTML_DATATYPES ? warnings.get(name)?.(value) : undefined;
}

/**
 * True where a value is one that the grammar names (`w:string "module"`): the library of HTML compares without regard
 * to ASCII case, `token` without regard to whitespace at the ends and its amount inside.
 */
export function sameValue(library: string, name: string, named: string, value: string): boolean {
  if (named === value) return true;
  if (library === HTML_DATATYPES)
    return named.length === value.length && asciiLowerCase(named) === asciiLowerCase(value);
  return name === "token" && splitOnSpaces(named).join(" ") === splitOnSpaces(value).join(" ");
}

/** What a datatype is, to complete "is not …": `an integer`. */
export function datatypeTitle(library: string, name: string): string {
  if (library === HTML_DATATYPES) return HTML[name]?.title ?? `of the type ${name}`;
  return (library === XSD_DATATYPES ? XSD_TITLES[name] : undefined) ?? "what is allowed";
}
