import { execFile } from "node:child_process";
import { chmod, cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const run = promisify(execFile);

/** A copy of the sources, to be edited. It shares the packages with this checkout. */
export type CopiedSources = {
  /** Starts a program of the copy, not of a bundle. */
  command: [file: string, ...args: string[]];
  file(name: string): string;
  read(name: string): Promise<string>;
  /** @param change must change something */
  edit(name: string, change: (text: string) => string): Promise<void>;
  /** Runs Node in the copy. @returns stdout @throws with stdout and stderr */
  node(...args: string[]): Promise<string>;
  remove(): Promise<void>;
};

export async function copySources(): Promise<CopiedSources> {
  const folder = await mkdtemp(path.join(tmpdir(), "sources-"));
  // If this runs as root, PostgreSQL and engines run as other users, who need access.
  await chmod(folder, 0o755);
  const file = (name: string) => path.join(folder, name);
  for (const name of [
    "src",
    "scripts",
    "guides",
    "docs/check.md",
    "docs/people.md",
    "package.json",
    "package-lock.json",
    "tsconfig.json",
  ])
    await cp(path.join(ROOT, name), file(name), { recursive: true });
  for (const name of ["node_modules", "packages"]) await symlink(path.join(ROOT, name), file(name));
  const read = (name: string) => readFile(file(name), "utf8");
  return {
    command: [process.execPath, file("src/main/index.ts")],
    file,
    read,
    async edit(name, change) {
      const before = await read(name);
      const after = change(before);
      if (after === before) throw new Error(`Nothing was changed in ${name}.`);
      await writeFile(file(name), after);
    },
    node: async (...args) => (await run(process.execPath, args, { cwd: folder })).stdout,
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 10 }),
  };
}
