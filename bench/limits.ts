import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { HtmlEngineName } from "../src/schema/html-engines.ts";
import type { BareA11yRequest, BareA11yResponse } from "./bare-a11y-checks.ts";
import type { BareRequest } from "./bare-html-checks.ts";

/** What the bare engines take for a part of the work, which whole paths are compared with. */

const crawlProgram = fileURLToPath(new URL("./bare-crawl.ts", import.meta.url));
const htmlProgram = fileURLToPath(new URL("./bare-html-checks.ts", import.meta.url));
const a11yProgram = fileURLToPath(new URL("./bare-a11y-checks.ts", import.meta.url));
const run = promisify(execFile);

/** An undici + htmlparser2 loop, from the start of its process to its end. @returns the number of pages */
export async function crawlAlone(startingUrl: string, maxPages: number): Promise<{ seconds: number; pages: number }> {
  const started = performance.now();
  const { stdout } = await run(process.execPath, [crawlProgram, startingUrl, String(maxPages)]);
  return { seconds: (performance.now() - started) / 1000, pages: Number(stdout) };
}

/** An HTML engine alone in one process a core, from the start of the processes to the end of the last one. */
export async function checkHtmlAlone(
  engine: HtmlEngineName,
  files: readonly string[],
): Promise<{ seconds: number; findings: number }> {
  const started = performance.now();
  const cores = availableParallelism();
  const findings = await Promise.all(
    Array.from({ length: cores }, async (_, core) => {
      const child = fork(htmlProgram, [], { execArgv: ["--max-old-space-size=512"] });
      child.send({ engine, files: files.filter((_file, i) => i % cores === core) } satisfies BareRequest);
      let found = 0;
      child.on("message", (message) => {
        found = Number(message);
      });
      const [code] = await once(child, "exit");
      if (code !== 0) throw new Error(`The engine's process ended with code ${code}.`);
      return found;
    }),
  );
  return { seconds: (performance.now() - started) / 1000, findings: findings.reduce((a, b) => a + b, 0) };
}

/** Puppeteer and axe-core alone, two pages at once, without the start of the browser. */
export async function checkA11yAlone(urls: readonly string[]): Promise<BareA11yResponse> {
  const child = fork(a11yProgram);
  let response: BareA11yResponse | undefined;
  child.on("message", (message: BareA11yResponse) => {
    response = message;
  });
  child.send({ urls: [...urls] } satisfies BareA11yRequest);
  const [code] = await once(child, "exit");
  if (code !== 0 || !response) throw new Error(`The loop over the pages ended with code ${code}.`);
  return response;
}
