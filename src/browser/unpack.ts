import { execFile } from "node:child_process";
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { UsageError } from "../domain/errors.ts";
import { ROOT_STATE_DIR } from "../files/access.ts";

const run = promisify(execFile);
const PACKAGE = "@sparticuz/chromium";
const ARCHIVES = ["chromium.br", "fonts.tar.br", "al2023.tar.br"];
/** An unpacking that was killed leaves its draft; one this old is nobody's. */
const STALE_DRAFT_MS = 60 * 60_000;

/**
 * npm's Chromium, unpacked once a version (209 MB, 2.4 s) into a folder that only its
 * owner can write: whoever else could would decide what is run here.
 *
 * @param folders where to unpack to: the first that can be made and is ours alone
 * @throws UsageError when there is none, or no such package
 */
export async function unpackChromium(
  folders: readonly string[] = usualFolders(),
): Promise<{ path: string; env: Record<string, string> }> {
  if (process.platform !== "linux" || process.arch !== "x64") {
    throw new UsageError(
      `No Chromium found, and the one of the npm package ${PACKAGE} is for Linux on x64, not for ` +
        `${process.platform} on ${process.arch}. Install Chromium or Chrome, or set CHROME_PATH to it.`,
    );
  }
  let entry: string;
  try {
    entry = fileURLToPath(import.meta.resolve("@sparticuz/chromium"));
  } catch {
    throw new UsageError(
      `No Chromium found: none is installed, and the npm package ${PACKAGE} is not either. ` +
        "Run npm ci, install Chromium, or set CHROME_PATH to it.",
    );
  }
  const packageFolder = path.resolve(path.dirname(entry), "..");
  const { version } = JSON.parse(await readFile(path.join(packageFolder, "package.json"), "utf8"));
  const cache = await ownFolder(folders);
  const target = path.join(cache, `chromium-${version}-${process.arch}`);
  if (!(await stat(target).catch(() => undefined))) await unpack(entry, packageFolder, cache, target);
  return { path: path.join(target, "chromium"), env: await environment(target) };
}

/** Unpacks aside and renames: several processes may do this at once, and none sees half of it. */
async function unpack(entry: string, packageFolder: string, cache: string, target: string): Promise<void> {
  const draft = await mkdtemp(path.join(cache, "draft-"));
  try {
    // The package unpacks into the folder for temporary files, which a process of its own can be told.
    const script = `const { inflate } = await import(process.argv[1]);
      await Promise.all(process.argv.slice(2).map((file) => inflate(file)));`;
    const files = ARCHIVES.map((name) => path.join(packageFolder, "bin", name));
    await run(process.execPath, ["--input-type=module", "--eval", script, entry, ...files], { env: { TMPDIR: draft } });
    await writeFile(path.join(draft, "fonts.conf"), fontsConfig(path.join(target, "fonts")));
    // Readable to all: root's browser runs as nobody.
    await chmod(path.join(draft, "chromium"), 0o755);
    await chmod(draft, 0o755);
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (!(await stat(target).catch(() => undefined))) throw error;
  }
  await removeStaleDrafts(cache);
}

/** Fonts of the system, if it has any, and the package's. */
function fontsConfig(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>${folder.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;
}

async function environment(target: string): Promise<Record<string, string>> {
  const fonts = { FONTCONFIG_FILE: path.join(target, "fonts.conf") };
  // Needs NSS and NSPR, which a bare Debian has not. The system's are better: they get its updates.
  const complete = await run(path.join(target, "chromium"), ["--version"], { env: {} }).then(
    () => true,
    () => false,
  );
  return complete ? fonts : { ...fonts, LD_LIBRARY_PATH: path.join(target, "al2023", "lib") };
}

function usualFolders(): string[] {
  const uid = process.getuid?.();
  if (uid === 0) return [ROOT_STATE_DIR];
  const temporary = path.join(tmpdir(), `site-validator-${uid}`);
  try {
    return [path.join(homedir(), ".cache", "site-validator"), temporary];
  } catch {
    // A user id without a user, as containers have them.
    return [temporary];
  }
}

/** The first folder that can be made, and that nobody else can write to. */
async function ownFolder(candidates: readonly string[]): Promise<string> {
  const uid = process.getuid?.() ?? 0;
  const refusals: string[] = [];
  for (const folder of candidates) {
    try {
      await mkdir(folder, { recursive: true, mode: uid === 0 ? 0o755 : 0o700 });
      const found = await lstat(folder);
      if (found.isDirectory() && found.uid === uid && (found.mode & 0o022) === 0) return folder;
      refusals.push(`${folder} is not a folder that only its owner, user ${uid}, can write`);
    } catch (error) {
      refusals.push(error instanceof Error ? error.message : String(error));
    }
  }
  throw new UsageError(`No folder to unpack Chromium into: ${refusals.join("; ")}. Set CHROME_PATH to a Chromium.`);
}

async function removeStaleDrafts(cache: string): Promise<void> {
  for (const name of await readdir(cache)) {
    if (!name.startsWith("draft-")) continue;
    const draft = path.join(cache, name);
    const found = await stat(draft).catch(() => undefined);
    if (found && Date.now() - found.mtimeMs > STALE_DRAFT_MS) await rm(draft, { recursive: true, force: true });
  }
}
