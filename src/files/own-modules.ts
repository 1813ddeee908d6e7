import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the bundle, with a module for each program; not defined outside of a bundle (src/bundle/build.js). */
declare const BUNDLE_FOLDER: string;

/** ".ts" in a checkout; ".js" in an installed package, where Node runs no TypeScript (docs/adr/0043). */
export const MODULE_EXTENSION = path.extname(import.meta.filename);

/** The folder of package.json. */
export const PACKAGE_FOLDER = path.resolve(import.meta.dirname, "../..");

let bundle = typeof BUNDLE_FOLDER === "undefined" ? undefined : BUNDLE_FOLDER;

/** The folder of the bundle that processes are started from: that of this process, if it runs from one. */
export function bundleFolder(): string | undefined {
  return bundle;
}

/** Starts processes from a bundle, while this one runs from the sources: as tests do, which start many. */
export function startFromBundle(folder: string): void {
  bundle = folder;
}

/** The folder of all our modules: src, or lib in an installed package. */
const MODULES = path.resolve(import.meta.dirname, "..");

/**
 * Requires that an optional package is installed with this one: in its node_modules, or beside it. Node itself looks
 * in every folder above, where others may leave a package of that name, as in /tmp/node_modules.
 *
 * @throws Error
 */
export function requireOwnPackage(name: string): void {
  const beside = path.dirname(PACKAGE_FOLDER);
  const folders = [
    path.join(PACKAGE_FOLDER, "node_modules"),
    ...(path.basename(beside) === "node_modules" ? [beside] : []),
  ];
  if (!folders.some((folder) => existsSync(path.join(folder, name))))
    throw new Error(`The package ${name} is not in ${folders.join(" or ")}.`);
}

/**
 * The file of one of our modules, to start a process with.
 *
 * @param name relative to `base`, without the extension, such as "./worker"
 * @param base the `import.meta.url` of the caller
 */
export function moduleFile(name: string, base: string): string {
  const source = fileURLToPath(new URL(`${name}${MODULE_EXTENSION}`, base));
  if (bundle === undefined) return source;
  const bundled = path.join(bundle, path.relative(MODULES, source).replace(/\.ts$/, ".js"));
  // npm may have removed the bundle meanwhile.
  return existsSync(bundled) ? bundled : source;
}

let digest: Promise<string> | undefined;

/**
 * A digest of the code that runs: of the bundle or, outside of one, of all sources and of the list of packages. It is made
 * once; as it reads all files, ask for it before it is needed.
 */
export function digestOfCode(): Promise<string> {
  digest ??= readDigest();
  return digest;
}

async function readDigest(): Promise<string> {
  const hash = createHash("sha256");
  for (const folder of bundle === undefined ? [MODULES, path.join(PACKAGE_FOLDER, "packages")] : [bundle]) {
    const found = await readdir(folder, { recursive: true }).catch(() => []);
    // Not what Node compiles of it, nor snapshots.
    const names = found.filter((name) => /\.(?:js|ts)$/.test(name) && !name.includes("node_modules"));
    for (const name of names.sort()) hash.update(`${name}\0`).update(await readFile(path.join(folder, name)));
  }
  const packages = path.join(PACKAGE_FOLDER, "node_modules", ".package-lock.json");
  return hash.update(await readFile(packages).catch(() => "")).digest("hex");
}
