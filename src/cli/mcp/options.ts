import { Command } from "commander";
import { commandName } from "../command-name.ts";
import { parseCommand } from "../parse-command.ts";

/** What `mcp` was allowed. */
export type McpOptions = {
  /** Folders whose files may be read; none for the working directory. */
  folders: string[];
  /** Origins that may be asked. */
  allow: string[];
};

/** The origins are as they were given, without a slash at the end. @throws UsageError on one line */
export function parseMcp(args: readonly string[]): { help: string } | { options: McpOptions } {
  let folders: string[] = [];
  const command = new Command(commandName("mcp"))
    .usage("[options] [folder...]")
    .description(
      "A server of the Model Context Protocol on standard input and output, for editors and agents: checks sources, files and sites, and tries fixes.",
    )
    .argument("[folder...]", "folders whose files may be read (default: the working directory)")
    .option(
      "--allow <origin>",
      "an origin that may be asked, such as https://example.com; may be repeated; all others are not asked",
      (origin: string, before: string[]) => [...before, origin.replace(/\/$/, "")],
      [] as string[],
    )
    .action((given: string[]) => {
      folders = given;
    });
  const help = parseCommand(command, args, commandName("mcp"));
  if (help !== undefined) return { help };
  return { options: { folders, ...command.opts<Pick<McpOptions, "allow">>() } };
}
