import { execFileSync, spawnSync } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";

const SCRIPT = fileURLToPath(new URL("../../../.ci/changed", import.meta.url));

describe("What CI leaves out for a part that has not changed", () => {
  let parent: string;
  /** A repository with the branch main, which has two commits; the first one has the part. */
  let repository: string;

  beforeEach(async () => {
    parent = await mkdtemp(path.join(tmpdir(), "changed-"));
    repository = path.join(parent, "repository");
    await mkdir(path.join(repository, ".ci"), { recursive: true });
    await cp(SCRIPT, path.join(repository, ".ci/changed"));
    git("init", "--quiet", "--initial-branch=main");
    await commit("part/a.ts");
    await commit("other/a.ts");
  });
  afterEach(() => rm(parent, { recursive: true }));

  function git(...args: string[]): void {
    const someone = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
    execFileSync("git", [...someone, ...args], { cwd: repository, stdio: "pipe" });
  }
  async function write(name: string): Promise<void> {
    const file = path.join(repository, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, String(Math.random()));
  }
  async function commit(name: string): Promise<void> {
    await write(name);
    git("add", "--all");
    git("commit", "--quiet", "--message", name);
  }
  function isChanged(environment: Record<string, string> = {}): boolean {
    const env = { PATH: process.env.PATH, GIT_CEILING_DIRECTORIES: parent, ...environment };
    const { status, stderr } = spawnSync(path.join(repository, ".ci/changed"), ["part", "none"], {
      env,
      encoding: "utf8",
    });
    expect(stderr).to.equal("");
    expect(status).to.be.oneOf([0, 1]);
    return status === 0;
  }

  it("is found on a branch by all its commits since it left main", async () => {
    git("switch", "--quiet", "--create", "branch");
    await commit("other/b.ts");
    expect(isChanged()).to.equal(false);
    await commit("part/b.ts");
    await commit("other/c.ts");
    expect(isChanged()).to.equal(true);
  });

  it("is what others have landed on main meanwhile", async () => {
    git("switch", "--quiet", "--create", "branch");
    await commit("other/b.ts");
    git("switch", "--quiet", "main");
    await commit("part/c.ts");
    git("switch", "--quiet", "branch");
    expect(isChanged()).to.equal(false);
  });

  it("is nothing on main, unless a commit is named: many commits may have come together", async () => {
    expect(isChanged()).to.equal(true);
    expect(isChanged({ LANDED: "HEAD~1" })).to.equal(false);
    await commit("part/b.ts");
    expect(isChanged()).to.equal(true);
    await commit("other/b.ts");
    expect(isChanged()).to.equal(true);
    expect(isChanged({ LANDED: "HEAD~1" })).to.equal(false);
    expect(isChanged({ LANDED: "HEAD~2" })).to.equal(true);
  });

  it("is found on main by all that a merge brings", async () => {
    git("switch", "--quiet", "--create", "branch");
    await commit("part/b.ts");
    await commit("other/b.ts");
    git("switch", "--quiet", "main");
    git("merge", "--quiet", "--no-ff", "branch");
    expect(isChanged()).to.equal(true);
  });

  it("is compared with the origin's main, also by commits that are not pushed", async () => {
    execFileSync("git", ["clone", "--quiet", repository, path.join(parent, "clone")], { stdio: "pipe" });
    repository = path.join(parent, "clone");
    await commit("part/b.ts");
    await commit("other/b.ts");
    expect(isChanged()).to.equal(true);
  });

  it("has no edit that is not committed", async () => {
    git("switch", "--quiet", "--create", "branch");
    await commit("other/b.ts");
    await write("other/a.ts");
    expect(isChanged()).to.equal(false);
    await write("part/new.ts");
    expect(isChanged()).to.equal(true);
  });

  it("is nothing where git cannot tell: with a first commit, without the commit before, and outside of a repository", async () => {
    git("switch", "--quiet", "--detach", "HEAD~1");
    git("branch", "--quiet", "--force", "main", "HEAD");
    expect(isChanged(), "the first commit").to.equal(true);
    git("switch", "--quiet", "--orphan", "alone");
    await mkdir(path.join(repository, ".ci"), { recursive: true });
    await cp(SCRIPT, path.join(repository, ".ci/changed"));
    await commit("other/a.ts");
    git("branch", "--quiet", "--delete", "--force", "main");
    expect(isChanged(), "no main").to.equal(true);
    expect(isChanged({ LANDED: "0123456" }), "an unknown commit").to.equal(true);
    await rm(path.join(repository, ".git"), { recursive: true });
    expect(isChanged(), "no repository").to.equal(true);
  });
});
