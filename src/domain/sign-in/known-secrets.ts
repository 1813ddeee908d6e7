import type { SiteCredentials } from "../headers/site-credentials.ts";
import { cookiesOf } from "../headers/site-headers.ts";
import type { BrowserCookie } from "./session.ts";

/** What is kept in place of a secret. */
const MASK = "•••";
/** Shorter ones are words of many pages: without them texts would be unreadable, and hardly safer. */
const MIN_GIVEN = 6;
const MIN_OF_SESSION = 12;
/** More than that costs time for each text. The longest, which are the least likely to be words, come first. */
const MAX_VALUES = 200;

/** No token is longer, and what is longer is kept as data by scripts: pictures, texts, lists. Of these the tokens in them are known. */
const MAX_STORED = 5_000;
/** So many characters of a secret are one expression, and so long is one of many secrets: the engine refuses longer ones. */
const MAX_PART = 200;
const MAX_PATTERN = 100_000;

/** What a script has stored for the next request among other things, such as a token in JSON, and no words or address. */
const TOKEN = /^(?=.*\d)(?=.*[a-z])[\w.~+/=-]{16,5000}$/i;

/** The secrets of a site that are known: what the user has given, and what a sign-in has brought. */
export function secretsOf(
  { username, password, headers = [], signIn, session }: SiteCredentials,
  url: string,
): readonly string[] {
  const typed = (signIn?.steps ?? []).flatMap((step) => (step.type === "change" ? [step.value] : []));
  const cookies = headers.flatMap(({ name, value }) =>
    name.toLowerCase() === "cookie" ? cookiesOf(value).map((one) => one.value) : [value, value.replace(/^\w+ +/, "")],
  );
  // As RFC 7617 sends them.
  const basic = username === undefined ? "" : Buffer.from(`${username}:${password ?? ""}`).toString("base64");
  const given = [password ?? "", basic, signIn?.totp ?? "", ...typed, ...cookies].filter(
    ({ length }) => length >= MIN_GIVEN,
  );
  const { local = [], session: ofTab = [], databases = [] } = session?.storage() ?? {};
  const stored = [...local, ...ofTab].map(([, value]) => value);
  const ofSession = [
    ...(session?.cookies(url) ?? []).map((cookie: BrowserCookie) => cookie.value),
    ...stored.filter(({ length }) => length <= MAX_STORED),
    ...tokensIn([...stored.map(jsonOf), databases]),
  ].filter(({ length }) => length >= MIN_OF_SESSION);
  return [...new Set([...given, ...ofSession])].sort((one, other) => other.length - one.length).slice(0, MAX_VALUES);
}

