import { access, constants, realpath } from "node:fs/promises";
import { UsageError } from "../domain/errors.ts";
import { isOpenToAll } from "../files/access.ts";
import { unpackChromium } from "./unpack.ts";

/** A Chromium to run, and how. */
export type Chromium = {
  path: string;
  /** What it needs in its environment, which is empty but for this. */
  env: Record<string, string>;
  /** The user to run it as: not root, where that can be had. Undefined: ours. */
  uid: number | undefined;
};

/** nobody, on every Linux. */
const NOBODY = 65_534;

/**
 * Usual places, the headless shell first: it checks a page in a third less time than
 * the full browser. PATH is not asked: it is the caller's, and this is a program to trust.
 */
const installed = ["/usr/bin", "/usr/local/bin", "/bin", "/opt/google/chrome", "/headless-shell"]
  .flatMap((folder) =>
    [
      "chrome-headless-shell",
      "chromium-headless-shell",
      "headless-shell",
      "chromium",
      "google-chrome-stable",
      "google-chrome",
      "chrome",
      "microsoft-edge",
    ].map((name) => ({ name, path: `${folder}/${name}` })),
  )
  .sort((a, b) => Number(b.name.includes("headless")) - Number(a.name.includes("headless")))
  .map(({ path }) => path)
  .concat("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome");

/**
 * The Chromium to use: the one named, then one that is installed, then npm's.
 *
 * @param chromePath CHROME_PATH, if set
 * @throws UsageError when CHROME_PATH names no program, or there is no Chromium at all
 */
export async function findChromium(chromePath: string | undefined): Promise<Chromium> {
  if (chromePath) {
    if (await isProgram(chromePath)) return withUser(chromePath, {});
    throw new UsageError(
      `CHROME_PATH is ${JSON.stringify(chromePath)}, which is no program that can be run. ` +
        "Set it to the file of a Chromium or Chrome, or unset it to have one found.",
    );
  }
  for (const path of installed) if (await isProgram(path)) return withUser(path, {});
  const { path, env } = await unpackChromium();
  return withUser(path, env);
}

async function isProgram(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/**
 * Root's browser runs as nobody: it can touch nothing of root's, and keeps its own
 * sandbox, which Chromium refuses to root. A program that nobody cannot reach (under a
 * 0700 home) has to run as root.
 */
async function withUser(path: string, env: Record<string, string>): Promise<Chromium> {
  const runsAsRoot = process.platform === "linux" && process.getuid?.() === 0;
  return { path, env, uid: runsAsRoot && (await isOpenToAll(await realpath(path))) ? NOBODY : undefined };
}
