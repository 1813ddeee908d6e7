import { spawn } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { ALONE, GROUPS } from "./groups.ts";
import { run } from "./support/commands.ts";

/**
 * `npm run test:e2e -- [GROUP...]`: three files at a time, each with its own installation and host, because pods are mostly
 * waited for; then, one after the other, those that must have the cluster for themselves. What follows the groups from the
 * first dash on is passed on to mocha.
 */
const MOCHA = fileURLToPath(import.meta.resolve("mocha/bin/mocha.js"));
const given = process.argv.slice(2);
const end = given.findIndex((argument) => argument.startsWith("-"));
const [groups, options] = end < 0 ? [given, []] : [given.slice(0, end), given.slice(end)];
const unknown = groups.filter((name) => !(name in GROUPS));
if (unknown.length > 0) {
  console.error(`There is no group ${unknown.join(", ")}; there are ${Object.keys(GROUPS).join(", ")}.`);
  process.exit(2);
}
const chosen = groups.length > 0 ? groups : Object.keys(GROUPS);
const names = [...new Set(chosen.flatMap((name) => GROUPS[name] ?? []))];
if (chosen.includes("contract")) process.env.E2E_CONTRACT = "all";

try {
  const together = await mocha(
    names.filter((name) => !ALONE.includes(name)),
    ["--parallel", "--jobs", "3"],
  );
  const alone = await mocha(
    names.filter((name) => ALONE.includes(name)),
    [],
  );
  process.exitCode = together || alone;
} finally {
  if (!process.env.E2E_KEEP) await run(path.resolve("test/cluster/cluster.sh"), ["down"]);
}

/** @returns the exit code */
function mocha(files: readonly string[], more: readonly string[]): Promise<number> | number {
  if (files.length === 0) return 0;
  const paths = files.map((name) => `test/e2e/${name}.test.ts`);
  const args = ["--config", "test/e2e/.mocharc.json", ...more, ...options, ...paths];
  // The next ones use the same cluster.
  const env = { ...process.env, E2E_KEEP: "1" };
  const child = spawn(process.execPath, [MOCHA, ...args], { stdio: ["ignore", "inherit", "inherit"], env });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => child.once("error", reject).once("close", (code) => resolve(code ?? 1)));
}
