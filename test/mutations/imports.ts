import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseSync } from "oxc-parser";

/** Those that need a cluster, or the bundle and the tarball that programs are made into (copy.ts), are left out. */
const TESTS = ["test/{unit,documentation,integration,attacks,pages}/**/*.test.ts", "packages/*/test/**/*.test.ts"];
const LEFT_OUT = "packages/*/test/packed.test.ts";
/** The slowest last; all others are of one unit. */
const SLOW = ["/integration/", "/attacks/", "/pages/"];

/** What starts a program by its path imports it, so to speak. */
const ENTRY = "src/main/index.ts";
const STARTS_ENTRY = /"(?:bin\/run\.js|src\/main\/index\.ts)"|"bin", "run\.js"/;
/** Modules that are started in a process or thread of their own. */
const STARTED = /(?:moduleFile|new URL)\(\s*"(\.[^"]+)"/g;

/**
 * @returns a function which gives the tests that import a file, directly or not, or that start a program which does: the
 *   nearest first, and of those equally near the ones in a folder of the file's room, and those of one unit.
 */
export function nearestTests(root: string): (file: string) => string[] {
  const importedBy = readImports(root);
  const tests = new Set(globSync(TESTS, { cwd: root, exclude: [LEFT_OUT] }));
  return (file) => {
    const distance = new Map([[file, 0]]);
    for (const [next, steps] of distance)
      for (const by of importedBy.get(next) ?? []) if (!distance.has(by)) distance.set(by, steps + 1);
    const room = `/${roomOf(file).split("/").at(-1)}/`;
    const rank = (test: string) =>
      (distance.get(test) ?? 0) * 6 + (test.includes(room) ? 0 : 3) + SLOW.findIndex((name) => test.includes(name));
    return [...distance.keys()].filter((one) => tests.has(one)).sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  };
}

/** The top folder that a source is in. */
export const roomOf = (file: string): string => file.split("/").slice(0, 2).join("/");

/** @returns for each file those that import it */
function readImports(root: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const file of globSync("{src,test,packages/*/{src,test,comparison}}/**/*.ts", { cwd: root })) {
    const source = readFileSync(path.join(root, file), "utf8");
    const imported = importsOf(file, source).map((name) => resolve(root, file, name));
    const started = [...source.matchAll(STARTED)].map(([, name = ""]) => resolve(root, file, name));
    if (file.startsWith("test/") && STARTS_ENTRY.test(source)) started.push(ENTRY);
    for (const name of new Set([...imported, ...started])) found.set(name, [...(found.get(name) ?? []), file]);
  }
  return found;
}

/** @returns the path from `root` of what a file calls `name` */
function resolve(root: string, file: string, name: string): string {
  if (!name.startsWith(".")) {
    const [folder = "", ...rest] = name.split("/");
    const text = readFileSync(path.join(root, "packages", folder, "package.json"), "utf8");
    const { exports } = JSON.parse(text) as { exports: Record<string, string> };
    return path.join("packages", folder, exports[[".", ...rest].join("/")] ?? "");
  }
  const found = path.join(path.dirname(file), name);
  return path.extname(found) === "" ? `${found}.ts` : found;
}

/** The files that a source imports, and our packages, as they are named; types are left out. */
export function importsOf(file: string, source: string): string[] {
  const { module } = parseSync(file, source);
  const dynamic = module.dynamicImports.map(({ moduleRequest: { start, end } }) => source.slice(start + 1, end - 1));
  const named = module.staticImports
    .filter(({ entries }) => entries.length === 0 || entries.some(({ isType }) => !isType))
    .map(({ moduleRequest }) => moduleRequest.value);
  const exported = module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ moduleRequest, isType }) => (moduleRequest && !isType ? [moduleRequest.value] : [])),
  );
  return [...named, ...exported, ...dynamic].filter((name) => /^(\.|html-conformance(\/|$))/.test(name));
}
