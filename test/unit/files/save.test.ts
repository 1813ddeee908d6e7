import { execFile } from "node:child_process";
import { lchown, lstat, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
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

  it("is not written through a link that another user has made", async function () {
    if (process.getuid?.() !== 0) {
      console.warn("    NOT RUN: only root can give a file to another user");
      return this.skip();
    }
    await writeFile(named("target"), "one");
    await symlink("target", named("link"));
    await lchown(named("link"), 65_534, 65_534);
    const failed = await save(named("link"), ["two"]).catch((error: Error) => error.message);
    expect(failed).to.match(/link" is not written: it is a symbolic link of another user \(owner 65534\)\./);
    expect(await readFile(named("target"), "utf8")).to.equal("one");
  });

  it("is written through no link that others could have put there by guessing a name", async () => {
    await writeFile(named("target"), "one");
    await symlink("target", named(`a.${process.pid}.tmp`));
    await save(named("a"), ["two"]);
    expect(await readFile(named("target"), "utf8")).to.equal("one");
    expect(await readFile(named("a"), "utf8")).to.equal("two");
  });

  it("is written to as it is if it is a pipe", async () => {
    await promisify(execFile)("mkfifo", [named("pipe")]);
    const [text] = await Promise.all([readFile(named("pipe"), "utf8"), save(named("pipe"), ["one"])]);
    expect(text).to.equal("one");
    expect((await lstat(named("pipe"))).isFIFO()).to.equal(true);
  });
});
