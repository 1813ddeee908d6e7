import { spawn } from "node:child_process";
import { globSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "./support/commands.ts";

/**
 * `npm run test:e2e`: three files at a time, each with its own installation and host, because pods are mostly waited for;
 * then, one after the other, those that must have the cluster for themselves. Arguments are passed on to mocha.
 */
const MOCHA = fileURLToPath(import.meta.resolve("mocha/bin/mocha.js"));
/** They stop the cluster's own components, change CRDs that all installations share, or have a minute for a new pod. */
const ALONE = ["cluster-faults", "faults", "manifests", "upgrade"];
/** They take longest: one that began last would run alone. */
const FIRST = ["reports", "contract", "basic-auth", "troubles"];

const rank = (name: string): number => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
const names = globSync("test/e2e/*.test.ts")
  .map((file) => path.basename(file, ".test.ts"))
  .sort((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1));

try {
  const together = await mocha(
    names.filter((name) => !ALONE.includes(name)),
    ["--parallel", "--jobs", "3"],
  );
  const alone = await mocha(ALONE, []);
  process.exitCode = together || alone;
} finally {
  if (!process.env.E2E_KEEP) await run(path.resolve("test/cluster/cluster.sh"), ["down"]);
}

/** @returns the exit code */
function mocha(files: readonly string[], options: readonly string[]): Promise<number> {
  const paths = files.map((name) => `test/e2e/${name}.test.ts`);
  const given = ["--config", "test/e2e/.mocharc.json", ...options, ...process.argv.slice(2), ...paths];
  // The next ones use the same cluster.
  const env = { ...process.env, E2E_KEEP: "1" };
  const child = spawn(process.execPath, [MOCHA, ...given], { stdio: ["ignore", "inherit", "inherit"], env });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => child.once("error", reject).once("close", (code) => resolve(code ?? 1)));
}
