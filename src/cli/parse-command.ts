import { type Command, CommanderError } from "commander";
import { UsageError } from "../domain/errors.ts";

/**
 * Reads the arguments of one command, without writing anything or ending the process.
 *
 * @param name what users type before the arguments (command-name.ts), for the hint in errors
 * @returns the help text when it was asked for; then nothing else was read
 * @throws UsageError on one line, because with --json each line becomes a separate error
 */
export function parseCommand(command: Command, args: readonly string[], name: string): string | undefined {
  let output = "";
  command
    .helpOption("-h, --help", "show this text")
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => {
        output += text;
      },
      writeErr: () => {},
    });
  try {
    command.parse(args, { from: "user" });
    return undefined;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return output;
    const what = error.message.replace(/^error: /, "").replaceAll("\n", " ");
    throw new UsageError(`${what.replace(/\.?$/, ".")} See ${name} --help.`);
  }
}
