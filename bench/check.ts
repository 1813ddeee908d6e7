import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { startDisposablePostgres } from "../src/embedded/template.ts";
import { openScratch } from "../src/files/scratch.ts";
import { prepareAt, SCHEMA_SOURCES } from "../src/main/wiring/schema.ts";
import { bundledEntry } from "./entry.ts";
import { faultyPage } from "./faulty-page.ts";
import { median } from "./median.ts";
import { record } from "./results.ts";

/**
 * Compares a one-page check with warm caches to the parts that it cannot avoid:
 *
 *   - node with an empty script, started once for each process of a check (check, crawler,
 *     checker);
 *   - PostgreSQL on a copy of a prepared folder, from its start until it accepts connections;
 *   - html-validate on the same page in a separate node process: loading and one run.
 *
 * These are timed one after another and added up. A check does some of this in parallel,
 * and does all its other work in addition. The second ratio replaces the empty node processes
 * by the start of our three programs (modules loaded, no work done).
 *
 *   node bench/check.ts
 */

const ROUNDS = 7;
const entry = await bundledEntry();
const service = new URL("../src/main/wiring/service.ts", import.meta.url).href;
const htmlCheck = new URL("../src/checker/engines/html-validate/check.ts", import.meta.url).href;
const compileCache = `import { enableCompileCache } from "node:module"; enableCompileCache(process.env.CACHE);`;

const folder = await mkdtemp(path.join(tmpdir(), "sv-bench-"));
const cache = path.join(folder, "cache");
const server = createServer((request, response) => {
  const found = request.url === "/";
  response.writeHead(found ? 200 : 404, { "content-type": "text/html; charset=utf-8" }).end(found ? faultyPage : "");
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

try {
  const scripts = {
    empty: await script("empty.mjs", ""),
    service: await script("service.mjs", `${compileCache} await import(${JSON.stringify(service)}); process.exit(0);`),
    engine: await script(
      "engine.mjs",
      `${compileCache}
       const { createHtmlCheck } = await import(${JSON.stringify(htmlCheck)});
       const { messages } = createHtmlCheck()(${JSON.stringify(faultyPage)});
       if (messages.length === 0) throw new Error("html-validate found nothing");
       process.exit(0);`,
    ),
  };
  const steps = {
    check: () => node([entry, "check", url, "--fail-on", "never"], 0),
    empty: () => node([scripts.empty], 0),
    postgres,
    engine: () => node([scripts.engine], 0),
    service: () => node([scripts.service], 0),
    // Without arguments they load all modules that they need to start, and exit with a message.
    crawler: () => node([entry, "crawler"], 2),
    checker: () => node([entry, "checker"], 2),
  };
  const names = Object.keys(steps) as (keyof typeof steps)[];
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<keyof typeof steps, number[]>;
  // Round 0 fills the caches: we measure with warm caches.
  for (let round = 0; round <= ROUNDS; round++)
    for (const name of names) {
      const ms = await steps[name]();
      if (round > 0) times[name].push(ms);
    }
  const t = Object.fromEntries(names.map((name) => [name, median(times[name])])) as Record<keyof typeof steps, number>;
  const bare = 3 * t.empty + t.postgres + t.engine;
  const own = t.service + t.crawler + t.checker + t.postgres + t.engine;
  console.log(`check of one page             ${ms(t.check)}`);
  console.log(`node, empty script            ${ms(t.empty)}  × 3`);
  console.log(`PostgreSQL, prepared folder   ${ms(t.postgres)}`);
  console.log(`node + html-validate, 1 page  ${ms(t.engine)}`);
  console.log(`our service / crawler / checker, started only  ${ms(t.service)} ${ms(t.crawler)} ${ms(t.checker)}`);
  console.log(`ratio to our own process starts + engine run  ${(t.check / own).toFixed(2)} of ${ms(own)}`);
  record({
    ...{
      row: "7",
      measure: "check of one page, HTML, warm",
      against: "starts of three nodes and PostgreSQL, and the engine",
    },
    ...{ ratio: t.check / bare, target: { atMost: 1.5 } },
    figures: { "ms of a check": t.check, "ms of the parts": bare },
  });
} finally {
  server.close();
  await rm(folder, { recursive: true, force: true });
}

async function script(name: string, text: string): Promise<string> {
  const file = path.join(folder, name);
  await writeFile(file, text);
  return file;
}

/** Milliseconds from a process's start to its end. */
function node(args: string[], expected: number): Promise<number> {
  const started = performance.now();
  const env = { PATH: process.env.PATH ?? "", HOME: folder, CACHE: path.join(cache, "compiled"), CACHE_DIR: cache };
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "ignore", "pipe"] });
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk;
  });
  return new Promise((resolve, reject) =>
    child.once("close", (code) => {
      if (code === expected) resolve(performance.now() - started);
      else reject(new Error(`${args.join(" ").slice(0, 100)} ended with ${code}: ${stderr}`));
    }),
  );
}

/** Copying the folder is part of our solution, not of the server's start: it happens before the timer starts. */
async function postgres(): Promise<number> {
  const scratch = await openScratch();
  try {
    let started = 0;
    const server = await startDisposablePostgres({
      cacheDir: cache,
      sources: SCHEMA_SOURCES,
      prepare: prepareAt,
      scratch,
      onCopied: () => {
        started = performance.now();
      },
    });
    const took = performance.now() - started;
    await server.stop();
    return took;
  } finally {
    await scratch.remove();
  }
}

function ms(value: number): string {
  return `${value.toFixed(0).padStart(5)} ms`;
}
