import { MODULE_EXTENSION } from "../files/own-modules.ts";

/**
 * What users type before a program's arguments: npm's script in a checkout, the command of the package elsewhere.
 *
 * @param silent without npm's own lines on stdout
 */
export function commandName(program: string, { silent = false } = {}): string {
  if (MODULE_EXTENSION === ".js") return `site-validator ${program}`;
  return `npm run ${silent ? "--silent " : ""}${program} --`;
}
