import type { Datatype, Pattern } from "../../src/grammar/pattern.ts";
import { drawCspPolicy, drawMimeType, drawSourceSize, drawSrcset } from "./composed-values.ts";
import { drawColor, drawMediaQuery } from "./css-values.ts";
import { drawDate, drawDuration, drawTime } from "./dates.ts";
import { drawLanguage } from "./languages.ts";
import type { Random } from "./random.ts";
import { drawUrl } from "./urls.ts";

const WORDS =
  "alpha beta item name value one two three main text Label Über naïve 日本 x-y a1 note-2 Some words here".split(" ");
const IDS = ["a", "b", "c", "d", "e1", "main", "nav", "item-1", "ü", "x:y"];

/** Text of an element, or of an attribute of which the grammar asks nothing. */
export function drawText(random: Random): string {
  return Array.from({ length: 1 + random.below(3) }, () => random.pick(WORDS)).join(" ");
}

/** A value that the grammar allows here, for most datatypes; the Nu checker says whether it is. */
export function drawValue(pattern: Pattern, random: Random): string {
  switch (pattern.kind) {
    case "text":
      return drawText(random);
    case "value":
      return pattern.value;
    case "data":
      return drawData(pattern.datatype, random);
    case "choice":
      return drawValue(random.pick(pattern.children), random);
    case "interleave":
      return pattern.children.map((child) => drawValue(child, random)).join(" ");
    case "group":
      return `${drawValue(pattern.first, random)} ${drawValue(pattern.rest, random)}`.trim();
    case "oneOrMore":
      return Array.from({ length: 1 + random.below(2) }, () => drawValue(pattern.child, random)).join(" ");
    case "list":
      return drawValue(pattern.child, random);
    default:
      return "";
  }
}

/** The names of the datatypes in a pattern of a value. */
export function datatypesOf(pattern: Pattern): Datatype[] {
  switch (pattern.kind) {
    case "data":
      return [pattern.datatype];
    case "choice":
    case "interleave":
      return pattern.children.flatMap(datatypesOf);
    case "group":
      return [...datatypesOf(pattern.first), ...datatypesOf(pattern.rest)];
    case "oneOrMore":
    case "list":
      return datatypesOf(pattern.child);
    default:
      return [];
  }
}

type Draw = (random: Random) => string;
const from =
  (...values: string[]): Draw =>
  (random) =>
    random.pick(values);
const url: Draw = (random) =>
  random.percent(60) ? random.pick(["x", "a/b", "/c", "#a", "https://example.com/"]) : drawUrl(random);
const integer = from("0", "1", "2", "7", "10", "42", "100", "-1", "-0", "007");
const nonNegative = from("0", "1", "2", "3", "10", "100", "00");
const positive = from("1", "2", "3", "4", "10", "100");
const decimal = from("0", "1", "-1", "0.5", "1.25", "100", ".5", "-3.75", "1e3");
const id: Draw = (random) => (random.percent(70) ? `id${random.below(100_000)}` : random.pick(IDS));
const idref: Draw = (random) => random.pick(IDS);
const ids: Draw = (random) => Array.from({ length: 1 + random.below(2) }, () => random.pick(IDS)).join(" ");
const email = from(
  "a@b",
  "a.b@example.com",
  "x+y@example.org",
  "o'neil@example.com",
  "a@xn--bcher-kva.example",
  "_@a-b.c",
);

