// Plain JavaScript, like everything that runs before a bundle: Node takes longer to read a TypeScript file.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** `src`, or `lib` in an installed package. */
export const MODULES = fileURLToPath(new URL("..", import.meta.url));
/** The folder of package.json. */
export const PACKAGE = path.resolve(MODULES, "..");
/** ".ts" in a checkout; ".js" in an installed package (docs/adr/0043). */
export const MODULE_EXTENSION = path.basename(MODULES) === "lib" ? ".js" : ".ts";
/**
 * The folder of bundles: a place from which packages are found, and which confined processes may read. Not in `node_modules`: one
 * may be made on the side while somebody runs `npm ci`, which could not remove that folder then.
 */
export const BUNDLES = path.join(PACKAGE, "build", "bundles");

/**
 * The content of `current.json`, which describes the bundle to use. Paths of files are relative to the package's
 * folder.
 *
 * @typedef {object} Manifest
 * @property {string} modules the folder of the sources: bundled code refers to its files by absolute paths
 * @property {string} folder
 * @property {string[]} inputs all files that it was made from
 * @property {string[]} outputs all files that it consists of
 * @property {string} state of all these files (stateOf)
 */

/**
 * The folder of the bundle, if it is complete and was made from the current files.
 *
 * @param {string} bundles
 * @returns {string | undefined}
 */
export function findBundle(bundles = BUNDLES) {
  try {
    /** @type {Manifest} */
    const { modules, folder, inputs, outputs, state } = JSON.parse(
      readFileSync(path.join(bundles, "current.json"), "utf8"),
    );
    const isOurs = path.dirname(folder) === bundles && [bundles, folder].every(isTrusted);
    return isOurs && modules === MODULES && stateOf(inputs, outputs) === state ? folder : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whether a folder belongs to this user, to root or to who installed the package, and others cannot write to it.
 *
 * @param {string} folder
 */
function isTrusted(folder) {
  const { uid, mode } = statSync(folder);
  return (mode & 0o002) === 0 && [0, process.getuid?.() ?? uid, statSync(PACKAGE).uid].includes(uid);
}

/**
 * The folder that is there once somebody has begun to make a bundle's snapshots for this version of Node.
 *
 * @param {string} folder of the bundle
 */
export function snapshotsIn(folder) {
  return path.join(folder, `snapshots-${process.version}-${process.platform}-${process.arch}`);
}

/** @param {string} folder of the bundle */
export function wantsSnapshots(folder) {
  return !existsSync(snapshotsIn(folder));
}

/** Whether esbuild is installed with this package. Node looks in folders above, too, where others may leave one. */
export function hasBuilder() {
  const beside = path.dirname(PACKAGE);
  const folders = [path.join(PACKAGE, "node_modules"), ...(path.basename(beside) === "node_modules" ? [beside] : [])];
  return folders.some((folder) => existsSync(path.join(folder, "esbuild")));
}

/**
 * A digest that changes with each edit.
 *
 * @param {readonly string[]} inputs
 * @param {readonly string[]} outputs nobody edits these, but a full disk or a crash may truncate them
 * @param {(name: string) => string} state of an input
 */
export function stateOf(inputs, outputs, state = fileState) {
  const sizes = outputs.map((name) => statSync(path.join(PACKAGE, name)).size);
  return createHash("sha256")
    .update(JSON.stringify([inputs, inputs.map(state), outputs, sizes]))
    .digest("hex");
}

/**
 * Size and times of a file, as in git's index. Each start reads those of 2,000 files.
 *
 * @param {string} name
 */
export function fileState(name) {
  const { size, mtimeMs, ctimeMs, ino } = statSync(path.join(PACKAGE, name));
  // The change time of a package's file is left out: it changes when the file is hard-linked to a copy of a checkout.
  return `${size} ${mtimeMs} ${ino} ${name.includes("node_modules") ? "" : ctimeMs}`;
}
