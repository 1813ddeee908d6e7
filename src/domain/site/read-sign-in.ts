import { isRecord, isText, readSteps, type Step } from "../../schema/steps.ts";
import { fromBase32 } from "./totp.ts";

/** What is there when somebody has signed in; all that is given must be true. */
export type SignedInWhen = { selector?: string; text?: string; url?: string; cookie?: string };

export type SignIn = {
  steps: Step[];
  signedInWhen?: SignedInWhen;
  /** The secret of one-time codes (RFC 6238) in Base32: `$TOTP` in a value is the code of the moment. */
  totp?: string;
};

const MAX_WHEN = 500;
const WHEN = ["selector", "text", "url", "cookie"] as const;

/**
 * Reads a sign-in as it is given: a recording, or its steps, with `signed_in_when` and `totp` beside them.
 *
 * @returns the sign-in, or what is wrong with it, without any value
 */
export function readSignIn(given: unknown): { signIn: SignIn } | { faults: string[] } {
  const read = readSteps(given);
  const { signed_in_when: when, totp } = isRecord(given) ? given : {};
  const faults = [
    ...("faults" in read ? read.faults : []),
    ...(when === undefined || isWhen(when)
      ? []
      : [`signed_in_when must have one or more of ${WHEN.join(", ")}, each a text of at most ${MAX_WHEN} characters`]),
    ...(totp === undefined || (typeof totp === "string" && totp.length <= 200 && fromBase32(totp) !== undefined)
      ? []
      : ["totp must be the secret of one-time codes in Base32: letters and the digits 2 to 7"]),
  ];
  if (faults.length > 0 || "faults" in read) return { faults };
  return {
    signIn: {
      steps: read.steps,
      ...(when !== undefined && { signedInWhen: when as SignedInWhen }),
      ...(totp !== undefined && { totp: totp as string }),
    },
  };
}

function isWhen(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const entries = Object.entries(value);
  return (
    entries.length > 0 &&
    entries.every(([name, text]) => WHEN.some((one) => one === name) && isText(text) && text.length <= MAX_WHEN)
  );
}
