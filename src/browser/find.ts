import { access, constants, realpath } from "node:fs/promises";
import { UsageError } from "../domain/errors.ts";
import { isReachableByAll } from "../files/access.ts";
import { unpackChromium } from "./unpack.ts";

/** A Chromium program and how to run it. */
export type Chromium = {
  path: string;
  /** The variables that its environment needs. It gets none of ours. */
  env: Record<string, string>;
  /** The user to run it as; not root where possible. Undefined: this process's user. */
  uid: number | undefined;
};

/** The user id of `nobody` on Linux. */
const NOBODY = 65_534;

/**
 * The usual places, the headless shell first: it checks a page in a third less time than the full
 * browser. PATH is not searched: the caller sets it, and this program must be trusted.
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
 * Finds the Chromium to use: that of `chromePath`, else an installed one, else npm's.
 *
 * @param chromePath CHROME_PATH, if set
 * @throws UsageError when CHROME_PATH is not an executable file, or when there is no Chromium
 */
export async function findChromium(chromePath: string | undefined): Promise<Chromium> {
  if (chromePath) {
    if (await isProgram(chromePath)) return withUser(chromePath, {});
    throw new UsageError(
      `CHROME_PATH is ${JSON.stringify(chromePath)}, which is not an executable file. ` +
        "Set it to the executable of Chromium or Chrome, or unset it to use an installed one.",
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
 * When this process is root, the browser runs as the user `nobody`: it cannot touch root's files, and it
 * keeps its sandbox, which Chromium refuses to root. A program that `nobody` cannot reach (under a 0700
 * home) has to run as root.
 */
async function withUser(path: string, env: Record<string, string>): Promise<Chromium> {
  const runsAsRoot = process.platform === "linux" && process.getuid?.() === 0;
  return { path, env, uid: runsAsRoot && (await isReachableByAll(await realpath(path))) ? NOBODY : undefined };
}
