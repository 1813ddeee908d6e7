import { chmod, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { openCache } from "../../../src/main/lifecycle/open-cache.ts";

describe("the cache folder of a program", () => {
  let folder: string;
  const lines: string[] = [];
  const open = (env: NodeJS.ProcessEnv) => openCache(env, (line) => lines.push(line), folder);
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "open-cache-"));
    lines.length = 0;
  });
  afterEach(() => rm(folder, { recursive: true }));

  it("is the one that the environment leads to", async () => {
    expect(await open({})).to.equal(folder);
    expect(lines).to.deep.equal([]);
  });

  it("is one of this run alone where others could have planted code in the default one, and says why", async () => {
    await chmod(folder, 0o777);
    const env: NodeJS.ProcessEnv = {};
    const own = await open(env);
    try {
      expect(own).not.to.equal(folder);
      expect(env.CACHE_DIR).to.equal(own);
      expect((await stat(own)).mode & 0o777).to.equal(0o700);
      expect(lines[0]).to.match(/^The cache folder ".*" is not used, .* mode 0777\)\. Set CACHE_DIR to a folder/);
    } finally {
      await rm(own, { recursive: true });
    }
  });

  it("is refused if CACHE_DIR names it", async () => {
    await chmod(folder, 0o777);
    const error = await open({ CACHE_DIR: folder }).catch((reason: unknown) => reason);
    expect(String(error)).to.match(/The cache folder ".*" is not used/);
    expect(lines).to.deep.equal([]);
  });
});
