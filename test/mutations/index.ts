import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { table } from "../../src/cli/table.ts";
import { allMutations, type Choice, inTurns } from "./choose.ts";
import { copyTree } from "./copy.ts";
import { nearestTests, roomOf } from "./imports.ts";
import { clean, tryTests, type Verdict } from "./try-tests.ts";

/**
 * Changes one operator, condition or constant of the sources at a time, as many in each room, and runs the tests that
 * are nearest to it by imports: changes that none of them notices show what is not tested. mutate.ts says what is left
 * alone, imports.ts which tests there are. Works on a copy of the checkout in the folder for temporary files.
 *
 *     npm run mutations -- [--mutations 300] [--seed 1] [--skip 0] [--tests 10] [--seconds 45] [--only src/controller]
 *                          [--tree FOLDER] [--also FOLDER] [--json build/mutations.json]
 *
 * `--tree` tries another checkout with the packages that it needs. With `--also`, only lines are changed that both have:
 * two versions of the project are compared by the same mutations, in the same order. `--skip` leaves out the first ones, which
 * an earlier run has tried.
 */
const { values } = parseArgs({
  options: {
    mutations: { type: "string", default: "300" },
    seed: { type: "string", default: "1" },
    skip: { type: "string", default: "0" },
    tests: { type: "string", default: "10" },
    seconds: { type: "string", default: "45" },
    only: { type: "string", default: "" },
    tree: { type: "string", default: "." },
    also: { type: "string" },
    json: { type: "string", default: "build/mutations.json" },
  },
});
const seconds = Number(values.seconds);

type Outcome = "found" | "hangs" | "survived" | "no test";
type Tried = {
  file: string;
  line: number;
  what: string;
  outcome: Outcome;
  /** The test's file, its title, and what it says. */
  by: string;
  title: string;
  message: string;
  seconds: number;
};

let all = allMutations(values.tree, values.only);
if (values.also !== undefined) {
  const others = new Set(allMutations(values.also, values.only).map(({ key }) => key));
  all = all.filter(({ key }) => others.has(key));
}
const chosen = inTurns(all, Number(values.seed)).slice(Number(values.skip), Number(values.mutations));
const copy = copyTree(values.tree);
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, async () => {
    await clean(copy);
    rmSync(copy.folder, { recursive: true, force: true });
    report();
    process.exit(1);
  });

const tried: Tried[] = [];
try {
  const testsOf = nearestTests(copy.tree);
  for (const choice of chosen) {
    tried.push(await tryMutation(choice, testsOf(choice.file).slice(0, Number(values.tests))));
    write();
  }
  await confirm();
} finally {
  rmSync(copy.folder, { recursive: true, force: true });
}
report();

async function tryMutation({ file, mutation }: Choice, tests: readonly string[]): Promise<Tried> {
  const at = path.join(copy.tree, file);
  const source = readFileSync(at, "utf8");
  const start = performance.now();
  let verdict: Verdict | undefined;
  if (tests.length > 0) {
    writeFileSync(at, source.slice(0, mutation.start) + mutation.replacement + source.slice(mutation.end));
    verdict = await tryTests(copy, tests, { seconds });
    writeFileSync(at, source);
  }
  const took = Math.round((performance.now() - start) / 1000);
  const one = {
    file,
    line: mutation.line,
    what: mutation.what.replaceAll(/\s+/g, " "),
    ...read(verdict),
    seconds: took,
  };
  console.log(`${one.outcome} (${took} s): ${file}:${one.line}: ${one.what}   ${one.by} ${one.title} ${one.message}`);
  return one;
}

function read(verdict: Verdict | undefined): Pick<Tried, "outcome" | "by" | "title" | "message"> {
  const none = { by: "", title: "", message: "" };
  if (verdict === undefined) return { outcome: "no test", ...none };
  if ("hangs" in verdict) return { outcome: "hangs", ...none };
  if ("failed" in verdict)
    return { outcome: "found", by: verdict.failed, title: verdict.title, message: verdict.message };
  return { outcome: "survived", ...none, message: verdict.outOfTime ? "Not all tests have run in this time." : "" };
}

/** Runs the tests that found something without a change: one that fails then has found nothing. */
async function confirm(): Promise<void> {
  const found = tried.filter(({ outcome, title }) => outcome === "found" && title !== "");
  for (const [file, ofFile] of Map.groupBy(found, ({ by }) => by)) {
    const titles = new Set(ofFile.map(({ title }) => title));
    // A hook runs with the tests that it is for.
    const only = [...titles].some((title) => / hook /.test(title)) ? [] : [...titles];
    const verdict = await tryTests(copy, [file], { seconds: 10 * seconds, only });
    if ("passed" in verdict) continue;
    console.log(`Without a change, ${file} does not pass either: ${JSON.stringify(verdict)}`);
    for (const one of ofFile)
      if (!("title" in verdict) || one.title === verdict.title) Object.assign(one, { outcome: "survived" });
  }
}

function report(): void {
  write();
  const outcomes: readonly Outcome[] = ["found", "hangs", "survived", "no test"];
  const rooms = [...Map.groupBy(tried, ({ file }) => roomOf(file))].sort();
  console.log(
    table(
      ["room", ...outcomes],
      [...rooms, ["all", tried] as const].map(([room, of]) => ({
        cells: [room, ...outcomes.map((outcome) => String(of.filter((one) => one.outcome === outcome).length))],
        details: [],
      })),
      { right: [1, 2, 3] },
    ),
  );
}

function write(): void {
  mkdirSync(path.dirname(values.json), { recursive: true });
  writeFileSync(values.json, JSON.stringify(tried, null, 2));
}
