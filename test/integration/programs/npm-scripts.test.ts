import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

describe("The npm scripts", () => {
  let folder: string;
  let npm: ChildProcess | undefined;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "sv-npm-"));
    // If this runs as root, PostgreSQL runs as another user, who needs access.
    await chmod(folder, 0o755);
  });

  afterEach(async () => {
    try {
      // Ends its process group, whatever is left of it.
      if (npm?.pid) process.kill(-npm.pid, "SIGKILL");
    } catch {
      // Nothing is.
    }
    await rm(folder, { recursive: true, force: true });
  });

  it("pass on a SIGTERM that npm gets to the service, which stops and leaves nothing behind", async () => {
    const env = { ...process.env, DATA_DIR: path.join(folder, "data"), PORT: "0", TMPDIR: folder };
    npm = spawn("npm", ["start"], { cwd: ROOT, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    npm.stdout?.on("data", (data) => (output += data));
    npm.stderr?.on("data", (data) => (output += data));
    // Only after every process that writes there has ended.
    const closed = once(npm, "close");
    await Promise.race([waitFor(npm, () => /listens on http/.test(output)), closed]);
    expect(output).to.match(/listens on http/);

    npm.kill("SIGTERM");
    await closed;

    expect(output).to.contain('"message":"stopping"');
  });
});

/** Resolves once what the program wrote fulfils the condition. */
async function waitFor({ stdout }: ChildProcess, condition: () => boolean): Promise<void> {
  while (!condition()) if (stdout) await once(stdout, "data");
}
