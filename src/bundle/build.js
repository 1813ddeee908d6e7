// `node src/bundle/build.js` makes one bundle of the programs and their packages, with esbuild (docs/adr/0046);
// `node src/bundle/build.js FOLDER` makes one for an image (docs/adr/0143).
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { constants, setPriority } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import {
  BUNDLES,
  fileState,
  findBundle,
  hasBuilder,
  MODULE_EXTENSION,
  MODULES,
  PACKAGE,
  snapshotsIn,
  stateOf,
  wantsSnapshots,
} from "./find.js";

const run = promisify(execFile);

/** The modules that processes start with. */
const PROGRAMS = [
  "main/index",
  "checker/engines/html/conformance-worker",
  "checker/engines/html/html-validate-worker",
  "checker/engines/html/identify-worker",
];

/** Those of them that start from a snapshot of V8's heap: many processes do, and they have much to get ready. */
const SNAPSHOTS = ["checker/engines/html/conformance-worker", "checker/engines/html/html-validate-worker"];

/** The folders of our modules; the second one is a workspace, to which node_modules has a link. */
const OURS = [MODULES, path.join(PACKAGE, "packages", path.sep)];

/** The bundle depends on the code that builds it, too. */
const BUILDER = ["build.js", "find.js"].map((name) => path.relative(PACKAGE, path.join(import.meta.dirname, name)));

/** npm rewrites it when it changes a package, which may change what an import resolves to. */
const LOCKFILES = [PACKAGE, path.join(PACKAGE, "../..")].map((folder) =>
  path.join(folder, "node_modules/.package-lock.json"),
);

/**
 * Large packages that few programs load: on a cluster, or with a browser. pg-cloudflare is loaded on Cloudflare Workers
 * alone, and images lack it.
 */
const LEFT_OUT = ["@kubernetes/client-node", "puppeteer-core", "@sparticuz/chromium", "pg-cloudflare"];

/** A build takes a second or two. A lock this old was left behind by a killed process. */
const LOCK_MS = 120_000;
/** Bundles that have not been used for this long are removed. A program that uses one marks it each hour (start.js). */
const UNUSED_MS = 24 * 3_600_000;
/** File systems distinguish times that are at least this far apart. */
const TICK_MS = 20;

/**
 * Builds a bundle unless there is one of the current sources. Of several processes that call this at once, one builds.
 *
 * @param {string} bundles the folder for it
 * @returns {Promise<string | undefined>} the folder of the bundle; undefined where there is no esbuild, or another
 *   process is building
 */
