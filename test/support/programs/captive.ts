import { existsSync } from "node:fs";
import { flushCompileCache, getCompileCacheDir } from "node:module";
import { confine } from "../../../src/checker/processes/confine.ts";
import { serveFromSnapshot } from "../../../src/checker/processes/snapshot.ts";
import { engineEscapes } from "../../attacks/engine-escapes.ts";

/**
 * Tries all escapes in the place of an engine, and sends what came of each: the error, or "done". Then it has Node
 * store what it compiled, and sends the folder, and whether it could reach it at its start.
 */
void serveFromSnapshot(
  async () => {},
  async () => {
    const folder = getCompileCacheDir();
    const compiled = { folder, wasLent: folder !== undefined && existsSync(folder) };
    confine();
    process.on("message", async ({ id }: { id: number }) => {
      const outcomes = engineEscapes.map(({ attempt }) => {
        try {
          attempt();
          return "done";
        } catch (error) {
          return `${(error as NodeJS.ErrnoException).code ?? (error as Error).name}`;
        }
      });
      await import("./pool-worker.ts");
      flushCompileCache();
      process.send?.({ id, outcomes, compiled });
    });
    process.send?.({ ready: true });
  },
);
