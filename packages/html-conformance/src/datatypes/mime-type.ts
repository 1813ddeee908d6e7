import { type Check, characterAt, isSpace, quote, stripSpaces } from "./text.ts";

/** The characters of a token (RFC 9110, 5.6.2). */
const TOKEN = new Uint8Array(128);
for (const character of "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") {
  TOKEN[character.charCodeAt(0)] = 1;
}

function skipToken(value: string, start: number): number {
  let index = start;
  while (TOKEN[value.charCodeAt(index)] === 1) index++;
  return index;
}

function skipSpaces(value: string, start: number): number {
  let index = start;
  while (isSpace(value.charCodeAt(index))) index++;
  return index;
}

/**
 * Why a value is not a valid MIME type string: https://mimesniff.spec.whatwg.org/#valid-mime-type
 * (RFC 9110, 8.3.1: `type/subtype`, then parameters, each after a semicolon; a semicolon may stand without one).
 */
export const mimeTypeProblem: Check = (value) => {
  if (value === "") return "it is empty";
  const slash = skipToken(value, 0);
  if (slash === 0) return `${characterAt(value, 0)} is not allowed at the start of its type`;
  if (value[slash] !== "/")
    return `${characterAt(value, slash)} is found where "/" and a subtype should follow its type`;
  const end = skipToken(value, slash + 1);
  if (end === slash + 1) return `${characterAt(value, end)} is found where its subtype should be`;
  let index = end;
  while (index < value.length) {
    const semicolon = skipSpaces(value, index);
    if (value[semicolon] !== ";") {
      if (semicolon === value.length) return "it ends with whitespace";
      return `${characterAt(value, index)} is found where ";" and a parameter, or the end, should be`;
    }
    const start = skipSpaces(value, semicolon + 1);
    if (value[start] === ";" || (start === value.length && start === semicolon + 1)) {
      index = start;
      continue;
    }
    const parameter = readParameter(value, start);
    if (typeof parameter === "string") return parameter;
    index = parameter;
  }
  return undefined;
};

/** The index after the parameter that starts at an index, or why there is none. */
function readParameter(value: string, start: number): number | string {
  const equals = skipToken(value, start);
  if (equals === start) return `${characterAt(value, start)} is found where the name of a parameter should be`;
  const name = quote(value.slice(start, equals));
  if (value[equals] !== "=")
    return `${characterAt(value, equals)} is found where "=" should follow the parameter ${name}`;
  if (value[equals + 1] === '"') return readQuoted(value, equals + 1);
  const end = skipToken(value, equals + 1);
  return end === equals + 1
    ? `${characterAt(value, end)} is found where the value of the parameter ${name} should be`
    : end;
}

function readQuoted(value: string, start: number): number | string {
  for (let index = start + 1; index < value.length; index++) {
    const code = value.charCodeAt(index);
    if (code === 0x22) return index + 1;
    const at = code === 0x5c ? index + 1 : index;
    const found = value.charCodeAt(at);
    if ((found < 32 && found !== 9) || found > 126)
      return `${characterAt(value, at)} is not allowed in a quoted string`;
    index = at;
  }
  return "a quoted string is not closed";
}

/** A semicolon without a parameter is allowed, but a mistake. */
export const mimeTypeWarning: Check = (value) => {
  return /;[ \t]*(;|$)/.test(value) && !value.includes('"') ? "it has a semicolon without a parameter" : undefined;
};

const JAVASCRIPT_TYPES = new Set(
  (
    "application/ecmascript application/javascript application/x-ecmascript application/x-javascript text/ecmascript " +
    "text/javascript text/javascript1.0 text/javascript1.1 text/javascript1.2 text/javascript1.3 text/javascript1.4 " +
    "text/javascript1.5 text/jscript text/livescript text/x-ecmascript text/x-javascript"
  ).split(" "),
);
const SCRIPT_KEYWORDS = new Set(["", "module", "importmap", "speculationrules"]);

/** https://html.spec.whatwg.org/multipage/scripting.html#attr-script-type: a JavaScript MIME type has no parameters. */
export const scriptTypeProblem: Check = (value) => {
  if (SCRIPT_KEYWORDS.has(value.toLowerCase())) return undefined;
  const problem = mimeTypeProblem(value);
  if (problem) return problem;
  const essence = /^[^; \t]*/.exec(value)?.[0] ?? "";
  const hasMore = essence.length < value.length;
  return hasMore && JAVASCRIPT_TYPES.has(essence.toLowerCase())
    ? `nothing may follow the JavaScript MIME type ${quote(essence)}`
    : undefined;
};

/**
 * https://html.spec.whatwg.org/multipage/input.html#attr-input-accept
 * "image/*" is a MIME type by its form, as "*" may be in a token. The empty value has no tokens, so none is wrong.
 */
export const acceptProblem: Check = (value) => {
  if (stripSpaces(value) === "") return undefined;
  const seen = new Set<string>();
  for (const part of value.split(",")) {
    const token = stripSpaces(part);
    if (token === "") return "a part between commas is empty";
    const lower = token.toLowerCase();
    if (seen.has(lower)) return `${quote(token)} occurs twice`;
    seen.add(lower);
    if (token.startsWith(".")) continue;
    if (token.includes(";")) return `the MIME type ${quote(token)} may not have parameters`;
    const problem = mimeTypeProblem(token);
    if (problem) return `${quote(token)} is neither a MIME type nor a file name extension: ${problem}`;
  }
  return undefined;
};

/** Whitespace in a file name extension is allowed, but mostly a comma is missing there. */
export const acceptWarning: Check = (value) => {
  const extension = value
    .split(",")
    .map(stripSpaces)
    .find((token) => /^\.[^ \t\n\f\r]*[ \t\n\f\r]/.test(token));
  return extension === undefined
    ? undefined
    : `${quote(extension)} is one file name extension with whitespace in it; a comma may be missing`;
};
