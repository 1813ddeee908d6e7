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
};

const MAX_WHEN = 500;
const OUT_WHEN = ["selector", "text", "url"];
const IN_WHEN = [...OUT_WHEN, "cookie"];

/**
 * Reads a sign-in as it is given: a recording, or its steps, with `signed_in_when`, `signed_out_when` and `totp` beside them.
 *
 * @returns the sign-in, or what is wrong with it, without any value
 */
export function readSignIn(given: unknown): { signIn: SignIn } | { faults: string[] } {
  const read = readSteps(given);
  const { signed_in_when: inWhen, signed_out_when: outWhen, totp } = isRecord(given) ? given : {};
  const faults = [
    ...("faults" in read ? read.faults : []),
    ...faultsOfWhen("signed_in_when", inWhen, IN_WHEN),
    ...faultsOfWhen("signed_out_when", outWhen, OUT_WHEN),
    ...(totp === undefined || (typeof totp === "string" && totp.length <= 200 && fromBase32(totp) !== undefined)
      ? []
      : ["totp must be the secret of one-time codes in Base32: letters and the digits 2 to 7"]),
  ];
  if (faults.length > 0 || "faults" in read) return { faults };
  return {
    signIn: {
      steps: read.steps,
      ...(inWhen !== undefined && { signedInWhen: inWhen as SignedInWhen }),
      ...(outWhen !== undefined && { signedOutWhen: outWhen as SignedOutWhen }),
      ...(totp !== undefined && { totp: totp as string }),
    },
  };
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

/** A variable in place of a secret: only the command line fills it in. */
const VARIABLE = /^\$(?!TOTP$)[A-Z_][A-Z0-9_]*$/;

/** What is wrong with a sign-in that is to be used as it is: a name of a variable would be typed, and lock an account. */
export function unfilledFaults({ steps }: SignIn): string[] {
  return steps.flatMap((step, index) =>
    step.type === "change" && VARIABLE.test(step.value)
      ? [`step ${index + 1}: only the command line fills variables in; give what is to be typed, which is encrypted`]
      : [],
  );
}
