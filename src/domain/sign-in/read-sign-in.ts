import { isRecord, isText, readSteps, type Step } from "../../schema/steps.ts";
import { fromBase32 } from "./totp.ts";

/** What is there when somebody has signed in; all that is given must be true. */
export type SignedInWhen = { selector?: string; text?: string; url?: string; cookie?: string };

/** What a page shows when the session has ended; all that is given must be true. A selector needs a browser. */
export type SignedOutWhen = Omit<SignedInWhen, "cookie">;

export type SignIn = {
  steps: Step[];
  signedInWhen?: SignedInWhen;
  signedOutWhen?: SignedOutWhen;
  /** The secret of one-time codes (RFC 6238) in Base32: `$TOTP` in a value is the code of the moment. */
  totp?: string;
  /** Where something may be typed besides the addresses of the steps (typing-origins.ts). */
  origins?: string[];
};

const MAX_ORIGINS = 20;

const MAX_WHEN = 500;
const OUT_WHEN = ["selector", "text", "url"];
const IN_WHEN = [...OUT_WHEN, "cookie"];

/**
 * Reads a sign-in as it is given: a recording, or its steps, with `signed_in_when`, `signed_out_when`, `totp` and
 * `origins` beside them.
 *
 * @returns the sign-in, or what is wrong with it, without any value
 */
export function readSignIn(given: unknown): { signIn: SignIn } | { faults: string[] } {
  const read = readSteps(given);
  const { signed_in_when: inWhen, signed_out_when: outWhen, totp, origins } = isRecord(given) ? given : {};
  const faults = [
    ...("faults" in read ? read.faults : []),
    ...faultsOfWhen("signed_in_when", inWhen, IN_WHEN),
    ...faultsOfWhen("signed_out_when", outWhen, OUT_WHEN),
    ...(totp === undefined || (typeof totp === "string" && totp.length <= 200 && fromBase32(totp) !== undefined)
      ? []
      : ["totp must be the secret of one-time codes in Base32: letters and the digits 2 to 7"]),
    ...(origins === undefined || areOrigins(origins)
      ? []
      : [`origins must be a list of at most ${MAX_ORIGINS} origins without a path, such as https://login.example.org`]),
  ];
  if (faults.length > 0 || "faults" in read) return { faults };
  return {
    signIn: {
      steps: read.steps,
      ...(inWhen !== undefined && { signedInWhen: inWhen as SignedInWhen }),
      ...(outWhen !== undefined && { signedOutWhen: outWhen as SignedOutWhen }),
      ...(totp !== undefined && { totp: totp as string }),
      ...(origins !== undefined && { origins: origins as string[] }),
    },
  };
}

function areOrigins(origins: unknown): boolean {
  const isOrigin = (text: unknown): boolean => {
    const { protocol = "", origin, href } = (isText(text) && URL.parse(text)) || {};
    return /^https?:$/.test(protocol) && href === `${origin}/`;
  };
  return Array.isArray(origins) && origins.length <= MAX_ORIGINS && origins.every(isOrigin);
}

function faultsOfWhen(name: string, value: unknown, members: readonly string[]): string[] {
  const entries = isRecord(value) ? Object.entries(value) : [];
  const isRight =
    entries.length > 0 &&
    entries.every(([member, text]) => members.includes(member) && isText(text) && text.length <= MAX_WHEN);
  return value === undefined || isRight
    ? []
    : [`${name} must have one or more of ${members.join(", ")}, each a text of at most ${MAX_WHEN} characters`];
}

/** A variable in place of a secret: the whole value of a step, or of `totp`. */
const VARIABLE = /^\$(?!TOTP$)([A-Z_][A-Z0-9_]*)$/;
const MAX_VARIABLES = 20;

/**
 * Reads a sign-in whose variables have values, and fills them in: a name that is left would be typed, and lock an account.
 *
 * @param values by name
 * @param remedy where a value is missing, as in "give it in variables"
 * @returns the sign-in, or what is wrong with it, without any value
 */
export function readFilledSignIn(
  given: unknown,
  values: Readonly<Record<string, string>>,
  remedy: string,
): { signIn: SignIn } | { faults: string[] } {
  const missing: string[] = [];
  const fill = (value: unknown, what: string): unknown => {
    const [, name] = (typeof value === "string" && VARIABLE.exec(value)) || [];
    if (name === undefined) return value;
    if (Object.hasOwn(values, name)) return values[name];
    // Not the name: a secret may begin with a dollar sign, too.
    missing.push(`${what} is a variable that has no value; ${remedy}`);
    return value;
  };
  const fillStep = (step: unknown, index: number): unknown =>
    isRecord(step) && step.type === "change"
      ? { ...step, value: fill(step.value, `step ${index + 1}: its value`) }
      : step;
  const fillIn = (steps: unknown): unknown => (Array.isArray(steps) ? steps.map(fillStep) : steps);
  const filled = isRecord(given)
    ? { ...given, steps: fillIn(given.steps), ...(given.totp !== undefined && { totp: fill(given.totp, "totp") }) }
    : fillIn(given);
  const read = readSignIn(filled);
  if ("faults" in read) return read;
  return missing.length > 0 ? { faults: missing } : read;
}

/**
 * Reads the values of variables that are given beside the steps of a sign-in.
 *
 * @returns the values by name, or what is wrong with them, without any
 */
export function readVariables(given: unknown): { values: Record<string, string> } | { faults: string[] } {
  const entries = isRecord(given) ? Object.entries(given) : [];
  const isRight =
    (given === undefined || isRecord(given)) &&
    entries.length <= MAX_VARIABLES &&
    entries.every(([name, value]) => VARIABLE.test(`$${name}`) && isText(value));
  if (isRight) return { values: Object.fromEntries(entries) as Record<string, string> };
  return {
    faults: [
      `variables must have at most ${MAX_VARIABLES} texts by name, such as SHOP_PASSWORD: capital letters, digits and underscores`,
    ],
  };
}
