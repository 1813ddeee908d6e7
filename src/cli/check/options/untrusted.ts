import { realpath } from "node:fs/promises";
import path from "node:path";
import { UsageError } from "../../../domain/errors.ts";
import { isInside, realPathOf } from "../../../files/inside.ts";
import { PASSWORD_VARIABLE } from "./ask-password.ts";
import { type ConfigFile, fileOptions } from "./config-file.ts";
import { flagOf, type GivenOptions, type OptionName, options } from "./options-schema.ts";
import { variablesOf } from "./site-headers.ts";

/** What a configuration of strangers has no say in: what is checked, what is done there, and which files are read and written. */
const withheld: readonly OptionName[] = [
  ...options.flatMap(({ name, trusted }) => (trusted ? [name] : [])),
  ...fileOptions,
];

/** A configuration of strangers without its targets and files. @returns also the sentence about what is left out */
export function withoutPlaces({ file, options: given }: ConfigFile): { options: GivenOptions; leftOut?: string } {
  const named = withheld.filter((name) => given[name] !== undefined);
  if (named.length === 0) return { options: given };
  const kept = Object.entries(given).filter(([name]) => !named.some((one) => one === name));
  return {
    options: Object.fromEntries(kept),
    leftOut: `Left out of ${JSON.stringify(file)}, because --untrusted leaves targets, steps and files to the command line: ${named.join(", ")}.`,
  };
}

/** The variables that may reach the site. */
export function allowedVariables(
  environment: NodeJS.ProcessEnv,
  { untrusted, variable }: { untrusted: boolean; variable: readonly string[] },
): NodeJS.ProcessEnv {
  if (!untrusted) return environment;
  return Object.fromEntries(
    variable.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]])),
  );
}

/**
 * Requires that what is read and written is in the working directory, links included: in a folder of strangers, a
 * link may lead anywhere. And that secrets go to a host that the command line names: a list in that folder names any.
 *
 * @throws UsageError that names the option and the file
 */
export async function requireOwnPlaces(given: GivenOptions, variable: readonly string[]): Promise<void> {
  if (given.basicAuth !== undefined && !variable.includes(PASSWORD_VARIABLE))
    throw new UsageError(`--basic-auth with --untrusted needs a password: add --variable ${PASSWORD_VARIABLE}.`);
  const root = await realpath(".");
  const paths = (given.targets ?? []).filter((target) => !isUrl(target));
  for (const target of paths) await requireInside(root, target, "<target>");
  for (const name of fileOptions) {
    const file = given[name] as string | undefined;
    // The command line may name a file elsewhere, but no link in this folder does.
    if (file !== undefined && (name === "baseline" || isInside(root, path.resolve(file))))
      await requireInside(root, file, flagOf(name));
  }
  if (given.signIn !== undefined && isInside(root, path.resolve(given.signIn)))
    throw new UsageError(
      `--sign-in names ${JSON.stringify(given.signIn)}, a file of this folder. With --untrusted it must be elsewhere: its steps could send secrets to any site.`,
    );
  const { headers = {}, cookies = {}, basicAuth } = given;
  if (paths.length > 0 && (basicAuth !== undefined || variablesOf(headers, cookies).length > 0))
    throw new UsageError(
      `<target> is ${JSON.stringify(paths[0])}, and headers, cookies or the password come from the environment. ` +
        "With --untrusted they are only sent to a host that the command line names: give URLs as targets.",
    );
}

async function requireInside(root: string, file: string, what: string): Promise<void> {
  const real = await realPathOf(file).catch(() => undefined);
  // What does not exist gets the usual message.
  if (real === undefined || isInside(root, real)) return;
  throw new UsageError(
    `${what} is ${JSON.stringify(file)}, which is ${JSON.stringify(real)}, outside of ${JSON.stringify(root)}. ` +
      "With --untrusted it must be in the working directory, after all links.",
  );
}

function isUrl(target: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(target);
}
