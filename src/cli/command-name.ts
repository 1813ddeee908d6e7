import { MODULE_EXTENSION } from "../files/own-modules.ts";

/**
 * What users type before a program's arguments: the npm script in a checkout, elsewhere the package's command.
 *
 * @param silent without npm's own lines on stdout
 */
export function commandName(program: string, { silent = false } = {}): string {
  if (MODULE_EXTENSION === ".js") return `site-validator ${program}`;
  return `npm run ${silent ? "--silent " : ""}${program} --`;
}
