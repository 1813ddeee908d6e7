import { LineCounter, parseDocument } from "yaml";
import { errorText } from "../../../domain/error-text.ts";
import { UsageError } from "../../../domain/errors.ts";
import { readRegularFile } from "../../../files/read-regular-file.ts";
import { stepEntries, withoutSourceMap } from "../../../schema/steps.ts";
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

/** What a YAML or JSON file has. @param option that names it @throws UsageError, without any of the text, which may have secrets */
export async function contentOf(file: string, option: string): Promise<unknown> {
  const named = `${option} names ${JSON.stringify(file)}`;
  const text = await readRegularFile(file).catch((error: unknown) => {
    throw new UsageError(`${named}, which cannot be read: ${errorText(error)}`);
  });
  const lines = new LineCounter();
  const document = parseDocument(withoutSourceMap(text.toString()), {
    lineCounter: lines,
    prettyErrors: false,
    logLevel: "error",
  });
  const [fault] = document.errors;
  if (!fault) return document.toJS({ maxAliasCount: 100 });
  const { line, col } = lines.linePos(fault.pos[0]);
  throw new UsageError(`${named}, which is no YAML or JSON at line ${line}, column ${col} (${fault.code}).`);
}
