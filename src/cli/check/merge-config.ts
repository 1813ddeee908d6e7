import type { GivenOptions, OptionName } from "./options-schema.ts";

/** Options that are sent to the site. */
const secrets: readonly OptionName[] = ["basicAuth", "headers", "cookies"];

/**
 * The options of the command line and, for the rest, of a configuration. If both name targets, the configuration's
 * secrets are for its own targets, and are left out for targets of another host.
 *
 * @returns also which secrets are left out, and for which host
 */
export function mergeConfig(
  config: GivenOptions,
  given: GivenOptions,
): { given: GivenOptions; leftOut?: { options: OptionName[]; host: string } } {
  const own = new Set((config.targets ?? []).map(hostOf));
  const host = (given.targets ?? []).map(hostOf).find((one) => !own.has(one));
  const options = secrets.filter((name) => name in config && !(name in given));
  if (own.size === 0 || host === undefined || options.length === 0) return { given: { ...config, ...given } };
  const kept = Object.fromEntries(
    Object.entries(config).filter(([name]) => !options.some((secret) => secret === name)),
  );
  return { given: { ...kept, ...given }, leftOut: { options, host } };
}

/** "this machine" for a folder or a file. */
function hostOf(target: string): string {
  return URL.parse(target)?.host || "this machine";
}
