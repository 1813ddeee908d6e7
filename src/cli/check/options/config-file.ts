import { lstat, realpath } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { UsageError } from "../../../domain/errors.ts";
import { isInside } from "../../../files/inside.ts";
import { readRegularFile } from "../../../files/read-regular-file.ts";
import { distrust } from "../../../files/trust.ts";
import { inFolder } from "../../../net/tls-files.ts";
import type { GivenOptions, OptionName } from "./options-schema.ts";

/** The names of configuration files; in one folder, the first of them is read. */
export const configNames = ["yaml", "yml", "json", "js"].map((extension) => `site-validator.config.${extension}`);

export type ConfigFile = { file: string; options: GivenOptions };

export type ReadOptions = {
  /** Whether strangers may have written the configuration, as in a pull request: then no script is run. */
  untrusted?: boolean;
  /** Receives the sentence about a configuration that was found and is not read. */
  say: (text: string) => void;
};

/** Options whose values are files; in a configuration they are relative to its folder. */
export const fileOptions: readonly OptionName[] = [
  ...([
    "baseline",
    "signIn",
    "signInPicture",
    "ca",
    "report",
    "sarif",
    "junit",
    "csv",
    "sheet",
    "ndjson",
    "markdown",
  ] as const),
];

/**
 * Reads the configuration. One that is found is read if only this user and root could have put it there
 * (files/trust.ts). One that is named may be anybody's, unless it is a script.
 *
 * @param from the folder in which the search begins, going up to the first that has one; or the file to read
 * @returns undefined when there is none
 * @throws UsageError that names the file, the place, what was received, and what is allowed
 */
export async function readConfigFile(
  from: { folder: string } | { file: string },
  options: ReadOptions,
): Promise<ConfigFile | undefined> {
  if ("file" in from) return readNamed(path.resolve(from.file), options);
  for (let folder = path.resolve(from.folder); ; folder = path.dirname(folder)) {
    for (const name of configNames) {
      const file = path.join(folder, name);
      if (!(await exists(file))) continue;
      const fault = await faultOf(file, options);
      if (fault === undefined) return parsed(file, await textOf(file));
      options.say(`The configuration ${JSON.stringify(file)} is not read: ${fault}. ${remedyFor(file, options)}`);
      return undefined;
    }
    // What is above the folder of strangers is not theirs, and may be other strangers'.
    if (folder === path.dirname(folder) || options.untrusted) return undefined;
  }
}

async function readNamed(file: string, options: ReadOptions): Promise<ConfigFile> {
  if (!(await exists(file))) throw new UsageError(`--config names ${JSON.stringify(file)}, which does not exist.`);
  const fault = options.untrusted || isScript(file) ? await faultOf(file, options) : undefined;
  if (fault !== undefined)
    throw new UsageError(
      `The configuration ${JSON.stringify(file)} is not ${isScript(file) ? "run" : "read"}: ${fault}. ${remedyFor(file, options)}`,
    );
  return parsed(file, await textOf(file));
}

/** Why a configuration is not read unless somebody names it, or not run at all. */
async function faultOf(file: string, { untrusted }: ReadOptions): Promise<string | undefined> {
  if (untrusted && isScript(file)) return "it is a script, and --untrusted runs none";
  return (untrusted ? leavesFolder(file) : distrust(file)).catch((error: Error) => {
    throw unreadable(file, error);
  });
}

/** A link of strangers may lead to any file, and messages quote what is wrong in it. */
async function leavesFolder(file: string): Promise<string | undefined> {
  const root = isInside(process.cwd(), file) ? process.cwd() : path.dirname(file);
  const [folder, real] = await Promise.all([root, file].map((one) => realpath(one)));
  return isInside(folder ?? "", real ?? "") ? undefined : "it is a link that leads out of its folder";
}

function remedyFor(file: string, { untrusted }: ReadOptions): string {
  const asData = "Write the options as YAML or JSON";
  if (untrusted) return `${asData} in its place.`;
  if (!isScript(file)) return `Name it to read it nevertheless: --config ${file}`;
  return `Run as its owner, or change owner and mode, so that only you or root can write it. ${asData} to read them from here by --config.`;
}

function isScript(file: string): boolean {
  return /\.[cm]?js$/.test(file);
}

/** Whether there is something of this name, even if it cannot be read. */
async function exists(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    ({ code }: NodeJS.ErrnoException) => !["ENOENT", "ENOTDIR"].includes(code ?? ""),
  );
}

async function textOf(file: string): Promise<string> {
  const bytes = await readRegularFile(file).catch((error: Error) => {
    throw unreadable(file, error);
  });
  return bytes.toString("utf8");
}

function unreadable(file: string, { message }: Error): UsageError {
  return new UsageError(`The configuration ${JSON.stringify(file)} cannot be read: ${message}.`);
}

async function parsed(file: string, text: string): Promise<ConfigFile> {
  // Loaded on first use: the validator takes long to load, and most runs have no configuration.
  const { readConfigData } = await import("./config-data.ts");
  const options = readConfigData(file, isScript(file) ? { value: await exportOf(file) } : { text });
  const folder = path.dirname(file);
  const absolute = (value: string) => path.resolve(folder, value);
  const isPath = (target: string) => !/^[a-z][a-z0-9+.-]*:\/\//i.test(target);
  return {
    file,
    options: {
      ...options,
      ...Object.fromEntries(
        fileOptions.flatMap((name) => (options[name] ? [[name, absolute(options[name] as string)]] : [])),
      ),
      ...(options.clientCert && { clientCert: options.clientCert.map((entry) => inFolder(entry, folder)) }),
      ...(options.targets && { targets: options.targets.map((one) => (isPath(one) ? absolute(one) : one)) }),
    },
  };
}

async function exportOf(file: string): Promise<unknown> {
  try {
    return ((await import(pathToFileURL(file).href)) as { default?: unknown }).default;
  } catch (error) {
    throw new UsageError(`The configuration ${JSON.stringify(file)} cannot be run: ${(error as Error).message}.`);
  }
}
