import { fileURLToPath } from "node:url";
import { compiledFolder } from "../../src/config.ts";

/** The cache folder of programs under test. Kept between test runs: the first check on a machine prepares a database. */
export const CACHE = fileURLToPath(new URL("../../node_modules/.cache/site-validator", import.meta.url));

/** In the environment of a child process: it loads compiled code, as Jobs do (src/main/controller.ts), and stores more. */
export const compileCache = { NODE_COMPILE_CACHE: compiledFolder({ cacheDir: CACHE }) };
