import { type Check, quote, spaceSeparated } from "./text.ts";

const LENGTHS: ReadonlyMap<string, number> = new Map(Object.entries({ sha256: 32, sha384: 48, sha512: 64 }));

/** https://w3c.github.io/webappsec-subresource-integrity/#the-integrity-attribute */
export const integrityProblem: Check = (value) => {
  for (const token of spaceSeparated(value)) {
    const problem = hashProblem(token);
    if (problem) return problem;
  }
  return undefined;
};

function hashProblem(token: string): string | undefined {
  const hash = withoutOptions(token);
  const dash = hash.indexOf("-");
  if (!LENGTHS.has(hash.slice(0, Math.max(dash, 0)).toLowerCase())) {
    return `${quote(token)} does not begin with sha256-, sha384- or sha512-`;
  }
  return /^[A-Za-z0-9+/_-]+={0,2}$/.test(hash.slice(dash + 1))
    ? undefined
    : `what follows "-" in ${quote(token)} is not base64`;
}

/** A digest of the wrong length never matches. */
export const integrityWarning: Check = (value) => {
  for (const token of spaceSeparated(value)) {
    const hash = withoutOptions(token);
    const dash = hash.indexOf("-");
    const bytes = LENGTHS.get(hash.slice(0, Math.max(dash, 0)).toLowerCase());
    const digest = hash.slice(dash + 1).replace(/=+$/, "");
    if (bytes && Math.floor((digest.length * 3) / 4) !== bytes)
      return `the digest in ${quote(token)} does not have ${bytes} bytes`;
  }
  return undefined;
};

function withoutOptions(token: string): string {
  const mark = token.indexOf("?");
  return mark < 0 ? token : token.slice(0, mark);
}
