import { realpathSync } from "node:fs";
import { flushCompileCache } from "node:module";
import path from "node:path";
import { bundleFolder, PACKAGE_FOLDER } from "../../files/own-modules.ts";

/** https://nodejs.org/api/process.html#processpermissiondropscope-reference, which @types/node does not have yet. */
type Permission = { drop(scope: string): void };

/** src, or lib in an installed package. */
const MODULES = path.resolve(import.meta.dirname, "../..");
/** The outermost node_modules folder that contains this package: its dependencies may be there, too. */
const [INSTALLED_IN] = /^.*?[\\/]node_modules(?=[\\/])/.exec(PACKAGE_FOLDER) ?? [];
/** What a child process loads: our code and the packages that it imports, which may be linked to another folder. */
const CODE = [
  MODULES,
  path.join(PACKAGE_FOLDER, "package.json"),
  path.join(PACKAGE_FOLDER, "node_modules"),
  // In a checkout, a link to a folder outside of node_modules.
  path.join(PACKAGE_FOLDER, "node_modules", "html-conformance"),
  ...(INSTALLED_IN === undefined ? [] : [INSTALLED_IN]),
];

/**
 * Node's arguments for a process that parses hostile documents: it may read our code and `readable`, and may not write
 * files, start programs or threads, or load native code (https://nodejs.org/api/permissions.html).
 *
 * @param readable files and folders, which need not exist yet
 */
export function confinement(readable: readonly string[]): string[] {
  const bundle = bundleFolder();
  // That of an image is not in node_modules.
  const code = bundle === undefined ? CODE : [...CODE, bundle];
  const folders = [...new Set([...code, ...code.map(realPath)]), ...readable];
  return ["--permission", ...folders.flatMap((name) => [name, `${name}/*`]).map((name) => `--allow-fs-read=${name}`)];
}

/**
 * Called by the process itself before its first document. It stores what it has compiled (lend-compiled.ts), and may
 * not write from then on. Node's permissions do not cover signals, and one of them opens the debugger of another Node
 * process, such as npm's, which has no such limits.
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
