import { execFile } from "node:child_process";
import { stat } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";

const folder = path.resolve(import.meta.dirname, "..");

/**
 * Installs what site-validator is compared with (bench/package.json), unless it is there. No package runs a script of
 * its own: the browser is the one that site-validator uses.
 *
 * @throws when npm cannot install it
 */
export async function installPeers(): Promise<void> {
  const [installed, locked] = await Promise.all(
    ["node_modules/.package-lock.json", "package-lock.json"].map((file) =>
      stat(path.join(folder, file)).catch(() => undefined),
    ),
  );
  if (installed && locked && installed.mtimeMs >= locked.mtimeMs) return;
  console.log("Installing the products that site-validator is compared with (bench/package.json) ...");
  // Not `npm ci`, which refuses lockfiles without the packages of other platforms that npm itself leaves out.
  const install = ["install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund"];
  await promisify(execFile)("npm", install, { cwd: folder }).catch((error: { stderr: string }) => {
    throw new Error(`npm could not install ${folder}:\n${error.stderr.split("\n").slice(-10).join("\n")}`);
  });
}
