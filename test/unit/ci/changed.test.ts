import { execFileSync, spawnSync } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";

const SCRIPT = fileURLToPath(new URL("../../../.ci/changed", import.meta.url));

describe("What has changed since the last landing, for CI", () => {
  let parent: string;
  /** A repository with the branch main, which has two commits; the first one has the part. */
  let repository: string;

  beforeEach(async () => {
    parent = await mkdtemp(path.join(tmpdir(), "changed-"));
    repository = path.join(parent, "repository");
    await mkdir(path.join(repository, ".ci"), { recursive: true });
    await cp(SCRIPT, path.join(repository, ".ci/changed"));
    git("init", "--quiet", "--initial-branch=main");
    await commit("part/a.ts", 3);
    await commit("other/a.ts", 2);
  });
  afterEach(() => rm(parent, { recursive: true }));

  function git(...args: string[]): void {
    gitAt(0, ...args);
  }
  function gitAt(daysAgo: number, ...args: string[]): void {
    const someone = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
    const date = new Date(Date.now() - daysAgo * 86_400_000).toISOString();
    const env = { ...process.env, GIT_COMMITTER_DATE: date };
    execFileSync("git", [...someone, ...args], { cwd: repository, stdio: "pipe", env });
  }
  async function write(name: string): Promise<void> {
    const file = path.join(repository, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, String(Math.random()));
  }
  async function commit(name: string, daysAgo = 0): Promise<void> {
    await write(name);
    git("add", "--all");
    gitAt(daysAgo, "commit", "--quiet", "--message", name);
  }
  function isChanged(environment: Record<string, string> = {}): boolean {
    const env = { PATH: process.env.PATH, GIT_CEILING_DIRECTORIES: parent, ...environment };
    const { status, stderr, stdout } = spawnSync(path.join(repository, ".ci/changed"), { env, encoding: "utf8" });
    expect([status, stderr]).to.deep.equal([0, ""]);
    const files = stdout.split("\n").filter(Boolean);
    expect(files, "each once").to.deep.equal([...new Set(files)]);
    return files.some((file) => file === "." || file.startsWith("part/"));
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

  it("is what is younger than a day on main, unless a commit is named: many commits may have come together", async () => {
    await commit("other/b.ts");
    expect(isChanged()).to.equal(false);
    await commit("part/b.ts");
    await commit("other/c.ts");
    expect(isChanged()).to.equal(true);
    expect(isChanged({ LANDED: "HEAD~1" })).to.equal(false);
    expect(isChanged({ LANDED: "HEAD~2" })).to.equal(true);
  });

  it("is of the day before the last commit, however long ago that is", async () => {
    await commit("part/b.ts", 1.5);
    await commit("other/b.ts", 1);
    expect(isChanged()).to.equal(true);
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

  it("is everything where git cannot tell: with a first commit, in a shallow clone, without the commit before, and outside of a repository", async () => {
    git("switch", "--quiet", "--detach", "HEAD~1");
    git("branch", "--quiet", "--force", "main", "HEAD");
    expect(isChanged(), "the first commit").to.equal(true);
    const shallow = path.join(parent, "shallow");
    execFileSync("git", ["clone", "--quiet", "--depth", "1", `file://${repository}`, shallow], { stdio: "pipe" });
    const whole = repository;
    repository = shallow;
    git("switch", "--quiet", "--create", "branch");
    expect(isChanged(), "a shallow clone").to.equal(true);
    repository = whole;
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
