import { spawn, spawnSync } from "node:child_process";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rm, statfs, writeFile } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { addSnapshots, buildBundle } from "../src/bundle/build.js";
import { processExists } from "../src/files/process-exists.ts";
import { filesOf, RUNS } from "./runs.ts";
import { serverVariable, startTestServer, type TestServer } from "./support/database.ts";
import { readTimes, timesTable } from "./support/times.ts";

/**
 * `npm test`, and the longer runs of runs.ts: `node test/index.ts [RUN...] [OPTION...]`. mocha hands the next file to a process
 * that has finished one. There are more processes than cores, because most tests wait: for browsers, leases and deadlines. Each
 * has a PostgreSQL server of its own. Options are passed on to mocha.
 */
const MOCHA = fileURLToPath(import.meta.resolve("mocha/bin/mocha.js"));
/** What must be free in memory for files to be there. The tests' databases are hundreds of folders with 600 files each. */
const ROOM_BYTES = 6e9;
const ROOM = "/dev/shm/sv-test-";
const jobs = Number(process.env.TEST_JOBS) || availableParallelism() + 2;
const runs = process.argv.slice(2).filter((argument) => RUNS.includes(argument));
const options = process.argv.slice(2).filter((argument) => !RUNS.includes(argument));
if (runs.length === 0) runs.push("short");
const files = runs.flatMap(filesOf);

const room = await openRoom();
if (room !== undefined) process.env.TMPDIR = room;
const servers: TestServer[] = [];
try {
  process.exitCode = await run();
} finally {
  for (const server of servers) await server.stop();
  if (room !== undefined) await rm(room, { recursive: true, force: true, maxRetries: 10 });
}

/** @returns mocha's exit code */
async function run(): Promise<number> {
  // For the many programs that tests start. If it cannot be made, they run from the sources.
  const bundle = await buildBundle().catch((error: Error) => {
    console.warn(`The programs run without a bundle: ${error.message}`);
  });
  await addSnapshots();
  for (let worker = 0; worker < jobs; worker += 1) servers.push(await startTestServer({ autovacuum: false }));
  const results = await mkdtemp(path.join(tmpdir(), "sv-test-times-"));
  const mocha = spawn(
    process.execPath,
    [MOCHA, "--parallel", "--jobs", `${jobs}`, ...files]
      .concat(process.stdout.isTTY ? ["--color"] : [])
      .concat(options),
    {
      stdio: ["ignore", "inherit", "inherit"],
      env: {
        ...process.env,
        ...Object.fromEntries(servers.map(({ url }, worker) => [serverVariable(worker), url])),
        ...(bundle && { TEST_BUNDLE: bundle }),
        TEST_JOBS: `${jobs}`,
        // Limits are those of a file that has the machine to itself.
        TEST_PATIENCE: process.env.TEST_PATIENCE ?? `${jobs}`,
        TEST_TIMES: results,
      },
    },
  );
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => mocha.kill(signal));
  const code = await new Promise<number>((resolve, reject) =>
    mocha.once("error", reject).once("close", (code) => resolve(code ?? 1)),
  );
  const times = readTimes(
    globSync("*", { cwd: results }).map((name) => readFileSync(path.join(results, name), "utf8")),
  );
  await rm(results, { recursive: true });
  await mkdir("build", { recursive: true });
  writeFileSync("build/test-times.txt", timesTable(times));
  console.log(`The ten files that took longest (all are in build/test-times.txt):\n${timesTable(times.slice(0, 10))}`);
  if (runs.join() === "short")
    console.log("These were not all tests: npm run test:all has those that take longer (docs/tests.md).");
  return code;
}

/**
 * A temporary folder in memory, where Linux has one with room in which programs may run, with the rights of /tmp;
 * undefined elsewhere. Those of runs that were killed are removed.
 */
async function openRoom(): Promise<string | undefined> {
  try {
    for (const left of globSync(`${ROOM}[0-9]*`))
      if (!processExists(Number(left.slice(ROOM.length)))) await rm(left, { recursive: true, force: true });
    const { bavail, bsize } = await statfs("/dev/shm");
    if (bavail * bsize < ROOM_BYTES) return undefined;
    const folder = `${ROOM}${process.pid}`;
    await mkdir(folder);
    await chmod(folder, 0o1777);
    const program = path.join(folder, "program");
    await writeFile(program, "#!/bin/sh\n", { mode: 0o700 });
    if (spawnSync(program).status === 0) return folder;
    await rm(folder, { recursive: true });
    return undefined;
  } catch {
    return undefined;
  }
}
