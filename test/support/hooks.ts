import { enableCompileCache } from "node:module";
import { compileCache } from "./cache.ts";
import { stopTestServer } from "./database.ts";

// As the programs do (src/main/index.ts): the tests themselves start in half the time, and so do the processes of engines.
enableCompileCache(compileCache.NODE_COMPILE_CACHE);
// For the programs that get the environment of the tests.
Object.assign(process.env, compileCache);

export const mochaHooks = {
  async afterAll(): Promise<void> {
    await stopTestServer();
  },
};
