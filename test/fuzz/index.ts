import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { table } from "../../src/cli/table.ts";
import { errorText } from "../../src/domain/error-text.ts";
import { type Fuzzed, fuzz, tryOne } from "./fuzz.ts";
import { targets } from "./targets/index.ts";

/**
 * Looks for inputs that break what must hold, led by the code that they make run. Ends with 1 when it finds one.
 *
 *     npm run fuzz -- [--seconds 60] [--target NAME] [--seed 1] [--keep]    --keep writes what it found into the corpora
 *     npm run fuzz -- --target NAME --input FILE                           one input again
 */
const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    target: { type: "string" },
    seed: { type: "string", default: "1" },
    keep: { type: "boolean", default: false },
    input: { type: "string" },
    child: { type: "boolean", default: false },
  },
});
/** As many as there are cores on a small machine. */
const AT_ONCE = 2;
/** A target that says nothing for so long after its time hangs. */
const MAX_SILENCE_MS = 60_000;

const seconds = Number(values.seconds);
const chosen = targets.filter(({ name }) => values.target === undefined || name === values.target);
const [only] = chosen;
if (!only) {
  console.error(
    `There is no target "${values.target}"; there are ${targets.map(({ name }) => `"${name}"`).join(", ")}.`,
  );
  process.exit(2);
}

if (values.input !== undefined) {
  const error = await tryOne(only, readFileSync(values.input));
  if (error !== undefined) throw error;
  console.log("Nothing is wrong with it.");
} else if (values.child) {
  const { failure, ...counts } = await fuzz(only, { seconds, seed: Number(values.seed), keep: values.keep });
  const told = { ...counts, ...(failure && { failure: { error: errorText(failure.error), file: failure.file } }) };
  process.stdout.write(JSON.stringify(told));
} else await fuzzAll();

async function fuzzAll(): Promise<void> {
  const rows: { cells: string[]; details: string[] }[] = [];
  const queue = [...chosen];
  let failed = 0;
  const work = async (): Promise<void> => {
    for (let target = queue.shift(); target; target = queue.shift()) {
      const { inputs, covered, kept, failure } = await inProcess(target.name);
      if (failure) failed++;
      rows.push({
        cells: [target.name, String(inputs), String(covered), String(kept), failure ? "FAILED" : "holds"],
        details: failure ? [String(failure.error), failure.file] : [],
      });
      if (process.stderr.isTTY) process.stderr.write(`\r${rows.length} of ${chosen.length} targets\r\u001b[K`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  rows.sort((a, b) => (a.cells.join() < b.cells.join() ? -1 : 1));
  console.log(table(["target", "inputs", "characters run", "kept", ""], rows, { right: [1, 2, 3] }));
  process.exitCode = failed > 0 ? 1 : 0;
}

/** Each target has a process of its own: one may hang, and coverage counts everything in a process. */
async function inProcess(name: string): Promise<Fuzzed> {
  const args = ["--child", "--target", name, "--seconds", values.seconds, "--seed", values.seed];
  const child = spawn(process.execPath, [import.meta.filename, ...args, ...(values.keep ? ["--keep"] : [])], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => {
    text += chunk;
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), seconds * 1000 + MAX_SILENCE_MS);
  await once(child, "close");
  clearTimeout(timer);
  if (text !== "") return JSON.parse(text) as Fuzzed;
  const error = new Error("It did not end: an input keeps it busy for ever, or it ended by itself.");
  return { inputs: 0, covered: 0, kept: 0, failure: { error, file: "see last-batch in the temporary folder" } };
}
