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

/** The secrets of a site that are known: what the user has given, and what a sign-in has brought. */
export function secretsOf(
  { password, headers = [], signIn, session }: SiteCredentials,
  url: string,
): readonly string[] {
  const typed = (signIn?.steps ?? []).flatMap((step) => (step.type === "change" ? [step.value] : []));
  const cookies = headers.flatMap(({ name, value }) =>
    name.toLowerCase() === "cookie" ? cookiesOf(value).map((one) => one.value) : [value, value.replace(/^\w+ +/, "")],
  );
  const given = [password ?? "", signIn?.totp ?? "", ...typed, ...cookies].filter(({ length }) => length >= MIN_GIVEN);
  const ofSession = [
    ...(session?.cookies(url) ?? []).map((cookie: BrowserCookie) => cookie.value),
    ...(session?.storage()?.local ?? []).map(([, value]) => value),
    ...(session?.storage()?.session ?? []).map(([, value]) => value),
  ].filter(({ length }) => length >= MIN_OF_SESSION);
  return [...new Set([...given, ...ofSession])].sort((one, other) => other.length - one.length).slice(0, MAX_VALUES);
}

/** Masks secrets in all texts of a value. */
export type Mask = <Value>(value: Value) => Value;

/** @returns a function that masks secrets in all texts of a value, as they are, in addresses, in HTML and in JSON */
export function createMask(secrets: readonly string[]): Mask {
  if (secrets.length === 0) return (value) => value;
  const spellings = secrets.flatMap((secret) => [
    secret,
    encodeURIComponent(secret),
    secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;"),
    JSON.stringify(secret).slice(1, -1),
  ]);
  const any = new RegExp(
    [...new Set(spellings)].map((text) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")).join("|"),
    "g",
  );
  const mask = (value: unknown): unknown => {
    if (typeof value === "string") return value.replace(any, MASK);
    if (Array.isArray(value)) return value.map(mask);
    // Pictures are bytes, and maps and the like are nothing that is kept.
    if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mask(one)]));
  };
  return mask as Mask;
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
