import { parseArgs } from "node:util";
import { table } from "../../src/cli/table.ts";
import { faults } from "./faults.ts";
import { planFaults } from "./plan.ts";
import { type FaultyRun, runUndisturbed, runWithFaults } from "./run.ts";
import { serveFaultySite } from "./site.ts";
import { noDisk } from "./world.ts";

/**
 * Runs the service as real processes on a real PostgreSQL, makes faults at seeded times, and compares what a
 * report found and cost with an undisturbed run. Ends with 1 when one differs, hangs or leaves processes behind.
 *
 *     npm run test:faults -- [--seeds 20] [--first 1] [--fault TEXT] [--at-once 4]
 *     npm run test:faults -- --seeds 1 --first 7          one seed again
 */
const { values } = parseArgs({
  options: {
    seeds: { type: "string" },
    first: { type: "string", default: "0" },
    fault: { type: "string", default: "" },
    "at-once": { type: "string", default: "4" },
  },
});

/** The part of runs in which a fault may come too late. */
const MAX_MISSED = 0.2;

const disk = noDisk();
const possible = faults
  .filter((fault) => fault.name.includes(values.fault))
  .filter((fault) => disk === undefined || !fault.disk);
if (disk !== undefined) console.log(`Not tried: a full disk, since ${disk}.`);
const first = Number(values.first);
const count = Number(values.seeds ?? possible.length);

const site = await serveFaultySite();
const undisturbed = await runUndisturbed(site.url);
console.log(`The undisturbed run: ${undisturbed.work} steps in ${undisturbed.seconds.toFixed(1)} s.`);
for (const [part, rows] of Object.entries(undisturbed.outcome)) console.log(`  ${part}: ${rows.length}`);

const runs: FaultyRun[] = [];
let next = first;
async function work(): Promise<void> {
  while (next < first + count) {
    const seed = next++;
    const run = await runWithFaults(site.url, planFaults(seed, possible), undisturbed);
    runs.push(run);
    console.error(`seed ${seed}: ${verdict(run)} after ${run.seconds.toFixed(0)} s (${runs.length} of ${count})`);
  }
}
await Promise.all(Array.from({ length: Number(values["at-once"]) }, work));
await site.close();

runs.sort((a, b) => a.plan.seed - b.plan.seed);
console.log(
  table(
    ["seed", "seconds", "restarts", "ends", "faults"],
    runs.map((run) => ({
      cells: [
        String(run.plan.seed),
        run.seconds.toFixed(0),
        String(run.restarts),
        verdict(run),
        run.plan.faults.map(({ fault, at }) => `${fault.name} at ${Math.round(at * 100)} %`).join(", then "),
      ],
      details: run.wrong,
    })),
    { right: [0, 1, 2] },
  ),
);
const wrong = runs.filter((run) => run.wrong.length > 0);
const missed = runs.filter((run) => run.missed.length > 0);
console.log(`${runs.length - wrong.length} of ${runs.length} runs ended as the undisturbed one.`);
if (missed.length > 0) console.log(`In ${missed.length} of them a fault came too late to hit anything.`);
// A few do. Many of them: the processes have other command lines than world.ts looks for, and nothing was tried.
const blind = missed.length > MAX_MISSED * runs.length + 1;
if (blind) console.error("Too many faults hit nothing: see how test/faults/world.ts finds the processes.");
// A run that hung waits still.
process.exit(wrong.length > 0 || blind ? 1 : 0);

function verdict({ wrong, missed }: FaultyRun): string {
  if (wrong.length > 0) return "WRONG";
  return missed.length > 0 ? "equal, a fault missed" : "equal";
}
