import { registered, type SubtagKind, type SubtagRecord } from "./language-registry.ts";
import { asciiLowerCase, type Check, quote } from "./text.ts";

const MAX_SUBTAG = 8;
/** The extensions that are registered: transformed content (RFC 6497) and Unicode locales (RFC 6067). */
const EXTENSIONS = new Set(["t", "u"]);

/** What reading a tag comes to: an error, or what is to be warned of. */
type Verdict = { problem?: string; warning?: string };

/** Why a value is not a valid language tag: BCP 47 (RFC 5646, 2.2.9), which https://html.spec.whatwg.org/#attr-lang asks for. */
export const languageProblem: Check = (value) => judge(asciiLowerCase(value)).problem;

/** Deprecated subtags, scripts that go without saying, and variants without one of their prefixes: what RFC 5646 says SHOULD NOT be. */
export const languageWarning: Check = (value) => {
  const { problem, warning } = judge(asciiLowerCase(value));
  return problem ? undefined : warning;
};

function judge(tag: string): Verdict {
  if (tag === "") return { problem: "it is empty" };
  const whole = registered("grandfathered", tag) ?? registered("redundant", tag);
  if (whole) return { warning: deprecation("the tag", tag, whole) } as Verdict;
  const subtags = tag.split("-");
  for (const subtag of subtags) {
    if (subtag === "") return { problem: "a subtag is empty" };
    if (subtag.length > MAX_SUBTAG)
      return { problem: `the subtag ${quote(subtag)} has more than ${MAX_SUBTAG} characters` };
    if (/[^a-z0-9]/.test(subtag))
      return { problem: `the subtag ${quote(subtag)} has other characters than letters and digits` };
  }
  return subtags[0] === "x" ? privateUse(subtags, 0) : judgeSubtags(subtags);
}

/** Where reading has come to in the subtags of a tag; a problem ends the reading. */
type Reader = { readonly subtags: readonly string[]; index: number; problem: string | undefined; warnings: string[] };

function judgeSubtags(subtags: readonly string[]): Verdict {
  const language = subtags[0] ?? "";
  if (!/^[a-z]{2,8}$/.test(language)) return { problem: `${quote(language)} is not a language subtag` };
  if (language.length === 4) return { problem: `the language subtag ${quote(language)} is reserved` };
  const record = registered("language", language);
  if (!record) return { problem: unregistered("language", language) };
  const reader: Reader = { subtags, index: 1, problem: undefined, warnings: [] };
  warn(reader, deprecation("the language subtag", language, record));
  readExtlang(reader, language);
  readScript(reader, language, record.suppressedScript);
  take(reader, "region", /^(?:[a-z]{2}|\d{3})$/);
  readVariants(reader);
  const problem = reader.problem ?? restProblem(subtags, reader.index);
  if (problem) return { problem };
  const warning = reader.warnings[0];
  return warning === undefined ? {} : { warning };
}

/** Reads one subtag of a kind, if the next one has the form of the kind. */
function take(reader: Reader, kind: SubtagKind, form: RegExp): SubtagRecord | undefined {
  const subtag = reader.subtags[reader.index];
  if (reader.problem || subtag === undefined || !form.test(subtag)) return undefined;
  const record = registered(kind, subtag);
  if (!record) reader.problem = unregistered(kind, subtag);
  else {
    reader.index++;
    if (kind !== "extlang") warn(reader, deprecation(`the ${kind} subtag`, subtag, record));
  }
  return record;
}

function warn(reader: Reader, warning: string | undefined): void {
  if (warning !== undefined) reader.warnings.push(warning);
}

function readExtlang(reader: Reader, language: string): void {
  const record = take(reader, "extlang", /^[a-z]{3}$/);
  if (!record || record.prefixes.includes(language)) return;
  reader.problem = `the extended language ${quote(reader.subtags[1] ?? "")} does not go with ${quote(language)}`;
}

function readScript(reader: Reader, language: string, suppressed: string | undefined): void {
  if (!take(reader, "script", /^[a-z]{4}$/)) return;
  const script = reader.subtags[reader.index - 1] ?? "";
  if (script === suppressed) warn(reader, `the script ${quote(script)} goes without saying for ${quote(language)}`);
}

function readVariants(reader: Reader): void {
  const seen = new Set<string>();
  for (;;) {
    const record = take(reader, "variant", /^(?:[a-z0-9]{5,8}|\d[a-z0-9]{3})$/);
    if (!record) return;
    const variant = reader.subtags[reader.index - 1] ?? "";
    if (seen.has(variant)) reader.problem = `the variant ${quote(variant)} is there twice`;
    seen.add(variant);
    warn(reader, prefixWarning(variant, record, reader.subtags, reader.index - 1));
  }
}

/** Extensions, each once and with a subtag at least, then what is private. */
function restProblem(subtags: readonly string[], start: number): string | undefined {
  const seen = new Set<string>();
  let index = start;
  while (index < subtags.length) {
    const singleton = subtags[index] ?? "";
    if (singleton === "x") return privateUse(subtags, index).problem;
    if (singleton.length > 1) return `${quote(singleton)} is not a subtag that may stand there`;
    if (!EXTENSIONS.has(singleton)) return `the extension ${quote(singleton)} is not registered`;
    if (seen.has(singleton)) return `the extension ${quote(singleton)} is there twice`;
    seen.add(singleton);
    const first = ++index;
    while (index < subtags.length && (subtags[index]?.length ?? 0) > 1) index++;
    if (index === first) return `nothing follows the extension ${quote(singleton)}`;
  }
  return undefined;
}

function privateUse(subtags: readonly string[], index: number): Verdict {
  return index + 1 < subtags.length ? {} : { problem: 'nothing follows "x"' };
}

function unregistered(kind: SubtagKind, subtag: string): string {
  const name = kind === "extlang" ? "extended language" : kind;
  return `${quote(subtag)} is not a ${name} subtag of the IANA registry`.replace("a extended", "an extended");
}

function deprecation(what: string, name: string, record: SubtagRecord): string | undefined {
  if (!record.deprecated) return undefined;
  return `${what} ${quote(name)} is deprecated${record.preferred ? `; use "${record.preferred}"` : ""}`;
}

/** A prefix matches where all of its subtags are in front of the variant. */
function prefixWarning(
  variant: string,
  record: SubtagRecord,
  subtags: readonly string[],
  index: number,
): string | undefined {
  const isBefore = (part: string): boolean => {
    const at = subtags.indexOf(part);
    return at >= 0 && at < index;
  };
  if (record.prefixes.length === 0 || record.prefixes.some((prefix) => prefix.split("-").every(isBefore)))
    return undefined;
  return `the variant ${quote(variant)} should follow "${record.prefixes.slice(0, 3).join('" or "')}"`;
}
