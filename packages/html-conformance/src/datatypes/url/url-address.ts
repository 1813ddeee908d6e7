import { characterAt, isDigit, isHexDigit, quote, skipDigits } from "../text.ts";

const MAX_PIECES = 8;
const MAX_BYTE = 255;

/** True where a domain is read as an IPv4 address: https://url.spec.whatwg.org/#ends-in-a-number-checker */
export function isNumberAtEnd(domain: string): boolean {
  const end = domain.endsWith(".") ? domain.length - 1 : domain.length;
  const last = domain.slice(domain.lastIndexOf(".", end - 1) + 1, end);
  return last !== "" && (skipDigits(last, 0) === last.length || /^0x[0-9a-f]*$/i.test(last));
}

/** Why a host that ends in a number is not a valid IPv4 address: https://url.spec.whatwg.org/#concept-ipv4-parser */
export function ipv4Problem(host: string): string | undefined {
  if (host.endsWith(".")) return `the IPv4 address ${quote(host)} ends with a dot`;
  const parts = host.split(".");
  if (parts.length > 4) return `the IPv4 address ${quote(host)} has more than four parts`;
  for (const part of parts) {
    const problem = ipv4PartProblem(part);
    if (problem) return `${problem} in the IPv4 address ${quote(host)}`;
  }
  return undefined;
}

function ipv4PartProblem(part: string): string | undefined {
  if (part === "") return "a part is empty";
  if (/^0x[0-9a-f]*$/i.test(part)) return `${quote(part)} is not a decimal number`;
  if (skipDigits(part, 0) < part.length) return `${quote(part)} is not a number`;
  if (part.length > 1 && part.startsWith("0")) return `${quote(part)} has a leading zero`;
  return Number(part) > MAX_BYTE ? `${quote(part)} is greater than ${MAX_BYTE}` : undefined;
}

/** Why the text between the brackets is not an IPv6 address: https://url.spec.whatwg.org/#concept-ipv6-parser */
export function ipv6Problem(address: string): string | undefined {
  if (address.startsWith(":") && address[1] !== ":") return 'the IPv6 address begins with a single ":"';
  let pieces = address.startsWith(":") ? 1 : 0;
  let compressed = pieces === 1;
  let index = compressed ? 2 : 0;
  while (index < address.length) {
    if (pieces === MAX_PIECES) return "the IPv6 address has more than eight pieces";
    pieces++;
    if (address[index] === ":") {
      if (compressed) return 'the IPv6 address has "::" twice';
      compressed = true;
      index++;
      continue;
    }
    const start = index;
    index = pieceEnd(address, start);
    const next = address[index];
    if (next === ".") return embeddedIpv4Problem(address.slice(start), pieces - 1, compressed);
    if (next !== undefined && next !== ":") return `${characterAt(address, index)} is not allowed in the IPv6 address`;
    if (next === ":" && index + 1 === address.length) return 'the IPv6 address ends with a single ":"';
    index++;
  }
  return pieceCountProblem(pieces, compressed);
}

/** The index behind the four hexadecimal digits, at most, of a piece. */
function pieceEnd(address: string, start: number): number {
  let index = start;
  while (index < start + 4 && isHexDigit(address.charCodeAt(index))) index++;
  return index;
}

function embeddedIpv4Problem(text: string, pieces: number, compressed: boolean): string | undefined {
  if (pieces > MAX_PIECES - 2) return "the IPv6 address has no room left for an IPv4 address";
  const parts = text.split(".");
  const valid = parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256);
  if (!valid || !isDigit(text.charCodeAt(0))) return `${quote(text)} is not an IPv4 address in the IPv6 address`;
  return pieceCountProblem(pieces + 2, compressed);
}

function pieceCountProblem(pieces: number, compressed: boolean): string | undefined {
  if (!compressed && pieces !== MAX_PIECES) return 'the IPv6 address has fewer than eight pieces and no "::"';
  return undefined;
}
