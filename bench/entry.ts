import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { addSnapshots, buildBundle } from "../src/bundle/build.js";
import { findBundle } from "../src/bundle/find.js";

const BUILD_LIMIT_MS = 60_000;
const POLL_MS = 100;

/**
 * The file that npm scripts start programs with: `node FILE crawler …`. It runs them from a bundle
 * (docs/adr/0046), which is there when this resolves.
 *
 * @throws Error where no bundle can be built: a benchmark of the sources would measure another start
 */
export async function bundledEntry(): Promise<string> {
  const end = performance.now() + BUILD_LIMIT_MS;
  // Another process may be building it, of sources that were edited meanwhile.
  while (findBundle() === undefined && (await buildBundle()) === undefined) {
    if (performance.now() > end)
      throw new Error(
        "There is no bundle of the programs, and none could be built. Benchmarks run it, as npm scripts do. " +
          "Run npm ci without --omit=optional, which brings esbuild, as the user who owns this folder.",
      );
    await sleep(POLL_MS);
  }
  await addSnapshots();
  return fileURLToPath(new URL("../bin/run.js", import.meta.url));
}
