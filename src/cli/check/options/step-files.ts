import { parse } from "yaml";
import { errorText } from "../../../domain/error-text.ts";
import { UsageError } from "../../../domain/errors.ts";
import { readRegularFile } from "../../../files/read-regular-file.ts";
import { stepEntries } from "../../../schema/steps.ts";
import { readConfigData } from "./config-data.ts";
import type { GivenOptions } from "./options-schema.ts";

/**
 * Reads the files of `--prepare` and `--states`. One of `--prepare` has a recording, its steps, or a list of both for
 * different pages; one of `--states` has a list of states, or one of them.
 *
 * @throws UsageError that names the file, the place and what is allowed
 */
export async function readStepFiles(
  files: Readonly<Record<"prepare" | "states", readonly string[]>>,
): Promise<Pick<GivenOptions, "prepare" | "states">> {
  const read = async (name: "prepare" | "states"): Promise<unknown[]> => {
    const entries: unknown[] = [];
    for (const file of files[name]) {
      const given: GivenOptions = readConfigData(file, {
        value: { [name]: stepEntries(await contentOf(file, `--${name}`)) },
      });
      entries.push(...(given[name] ?? []));
    }
    return entries;
  };
  const [prepare, states] = [await read("prepare"), await read("states")];
  return {
    ...(prepare.length > 0 && { prepare: prepare as GivenOptions["prepare"] }),
    ...(states.length > 0 && { states: states as GivenOptions["states"] }),
  };
}

/** What a YAML or JSON file has. @param option that names it @throws UsageError */
export async function contentOf(file: string, option: string): Promise<unknown> {
  try {
    const text = await readRegularFile(file);
    return parse(text.toString());
  } catch (error) {
    throw new UsageError(`${option} names ${JSON.stringify(file)}, which cannot be read: ${errorText(error)}`);
  }
}