export async function buildBundle(bundles = BUNDLES) {
  const found = findBundle(bundles);
  if (found !== undefined) return found;
  const esbuild = hasBuilder() ? await import("esbuild").catch(() => undefined) : undefined;
  // A user who runs somebody else's programs, as root may, must not leave files there.
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
 * Builds a bundle whose files nobody changes: it is started as it is, and is not compared with the sources.
 *
 * @param {string} folder absolute, in the package's folder, so that packages are found
 * @throws if there is no esbuild, or the bundle cannot be made or written
 */
async function buildFixedBundle(folder) {
  await writeFiles(await bundle(await import("esbuild"), folder));
}

/** @param {string} folder of the bundle */
function common(folder) {
  return {
    absWorkingDir: PACKAGE,
    bundle: /** @type {const} */ (true),
    platform: /** @type {const} */ ("node"),
    target: "node22",
    external: LEFT_OUT,
    define: { BUNDLE_FOLDER: JSON.stringify(folder) },
    logLevel: /** @type {const} */ ("silent"),
  };
}

/**
 * @param {typeof import("esbuild")} esbuild
 * @param {string} folder
 */
async function bundle(esbuild, folder) {
  /** @type {Map<string, string>} */
  const states = new Map();
  const { metafile, outputFiles } = await esbuild.build({
    ...common(folder),
    entryPoints: PROGRAMS.map((name) => ({ in: `program:${name}`, out: name })),
    outdir: folder,
    splitting: true,
    format: "esm",
    sourcemap: true,
    sourcesContent: false,
    minifyWhitespace: true,
    // Node prints the source line of an uncaught error.
    lineLimit: 200,
    chunkNames: "chunks/[hash]",
    // CommonJS packages call `require`.
    banner: {
      js: 'import{createRequire as $createRequire}from"node:module";const require=$createRequire(import.meta.url);',
    },
    plugins: [programs, builtins, quiet, data, readSources(states)],
    metafile: true,
    write: false,
  });
  // Packages' files do not change while they are read: npm replaces them and then rewrites its list of packages.
  const lockfiles = LOCKFILES.filter((file) => existsSync(file)).map((file) => path.relative(PACKAGE, file));
  const modules = Object.keys(metafile.inputs).filter((name) => existsSync(path.join(PACKAGE, name)));
  const inputs = [...new Set([...modules, ...BUILDER, ...lockfiles])];
  // Without it, Node would parse each file of the bundle once more to find out that it is a module.
  const scope = { path: path.join(folder, "package.json"), contents: JSON.stringify({ type: "module" }) };
  const outputs = [...Object.keys(metafile.outputs), path.relative(PACKAGE, scope.path)];
  return { folder, inputs, outputs, files: [...outputFiles, scope], states };
}

/**
 * Adds snapshots to the current bundle: of the memory of processes that are ready for their first document
 * (docs/adr/0163). Where there is none, a process gets ready by itself. Making them takes longer than making the bundle,
 * so this is for those who start programs again and again. It is tried once.
 *
 * @param {string} bundles
 */
export async function addSnapshots(bundles = BUNDLES) {
  const folder = findBundle(bundles);
  if (folder === undefined || !wantsSnapshots(folder) || !hasBuilder()) return;
  // Of several processes, one gets the folder made.
  const cache = snapshotsIn(folder);
  if (
    !(await mkdir(cache).then(
      () => true,
      () => false,
    ))
  )
    return;
  try {
    const esbuild = await import("esbuild");
    const { prepareGrammars } = await import(`../checker/engines/grammar-store${MODULE_EXTENSION}`);
    // The grammar of HTML, which the processes then have in memory.
    await prepareGrammars(cache);
    const made = SNAPSHOTS.map((name) => {
      const module = path.join(MODULES, `${name}${MODULE_EXTENSION}`);
      return snapshot(esbuild, { module, folder, started: path.join(folder, `${name}.js`) }, cache);
    });
    // Otherwise they may be of sources that were edited meanwhile.
    for (const { draft, file } of await Promise.all(made))
      if (findBundle(bundles) === folder) await rename(draft, file);
  } catch {
    // Programs run without.
  }
}

/**
 * Makes a snapshot of a module's process, from which only this version of Node can start (checker/processes/snapshot.ts).
 *
 * @param {typeof import("esbuild")} esbuild
 * @param {object} files
 * @param {string} files.module
 * @param {string} files.folder of its bundle
 * @param {string} files.started what the process is started with where there is no snapshot
 * @param {string[]} args of the process
 * @returns {Promise<{ draft: string, file: string }>} where it is, and where it is used
 * @throws if the module cannot be built, or has what a snapshot cannot hold, such as an open file or a TextDecoder
 */
export async function snapshot(esbuild, { module, folder, started }, ...args) {
  const script = `${started}.cjs`;
  const file = `${started}.${process.version}-${process.platform}-${process.arch}.snapshot`;
  const draft = `${file}.draft`;
  // A snapshot is made of one script.
  await esbuild.build({
    ...common(folder),
    ...{ entryPoints: [module], outfile: script, format: "cjs" },
    plugins: [builtins, data, readSources(new Map())],
  });
  await run(process.execPath, ["--snapshot-blob", draft, "--build-snapshot", script, ...args], { env: {} });
  await rm(script);
  const written = await open(draft);
  await written.sync();
  await written.close();
  return { draft, file };
}

/**
 * The entry points of processes: a program, and before it the module that makes stack traces name the sources.
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
 * Loads Node's own modules without the facades that `import` needs. Making a facade reads all exports and so loads
 * unused code, such as all of fetch and WebSocket with node:http.
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
 * Drops winston's messages about itself: the development version of that code loads a library of colours, which takes
 * 15 ms per process.
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
 * Reads data with JSON.parse, which is faster than having V8 parse the same data as code.
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
 * Reads modules, and records the state in which each of ours was read.
 *
 * @param {Map<string, string>} states
 * @returns {import("esbuild").Plugin}
 */
function readSources(states) {
  return {
    name: "sources",
    setup(build) {
      build.onLoad({ filter: /\.m?[jt]s$/ }, async ({ path: file }) => {
        const loader = file.endsWith(".ts") ? "ts" : "js";
        if (!OURS.some((folder) => file.startsWith(folder)))
          return { contents: placed(await readFile(file, "utf8"), file), loader };
        const { source, state } = await readSettled(file);
        states.set(path.relative(PACKAGE, file), state);
        return { contents: placed(source, file), loader };
      });
    },
  };
}

/**
 * Makes a module that finds files relative to itself use the source's path. What a package requires by that path
 * becomes part of the bundle.
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
 * A file's text, and its state at that time. Waits if the file was written just now: it might be written again without
 * a change of its times.
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
 * Writes the bundle, then marks it as the current one, so that nobody uses an incomplete one.
 *
 * @param {Awaited<ReturnType<typeof bundle>>} made
 * @param {string} bundles
 */
async function write(made, bundles) {
  await writeFiles(made);
  const { folder, inputs, outputs, states } = made;
  const state = stateOf(inputs, outputs, (name) => states.get(name) ?? fileState(name));
  /** @type {import("./find.js").Manifest} */
  const manifest = { modules: MODULES, folder, inputs, outputs, state };
  const draft = `${folder}.json`;
  await writeFile(draft, JSON.stringify(manifest), { flush: true });
  await rename(draft, path.join(bundles, "current.json"));
}

/** @param {Awaited<ReturnType<typeof bundle>>} made */
async function writeFiles({ files }) {
  for (const { path: file, contents } of files) {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, contents, { flush: true });
  }
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
  const [folder] = process.argv.slice(2);
  if (folder !== undefined) await buildFixedBundle(path.resolve(folder));
  else {
    // The build runs while people wait for another program.
    setPriority(constants.priority.PRIORITY_LOW);
    if (findBundle()) await addSnapshots();
    else await buildBundle();
  }
}
