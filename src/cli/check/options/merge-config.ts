import type { GivenOptions, OptionName } from "./options-schema.ts";

/** Options that are sent to the site. */
const secrets: readonly OptionName[] = ["basicAuth", "headers", "cookies", "signIn"];

/**
 * The options of the command line and, for the rest, of a configuration. If both name targets, the configuration's
 * secrets are for its own targets, and are left out for targets of another host, and for plain http where its own
 * targets have https.
 *
 * @returns also which secrets are left out, and for which host
 */
export function mergeConfig(
  config: GivenOptions,
  given: GivenOptions,
): { given: GivenOptions; leftOut?: { options: OptionName[]; host: string } } {
  const own = config.targets ?? [];
  const other = (given.targets ?? []).find((target) => !own.some((one) => isAsSafe(target, one)));
  const options = secrets.filter((name) => name in config && !(name in given));
  if (own.length === 0 || other === undefined || options.length === 0) return { given: { ...config, ...given } };
  const kept = Object.fromEntries(
    Object.entries(config).filter(([name]) => !options.some((secret) => secret === name)),
  );
  const isDowngrade = own.some((one) => hostOf(one) === hostOf(other));
  return {
    given: { ...kept, ...given },
    leftOut: { options, host: isDowngrade ? new URL(other).origin : hostOf(other) },
  };
}

/** True if what is sent to `own` may be sent to `target`: the same host, and nobody on the way can read more. */
function isAsSafe(target: string, own: string): boolean {
  return hostOf(target) === hostOf(own) && !(isHttps(own) && !isHttps(target));
}

/** "this machine" for a folder or a file. */
function hostOf(target: string): string {
  return URL.parse(target)?.host || "this machine";
}

function isHttps(target: string): boolean {
  return URL.parse(target)?.protocol === "https:";
}
