import { realpathSync } from "node:fs";
import { flushCompileCache } from "node:module";
import path from "node:path";
import { PACKAGE_FOLDER } from "../../files/own-modules.ts";

/** https://nodejs.org/api/process.html#processpermissiondropscope-reference, which @types/node does not have yet. */
type Permission = { drop(scope: string): void };

/** src, or lib in an installed package. */
const MODULES = path.resolve(import.meta.dirname, "../..");
/** The outermost folder node_modules that this package is in: its dependencies may be beside it. */
const [INSTALLED_IN] = /^.*?[\\/]node_modules(?=[\\/])/.exec(PACKAGE_FOLDER) ?? [];
/** What a child process loads: our code and the packages that it imports, which may be linked to another folder. */
const CODE = [
  MODULES,
  path.join(PACKAGE_FOLDER, "package.json"),
  path.join(PACKAGE_FOLDER, "node_modules"),
  ...(INSTALLED_IN === undefined ? [] : [INSTALLED_IN]),
];

/**
 * Node's arguments for a process that parses hostile documents: it may read our code and what is named here, write
 * nothing, and start neither programs nor threads nor native code (https://nodejs.org/api/permissions.html).
 *
 * @param readable files and folders, which need not exist yet
 */
export function confinement(readable: readonly string[]): string[] {
  const folders = [...new Set([...CODE, ...CODE.map(realPath)]), ...readable];
  return ["--permission", ...folders.flatMap((name) => [name, `${name}/*`]).map((name) => `--allow-fs-read=${name}`)];
}

/**
 * For the process itself, before its first document. It stores what it compiled (lend-compiled.ts), and may then write
 * nothing. Node's permissions do not cover signals: one of them opens the debugger of another Node process, such as
 * npm's, in which there are no limits.
 */
export function confine(): void {
  flushCompileCache();
  const { permission } = process as unknown as { permission?: Permission };
  permission?.drop("fs.write");
  for (const name of ["kill", "_kill"]) Object.defineProperty(process, name, { value: undefined });
}

function realPath(name: string): string {
  try {
    return realpathSync(name);
  } catch {
    return name;
  }
}