const HTML_VALUES: Record<string, Draw> = {
  ID: id,
  IDREF: idref,
  IDREFS: ids,
  "autocomplete-any": (random) =>
    random.pick(["", "section-a "]) +
    random.pick(["", "shipping ", "billing "]) +
    random.pick([
      "name",
      "email",
      "work tel",
      "home email",
      "mobile tel-national",
      "cc-number",
      "street-address",
      "new-password",
      "one-time-code",
      "bday",
      "url",
      "impp",
      "postal-code",
      "username webauthn",
      "current-password webauthn",
      "on",
      "off",
      "",
    ]),
  "browsing-context": from("a", "main", "frame-1", "ü"),
  "browsing-context-or-keyword": from("_blank", "_self", "_parent", "_top", "main", "_BLANK", "frame-1"),
  charset: from("utf-8", "UTF-8", "windows-1252", "iso-8859-1", "latin1", "utf8", "Shift_JIS"),
  circle: from("1,2,3", "0,0,10", "5,5,0", "-1,2,3"),
  color: drawColor,
  "content-security-policy": drawCspPolicy,
  "custom-element-name": from("a-b", "x-item", "my-element-2", "a-ü", "font-face2", "math-α"),
  date: drawDate("date"),
  "datetime-local": drawDate("local"),
  "datetime-tz": drawDate("global"),
  "default-style": from("main", "Style"),
  "email-address": email,
  "email-address-list": (random) =>
    Array.from({ length: 1 + random.below(2) }, () => email(random)).join(random.pick([",", ", "])),
  float: decimal,
  "float-non-negative": from("0", "1", "0.5", "1e3", "3.75", ".5"),
  "float-positive": from("1", "0.5", "1e3", "3.75"),
  "hash-name": from("#a", "#map", "#m-1"),
  "image-candidate-strings": drawSrcset,
  "image-candidate-strings-width-required": drawSrcset,
  integer,
  "integer-non-negative": nonNegative,
  "integer-positive": positive,
  "integrity-metadata": from(
    "sha256-n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=",
    "sha384-OLBgp1GsljhM2TJ+sbHjaiH9txEUvgdDTAzHv2P24donTt6/529l+9Ua0vFImLlb",
    "sha256-AAAA",
    "sha512-AAAA?opt",
  ),
  iri: (random) => (random.percent(60) ? "https://example.com/type" : drawUrl(random)),
  "iri-ref": url,
  "iri-ref-http-or-https": (random) => (random.percent(50) ? "https://example.com/a" : drawUrl(random)),
  keylabellist: from("s", "s 0", "a b c", "é"),
  language: drawLanguage,
  "media-query": drawMediaQuery,
  "meta-charset": from("text/html; charset=utf-8", "text/html;charset=UTF-8", "text/html; charset=windows-1252"),
  "microdata-property": from("name", "url", "https://schema.org/name", "a.b", "x"),
  "mime-type": drawMimeType,
  "mime-type-list": from("image/*", ".png,.jpg", "audio/*, video/mp4", "text/plain", ".a, image/png"),
  month: drawDate("month"),
  "non-empty-string": drawText,
  polyline: from("0,0,1,1,2,2", "1,2,3,4,5,6,7,8", "1.5,2,3,4,5,6"),
  rectangle: from("0,0,10,10", "1,2,3,4", "-5,-5,5,5"),
  refresh: from("5", "0; url=x", "5; URL=https://example.com/", "10;url='a'", "1; url=a b"),
  "rel-value": from(
    "nofollow",
    "noopener noreferrer",
    "external",
    "stylesheet",
    "alternate",
    "icon",
    "help",
    "next",
    "me",
    "license tag",
    "x-own",
  ),
  "sandbox-allow-list": from("", "allow-scripts", "allow-same-origin allow-forms", "allow-popups allow-modals"),
  "script-type": from("text/javascript", "module", "application/json", "text/plain", "importmap", "speculationrules"),
  "simple-color": from("#ffffff", "#00AAff", "#123456"),
  "source-size-list": drawSourceSize,
  string: drawText,
  "string-without-line-breaks": drawText,
  "svg-pathdata": from(
    "M0 0L10 10",
    "M1,1 h5 v5 z",
    "m0 0c1 2 3 4 5 6",
    "M0 0A5 5 0 0 1 10 10",
    "M10-20.5.5",
    "M0 0q1 1 2 2t3 3S1 2 3 4",
    "",
  ),
  time: drawTime,
  "time-datetime": (random) =>
    random.pick([
      drawDate("date"),
      drawDate("month"),
      drawDate("week"),
      drawDate("global"),
      drawDate("local"),
      drawDate("yearless"),
      drawTime,
      drawDuration,
    ])(random),
  week: drawDate("week"),
  "xml-name": from("a", "_x", "a-b", "name1"),
  zero: from("0", "00", "-0"),
};

const SCHEMA_VALUES: Record<string, Draw> = {
  anyURI: url,
  base64Binary: from("AAAA", "QUJD", "QQ==", "QUI="),
  decimal: from("1", "-1.5", "0.25", "+3", ".5"),
  double: from("0", "1", "0.5", "1e-1", "50", "100"),
  integer,
  language: from("en", "de-AT", "zh-Hant", "x-own"),
  NCName: from("a", "name-1", "_b"),
  NMTOKEN: from("a", "1a", "name-1", "a:b"),
  NMTOKENS: from("a", "a b", "a:b 1"),
  nonNegativeInteger: nonNegative,
  positiveInteger: positive,
  string: drawText,
  unsignedLong: nonNegative,
};

/** Examples for the patterns of XML Schema that the grammar uses, by what is particular in them. */
const PATTERN_VALUES: readonly (readonly [part: string, draw: Draw])[] = [
  ["[ \n-\r]*", from("", " ")],
  ["\\[((", from("[a:b]", "[x]", "[:y]")],
  ["(([\\i-[:]][\\c-[:]]*)?:)[^", from("a:b", ":c", "dc:title")],
  ["(\\s+[\\i-[:]]", from("dc: http://purl.org/dc/terms/", "a: b:c d: e:f")],
  ["[/\\c-[:]]*", from("name", "a/b")],
  ["[1-9][0-9]*x", from("16x16", "32x32", "100x1")],
  ["xMinYMin", from("none", "xMidYMid", "xMinYMax slice", "defer xMaxYMid meet")],
  ["[aA][qQ][uU][aA]", from("#fff", "#00ff00", "red", "AQUA", "navy")],
  ["height|depth", from("1em", "+2px", "50% height", "thinmathspace", "0")],
  ["mathspace", from("1em", "2px", "50%", "thickmathspace", "-.5ex", "0")],
  ["\\s*\\S\\s*", from("x", "(", " | ")],
  ["decimalpoint", from("{left}", "{left center} {right}", "")],
  ["baseline|axis", from("top", "center 1", "axis -2", "baseline")],
  ["[uU][tT][fF]-8", from("utf-8", "UTF-8")],
  ["--.*", from("--a", "--my-command")],
];

function drawData({ library, name, parameters }: Datatype, random: Random): string {
  if (library.endsWith("datatype-draft")) return (HTML_VALUES[name] ?? drawText)(random);
  const pattern = parameters.find((parameter) => parameter.name === "pattern")?.value;
  if (pattern !== undefined) {
    const known = PATTERN_VALUES.find(([part]) => pattern.includes(part));
    return known ? known[1](random) : drawText(random);
  }
  if (library === "") return drawText(random);
  return (SCHEMA_VALUES[name] ?? drawText)(random);
}
