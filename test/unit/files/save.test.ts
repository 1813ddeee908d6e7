import { execFile } from "node:child_process";
import { lstat, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { save } from "../../../src/files/save.ts";

describe("a file that is saved", () => {
  let folder: string;
  const named = (name: string) => path.join(folder, name);
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "sv-save-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it("is whole, and replaces an earlier one", async () => {
    await save(named("a"), ["one"]);
    await save(named("a"), ["t", "wo"]);
    expect(await readFile(named("a"), "utf8")).to.equal("two");
    expect(await readdir(folder)).to.deep.equal(["a"]);
  });

  it("stays as it was if its text comes to an early end", async () => {
    await save(named("a"), ["one"]);
    const failed = await save(
      named("a"),
      (function* () {
        yield "half";
        throw new Error("gone");
      })(),
    ).catch((error: Error) => error.message);
    expect(failed).to.equal("gone");
    expect(await readFile(named("a"), "utf8")).to.equal("one");
    expect(await readdir(folder)).to.deep.equal(["a"]);
  });

  it("stays a link to another one", async () => {
    await writeFile(named("target"), "one");
    await symlink("target", named("link"));
    await save(named("link"), ["two"]);
    expect(await readFile(named("target"), "utf8")).to.equal("two");
    expect((await lstat(named("link"))).isSymbolicLink()).to.equal(true);
  });

  it("is written to as it is if it is a pipe", async () => {
    await promisify(execFile)("mkfifo", [named("pipe")]);
    const [text] = await Promise.all([readFile(named("pipe"), "utf8"), save(named("pipe"), ["one"])]);
    expect(text).to.equal("one");
    expect((await lstat(named("pipe"))).isFIFO()).to.equal(true);
  });
});
