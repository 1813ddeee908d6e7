import { spawn } from "node:child_process";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rm, statfs } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { buildBundle } from "../src/bundle/build.js";
import { serverVariable, startTestServer } from "./support/database.ts";
import { readTimes, timesTable } from "./support/times.ts";

/**
 * `npm test`: all tests but those that only CI needs to run. mocha hands the next file to a process that has finished one.
 * There are more processes than cores, because most tests wait: for browsers, leases and deadlines. Each has a PostgreSQL
 * server of its own. Arguments are passed on to mocha.
 */
const MOCHA = fileURLToPath(import.meta.resolve("mocha/bin/mocha.js"));
/** What must be free in memory for files to be there. The tests' databases are hundreds of folders with 600 files each. */
const ROOM_BYTES = 6e9;
const jobs = Number(process.env.TEST_JOBS) || availableParallelism() + 1;
/** Slow files first: a long one that starts last would run alone. */
const FILES = [
  "test/integration/programs/*.test.ts",
  "test/integration/{web,checker,cli}/*.test.ts",
  "test/attacks/*.test.ts",
  "test/integration/**/*.test.ts",
  "packages/html-conformance/test/smoke/*.test.ts",
  "test/unit/**/*.test.ts",
];
const files = [...new Set(FILES.flatMap((pattern) => globSync(pattern).sort()))];

const room = await openRoom();
if (room !== undefined) process.env.TMPDIR = room;

// For the many programs that tests start. If it cannot be made, they run from the sources.
await buildBundle().catch((error: Error) => console.warn(`The programs run without a bundle: ${error.message}`));

const servers = await Promise.all(Array.from({ length: jobs }, startTestServer));
const results = await mkdtemp(path.join(tmpdir(), "sv-test-times-"));
const mocha = spawn(
  process.execPath,
  [MOCHA, "--parallel", "--jobs", `${jobs}`, ...files]
    .concat(process.stdout.isTTY ? ["--color"] : [])
    .concat(process.argv.slice(2)),
  {
    stdio: ["ignore", "inherit", "inherit"],
    env: {
      ...process.env,
      ...Object.fromEntries(servers.map(({ url }, worker) => [serverVariable(worker), url])),
      TEST_JOBS: `${jobs}`,
      // Limits are those of a file that has the machine to itself.
      TEST_PATIENCE: process.env.TEST_PATIENCE ?? `${jobs}`,
      TEST_TIMES: results,
    },
  },
);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => mocha.kill(signal));
process.exitCode = await new Promise<number>((resolve) => mocha.once("close", (code) => resolve(code ?? 1)));
await Promise.all(servers.map((server) => server.stop()));

const times = readTimes(globSync("*", { cwd: results }).map((name) => readFileSync(path.join(results, name), "utf8")));
await rm(room ?? results, { recursive: true, force: true, maxRetries: 10 });
await mkdir("build", { recursive: true });
writeFileSync("build/test-times.txt", timesTable(times));
console.log(`The ten files that took longest (all are in build/test-times.txt):\n${timesTable(times.slice(0, 10))}`);
console.log(`Not run here, but by CI:
  npm run test:artifacts                     the bundle, the packed package, the process of the Nu Html Checker
  npm run test:documentation                 with npm run verify
  npm test --workspace html-conformance      all of the HTML engine's tests, where it has changed; a smoke of them has run`);

/** A temporary folder in memory, where Linux has one with room, with the rights of /tmp; undefined elsewhere. */
async function openRoom(): Promise<string | undefined> {
  try {
    const { bavail, bsize } = await statfs("/dev/shm");
    if (bavail * bsize < ROOM_BYTES) return undefined;
    const folder = await mkdtemp("/dev/shm/sv-test-");
    await chmod(folder, 0o1777);
    return folder;
  } catch {
    return undefined;
  }
}
