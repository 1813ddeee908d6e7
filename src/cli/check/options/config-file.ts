import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { UsageError } from "../../../domain/errors.ts";
import type { GivenOptions, OptionName } from "./options-schema.ts";

/** The names of configuration files; in one folder, the first of them is read. */
export const configNames = ["yaml", "yml", "json", "js"].map((extension) => `site-validator.config.${extension}`);

export type ConfigFile = { file: string; options: GivenOptions };

/** Options whose values are files; in a configuration they are relative to its folder. */
const paths: readonly OptionName[] = ["baseline", "report", "sarif", "junit", "csv", "ndjson", "markdown"];

const OTHERS_MAY_WRITE = 0o002;

/**
 * Reads the configuration.
 *
 * @param from the folder in which the search begins, going up to one that others may write to; or the file to read
 * @returns undefined when there is none
 * @throws UsageError that names the file, the place, what was received, and what is allowed
 */
export async function readConfigFile(from: { folder: string } | { file: string }): Promise<ConfigFile | undefined> {
  if ("file" in from) return readNamed(path.resolve(from.file));
  for (let folder = path.resolve(from.folder); ; folder = path.dirname(folder)) {
    for (const name of configNames) {
      const file = path.join(folder, name);
      const text = await textOf(file);
      if (text !== undefined) return parsed(file, text);
    }
    if (folder === path.dirname(folder) || (await isWritableByOthers(path.dirname(folder)))) return undefined;
  }
}

/** A folder such as /tmp, in which anybody may leave a file: no configuration, which may be a script, is read there. */
async function isWritableByOthers(folder: string): Promise<boolean> {
  const { mode } = await stat(folder);
  return (mode & OTHERS_MAY_WRITE) !== 0;
}

async function readNamed(file: string): Promise<ConfigFile> {
  const text = await textOf(file);
  if (text === undefined) throw new UsageError(`--config names ${JSON.stringify(file)}, which does not exist.`);
  return parsed(file, text);
}

async function textOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw new UsageError(`The configuration ${JSON.stringify(file)} cannot be read: ${(error as Error).message}.`);
  }
}

async function parsed(file: string, text: string): Promise<ConfigFile> {
  // Loaded on first use: the validator takes long to load, and most runs have no configuration.
  const { readConfigData } = await import("./config-data.ts");
  const isScript = /\.[cm]?js$/.test(file);
  const options = readConfigData(file, isScript ? { value: await exportOf(file) } : { text });
  const folder = path.dirname(file);
  const absolute = (value: string) => path.resolve(folder, value);
  const isPath = (target: string) => !/^[a-z][a-z0-9+.-]*:\/\//i.test(target);
  return {
    file,
    options: {
      ...options,
      ...Object.fromEntries(
        paths.flatMap((name) => (options[name] ? [[name, absolute(options[name] as string)]] : [])),
      ),
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
