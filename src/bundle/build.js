// `node src/bundle/build.js` makes one bundle of the programs and their packages, with esbuild (docs/adr/0046).
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { constants, setPriority } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { BUNDLES, fileState, findBundle, MODULE_EXTENSION, MODULES, PACKAGE, stateOf } from "./find.js";

/** The modules that processes start with. */
const PROGRAMS = [
  "main/index",
  "checker/engines/html/conformance-worker",
  "checker/engines/html/html-validate-worker",
  "checker/engines/html/identify-worker",
];

/** Another builder makes another bundle. */
const BUILDER = ["build.js", "find.js"].map((name) => path.relative(PACKAGE, path.join(import.meta.dirname, name)));

/** npm writes it anew when it changes a package, which may change what an import finds. */
const LOCKFILES = [PACKAGE, path.join(PACKAGE, "../..")].map((folder) =>
  path.join(folder, "node_modules/.package-lock.json"),
);

/** Large, and loaded by few: on a cluster, or where there is a browser. */
const LEFT_OUT = ["@kubernetes/client-node", "puppeteer-core", "@sparticuz/chromium"];

/** A build takes a second or two. A lock of this age was left by a process that was killed. */
const LOCK_MS = 120_000;
/** Bundles of this age are removed. Who uses one says so each hour (start.js). */
const UNUSED_MS = 24 * 3_600_000;
/** File systems tell times that are further apart than this from each other. */
const TICK_MS = 20;

/**
 * Builds a bundle if there is none of the sources as they are. Of several that are asked to at once, one does.
 *
 * @param {string} bundles the folder for it
 * @returns {Promise<string | undefined>} the folder of the bundle; undefined where there is no esbuild, or another
 *   process is building
 */
export async function buildBundle(bundles = BUNDLES) {
  const found = findBundle(bundles);
  if (found !== undefined) return found;
  const esbuild = await import("esbuild").catch(() => undefined);
  // Who runs the programs of another user, as root may, leaves nothing of his there.
  if (!esbuild || (await stat(PACKAGE)).uid !== process.getuid?.()) return undefined;
  await mkdir(bundles, { recursive: true });
  const unlock = await lock(path.join(bundles, "building"));
  if (!unlock) return undefined;
  const folder = path.join(bundles, randomUUID());
  try {
    await write(await bundle(esbuild, folder), bundles);
    await removeUnused(bundles, folder);
    return folder;
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  } finally {
    await unlock();
  }
}

/**
 * @param {typeof import("esbuild")} esbuild
 * @param {string} folder
 */
async function bundle(esbuild, folder) {
  /** @type {Map<string, string>} */
  const states = new Map();
  const { metafile, outputFiles } = await esbuild.build({
    absWorkingDir: PACKAGE,
    entryPoints: PROGRAMS.map((name) => ({ in: `program:${name}`, out: name })),
    outdir: folder,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node22",
    external: LEFT_OUT,
    sourcemap: true,
    sourcesContent: false,
    minifyWhitespace: true,
    // Node prints the line of an error that nobody catches.
    lineLimit: 200,
    chunkNames: "chunks/[hash]",
    define: { BUNDLE_FOLDER: JSON.stringify(folder) },
    // Packages that are CommonJS call it.
    banner: {
      js: 'import{createRequire as $createRequire}from"node:module";const require=$createRequire(import.meta.url);',
    },
    plugins: [programs, builtins, quiet, data, readSources(states)],
    metafile: true,
    write: false,
    logLevel: "silent",
  });
  // Packages' files do not change while they are read: npm replaces them, and then its list of packages.
  const lockfiles = LOCKFILES.filter((file) => existsSync(file)).map((file) => path.relative(PACKAGE, file));
  const modules = Object.keys(metafile.inputs).filter((name) => existsSync(path.join(PACKAGE, name)));
  const inputs = [...new Set([...modules, ...BUILDER, ...lockfiles])];
  // Without it, Node would parse each module of the bundle once more, to find out that it is one.
  const scope = { path: path.join(folder, "package.json"), contents: JSON.stringify({ type: "module" }) };
  const outputs = [...Object.keys(metafile.outputs), path.relative(PACKAGE, scope.path)];
  return { folder, inputs, outputs, files: [...outputFiles, scope], states };
}

/**
 * What processes start with: a program, and before it what makes stack traces name the sources.
 *
 * @type {import("esbuild").Plugin}
 */
const programs = {
  name: "programs",
  setup(build) {
    build.onResolve({ filter: /^program:/ }, ({ path: name }) => ({
      path: name.slice("program:".length),
      namespace: "program",
    }));
    build.onLoad({ filter: /./, namespace: "program" }, ({ path: name }) => ({
      contents: `import "./bundle/stack-traces.js"; import "./${name}${MODULE_EXTENSION}";`,
      resolveDir: MODULES,
    }));
  },
};

/**
 * Node's own modules, imported without their facades for `import`: to make one reads all that it exports, and loads what
 * nobody asked for, such as all of fetch and WebSocket with node:http.
 *
 * @type {import("esbuild").Plugin}
 */
