import { execFileSync, spawnSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { writeGrammars } from "../../scripts/own-grammars.ts";

const COMMAND = fileURLToPath(new URL("../../src/command.ts", import.meta.url));
const README = new URL("../../README.md", import.meta.url);
const VALID = '<!DOCTYPE html>\n<html lang="en"><title>Bakery</title>\n<p>Bread\n';

/** Calls a command with the names of what is staged, as lint-staged and pre-commit do. */
const hookOf = (command: string, pattern: string) =>
  `#!/bin/sh\ngit diff --cached --name-only -z --diff-filter=ACMR | grep -zE '${pattern}' | xargs -0 -r ${command}\n`;

describe("The lines of the README for a hook of git", () => {
  let hooks: Record<string, string>;
  let folder: string;
  before(async () => {
    await writeGrammars();
    const readme = await readFile(README, "utf8");
    const block = (language: string) =>
      new RegExp(`^### Before each commit[^]*?^\`\`\`${language}\\n([^]*?)\`\`\``, "m").exec(readme)?.[1] ?? "";
    const [staged] = Object.values<string>(JSON.parse(block("json"))["lint-staged"]);
    const line = (name: string) => new RegExp(`^ *${name}: (.*)$`, "m").exec(block("yaml"))?.[1] ?? "";
    hooks = {
      "lint-staged": hookOf(staged ?? "", "[.](html|htm|xhtml|xht|svg)$"),
      "pre-commit": hookOf(line("entry"), line("files")),
      "no other tool": block("sh"),
    };
  });
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "html-conformance-hook-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  for (const name of ["lint-staged", "pre-commit", "no other tool"])
    it(`let a commit pass that conforms, and stop one that does not: ${name}`, async () => {
      const bin = path.join(folder, "node_modules", ".bin");
      await mkdir(bin, { recursive: true });
      await symlink(COMMAND, path.join(bin, "html-conformance"));
      // Stands for npx, which looks there, too.
      await writeFile(path.join(bin, "npx"), '#!/bin/sh\nexec "$@"\n');
      await chmod(path.join(bin, "npx"), 0o755);
      const env = { PATH: `${bin}:${path.dirname(process.execPath)}:/usr/bin:/bin`, HOME: folder };
      const git = (...args: string[]) => {
        const given = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main", ...args];
        return spawnSync("git", given, { cwd: folder, env, encoding: "utf8" });
      };
      git("init");
      await mkdir(path.join(folder, ".git", "hooks"), { recursive: true });
      await writeFile(path.join(folder, ".git", "hooks", "pre-commit"), hooks[name] ?? "", { mode: 0o755 });
      const commit = async (file: string, text: string) => {
        await writeFile(path.join(folder, file), text);
        git("add", "--", file);
        const { status, stdout, stderr } = git("commit", "-m", "A change");
        return { status, said: stdout + stderr };
      };
      const good = await commit("a page.html", VALID);
      expect(good.status, good.said).to.equal(0);
      const bad = await commit("--other.html", `${VALID}<p foo=1>`);
      expect(bad.status, bad.said).not.to.equal(0);
      expect(bad.said).to.match(/^(?:\.\/)?--other\.html\n +4:1 +error +The attribute "foo"/m);
      git("reset", "--hard", "-q");
      const text = await commit("notes.txt", "<p foo=1>");
      expect(text.status, text.said).to.equal(0);
      expect(
        execFileSync("git", ["log", "--oneline"], { cwd: folder, encoding: "utf8" }).trim().split("\n"),
      ).to.have.length(2);
    });
});
