import { asciiLowerCase, type Check, quote } from "../text.ts";
import { registered, type SubtagKind, type SubtagRecord } from "./language-registry.ts";

const MAX_SUBTAG = 8;
/** The extensions that are registered: transformed content (RFC 6497) and Unicode locales (RFC 6067). */
const EXTENSIONS = new Set(["t", "u"]);

/** The result of reading a tag: an error, a warning or neither. */
type Verdict = { problem?: string; warning?: string };

/** Why a value is not a valid language tag: BCP 47 (RFC 5646, 2.2.9), which https://html.spec.whatwg.org/#attr-lang asks for. */
export const languageProblem: Check = (value) => judge(value).problem;

/** What RFC 5646 says SHOULD NOT be used: deprecated subtags, needless scripts, variants without a right prefix. */
export const languageWarning: Check = (value) => {
  const { problem, warning } = judge(value);
  return problem ? undefined : warning;
};

function judge(value: string): Verdict {
  const tag = asciiLowerCase(value);
  if (tag === "") return { problem: "it is empty" };
  const whole = registered("grandfathered", tag) ?? registered("redundant", tag);
  if (whole) return verdict(undefined, deprecation("the tag", value, whole));
  const found = value.split("-");
  for (const subtag of found) {
    if (subtag === "") return { problem: "a subtag is empty" };
    if (subtag.length > MAX_SUBTAG) {
      return { problem: `the subtag ${quote(subtag)} has more than ${MAX_SUBTAG} characters` };
    }
    if (/[^a-zA-Z0-9]/.test(subtag)) {
      return { problem: `the subtag ${quote(subtag)} has other characters than letters and digits` };
    }
  }
  const reader: Reader = { subtags: tag.split("-"), found, index: 0, problem: undefined, warnings: [] };
  if (reader.subtags[0] === "x") readPrivateUse(reader);
  else readSubtags(reader);
  return verdict(reader.problem, reader.warnings[0]);
}

function verdict(problem: string | undefined, warning: string | undefined): Verdict {
  if (problem !== undefined) return { problem };
  return warning === undefined ? {} : { warning };
}

/** The position of the reader in the subtags of a tag; a problem ends the reading. */
type Reader = {
  /** In lower case. */
  readonly subtags: readonly string[];
  /** As they are written. */
  readonly found: readonly string[];
  index: number;
  problem: string | undefined;
  warnings: string[];
};

function readSubtags(reader: Reader): void {
  const language = reader.subtags[0] ?? "";
  const found = quote(reader.found[0] ?? "");
  if (!/^[a-z]{2,8}$/.test(language)) reader.problem = `${found} is not a language subtag`;
  else if (language.length === 4) reader.problem = `the language subtag ${found} is reserved`;
  const record = take(reader, "language", /^[a-z]{2,8}$/);
  if (!record) return;
  readExtlang(reader, language);
  readScript(reader, record.suppressedScript);
  take(reader, "region", /^(?:[a-z]{2}|\d{3})$/);
  readVariants(reader);
  readExtensions(reader);
}

/** Reads one subtag of a kind, if the next one has the form of the kind. */
function take(reader: Reader, kind: SubtagKind, form: RegExp): SubtagRecord | undefined {
  const subtag = reader.subtags[reader.index];
  if (reader.problem || subtag === undefined || !form.test(subtag)) return undefined;
  const record = registered(kind, subtag);
  const found = reader.found[reader.index] ?? "";
  if (!record) reader.problem = unregistered(kind, found);
  else {
    reader.index++;
    if (kind !== "extlang") warn(reader, deprecation(`the ${kind} subtag`, found, record));
  }
  return record;
}

function warn(reader: Reader, warning: string | undefined): void {
  if (warning !== undefined) reader.warnings.push(warning);
}

function readExtlang(reader: Reader, language: string): void {
  const record = take(reader, "extlang", /^[a-z]{3}$/);
  if (!record || record.prefixes.includes(language)) return;
  const [first, second] = reader.found;
  reader.problem = `the extended language ${quote(second ?? "")} does not go with ${quote(first ?? "")}`;
}

function readScript(reader: Reader, suppressed: string | undefined): void {
  if (!take(reader, "script", /^[a-z]{4}$/) || reader.subtags[reader.index - 1] !== suppressed) return;
  const script = quote(reader.found[reader.index - 1] ?? "");
  warn(reader, `the script ${script} goes without saying for ${quote(reader.found[0] ?? "")}`);
}

function readVariants(reader: Reader): void {
  const seen = new Set<string>();
  for (;;) {
    const record = take(reader, "variant", /^(?:[a-z0-9]{5,8}|\d[a-z0-9]{3})$/);
    if (!record) return;
    const variant = reader.subtags[reader.index - 1] ?? "";
    const found = reader.found[reader.index - 1] ?? "";
    if (seen.has(variant)) reader.problem = `the variant ${quote(found)} occurs twice`;
    seen.add(variant);
    warn(reader, prefixWarning(found, record, reader.subtags, reader.index - 1));
  }
}

/** Reads extensions, each once and with at least one subtag, then private use subtags. */
function readExtensions(reader: Reader): void {
  const seen = new Set<string>();
  while (!reader.problem && reader.index < reader.subtags.length) {
    const singleton = reader.subtags[reader.index] ?? "";
    if (singleton === "x") {
      readPrivateUse(reader);
      return;
    }
    const found = quote(reader.found[reader.index] ?? "");
    if (singleton.length > 1) reader.problem = `${found} is not a subtag that may stand there`;
    else if (!EXTENSIONS.has(singleton)) reader.problem = `the extension ${found} is not registered`;
    else if (seen.has(singleton)) reader.problem = `the extension ${found} occurs twice`;
    seen.add(singleton);
    const first = ++reader.index;
    while ((reader.subtags[reader.index]?.length ?? 0) > 1) reader.index++;
    if (reader.index === first) reader.problem ??= `nothing follows the extension ${found}`;
  }
}

function readPrivateUse(reader: Reader): void {
  if (reader.index + 1 >= reader.subtags.length) reader.problem = 'nothing follows "x"';
}

function unregistered(kind: SubtagKind, subtag: string): string {
  const name = kind === "extlang" ? "extended language" : kind;
  return `${quote(subtag)} is not a ${name} subtag of the IANA registry`.replace("a extended", "an extended");
}

function deprecation(what: string, name: string, record: SubtagRecord): string | undefined {
  if (!record.deprecated) return undefined;
  return `${what} ${quote(name)} is deprecated${record.preferred ? `; use "${record.preferred}"` : ""}`;
}

/** A prefix matches if all of its subtags come before the variant. */
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
