import { toASCII } from "tr46";
import { characterAt, isHexDigit, quote } from "../text.ts";
import { ipv4Problem, ipv6Problem, isNumberAtEnd } from "./url-address.ts";
import { isUrlCodePoint } from "./url-code-points.ts";

const MAX_LABEL = 63;
const MAX_DOMAIN = 253;

const IDNA = {
  checkBidi: true,
  checkHyphens: false,
  checkJoiners: true,
  ignoreInvalidPunycode: false,
  transitionalProcessing: false,
  useSTD3ASCIIRules: false,
  verifyDNSLength: false,
};

/** https://url.spec.whatwg.org/#forbidden-host-code-point */
const FORBIDDEN_HOST = new Set([..."\0\t\n\r #/:<>?@[\\]^|"].map((character) => character.charCodeAt(0)));

/** https://url.spec.whatwg.org/#forbidden-domain-code-point */
function isForbiddenInDomain(code: number): boolean {
  return code < 32 || code === 0x25 || code === 0x7f || FORBIDDEN_HOST.has(code);
}

/**
 * Why the host of a special URL (http, https, ws, wss, ftp, file) is not valid:
 * https://url.spec.whatwg.org/#concept-host-parser The lengths of labels and domain are those of a valid domain;
 * underscores and hyphens are free, as they are for the parser.
 */
export function specialHostProblem(host: string): string | undefined {
  if (host.startsWith("[")) return bracketedProblem(host);
  const decoded = decode(host);
  if (decoded === undefined) return `the host ${quote(host)} is not UTF-8 when its "%" are decoded`;
  const forbidden = forbiddenProblem(decoded);
  if (forbidden) return forbidden;
  const ascii = domainAsAscii(decoded);
  if (ascii === undefined) return `the host ${quote(host)} is not an internationalized domain name (IDNA)`;
  const problem = ascii === decoded ? undefined : forbiddenProblem(ascii);
  if (problem) return problem;
  return isNumberAtEnd(ascii) ? ipv4Problem(ascii) : labelsProblem(ascii);
}

function forbiddenProblem(domain: string): string | undefined {
  for (let index = 0; index < domain.length; index++) {
    if (isForbiddenInDomain(domain.charCodeAt(index)))
      return `${characterAt(domain, index)} is not allowed in the host`;
  }
  return undefined;
}

/** https://url.spec.whatwg.org/#concept-domain-to-ascii, with beStrict false; undefined where that fails. */
function domainAsAscii(domain: string): string | undefined {
  const lower = domain.toLowerCase();
  if (isAscii(domain) && !lower.includes("xn--")) return lower;
  if (domain.length > 4 * MAX_DOMAIN) return undefined;
  return toASCII(domain, IDNA) ?? undefined;
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 127) return false;
  return true;
}

function labelsProblem(domain: string): string | undefined {
  const labels = domain.split(".");
  if (labels.at(-1) === "" && labels.length > 1) labels.pop();
  for (const label of labels) {
    if (label === "") return "the host has an empty label";
    if (label.length > MAX_LABEL) return `the host's label ${quote(label)} has more than ${MAX_LABEL} characters`;
  }
  return labels.join(".").length > MAX_DOMAIN ? `the host has more than ${MAX_DOMAIN} characters` : undefined;
}

/** Percent-decodes a host; undefined if that is not UTF-8. A "%" without two hexadecimal digits stays. */
function decode(host: string): string | undefined {
  if (!host.includes("%")) return host;
  const bytes: number[] = [];
  const raw = new TextEncoder().encode(host);
  for (let index = 0; index < raw.length; index++) {
    const byte = raw[index] ?? 0;
    const isEncoded = byte === 0x25 && isHexDigit(raw[index + 1] ?? 0) && isHexDigit(raw[index + 2] ?? 0);
    if (isEncoded) {
      bytes.push(Number.parseInt(String.fromCharCode(raw[index + 1] ?? 0, raw[index + 2] ?? 0), 16));
      index += 2;
    } else bytes.push(byte);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));
  } catch {
    return undefined;
  }
}

/** Why the host of a URL that is not special is not valid: https://url.spec.whatwg.org/#concept-opaque-host-parser */
export function opaqueHostProblem(host: string): string | undefined {
  if (host.startsWith("[")) return bracketedProblem(host);
  for (let index = 0; index < host.length; index++) {
    const code = host.codePointAt(index) ?? 0;
    if (code === 0x25) {
      if (!isHexDigit(host.charCodeAt(index + 1)) || !isHexDigit(host.charCodeAt(index + 2))) {
        return '"%" in the host is not followed by two hexadecimal digits';
      }
    } else if (FORBIDDEN_HOST.has(code) || !isUrlCodePoint(code)) {
      return `${characterAt(host, index)} is not allowed in the host`;
    }
    if (code > 0xffff) index++;
  }
  return undefined;
}

function bracketedProblem(host: string): string | undefined {
  return host.endsWith("]") ? ipv6Problem(host.slice(1, -1)) : 'the IPv6 address lacks its closing "]"';
}