/** @returns undefined for what is no JSON */
function jsonOf(text: string): unknown {
  try {
    return /^\s*[{["]/.test(text) ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

/** The texts at any depth that are tokens. */
function tokensIn(value: unknown): string[] {
  const found: string[] = [];
  for (const left = [value]; left.length > 0 && found.length < MAX_VALUES; ) {
    const one = left.pop();
    if (typeof one === "string" && TOKEN.test(one)) found.push(one);
    // One at a time: a list may be longer than what can be passed at once.
    else if (typeof one === "object" && one !== null) for (const inner of Object.values(one)) left.push(inner);
  }
  return found;
}

/** Masks secrets in all texts of a value. */
export type Mask = <Value>(value: Value) => Value;

/** @returns a function that masks secrets in all texts of a value, as they are, and as addresses, HTML and JSON write them */
export function createMask(secrets: readonly string[]): Mask {
  if (secrets.length === 0) return (value) => value;
  const all = [...new Set(secrets.flatMap((secret) => [secret, unescaped(secret)]))];
  const long = all.filter(({ length }) => length > MAX_PART).map(partsOf);
  const short = patterns(all.filter(({ length }) => length <= MAX_PART).map(spelled));
  const maskText = (text: string): string =>
    short.reduce((left, any) => left.replace(any, MASK), long.reduce(withoutLong, text));
  const mask = (value: unknown): unknown => {
    if (typeof value === "string") return maskText(value);
    if (Array.isArray(value)) return value.map(mask);
    // Pictures are bytes, and maps and the like are nothing that is kept.
    if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mask(one)]));
  };
  return mask as Mask;
}

/** A long secret as expressions, each of which begins where the one before ends. */
function partsOf(secret: string): RegExp[] {
  const characters = [...secret];
  return Array.from({ length: Math.ceil(characters.length / MAX_PART) }, (_, index) => {
    const part = characters.slice(index * MAX_PART, (index + 1) * MAX_PART).join("");
    return new RegExp(spelled(part), index === 0 ? "g" : "y");
  });
}

function withoutLong(text: string, [first, ...rest]: readonly RegExp[]): string {
  if (!first) return text;
  let masked = "";
  let from = 0;
  first.lastIndex = 0;
  for (let found = first.exec(text); found; found = first.exec(text)) {
    let end = first.lastIndex;
    const isWhole = rest.every((part) => {
      part.lastIndex = end;
      const isNext = part.test(text);
      end = part.lastIndex;
      return isNext;
    });
    first.lastIndex = isWhole ? end : found.index + 1;
    if (!isWhole) continue;
    masked += text.slice(from, found.index) + MASK;
    from = end;
  }
  return masked + text.slice(from);
}

/** Expressions that match what any of these match, in their order. */
function patterns(alternatives: readonly string[]): RegExp[] {
  const groups: string[][] = [];
  let length = Number.POSITIVE_INFINITY;
  for (const one of alternatives) {
    if (length + one.length > MAX_PATTERN) groups.push([]);
    length = (groups.at(-1)?.length === 0 ? 0 : length) + one.length;
    groups.at(-1)?.push(one);
  }
  return groups.map((group) => new RegExp(group.join("|"), "g"));
}

/** A mask for the secrets of the moment: a session gets new ones. */
export function createSiteMask(credentials: SiteCredentials | undefined, url: string): Mask {
  if (!credentials) return (value) => value;
  let known: string | undefined;
  const all = new Set<string>();
  let mask = createMask([]);
  return (value) => {
    const secrets = secretsOf(credentials, url);
    const key = JSON.stringify(secrets);
    if (key !== known) {
      known = key;
      for (const secret of secrets) all.add(secret);
      for (const oldest of all) if (all.size > 2 * MAX_VALUES) all.delete(oldest);
      mask = createMask([...all].sort((one, other) => other.length - one.length));
    }
    return mask(value);
  };
}

/** Cookies are often escaped as addresses are, and pages show what they mean. */
function unescaped(secret: string): string {
  try {
    return decodeURIComponent(secret);
  } catch {
    return secret;
  }
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos" };

/** A pattern for a text in all ways in which addresses, forms, HTML and JSON write it. */
function spelled(text: string): string {
  return [...text].map((character) => (/\w/.test(character) ? character : anyOf(character))).join("");
}

function anyOf(character: string): string {
  const hex = (character.codePointAt(0) ?? 0).toString(16);
  const anyCase = (digits: string): string =>
    digits.replace(/[a-f]/gi, (one) => `[${one.toLowerCase()}${one.toUpperCase()}]`);
  const bytes = [...Buffer.from(character)].map((byte) => `%${anyCase(byte.toString(16).padStart(2, "0"))}`);
  const entity = ENTITIES[character];
  return `(?:${[
    ...(entity === undefined ? [] : [`&${entity};`]),
    ...[`&#0*${character.codePointAt(0)};`, `&#[xX]0*${anyCase(hex)};`, bytes.join("")],
    ...(hex.length <= 4 ? [`\\\\u${anyCase(hex.padStart(4, "0"))}`] : []),
    ...(/["'\\/]/.test(character) ? [`\\\\${escaped(character)}`] : []),
    ...(character === " " ? ["\\+"] : []),
    escaped(character),
  ].join("|")})`;
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
