import { enableCompileCache } from "node:module";
import path from "node:path";
import fc from "fast-check";
import type Mocha from "mocha";
import { startFromBundle } from "../../src/files/own-modules.ts";
import { compileCache } from "./cache.ts";
import { stopTestServer } from "./database.ts";
import { noteTime } from "./times.ts";
import { eventually } from "./wait.ts";

// As the programs do (src/main/index.ts): the tests themselves start in half the time, and so do the processes of engines.
enableCompileCache(compileCache.NODE_COMPILE_CACHE);
// For the programs that get the environment of the tests.
Object.assign(process.env, compileCache);
// Made of the same sources before the run. Processes of engines and Jobs start in half the time.
if (process.env.TEST_BUNDLE) startFromBundle(process.env.TEST_BUNDLE);
// Or a report looks up names of hosts.
Object.assign(process.report, { excludeNetwork: true });

// A change is judged by its own tests: each run tries the same, and TEST_SEED=2 others.
fc.configureGlobal({ seed: Number(process.env.TEST_SEED) || 1, includeErrorInReport: true });

/** What would keep the process alive. Only a report of Node's tells of threads. */
function openResources(): string[] {
  const { workers } = process.report.getReport() as unknown as { workers: unknown[] };
  return [...process.getActiveResourcesInfo(), ...workers.map(() => "Worker")];
}

/** What was open before the file: with `npm test`, it goes on to another file, which might hide that. */
let before: string[];

/** mocha's own. */
const LIMIT_OF_HOOK = "Timeout";

/** With `npm test` they run before and after each file. */
export const mochaHooks = {
  beforeAll(): void {
    before = [...openResources(), LIMIT_OF_HOOK];
  },
  async afterAll(this: Mocha.Context): Promise<void> {
    await stopTestServer();
    noteTime(path.relative(".", this.test?.parent?.suites[0]?.file ?? ""));
    let open: string[] = [];
    await eventually(() => {
      open = openResources();
      for (const resource of before) if (open.includes(resource)) open.splice(open.indexOf(resource), 1);
      return open.length === 0;
    }).catch(() => {
      throw new Error(`These tests leave something open that keeps the process alive: ${open.join(", ")}`);
    });
  },
};
