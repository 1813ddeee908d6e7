import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";

const ROOT = new URL("../../../", import.meta.url);
/** What a child process loads: our code and the packages that it imports, which may be linked to another folder. */
const CODE = ["src", "package.json", "node_modules"].map((name) => fileURLToPath(new URL(name, ROOT)));

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
 * For the process itself, before its first document. Node's permissions do not cover signals: one of them opens the
 * debugger of another Node process, such as npm's, in which there are no limits.
 */
export function confine(): void {
  for (const name of ["kill", "_kill"]) Object.defineProperty(process, name, { value: undefined });
}

function realPath(name: string): string {
  try {
    return realpathSync(name);
  } catch {
    return name;
  }
}
