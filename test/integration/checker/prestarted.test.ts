import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { killGroup, spawnPod } from "../../../src/cluster/local/pod-process.ts";
import { CACHE, compileCache } from "../../support/cache.ts";
import { childrenOf } from "../../support/child-processes.ts";
import { eventually } from "../../support/wait.ts";

const ENTRY = fileURLToPath(new URL("../../../src/main/index.ts", import.meta.url));

/** One that was killed a moment ago may still be listed. */
function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

describe("a checker that was started before its Job", () => {
  it("names the Job's report in what it logs of the engine that it had started before", async () => {
    const { PATH = "" } = process.env;
    const engine = ["--engine", "html", "--html-engine", "conformance"];
    const child = spawnPod({
      file: process.execPath,
      args: [ENTRY, "checker", "--prestarted", ...engine],
      env: { ...compileCache, PATH, CACHE_DIR: CACHE, LOG_LEVEL: "debug" },
    });
    try {
      const lines: string[] = [];
      createInterface({ input: child.stderr ?? expect.fail("it has no stderr") }).on("line", (line) =>
        lines.push(line),
      );
      const report = randomUUID();
      const args = ["checker", "--report", report, "--run", "3", ...engine];
      // It waits for its database, and has an engine meanwhile.
      const variables = { DATABASE_URL: "postgres://nobody@%2Fnowhere/none" };
      child.stdin?.write(`${JSON.stringify({ args, variables })}\n`);
      // It has taken its Job as soon as it logs for it. An engine that ends before that is no part of this report.
      await eventually(() => lines.some((text) => text.includes(report)));
      const line = await eventually(async () => {
        for (const { pid } of await childrenOf(child.pid ?? 0, "conformance-worker")) killIfThere(pid);
        return lines.find((text) => text.includes("a worker process"));
      });
      expect(JSON.parse(line)).to.include({ program: "checker", engine: "html", report, run: 3 });
    } finally {
      const ended = new Promise((resolve) => child.once("close", resolve));
      killGroup(child, "SIGKILL");
      await ended;
    }
  });
});
