import { execFileSync, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { processesWith } from "../support/run-program.ts";

/** A copy of the sources with its packages, and a folder for temporary files beside it. */
export type Copy = { folder: string; tree: string; temporary: string };

/** What tests said: the first one that failed, or that `hangs`; else whether all have run within the time. */
export type Verdict =
  | { failed: string; title: string; message: string }
  | { hangs: true }
  | { passed: true; outOfTime: boolean };

/** Longer than the longest silence of tests that pass on a busy machine. */
const HANGS_SECONDS = 60;
/** A test's limit, where it has none of its own: what would wait for minutes has failed. */
const TEST_SECONDS = 80;

/**
 * Runs tests in the copy until the first one fails. None is started after `seconds`: the one that runs then may end, and
 * hangs if it does not in another minute. Of `only` some, whose titles are given, the others are left out. Whatever they leave behind is ended and removed.
 */
export async function tryTests(
  copy: Copy,
  files: readonly string[],
  { seconds, only = [] }: { seconds: number; only?: readonly string[] },
): Promise<Verdict> {
  const options = ["--bail", "--reporter=json-stream", `--timeout=${TEST_SECONDS}s`];
  if (only.length > 0)
    options.push(`--grep=${only.map((title) => title.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join("|")}`);
  const mocha = spawn(process.execPath, ["node_modules/mocha/bin/mocha.js", ...options, ...files], {
    cwd: copy.tree,
    env: { ...process.env, TMPDIR: copy.temporary, TEST_PATIENCE: "4" },
    stdio: ["ignore", "pipe", "ignore"],
    detached: true,
  });
  const { promise, resolve, reject } = Promise.withResolvers<Verdict>();
  let isLate = false;
  let silence: NodeJS.Timeout | undefined;
  const late = globalThis.setTimeout(() => {
    isLate = true;
    silence = globalThis.setTimeout(() => resolve({ hangs: true }), HANGS_SECONDS * 1000);
  }, seconds * 1000);
  createInterface(mocha.stdout).on("line", (line) => {
    const [, event = "", json = ""] = /^\["(fail|pass|end)",(.*)\]$/.exec(line) ?? [];
    if (event === "fail") {
      const { file, fullTitle, err } = JSON.parse(json) as { file?: string; fullTitle: string; err: string };
      resolve({ failed: path.relative(copy.tree, file ?? copy.tree), title: fullTitle, message: err.slice(0, 200) });
    } else if (event !== "" && isLate) resolve({ passed: true, outOfTime: true });
  });
  mocha.once("error", reject);
  mocha.once("close", (code) =>
    resolve(code === 0 ? { passed: true, outOfTime: false } : { failed: "", title: `exit code ${code}`, message: "" }),
  );
  try {
    return await promise;
  } finally {
    clearTimeout(late);
    clearTimeout(silence);
    await clean(copy, mocha.pid ?? 0);
  }
}

/** Ends what tests have started, and removes what they wrote. */
export async function clean({ folder, temporary }: Copy, group?: number): Promise<void> {
  if (group !== undefined && group > 0) kill(-group);
  // PostgreSQL ends by itself when whoever started it has ended, and then leaves no shared memory behind.
  await ended(folder);
  for (const { pid } of processesWith(folder)) kill(pid);
  // A busy system takes a moment for that.
  await ended(folder);
  for (const mounted of mountsIn(folder)) execFileSync("umount", ["-l", mounted]);
  for (const name of readdirSync(temporary))
    await rm(path.join(temporary, name), { recursive: true, force: true, maxRetries: 10 });
}

/** Waits for a while until there are no processes of the copy. */
async function ended(folder: string): Promise<void> {
  for (let looks = 0; looks < 50 && processesWith(folder).length > 0; looks += 1) await setTimeout(100);
}

/** Tests of a full disk mount one. */
function mountsIn(folder: string): string[] {
  const mounts = readFileSync("/proc/self/mounts", "utf8");
  return mounts
    .split("\n")
    .flatMap((line) => line.split(" ").slice(1, 2))
    .filter((at) => at.startsWith(folder));
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}
