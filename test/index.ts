import { spawn } from "node:child_process";
import { PassThrough, type Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { buildBundle } from "../src/bundle/build.js";

/**
 * `npm test`: all tests, in two processes side by side, because most of them wait: for browsers, leases and deadlines.
 * Each process has a PostgreSQL server of its own. What the second one prints comes after what the first one prints.
 * Arguments are passed on to mocha.
 */
const MOCHA = fileURLToPath(import.meta.resolve("mocha/bin/mocha.js"));
/** Takes as long as everything else does. */
const SECOND = "test/integration/{api,cli,controller,database,programs}/**/*.test.ts";
const ALL = [
  "test/unit/**/*.test.ts",
  "test/integration/**/*.test.ts",
  "test/attacks/**/*.test.ts",
  "packages/html-conformance/test/smoke/*.test.ts",
];

// For the many programs that tests start. If it cannot be made, they run from the sources.
await buildBundle().catch((error: Error) => console.warn(`The programs run without a bundle: ${error.message}`));

const given = [...(process.stdout.isTTY ? ["--color"] : []), ...process.argv.slice(2)];
const groups = [start([...ALL, "--ignore", SECOND]), start([SECOND])];
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.on(signal, () => {
    for (const { child } of groups) child.kill(signal);
  });

const totals = { passed: 0, failed: 0, skipped: 0 };
for (const { output, ended } of groups) {
  const closing = await print(output);
  if ((await ended) !== 0 || !closing) process.exitCode = 1;
  for (const name of ["passed", "failed", "skipped"] as const) totals[name] += Number(closing?.[name] ?? 0);
}
const skipped = totals.skipped > 0 ? `, ${totals.skipped} skipped` : "";
console.log(`\nAll tests: ${totals.passed} passed, ${totals.failed} failed${skipped}`);
console.log(
  "Of packages/html-conformance only a smoke has run. CI runs all of its tests when it has changed; " +
    "npm test --workspace html-conformance does it here.",
);

function start(files: string[]) {
  const child = spawn(process.execPath, [MOCHA, ...files, ...given], { stdio: ["ignore", "pipe", "pipe"] });
  // Read at once: a process whose pipe is full waits.
  const output = new PassThrough({ highWaterMark: Number.MAX_SAFE_INTEGER });
  for (const stream of [child.stdout, child.stderr]) stream.pipe(output, { end: false });
  const ended = new Promise<number | null>((resolve) =>
    child.once("close", (code) => {
      output.end();
      resolve(code);
    }),
  );
  return { child, output, ended };
}

/** @returns the numbers of the closing line (test/support/reporter.ts), if there is one */
async function print(output: Readable): Promise<Record<string, string> | undefined> {
  let tail = "";
  for await (const chunk of output) {
    process.stdout.write(chunk);
    tail = `${tail}${chunk}`.slice(-10_000);
  }
  return /^(?<passed>\d+) passed, (?<failed>\d+) failed(?:, (?<skipped>\d+) skipped)?$/m.exec(tail)?.groups;
}
