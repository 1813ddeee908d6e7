import { execFileSync, spawn, spawnSync } from "node:child_process";
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { limitOf, obstacle, order } from "./plan.js";
import { steps } from "./steps.js";

/**
 * Runs the steps of steps.js as plan.js says (.ci/run). Ends with 1 as soon as one fails or hangs.
 *
 * @import { Planned, Ran, Step } from "./plan.js"
 */
const root = path.join(import.meta.dirname, "..");
process.chdir(root);
/** Written by the tests' reporter. */
const failed = path.join("build", "failed-tests.txt");
rmSync(failed, { force: true });
const all = process.argv.includes("--all");
const begin = performance.now();
const minute = () => (performance.now() - begin) / 60_000;

// A machine that nobody knows, and that may do other things: limits of tests are four times as long (test/support/wait.ts).
process.env.TEST_PATIENCE ??= "4";
// All steps on a cluster use the same one.
const keepsCluster = process.env.E2E_KEEP !== undefined;
process.env.E2E_KEEP = "1";
let usesCluster = false;

const { lacking, provider } = capabilities();
const building = provider === "native" ? buildCluster() : undefined;
const lines = (/** @type {string} */ text) => text.split("\n").filter(Boolean);
const plan = order(steps, {
  changed: lines(execFileSync(".ci/changed", { encoding: "utf8" })),
  files: lines(execFileSync("git", ["ls-files"], { encoding: "utf8" })),
  day: new Date().toISOString().slice(0, 10),
  all,
});

/** @type {Ran[]} */
const ran = [];
/** @type {string[]} what became of each step, for the last lines */
const told = [];
try {
  for (const [index, planned] of plan.entries()) {
    const { step, reason } = planned;
    const why = obstacle(planned, { minute: minute(), ran, lacking });
    if (why !== undefined) {
      told.push(row("not run", step, why));
      continue;
    }
    const start = minute();
    const onCluster = step.needs?.includes("cluster") ?? false;
    usesCluster ||= onCluster;
    const notThere = onCluster ? await building?.ready : undefined;
    const limit = limitOf(planned, { minute: minute(), ran });
    const { failure, cut } = notThere === undefined ? await run(step, limit) : { failure: notThere };
    const minutes = minute() - start;
    const outcome = failure !== undefined ? "FAILED" : cut !== undefined ? "cut off" : "passed";
    told.push(row(outcome, step, failure ?? cut ?? reason, minutes));
    if (failure !== undefined) {
      for (const { step: later } of plan.slice(index + 1)) told.push(row("not run", later, `"${step.name}" failed`));
      process.exitCode = 1;
      break;
    }
    ran.push({ name: step.name, minutes, expected: step.minutes });
  }
} finally {
  building?.stop();
  if (usesCluster && !keepsCluster) spawnSync("test/cluster/cluster.sh", ["down"], { stdio: "inherit" });
}
// Last, because some keep only the end of what this prints.
const failures = process.exitCode === 1 && existsSync(failed) ? `\n\n${readFileSync(failed, "utf8")}` : "";
console.log(`\n=== ${minute().toFixed(1)} minutes\n${told.join("\n")}${failures}`);

/**
 * @param {string} outcome
 * @param {Step} step
 * @param {string} why
 * @param {number} [minutes]
 */
function row(outcome, { name }, why, minutes) {
  return `${outcome.padEnd(8)} ${minutes === undefined ? "".padStart(9) : `${minutes.toFixed(1).padStart(5)} min`}  ${name.padEnd(24)} ${why}`;
}

/**
 * @param {Step} step
 * @param {ReturnType<typeof limitOf>} limit
 * @returns {Promise<{failure?: string, cut?: string}>} why it failed, or was not waited for
 */
async function run({ name, command }, { minutes, why, isFailure }) {
  console.log(`\n=== ${name}: ${command}`);
  // A group of its own, so that nothing of a step that hangs is left.
  const child = spawn("sh", ["-c", command], { stdio: ["ignore", "inherit", "inherit"], detached: true });
  let isLate = false;
  const end = (/** @type {NodeJS.Signals} */ signal) => process.kill(-(child.pid ?? 0), signal);
  const late = setTimeout(() => {
    isLate = true;
    end("SIGTERM");
    setTimeout(end, 60_000, "SIGKILL").unref();
  }, minutes * 60_000);
  const forward = (/** @type {NodeJS.Signals} */ signal) => end(signal);
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM"])) process.once(signal, forward);
  const code = await new Promise((resolve, reject) => child.once("error", reject).once("close", resolve));
  for (const signal of ["SIGINT", "SIGTERM"]) process.off(signal, forward);
  clearTimeout(late);
  if (isLate) return isFailure ? { failure: why } : { cut: why };
  return code === 0 ? {} : { failure: `exit code ${code}` };
}

/** What steps may need that a machine may lack. */
function capabilities() {
  const said = (/** @type {string} */ command, /** @type {string[]} */ args) =>
    spawnSync(command, args, { encoding: "utf8" });
  const cluster = said("test/cluster/cluster.sh", ["provider"]);
  const java = said(path.join(process.env.JAVA_HOME ?? "", process.env.JAVA_HOME ? "bin/java" : "java"), ["-version"]);
  const found = {
    chart: said("test/chart/check.sh", ["--missing"]).status === 0,
    cluster: cluster.status === 0,
    java: Number(/version "(\d+)/.exec(java.stderr)?.[1] ?? 0) >= 17,
    python: said("python3", ["-c", "import venv, ensurepip"]).status === 0,
  };
  const lacking = Object.entries(found).flatMap(([name, isThere]) => (isThere ? [] : [name]));
  return { lacking, provider: cluster.stdout?.trim() };
}

/**
 * Builds the cluster's programs beside the first steps: from Go modules, which takes longest of all the first time. The build
 * has the lowest priority.
 */
function buildCluster() {
  const folder = mkdtempSync(path.join(tmpdir(), "ci-"));
  const file = path.join(folder, "log");
  const log = openSync(file, "w");
  const child = spawn("nice", ["-n", "19", "test/cluster/native/install.sh"], {
    stdio: ["ignore", log, log],
    detached: true,
  });
  closeSync(log);
  let isStopped = false;
  const ready = new Promise((resolve, reject) => child.once("error", reject).once("close", resolve)).then((code) => {
    if (isStopped) return "the run ended before";
    const text = readFileSync(file, "utf8");
    for (const line of text.split("\n")) if (line.startsWith("native-cluster:")) console.log(line);
    if (code === 0) console.log(`=== The cluster's programs are there after ${minute().toFixed(1)} min`);
    return code === 0
      ? undefined
      : `test/cluster/native/install.sh failed:\n${text.split("\n").slice(-100).join("\n")}`;
  });
  return {
    /** Why there is none; undefined if there is one. */
    ready,
    stop() {
      isStopped = true;
      if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid ?? 0));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
