// Runs the command from a bundle of its modules and packages, if there is one (docs/adr/0046).
import { spawn } from "node:child_process";
import { statSync, utimesSync } from "node:fs";
import { enableCompileCache } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { findBundle, hasBuilder, MODULE_EXTENSION, PACKAGE, wantsSnapshots } from "./find.js";

const HOUR_MS = 3_600_000;

const folder = findBundle();
if (folder === undefined) {
  if (canBuild()) startBuild();
  await import(new URL(`../main/index${MODULE_EXTENSION}`, import.meta.url).href);
} else {
  keep(folder);
  if (wantsSnapshots(folder) && canBuild()) startBuild();
  // In its folder, so that it is removed with it.
  enableCompileCache(path.join(folder, "compiled"));
  await import(pathToFileURL(path.join(folder, "main", "index.js")).href);
}

/** Marks a bundle as in use, so that it is not removed (build.js). @param {string} folder */
function keep(folder) {
  const touch = () => {
    try {
      utimesSync(folder, new Date(), new Date());
    } catch {
      // It belongs to another user, who will not remove it while using it.
    }
  };
  touch();
  setInterval(touch, HOUR_MS).unref();
}

/** Whether a build is worth a process: build.js has the same conditions. */
function canBuild() {
  try {
    return hasBuilder() && statSync(PACKAGE).uid === process.getuid?.();
  } catch {
    return false;
  }
}

/** Builds a bundle for the next start, or snapshots if there is one. This process does not wait for it, and its Ctrl-C does not reach it. */
function startBuild() {
  const build = fileURLToPath(new URL("./build.js", import.meta.url));
  const options = /** @type {const} */ ({ cwd: PACKAGE, env: {}, stdio: "ignore", detached: true });
  spawn(process.execPath, [build], options)
    .on("error", () => {})
    .unref();
}
