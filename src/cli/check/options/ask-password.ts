import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { UsageError } from "../../../domain/errors.ts";

/** The variable for the password when nobody can be asked for it. */
export const PASSWORD_VARIABLE = "SITE_PASSWORD";

/** Thrown when the person at the terminal ends the command instead of answering, by a signal or by Ctrl-C or Ctrl-D. */
export class InterruptedError extends Error {}

type Streams = { input: NodeJS.ReadStream; output: NodeJS.WriteStream };

/**
 * The password of a site's user: from the environment or, on a terminal, from the person at it, without showing it.
 * It is not an option of the command: all users of a machine can see those.
 *
 * @throws UsageError where there is neither; InterruptedError
 */
export async function passwordOf(
  user: string,
  environment: NodeJS.ProcessEnv,
  { input, output }: Streams,
  signal: AbortSignal,
): Promise<string> {
  const given = environment[PASSWORD_VARIABLE];
  if (given !== undefined) return given;
  if (!input.isTTY) throw new UsageError(`--basic-auth needs a password: set ${PASSWORD_VARIABLE} in the environment.`);
  output.write(`Password of ${user}: `);
  const silent = new Writable({ write: (_text, _encoding, done) => done() });
  const terminal = createInterface({ input, output: silent, terminal: true });
  try {
    return await terminal.question("", { signal });
  } catch (error) {
    // Without the terminal's own editing, Ctrl-C is no signal but a character.
    if ((error as Error).name === "AbortError") throw new InterruptedError("The question was not answered.");
    throw error;
  } finally {
    terminal.close();
    output.write("\n");
  }
}
