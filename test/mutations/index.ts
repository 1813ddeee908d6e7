import { spawn } from "node:child_process";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { createRandom } from "../../packages/html-conformance/comparison/generator/random.ts";
import { table } from "../../src/cli/table.ts";
import { importsOf, type Mutation, mutationsOf } from "./mutate.ts";

/**
 * Changes one operator, condition or constant of the sources at a time, as many in each room as it has lines, and runs
 * the tests that are nearest to it by imports: those that notice nothing show what is not tested. It changes files of
 * the checkout that it runs in, and changes them back: run it in a clone.
 *
 *     npm run mutations -- [--mutations 300] [--seed 1] [--tests 8] [--only src/controller]
 */
const { values } = parseArgs({
  options: {
    mutations: { type: "string", default: "300" },
    seed: { type: "string", default: "1" },
    tests: { type: "string", default: "8" },
    only: { type: "string", default: "src" },
  },
});
/** A mutation may make a loop endless. */
const MAX_MINUTES = 5;

type Outcome = "found" | "not found" | "no test imports it";
type Tried = { file: string; mutation: Mutation; outcome: Outcome };

const sources = globSync(`${values.only}/**/*.ts`).filter((file) => !file.endsWith(".d.ts"));
const tests = globSync("test/{unit,integration,attacks,artifacts,documentation}/**/*.test.ts");
const importedBy = readImports([...globSync("{src,test}/**/*.ts")]);

const all = sources.flatMap((file) => {
  const source = readFileSync(file, "utf8");
  return mutationsOf(file, source).map((mutation) => ({ file, source, mutation }));
});
const random = createRandom(Number(values.seed));
const tried: Tried[] = [];
let original: { file: string; source: string } | undefined;
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => {
    if (original) writeFileSync(original.file, original.source);
    process.exit(1);
  });

for (let number = Number(values.mutations); number > 0 && all.length > 0; number -= 1) {
  const [chosen] = all.splice(random.below(all.length), 1);
  if (!chosen) break;
  const { file, source, mutation } = chosen;
  const nearest = testsOf(file).slice(0, Number(values.tests));
  let outcome: Outcome = "no test imports it";
  if (nearest.length > 0) {
    original = { file, source };
    writeFileSync(file, source.slice(0, mutation.start) + mutation.replacement + source.slice(mutation.end));
    try {
      outcome = (await passes(nearest)) ? "not found" : "found";
    } finally {
      writeFileSync(file, source);
      original = undefined;
    }
  }
  tried.push({ file, mutation, outcome });
  console.log(`${outcome}: ${file}:${mutation.line}: ${mutation.what.replaceAll(/\s+/g, " ")}`);
}

const rooms = [...Map.groupBy(tried, ({ file }) => file.split("/").slice(0, 2).join("/"))].sort();
const count = (of: readonly Tried[], outcome: Outcome) => of.filter((one) => one.outcome === outcome).length;
const outcomes: readonly Outcome[] = ["found", "not found", "no test imports it"];
console.log(
  table(
    ["room", ...outcomes],
    [...rooms, ["all", tried] as const].map(([room, of]) => ({
      cells: [room, ...outcomes.map((outcome) => String(count(of, outcome)))],
      details: [],
    })),
    { right: [1, 2, 3] },
  ),
);

/** @returns for each file those that import it */
function readImports(files: readonly string[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const file of files)
    for (const name of importsOf(file, readFileSync(file, "utf8"))) {
      const imported = path.join(path.dirname(file), name);
      found.set(imported, [...(found.get(imported) ?? []), file]);
    }
  return found;
}

/** The tests that import a file, directly or not: the nearest first. */
function testsOf(file: string): string[] {
  const seen = new Set([file]);
  for (const next of seen) for (const by of importedBy.get(next) ?? []) seen.add(by);
  return [...seen].filter((one) => tests.includes(one));
}

/** Whether tests pass: those of a program that hangs do not. */
async function passes(files: readonly string[]): Promise<boolean> {
  const child = spawn("mocha", ["--bail", ...files], { stdio: "ignore", detached: true });
  const timer = setTimeout(() => process.kill(-(child.pid ?? 0), "SIGKILL"), MAX_MINUTES * 60_000);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  clearTimeout(timer);
  return code === 0;
}
