import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";

const packages = path.resolve(import.meta.dirname, "../node_modules");

/**
 * Runs a program of a package that site-validator is compared with.
 *
 * @param program its file below node_modules
 * @param options.codes the exit codes of a run that is complete; 0 unless given
 * @throws when it ends with another
 */
export async function runPeer(
  program: string,
  args: readonly string[],
  { env = {}, cwd, codes = [0] }: { env?: Record<string, string>; cwd?: string; codes?: readonly number[] } = {},
): Promise<{ seconds: number; output: string }> {
  const start = performance.now();
  const child = spawn(process.execPath, [path.join(packages, program), ...args], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    ...(cwd !== undefined && { cwd }),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [output, errors] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk;
  });
  child.stderr.on("data", (chunk: Buffer) => {
    errors += chunk;
  });
  const [code] = await once(child, "close");
  const seconds = (performance.now() - start) / 1000;
  if (!codes.includes(code)) throw new Error(`${program} ended with code ${code}:\n${errors.slice(-2_000)}`);
  return { seconds, output };
}
