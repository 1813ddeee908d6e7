import { createHash } from "node:crypto";
import { asciiLowerCase } from "../../datatypes/text.ts";
import type { Subject } from "./policy.ts";

const NONCE = /^'nonce-(.+)'$/i;
const HASH = /^'(sha256|sha384|sha512)-(.+)'$/i;

/** True where a source list allows a nonce, which is compared letter by letter. */
export function allowsNonce(sources: readonly string[], nonce: string | undefined): boolean {
  return Boolean(nonce) && sources.some((source) => NONCE.exec(source)?.[1] === nonce);
}

/** True where every digest of integrity metadata is in a source list. */
export function allowsIntegrity(sources: readonly string[], integrity: string | undefined): boolean {
  const digests = (integrity ?? "").split(/\s+/).filter(Boolean);
  const allowed = new Set(sources.flatMap((source) => digestOf(source) ?? []));
  return digests.length > 0 && digests.every((digest) => allowed.has(digestOf(`'${digest.split("?")[0]}'`) ?? ""));
}

/**
 * True where a source list allows a script, a style, or an attribute with one, that stands in the document.
 *
 * @see CSP Level 3, 6.7.3.3 Does element match source list for type and source?
 */
export function allowsInline(
  sources: readonly string[],
  subject: Subject,
  text: string,
  nonce: string | undefined,
): boolean {
  const keywords = new Set(sources.map(asciiLowerCase));
  const isScript = subject === "inline-script" || subject === "event-handler";
  const isElement = subject === "inline-script" || subject === "inline-style";
  const isOverridden =
    sources.some((source) => NONCE.test(source) || HASH.test(source)) || (isScript && keywords.has("'strict-dynamic'"));
  if (keywords.has("'unsafe-inline'") && !isOverridden) return true;
  if (isElement && allowsNonce(sources, nonce)) return true;
  return (isElement || keywords.has("'unsafe-hashes'")) && allowsHash(sources, text);
}

function allowsHash(sources: readonly string[], text: string): boolean {
  const computed = new Map<string, string>();
  return sources.some((source) => {
    const algorithm = HASH.exec(source)?.[1]?.toLowerCase();
    if (!algorithm) return false;
    const digest = computed.get(algorithm) ?? createHash(algorithm).update(text).digest("base64");
    computed.set(algorithm, digest);
    return digestOf(source) === digestOf(`'${algorithm}-${digest}'`);
  });
}

/** A digest with its algorithm in a normal form: base64 has two alphabets, and padding may be left out. */
function digestOf(source: string): string | undefined {
  const [, algorithm = "", digest] = HASH.exec(source) ?? [];
  return digest && `${algorithm.toLowerCase()}-${digest.replace(/-/g, "+").replace(/_/g, "/").replace(/=+$/, "")}`;
}
