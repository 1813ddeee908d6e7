import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";

const MODULE = path.resolve(import.meta.dirname, "../../../src/main/lifecycle/settle-cache.ts");

describe("a program's cache folder", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "sv-box-"));
    for (const name of ["own", "open", "temp"]) await mkdir(path.join(folder, name), { mode: 0o700 });
    await chmod(path.join(folder, "open"), 0o777);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** Settles on a default folder in a process of its own. */
  async function settle(name: string) {
    const script = `
      const { settleCache } = await import(${JSON.stringify(MODULE)});
      const { statSync } = await import("node:fs");
      const env = {};
      const lasts = await settleCache(env, ${JSON.stringify(path.join(folder, name))});
      const mode = env.CACHE_DIR && (statSync(env.CACHE_DIR).mode & 0o777).toString(8);
      console.log(JSON.stringify({ lasts, cache: env.CACHE_DIR, mode }));`;
    const { stdout, stderr } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], {
      env: { ...process.env, TMPDIR: path.join(folder, "temp") },
    });
    return { ...(JSON.parse(stdout) as { lasts: boolean; cache?: string; mode?: string }), stderr };
  }

  it("is the default one that only this user can write to", async () => {
    expect(await settle("own")).to.deep.equal({ lasts: true, stderr: "" });
  });

  it("is a new private one until the end, where others may write to the default one, and stderr says so once", async () => {
    const { lasts, cache = "", mode, stderr } = await settle("open");
    expect({ lasts, mode }).to.deep.equal({ lasts: false, mode: "700" });
    expect(path.basename(cache)).to.match(/^sv-cache-/);
    expect(stderr).to.match(
      /^The cache folder ".*open" is not used, .*mode 0777\)\. Set CACHE_DIR to [^\n]* a temporary one, and takes longer\.\n$/,
    );
    expect(await stat(cache).catch(({ code }) => code)).to.equal("ENOENT");
    expect(await readdir(path.join(folder, "open"))).to.deep.equal([]);
  });
});
