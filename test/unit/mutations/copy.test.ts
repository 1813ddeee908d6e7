import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { copyTree } from "../../mutations/copy.ts";

describe("the copy of a tree", () => {
  it("leaves the packages of the original as they are, also where they are linked from another checkout", () => {
    const folder = mkdtempSync(path.join(tmpdir(), "sv-copy-"));
    const [tree, packages] = [path.join(folder, "tree"), path.join(folder, "packages")];
    try {
      for (const name of ["esbuild", "other"]) mkdirSync(path.join(packages, name), { recursive: true });
      mkdirSync(tree);
      symlinkSync(packages, path.join(tree, "node_modules"));
      writeFileSync(path.join(tree, "a.ts"), "");
      execFileSync("git", ["init", "-q", tree]);
      execFileSync("git", ["-C", tree, "add", "a.ts"]);
      const copy = copyTree(tree);
      try {
        const has = (...names: string[]) => existsSync(path.join(...names));
        expect(has(copy.tree, "a.ts")).to.equal(true);
        expect(has(copy.tree, "node_modules", "other")).to.equal(true);
        expect(has(copy.tree, "node_modules", "esbuild")).to.equal(false);
        expect(has(packages, "esbuild")).to.equal(true);
      } finally {
        rmSync(copy.folder, { recursive: true });
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
