// Makes lib, the programs in JavaScript, from src: `node bin/build.js` in prepack, else the first run of a package.
import { randomUUID } from "node:crypto";
import { cp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { stripTypeScriptTypes } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** Workspaces, which the programs import as packages. Nobody publishes them for us: lib has them in its node_modules. */
const WORKSPACES = ["html-conformance"];

/** A relative module in a static or dynamic import, or in an export. */
const SPECIFIER = /\b(from\s+|import\s*\(\s*|import\s+)(["`])(\.\.?\/[^"`]+)\.ts\2/g;

/**
 * Makes `lib` in the package's folder if it is not there. Lines and columns stay as they are in src, since types become
 * spaces. A copy that fails or is interrupted leaves no lib; two at a time are no problem.
 *
 * @param {string} root
 */
export async function build(root) {
  const target = path.join(root, "lib");
  if (await exists(target)) return;
  const draft = `${target}.${randomUUID()}`;
  // Node warns that its function is new, which users of the package can do nothing about.
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    await copy(path.join(root, "src"), draft);
    await mkdir(path.join(draft, "node_modules"));
    for (const name of WORKSPACES)
      await copyWorkspace(path.join(root, "packages", name), path.join(draft, "node_modules", name));
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (!(await exists(target))) throw error;
  } finally {
    process.emitWarning = emitWarning;
  }
}

/**
 * The package as it would be installed: its exports name JavaScript.
 *
 * @param {string} from
 * @param {string} to
 */
async function copyWorkspace(from, to) {
  await mkdir(to);
  await copy(path.join(from, "src"), path.join(to, "lib"));
  const manifest = await readFile(path.join(from, "package.json"), "utf8");
  await writeFile(path.join(to, "package.json"), manifest.replaceAll(/"\.\/src\/([^"]+)\.ts"/g, '"./lib/$1.js"'));
}

/**
 * @param {string} from
 * @param {string} to
 */
async function copy(from, to) {
  await mkdir(to);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const { name } = entry;
    const source = path.join(from, name);
    if (entry.isDirectory()) await copy(source, path.join(to, name));
    else if (!name.endsWith(".ts")) await cp(source, path.join(to, name));
    else if (!name.endsWith(".d.ts")) {
      const code = stripTypeScriptTypes(await readFile(source, "utf8")).replaceAll(SPECIFIER, "$1$2$3.js$2");
      await writeFile(path.join(to, name.replace(/\.ts$/, ".js")), code);
    }
  }
}

/** @param {string} file */
function exists(file) {
  return stat(file).then(
    () => true,
    () => false,
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL("..", import.meta.url));
  await rm(path.join(root, "lib"), { recursive: true, force: true });
  await build(root);
}
