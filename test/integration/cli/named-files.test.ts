import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { openSandbox, type Sandbox } from "../../support/run-program.ts";

/** Nobody writes to the pipe, and the device has no end. */
describe("a pipe or device that is named as a file to read", () => {
  let sandbox: Sandbox;
  before(async () => {
    sandbox = await openSandbox();
    const inFolder = (...names: string[]) => path.join(sandbox.folder, ...names);
    await mkdir(inFolder("configured"));
    await mkdir(inFolder("dist"));
    await writeFile(inFolder("dist", "index.html"), "<!DOCTYPE html><title>x</title>");
    for (const name of ["list.txt", "page.html", "baseline.json", "configured/site-validator.config.yaml"])
      await promisify(execFile)("mkfifo", [inFolder(name)]);
  });
  after(() => sandbox.close());

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
  ] as const)
    it(`is refused as ${what}`, async () => {
      const { code, stdout, stderr } = await sandbox.start(
        [...args],
        {},
        { cwd: path.join(sandbox.folder, folder ?? ".") },
      ).ended;
      expect(`${stdout}${stderr}`).to.contain(message);
      expect(code).to.be.oneOf([1, 2]);
    });
});
