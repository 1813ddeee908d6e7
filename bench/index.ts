import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * Runs all benchmarks one after another and prints their ratios in one table. Some need a
 * folder with the HTML pages of a site: `npm run bench -- <folder>`, or set MANUAL_DIR.
 */

const benchmarks: { file: string; needsPages: boolean }[] = [
  { file: "crawl.ts", needsPages: true },
  { file: "html-checks.ts", needsPages: true },
  { file: "html-engines.ts", needsPages: true },
  { file: "a11y-checks.ts", needsPages: true },
  { file: "check.ts", needsPages: false },
  { file: "job-rights.ts", needsPages: false },
];

const pages = process.argv[2] ?? process.env.MANUAL_DIR;
const summary: string[] = [];

for (const { file, needsPages } of benchmarks) {
  const script = fileURLToPath(new URL(`./${file}`, import.meta.url));
  const skipped = !existsSync(script)
    ? "the file does not exist"
    : needsPages && pages === undefined
      ? "it needs a folder of HTML pages: npm run bench -- <folder>, or set MANUAL_DIR"
      : undefined;
  if (skipped) {
    console.log(`== ${file}: skipped, ${skipped}\n`);
    summary.push(`${file.padEnd(16)} skipped: ${skipped}`);
    continue;
  }
  console.log(`== ${file}`);
  const { code, output } = await run(script, needsPages && pages !== undefined ? [pages] : []);
  console.log("");
  const ratios = output.split("\n").filter((line) => /\bratio\b/.test(line));
  summary.push(...ratios.map((line) => `${file.padEnd(16)} ${line.trim()}`));
  if (code !== 0) {
    summary.push(`${file.padEnd(16)} failed with exit code ${code}`);
    process.exitCode = 1;
  }
}

console.log(`== summary\n${summary.join("\n")}`);

function run(script: string, args: string[]): Promise<{ code: number; output: string }> {
  const child = spawn(process.execPath, [script, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    process.stdout.write(chunk);
    output += chunk;
  });
  return new Promise((resolve) => child.once("close", (code) => resolve({ code: code ?? 1, output })));
}
