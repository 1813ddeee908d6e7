import { asciiLowerCase, type Check, isSpace, quote } from "./text.ts";

/** The names of the Encoding Standard (https://encoding.spec.whatwg.org/#names-and-labels), in lower case. */
const ENCODINGS = new Set(
  (
    "utf-8 ibm866 iso-8859-2 iso-8859-3 iso-8859-4 iso-8859-5 iso-8859-6 iso-8859-7 iso-8859-8 iso-8859-8-i iso-8859-10 " +
    "iso-8859-13 iso-8859-14 iso-8859-15 iso-8859-16 koi8-r koi8-u macintosh windows-874 windows-1250 windows-1251 " +
    "windows-1252 windows-1253 windows-1254 windows-1255 windows-1256 windows-1257 windows-1258 x-mac-cyrillic gbk gb18030 " +
    "big5 euc-jp iso-2022-jp shift_jis euc-kr utf-16be utf-16le x-user-defined"
  ).split(" "),
);

export const encodingNameProblem: Check = (value) => {
  if (value === "") return "it is empty";
  return ENCODINGS.has(asciiLowerCase(value))
    ? undefined
    : `${quote(value)} is not the name of an encoding in the Encoding Standard`;
};

/**
 * `<meta http-equiv=content-type>`: the encoding that a browser reads from it must be UTF-8. Its exact spelling only
 * causes a warning.
 */
export const metaContentTypeProblem: Check = (value) => {
  if (!asciiLowerCase(value.slice(0, 10)).startsWith("text/html;")) return 'it does not begin with "text/html;"';
  const encoding = extractEncoding(value);
  if (encoding === undefined) return 'it has no "charset=utf-8"';
  return asciiLowerCase(encoding) === "utf-8"
    ? undefined
    : `its encoding is ${quote(encoding)}; only "utf-8" is allowed`;
};

/** https://html.spec.whatwg.org/multipage/semantics.html#attr-meta-http-equiv-content-type */
export const metaContentTypeWarning: Check = (value) => {
  if (metaContentTypeProblem(value) || /^text\/html;[ \t\n\f\r]*charset=utf-8$/i.test(value)) return undefined;
  return 'the Standard wants it to be "text/html; charset=utf-8", with nothing else';
};

/** https://html.spec.whatwg.org/multipage/urls-and-fetching.html#extracting-character-encodings-from-meta-elements */
function extractEncoding(value: string): string | undefined {
  const lower = asciiLowerCase(value);
  let index = 0;
  for (;;) {
    index = lower.indexOf("charset", index);
    if (index < 0) return undefined;
    index = skipSpaces(value, index + "charset".length);
    if (value[index] === "=") break;
  }
  const start = skipSpaces(value, index + 1);
  const mark = value[start];
  if (mark === '"' || mark === "'") {
    const end = value.indexOf(mark, start + 1);
    return end < 0 ? undefined : value.slice(start + 1, end);
  }
  let end = start;
  while (end < value.length && !isSpace(value.charCodeAt(end)) && value[end] !== ";") end++;
  return value.slice(start, end);
}

function skipSpaces(value: string, start: number): number {
  let index = start;
  while (isSpace(value.charCodeAt(index))) index++;
  return index;
}
