import { SANDBOX_KEYWORDS } from "./sandbox.ts";
import { asciiLowerCase, type Check, characterAt, quote, splitOnSpaces } from "./text.ts";

// https://w3c.github.io/webappsec-csp/#grammardef-serialized-policy-list

const SOURCE_LISTS = new Set(
  (
    "child-src connect-src default-src fenced-frame-src font-src frame-src img-src manifest-src media-src object-src " +
    "prefetch-src script-src script-src-attr script-src-elem style-src style-src-attr style-src-elem worker-src base-uri " +
    "form-action frame-ancestors navigate-to"
  ).split(" "),
);
const WITHOUT_VALUE = new Set(["upgrade-insecure-requests", "block-all-mixed-content"]);
const OTHERS = new Set([
  "sandbox",
  "report-uri",
  "report-to",
  "require-trusted-types-for",
  "trusted-types",
  "webrtc",
  "plugin-types",
  "referrer",
]);
const DEPRECATED: Record<string, string> = {
  "report-uri": "report-to",
  "plugin-types": "object-src",
  "prefetch-src": "default-src",
  referrer: "the header Referrer-Policy",
};
const KEYWORDS = new Set(
  (
    "'self' 'unsafe-inline' 'unsafe-eval' 'strict-dynamic' 'unsafe-hashes' 'report-sample' 'unsafe-allow-redirects' " +
    "'wasm-unsafe-eval' 'trusted-types-eval' 'report-sha256' 'report-sha384' 'report-sha512' 'inline-speculation-rules'"
  ).split(" "),
);
const UNQUOTED =
  /^(?:self|none|unsafe-inline|unsafe-eval|strict-dynamic|unsafe-hashes|report-sample|(?:nonce|sha(?:256|384|512))-.*)$/i;
const SCHEME = /^[a-z][a-z0-9+.-]*:$/i;
const HOST =
  /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:\*|(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*\.?)(?::(?:\d+|\*))?(?:\/[^;,'"\s]*)?$/i;
const NONCE = /^'nonce-[A-Za-z0-9+/_-]+={0,2}'$/i;
const HASH = /^'sha(256|384|512)-([A-Za-z0-9+/_-]+={0,2})'$/i;
const DIGEST_LENGTHS: Record<string, number> = { 256: 43, 384: 64, 512: 86 };

type Directive = { name: string; values: string[] };

/** The directives of one policy, in their order; names are in lower case. */
export function policyDirectives(policy: string): Directive[] {
  const directives: Directive[] = [];
  for (const part of policy.split(";")) {
    const [name, ...values] = splitOnSpaces(part);
    if (name !== undefined) directives.push({ name: asciiLowerCase(name), values });
  }
  return directives;
}

/** Why a value is not a list of policies. Unknown directives cause only a warning. */
export const policyProblem: Check = (value) => {
  for (let index = 0; index < value.length; index++) {
    if (value.charCodeAt(index) > 127) return `${characterAt(value, index)} is not an ASCII character`;
  }
  for (const policy of value.split(",")) {
    for (const { name, values } of policyDirectives(policy)) {
      if (/[^a-z0-9-]/.test(name))
        return `the directive name ${quote(name)} has other characters than letters, digits and hyphens`;
      const problem = valuesProblem(name, values);
      if (problem) return `in the directive ${quote(name)}, ${problem}`;
    }
  }
  return undefined;
};

function valuesProblem(name: string, values: readonly string[]): string | undefined {
  if (SOURCE_LISTS.has(name)) return sourcesProblem(values, name === "frame-ancestors");
  if (WITHOUT_VALUE.has(name))
    return values.length > 0 ? `the value ${quote(values[0] ?? "")} is not allowed` : undefined;
  if (name === "sandbox") {
    const wrong = values.find((value) => !SANDBOX_KEYWORDS.has(asciiLowerCase(value)));
    return wrong === undefined ? undefined : `${quote(wrong)} is not a sandbox keyword`;
  }
  if (name === "report-uri") return values.length === 0 ? "a URL is missing" : undefined;
  if (name === "report-to") return endpointProblem(values);
  if (name === "require-trusted-types-for") {
    if (values.length === 0) return "the value 'script' is missing";
    const wrong = values.find((value) => asciiLowerCase(value) !== "'script'");
    return wrong === undefined ? undefined : `${quote(wrong)} is found where 'script' should be`;
  }
  return undefined;
}

function endpointProblem(values: readonly string[]): string | undefined {
  const [endpoint] = values;
  if (endpoint === undefined || values.length > 1) return `one name is expected, but ${values.length} are found`;
  const wrong = /[^!#$%&'*+.^_`|~0-9A-Za-z-]/.exec(endpoint);
  return wrong ? `${characterAt(endpoint, wrong.index)} is not allowed in the name ${quote(endpoint)}` : undefined;
}

function sourcesProblem(sources: readonly string[], onlyAncestors: boolean): string | undefined {
  if (sources.length === 0) return "a source is missing; 'none' stands for none";
  for (const source of sources) {
    if (asciiLowerCase(source) === "'none'") {
      if (sources.length > 1) return "'none' is not allowed with other sources";
      continue;
    }
    const known = source === "*" || SCHEME.test(source) || HOST.test(source) || KEYWORDS.has(asciiLowerCase(source));
    if (known && (!onlyAncestors || !source.startsWith("'") || asciiLowerCase(source) === "'self'")) continue;
    if (!onlyAncestors && (NONCE.test(source) || HASH.test(source))) continue;
    return `${quote(source)} is not a source that is allowed`;
  }
  return undefined;
}

/** Directives and sources that have no effect, or one that is not intended. */
export const policyWarning: Check = (value) => {
  for (const policy of value.split(",")) {
    const seen = new Set<string>();
    for (const { name, values } of policyDirectives(policy)) {
      if (!SOURCE_LISTS.has(name) && !WITHOUT_VALUE.has(name) && !OTHERS.has(name))
        return `the directive ${quote(name)} is not known`;
      if (seen.has(name)) return `the directive ${quote(name)} occurs twice; only the first has an effect`;
      seen.add(name);
      if (DEPRECATED[name]) return `the directive ${quote(name)} is deprecated; use ${DEPRECATED[name]}`;
      const warning = SOURCE_LISTS.has(name) ? sourcesWarning(values) : undefined;
      if (warning) return warning;
    }
  }
  return undefined;
};

function sourcesWarning(sources: readonly string[]): string | undefined {
  const seen = new Set<string>();
  for (const source of sources) {
    if (UNQUOTED.test(source)) return `${quote(source)} is read as a host; as a keyword it needs single quotes`;
    const [, bits, digest] = HASH.exec(source) ?? [];
    if (bits && digest && digest.replace(/=+$/, "").length !== DIGEST_LENGTHS[bits])
      return `the digest in ${quote(source)} does not have ${bits} bits`;
    if (seen.has(source)) return `the source ${quote(source)} occurs twice`;
    seen.add(source);
  }
  return undefined;
}
