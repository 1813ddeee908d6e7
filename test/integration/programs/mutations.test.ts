import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { type Copy, tryTests } from "../../mutations/try-tests.ts";
import { processesWith } from "../../support/run-program.ts";

describe("tests that are tried with a mutation", () => {
  let copy: Copy;
  const tests = {
    "passes.test.mjs": 'it("passes", () => {});',
    "fails.test.mjs": 'it("passes (too)", () => {});\nit("fails", () => { throw new Error("a change"); });',
    "breaks.test.mjs": 'import "./nowhere.mjs";',
    "leaves.test.mjs": `import { spawn } from "node:child_process";
      import { mkdtempSync } from "node:fs";
      it("leaves a file and a process in a group of its own", () => {
        mkdtempSync(process.env.TMPDIR + "/left-");
        spawn("sleep", ["600"], { detached: true, stdio: "ignore" }).unref();
      });`,
  };

  before(async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "sv-try-"));
    copy = { folder, tree: path.join(folder, "tree"), temporary: path.join(folder, "temporary") };
    for (const each of [copy.tree, copy.temporary]) await mkdir(each);
    await symlink(path.resolve("node_modules"), path.join(copy.tree, "node_modules"));
    for (const [name, text] of Object.entries(tests)) await writeFile(path.join(copy.tree, name), text);
  });
  after(() => rm(copy.folder, { recursive: true }));

  it("say which of them fails first, or that all have passed", async () => {
    const run = (...files: string[]) => tryTests(copy, files, { seconds: 600 });
    expect(await run("passes.test.mjs")).to.deep.equal({ passed: true, outOfTime: false });
    expect(await run("passes.test.mjs", "fails.test.mjs")).to.include({ failed: "fails.test.mjs", title: "fails" });
    expect(await run("breaks.test.mjs")).to.include({ title: "exit code 1" });
  });

  it("are only some of a file, where those are named", async () => {
    const options = { seconds: 600, only: ["passes (too)"] };
    expect(await tryTests(copy, ["fails.test.mjs"], options)).to.deep.equal({ passed: true, outOfTime: false });
  });

  it("leave nothing behind", async () => {
    await tryTests(copy, ["leaves.test.mjs"], { seconds: 600 });
    expect(processesWith(copy.folder)).to.deep.equal([]);
    expect(await readdir(copy.temporary)).to.deep.equal([]);
  });
});
