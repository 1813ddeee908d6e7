import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdir, truncate, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import path from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { openSandbox, type Sandbox } from "../../support/run-program.ts";

/** Nobody writes to the pipe, and the device has no end. */
describe("a pipe, a device or what else is no file of a usual size, named as a file to read or write", () => {
  let sandbox: Sandbox;
  let socket: Server;
  before(async () => {
    sandbox = await openSandbox();
    const inFolder = (...names: string[]) => path.join(sandbox.folder, ...names);
    await mkdir(inFolder("configured"));
    await mkdir(inFolder("dist"));
    await writeFile(inFolder("dist", "index.html"), "<!DOCTYPE html><title>x</title>");
    for (const name of ["list.txt", "page.html", "baseline.json", "configured/site-validator.config.yaml"])
      await promisify(execFile)("mkfifo", [inFolder(name)]);
    // Longer than a string may be; it takes no room.
    await writeFile(inFolder("large.json"), "");
    await truncate(inFolder("large.json"), 600_000_000);
    socket = createServer().listen(inFolder("socket"));
    await once(socket, "listening");
  });
  after(async () => {
    socket.close();
    await sandbox.close();
  });

  const TOO_LARGE = "it has more than 500 MB, the most that is read";
  const NOT_A_FILE = "it is a pipe; a regular file is needed";
  for (const [what, args, message, folder] of [
    ["a list", ["check", "list.txt"], NOT_A_FILE],
    ["a list without an end", ["check", "/dev/zero"], "it is a device or a socket; a regular file is needed"],
    ["a page", ["check", "page.html"], NOT_A_FILE],
    ["a baseline", ["check", "dist", "--baseline", "baseline.json"], NOT_A_FILE],
    ["a configuration", ["check", "dist", "--config", "configured/site-validator.config.yaml"], NOT_A_FILE],
    ["a configuration that is found", ["check", "../dist"], NOT_A_FILE, "configured"],
    ["a file of check-html", ["check-html", "page.html"], NOT_A_FILE],
    ["a device of check-html", ["check-html", "/dev/zero"], "it is a device or a socket; a regular file is needed"],
    ["a list of too many bytes", ["check", "large.json"], TOO_LARGE],
    ["a configuration of too many bytes", ["check", "dist", "--config", "large.json"], TOO_LARGE],
    ["a configuration without a name", ["check", "dist", "--config", ""], "--config is empty; it must name a file"],
    ["a socket to write to", ["check", "dist", "--report", "socket"], "is a socket; name a file to write"],
    ...(process.platform === "linux"
      ? ([["a regular file without an end", ["check", "/proc/self/pagemap"], TOO_LARGE]] as const)
      : []),
  ] as const)
    it(`is refused as ${what}`, async () => {
      const { code, stdout, stderr } = await sandbox.start(
        [...args],
        {},
        { cwd: path.join(sandbox.folder, folder ?? ".") },
      ).ended;
      expect(`${stdout}${stderr}`).to.contain(message);
      expect(code).to.be.oneOf([1, 2]);
      expect(stderr).not.to.match(/^ +at /m);
    });
});
