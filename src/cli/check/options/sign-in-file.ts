import { UsageError } from "../../../domain/errors.ts";
import { readSignIn, type SignIn } from "../../../domain/sign-in/read-sign-in.ts";
import { filled, variablesOf } from "./site-headers.ts";
import { contentOf } from "./step-files.ts";

/** A one-time code, which is no variable of the environment. */
const TOTP = /\$TOTP\b/g;

/**
 * Reads the steps of `--sign-in`, with the environment's variables inserted into the values that they type, and into `totp`.
 *
 * @returns the attribute of stored credentials, and which variables it has used
 * @throws UsageError that names the file, the step and what is allowed, without any value
 */
export async function readSignInFile(
  file: string,
  environment: NodeJS.ProcessEnv,
): Promise<{ signIn: object; variables: string[] }> {
  const read = readSignIn(await contentOf(file, "--sign-in"));
  if ("faults" in read) throw new UsageError(`--sign-in ${JSON.stringify(file)}: ${read.faults.join("; ")}.`);
  const { steps, signedInWhen, signedOutWhen, totp, origins } = read.signIn;
  const fill = (text: string, what: string) =>
    text
      .split(TOTP)
      .map((part) => filled(part, what, environment))
      .join("$TOTP");
  const withValues = steps.map((step, index): SignIn["steps"][number] =>
    step.type === "change" ? { ...step, value: fill(step.value, `--sign-in, step ${index + 1},`) } : step,
  );
  const texts = [
    ...steps.flatMap((step) => (step.type === "change" ? [step.value.replaceAll(TOTP, "")] : [])),
    totp ?? "",
  ];
  return {
    signIn: {
      steps: withValues,
      ...(signedInWhen && { signed_in_when: signedInWhen }),
      ...(signedOutWhen && { signed_out_when: signedOutWhen }),
      ...(origins && { origins }),
      ...(totp !== undefined && { totp: filled(totp, "--sign-in, totp,", environment) }),
    },
    variables: variablesOf(Object.fromEntries(texts.entries())),
  };
}
