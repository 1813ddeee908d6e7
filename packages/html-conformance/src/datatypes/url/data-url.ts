import { mimeTypeProblem } from "../mime-type.ts";
import { characterAt, isAlpha, isDigit, isHexDigit } from "../text.ts";

/**
 * Why a URL of the scheme `data` (whose characters are URL code points already) is wrong: RFC 2397 for what it is
 * made of, the data: URL processor (https://fetch.spec.whatwg.org/#data-urls) for its base64.
 */
export function dataUrlProblem(url: string): string | undefined {
  const end = fragmentStart(url);
  const start = "data:".length;
  const comma = url.indexOf(",", start);
  if (comma < 0 || comma > end) return "the data: URL has no comma in front of its data";
  const head = url.slice(start, comma);
  const isBase64 = /;base64$/i.test(head);
  const type = isBase64 ? head.slice(0, -";base64".length) : head;
  const problem = type === "" ? undefined : mimeTypeProblem(type.startsWith(";") ? `text/plain${type}` : type);
  if (problem) return `in the type of the data: URL, ${problem}`;
  if (/;($|;)/.test(type)) return "in the type of the data: URL, a semicolon has no parameter";
  return isBase64 ? base64Problem(url, comma + 1, end) : undefined;
}

/** A fragment, such as an unescaped "#" of a colour in SVG, cuts the data of a data: URL, which is rarely intended. */
export function dataUrlWarning(url: string): string | undefined {
  return fragmentStart(url) < url.length
    ? 'its data ends at "#", since a fragment begins there; write it as "%23"'
    : undefined;
}

function fragmentStart(url: string): number {
  const hash = url.indexOf("#");
  return hash < 0 ? url.length : hash;
}

/** https://infra.spec.whatwg.org/#forgiving-base64-decode, after percent-decoding */
function base64Problem(url: string, start: number, end: number): string | undefined {
  let characters = 0;
  let padding = 0;
  for (let index = start; index < end; index++) {
    let code = url.charCodeAt(index);
    if (code === 0x25 && isHexDigit(url.charCodeAt(index + 1)) && isHexDigit(url.charCodeAt(index + 2))) {
      code = Number.parseInt(url.slice(index + 1, index + 3), 16);
      index += 2;
    }
    if (code === 0x20 || (code >= 0x09 && code <= 0x0d && code !== 0x0b)) continue;
    if (code === 0x3d) padding++;
    else if (!isAlpha(code) && !isDigit(code) && code !== 0x2b && code !== 0x2f) {
      return `${characterAt(url, index)} is not allowed in base64`;
    } else if (padding > 0) return 'its base64 goes on after "="';
    else characters++;
  }
  const complete = padding === 0 ? characters % 4 !== 1 : padding <= 2 && (characters + padding) % 4 === 0;
  return complete ? undefined : "its base64 is cut off";
}
