import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { chmod, mkdtemp, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { createClient } from "../database/connection/client.ts";
import { migrationLimits } from "../database/connection/connection-options.ts";
import { makeFolder } from "../files/make-folder.ts";
import type { Scratch } from "../files/scratch.ts";
import { postgresFolder } from "./binaries.ts";
import { type EmbeddedPostgres, startPostgres } from "./postgres.ts";

const run = promisify(execFile);
const COPY_TIMEOUT_MS = 60_000;
/** Increase this when the code below, or the options of initdb, create different templates. */
const TEMPLATE_VERSION = 2;
/** Drafts and templates of other versions are removed at this age: until then another process may use them. */
const MIN_REMOVAL_AGE_MS = 10 * 60_000;

export type TemplateOptions = {
  /** The folder where templates are kept between runs; undefined when there is none. */
  cacheDir: string | undefined;
  /** What `prepare` is made of: files, and folders of files. A template is valid for their exact content only. */
  sources: readonly string[];
  /** Prepares an empty database. Runs once per template. */
  prepare: (url: string) => Promise<void>;
  scratch: Scratch;
  /** Called when another program starts to copy or create the data folder: this process has time for other work. */
  onCopying?: () => void;
  /** Called when the data folder is copied and the server is about to start. */
  onCopied?: () => void;
};

/**
 * Starts a server whose data is deleted after this run. Its data folder is a copy of a template that
 * was initialised and migrated before. Copying takes a tenth of the time of creating one.
 */
export async function startDisposablePostgres(options: TemplateOptions): Promise<EmbeddedPostgres> {
  const { cacheDir, scratch } = options;
  const template = cacheDir && (await templateFolder(cacheDir, options));
  if (!template) {
    options.onCopying?.();
    const postgres = await startIn(scratch);
    try {
      await options.prepare(postgres.url);
    } catch (error) {
      await postgres.stop();
      throw error;
    }
    return postgres;
  }
  try {
    return await startCopy(template, options);
  } catch (error) {
    // Templates are written without fsync, so a power failure may leave a broken one.
    await rm(path.join(scratch.path, "pgdata"), { recursive: true, force: true });
    await rm(template, { recursive: true, force: true });
    const again = await templateFolder(cacheDir, options);
    if (!again) throw error;
    return startCopy(again, options);
  }
}

async function startCopy(
  template: string,
  { scratch, onCopying, onCopied }: TemplateOptions,
): Promise<EmbeddedPostgres> {
  const copied = copy(template, path.join(scratch.path, "pgdata"));
  onCopying?.();
  await copied;
  onCopied?.();
  return startIn(scratch);
}

function startIn(scratch: Scratch): Promise<EmbeddedPostgres> {
  return startPostgres({
    dataDir: path.join(scratch.path, "pgdata"),
    socketDir: path.join(scratch.path, "pg"),
    durable: false,
    disposable: true,
  });
}

/** Uses `cp`, not fs.cp: it copies hundreds of small files in another process, while this one loads modules. `-a` keeps owners when root runs it. */
async function copy(from: string, to: string): Promise<void> {
  await run("cp", ["-a", from, to], {
    timeout: COPY_TIMEOUT_MS,
    killSignal: "SIGKILL",
    env: { PATH: "/usr/bin:/bin" },
  });
}

/** The template's folder, created on first use; undefined when the cache folder cannot be written. */
async function templateFolder(cacheDir: string, options: TemplateOptions): Promise<string | undefined> {
  const name = `postgresql-${await digest(options.sources)}`;
  const folder = path.join(cacheDir, name);
  if (await stat(folder).catch(() => undefined)) return folder;
  try {
    await makeFolder(cacheDir, 0o700);
  } catch {
    return undefined;
  }
  const draft = await mkdtemp(path.join(cacheDir, "draft-")).catch(() => undefined);
  if (!draft) return undefined;
  options.onCopying?.();
  try {
    await build(path.join(draft, "data"), path.join(options.scratch.path, "pg-template"), options.prepare);
    // Built in a draft folder and renamed, so that no other process sees a partial template.
    await rename(path.join(draft, "data"), folder).catch(async (error) => {
      if (!(await stat(folder).catch(() => undefined))) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  await removeOthers(cacheDir, name);
  return folder;
}

async function build(dataDir: string, socketDir: string, prepare: (url: string) => Promise<void>): Promise<void> {
  const postgres = await startPostgres({ dataDir, socketDir, durable: false });
  try {
    await prepare(postgres.url);
    const { url } = postgres;
    const client = createClient({ url, applicationName: "site-validator template", limits: migrationLimits });
    await client.connect();
    try {
      // Copies need only our database. Without the others there are half as many files, which halves the time to copy.
      await client.query("update pg_database set datistemplate = false");
      for (const database of ["postgres", "template0", "template1"]) await client.query(`drop database ${database}`);
      await client.query("vacuum (freeze, analyze)");
    } finally {
      await client.end();
    }
  } finally {
    await postgres.stop();
  }
  await chmod(dataDir, 0o700);
}

/** A hash of PostgreSQL's version and all files of the sources, for the template's name. */
async function digest(sources: readonly string[]): Promise<string> {
  const hash = createHash("sha256").update(`${TEMPLATE_VERSION} ${process.getuid?.()} ${await postgresFolder()}`);
  hash.update(await readFile(path.join(await postgresFolder(), "..", "package.json"), "utf8").catch(() => ""));
  for (const source of sources)
    for (const file of await filesOf(source)) hash.update(path.basename(file)).update(await readFile(file));
  return hash.digest("hex").slice(0, 24);
}

async function filesOf(source: string): Promise<string[]> {
  if (!(await stat(source)).isDirectory()) return [source];
  return (await readdir(source)).sort().map((name) => path.join(source, name));
}

/** Removes templates of other versions, and drafts of killed processes. */
async function removeOthers(cacheDir: string, keep: string): Promise<void> {
  for (const name of await readdir(cacheDir)) {
    if (name === keep) continue;
    const folder = path.join(cacheDir, name);
    const found = await stat(folder).catch(() => undefined);
    const old = found && Date.now() - found.mtimeMs > MIN_REMOVAL_AGE_MS;
    if (old && (name.startsWith("draft-") || name.startsWith("postgresql-")))
      await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
}
