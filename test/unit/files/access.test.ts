import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { isReachableByAll } from "../../../src/files/access.ts";

describe("what all users can reach", () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "sv-access-"));
  });
  after(() => rm(folder, { recursive: true }));

  it("is a folder below others that all may enter", async () => {
    expect(await isReachableByAll("/usr/bin")).to.equal(true);
  });

  it("is nothing in a folder that others may not enter, even if they may list it", async () => {
    const inside = path.join(folder, "inside");
    await mkdir(inside);
    await chmod(inside, 0o755);
    for (const mode of [0o700, 0o750, 0o754]) {
      await chmod(folder, mode);
      expect(await isReachableByAll(inside), mode.toString(8)).to.equal(false);
    }
    // One that others may enter is judged by those above it.
    await chmod(folder, 0o711);
    expect(await isReachableByAll(inside)).to.equal(await isReachableByAll(tmpdir()));
  });

  it("is no file that they may not run", async () => {
    const program = path.join(folder, "program");
    await writeFile(program, "");
    await chmod(program, 0o744);
    expect(await isReachableByAll(program)).to.equal(false);
  });
});
