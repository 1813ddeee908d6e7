import { UsageError } from "../../domain/errors.ts";
import { type Baseline, BaselineError, parseBaseline } from "../../domain/findings/baseline.ts";
import { readRegularFile } from "../../files/read-regular-file.ts";

/**
 * Reads the file of a baseline.
 *
 * @param updated whether it will be written: then it need not exist yet
 * @returns undefined when it does not exist yet
 * @throws UsageError that names the file, the line and what is wrong with it
 */
export async function readBaselineFile(file: string, { updated }: { updated: boolean }): Promise<Baseline | undefined> {
  try {
    return parseBaseline((await readRegularFile(file)).toString("utf8"));
  } catch (error) {
    if (error instanceof BaselineError)
      throw new UsageError(
        `The baseline cannot be read: ${file}:${error.line}: ${error.message}. --update-baseline with another file writes a new one.`,
      );
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" && updated) return undefined;
    const hint = code === "ENOENT" ? " --update-baseline writes it." : "";
    throw new UsageError(`The baseline ${JSON.stringify(file)} cannot be read: ${message}.${hint}`);
  }
}
