import { enableCompileCache } from "node:module";
import path from "node:path";
import type Mocha from "mocha";
import { compileCache } from "./cache.ts";
import { stopTestServer } from "./database.ts";
import { noteTime } from "./times.ts";

// As the programs do (src/main/index.ts): the tests themselves start in half the time, and so do the processes of engines.
enableCompileCache(compileCache.NODE_COMPILE_CACHE);
// For the programs that get the environment of the tests.
Object.assign(process.env, compileCache);

/** With `npm test` they run before and after each file. */
export const mochaHooks = {
  async afterAll(this: Mocha.Context): Promise<void> {
    await stopTestServer();
    noteTime(path.relative(".", this.test?.parent?.suites[0]?.file ?? ""));
  },
};