const builtins = {
  name: "builtins",
  setup(build) {
    build.onResolve({ filter: /./ }, ({ path: name, kind }) =>
      kind === "import-statement" && isBuiltin(name) ? { path: name, namespace: "builtin" } : undefined,
    );
    build.onLoad({ filter: /./, namespace: "builtin" }, ({ path: name }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(name)});`,
    }));
  },
};

/**
 * What winston writes about itself goes to nobody: its form for development loads a library of colours, 15 ms a process.
 *
 * @type {import("esbuild").Plugin}
 */
const quiet = {
  name: "quiet",
  setup(build) {
    build.onResolve({ filter: /^\.\/development\.js$/ }, ({ importer, resolveDir }) =>
      importer.includes("/@dabh/diagnostics/") ? { path: path.join(resolveDir, "production.js") } : undefined,
    );
  },
};

/**
 * Data is read by JSON.parse, which takes less time than V8 takes to read the same as code.
 *
 * @type {import("esbuild").Plugin}
 */
const data = {
  name: "data",
  setup(build) {
    build.onLoad({ filter: /\.json$/ }, async ({ path: file }) => {
      const text = JSON.stringify(JSON.parse(await readFile(file, "utf8")));
      return { contents: `module.exports = JSON.parse(${JSON.stringify(text)});`, loader: "js" };
    });
  },
};

/**
 * Reads modules, and notes the state in which each of ours was read.
 *
 * @param {Map<string, string>} states
 * @returns {import("esbuild").Plugin}
 */
function readSources(states) {
  return {
    name: "sources",
    setup(build) {
      build.onLoad({ filter: /\.m?[jt]s$/ }, async ({ path: file }) => {
        if (!file.startsWith(MODULES)) return { contents: placed(await readFile(file, "utf8"), file), loader: "js" };
        const { source, state } = await readSettled(file);
        states.set(path.relative(PACKAGE, file), state);
        return { contents: placed(source, file), loader: file.endsWith(".ts") ? "ts" : "js" };
      });
    },
  };
}

/**
 * A module that finds files by its own place, which stays the one of the source. What a package requires by that place
 * becomes a part of the bundle.
 *
 * @param {string} source
 * @param {string} file
 */
function placed(source, file) {
  /** @type {Record<string, string>} */
  const places = { url: pathToFileURL(file).href, dirname: path.dirname(file), filename: file };
  return source
    .replace(/\bconst require = createRequire\(import\.meta\.url\);/g, "")
    .replace(/\bimport\.meta\.(url|dirname|filename)\b/g, (_, name) => JSON.stringify(places[name]));
}

/**
 * A file's text, and its state at that time. A file that was written just now may be written again without a change of
 * its times.
 *
 * @param {string} file
 */
async function readSettled(file) {
  const name = path.relative(PACKAGE, file);
  for (;;) {
    const state = fileState(name);
    const source = await readFile(file, "utf8");
    const { ctimeMs } = await stat(file);
    if (state === fileState(name) && Math.abs(Date.now() - ctimeMs) > TICK_MS) return { source, state };
    await sleep(TICK_MS);
  }
}

/**
 * Writes the bundle, and then says that it is the one to use: nobody sees a part of one.
 *
 * @param {Awaited<ReturnType<typeof bundle>>} made
 * @param {string} bundles
 */
async function write({ folder, inputs, outputs, files, states }, bundles) {
  await mkdir(path.join(folder, "chunks"), { recursive: true });
  for (const { path: file, contents } of files) {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, contents, { flush: true });
  }
  const state = stateOf(inputs, outputs, (name) => states.get(name) ?? fileState(name));
  /** @type {import("./find.js").Manifest} */
  const manifest = { modules: MODULES, folder, inputs, outputs, state };
  const draft = `${folder}.json`;
  await writeFile(draft, JSON.stringify(manifest), { flush: true });
  await rename(draft, path.join(bundles, "current.json"));
}

/**
 * @param {string} bundles
 * @param {string} current
 */
async function removeUnused(bundles, current) {
  for (const name of await readdir(bundles)) {
    const file = path.join(bundles, name);
    if (file === current || name === "current.json" || name === "building") continue;
    const found = await stat(file).catch(() => undefined);
    if (found && Date.now() - found.mtimeMs > UNUSED_MS) await rm(file, { recursive: true, force: true });
  }
}

/**
 * @param {string} file
 * @returns {Promise<(() => Promise<void>) | undefined>} undefined while another process has it
 */
async function lock(file) {
  const found = await stat(file).catch(() => undefined);
  if (found && Date.now() - found.mtimeMs > LOCK_MS) await rm(file, { force: true });
  try {
    await (await open(file, "wx")).close();
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === "EEXIST") return undefined;
    throw error;
  }
  return () => rm(file, { force: true });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // Beside a program that people wait for.
  setPriority(constants.priority.PRIORITY_LOW);
  await buildBundle();
}
