import path from "node:path";
import { fileURLToPath } from "node:url";

/** ".ts" in a checkout; ".js" in an installed package, where Node runs no TypeScript (docs/adr/0043). */
export const MODULE_EXTENSION = path.extname(import.meta.filename);

/** The folder of package.json. */
export const PACKAGE_FOLDER = path.resolve(import.meta.dirname, "../..");

/**
 * The file of one of our modules, to start a process with.
 *
 * @param name relative to `base`, without the extension, such as "./worker"
 * @param base the `import.meta.url` of the caller
 */
export function moduleFile(name: string, base: string): string {
  return fileURLToPath(new URL(`${name}${MODULE_EXTENSION}`, base));
}
