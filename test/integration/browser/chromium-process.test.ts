import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { startChromium } from "../../../src/browser/process.ts";
import { createLogger } from "../../../src/telemetry/log.ts";

const run = promisify(execFile);
const prefix = `site-validator-browser-${process.pid}-`;
const profiles = async () => (await readdir(tmpdir())).filter((name) => name.startsWith(prefix));

describe("a browser's process", () => {
  it("ends although its profile cannot be removed, and says so in the log", async function () {
    const folder = await mkdtemp(path.join(tmpdir(), "sv-script-"));
    const script = path.join(folder, "chromium");
    await writeFile(script, "#!/bin/sh\nexec sleep 1000\n");
    await chmod(script, 0o755);
    const log = createLogger("warn", {});
    log.silent = true;
    const warned: unknown[] = [];
    log.warn = ((message: string) => warned.push(message)) as unknown as typeof log.warn;
    const known = await profiles();
    const browser = await startChromium({ path: script, env: {}, uid: undefined }, [], log);
    const [name = ""] = (await profiles()).filter((one) => !known.includes(one));
    const profile = path.join(tmpdir(), name);
    const mountPoint = path.join(profile, "mounted");
    await mkdir(mountPoint);
    try {
      await run("mount", ["-t", "tmpfs", "tmpfs", mountPoint]);
    } catch (error) {
      await browser.kill();
      await rm(folder, { recursive: true });
      console.warn(`    NOT RUN: nothing can be mounted here: ${(error as Error).message.trim()}`);
      return this.skip();
    }
    try {
      await browser.kill();
      expect(warned).to.deep.equal(["the profile of a browser could not be removed"]);
    } finally {
      await run("umount", [mountPoint]);
      for (const one of [folder, profile]) await rm(one, { recursive: true, force: true });
    }
  });
});
