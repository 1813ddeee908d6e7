import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Copy } from "./try-tests.ts";

/** Copies a checkout and its packages, so that nothing in it is changed. */
export function copyTree(from: string): Copy {
  const folder = mkdtempSync(path.join(tmpdir(), "sv-mutations-"));
  const [tree, temporary] = [path.join(folder, "tree"), path.join(folder, "temporary")];
  for (const each of [folder, tree, temporary]) {
    mkdirSync(each, { recursive: true });
    // PostgreSQL and Chromium may run as other users.
    chmodSync(each, 0o755);
  }
  chmodSync(temporary, 0o1777);
  const files = execFileSync("git", ["ls-files", "-z"], { cwd: from, encoding: "utf8", maxBuffer: 1e8 });
  for (const file of files.split("\0").filter(Boolean)) cpSync(path.join(from, file), path.join(tree, file));
  // Hard links are made in seconds. Where there can be none, the packages are copied. Of a link, it is what it leads to:
  // a copy of the link would be what is changed below.
  const given = realpathSync(path.join(from, "node_modules"));
  const packages = path.join(tree, "node_modules");
  try {
    execFileSync("cp", ["-al", given, packages], { stdio: "ignore" });
  } catch {
    rmSync(packages, { recursive: true, force: true });
    execFileSync("cp", ["-a", given, packages]);
  }
  // Without what builds bundles, programs start from the sources. What was compiled is not shared with the original.
  for (const name of [".cache", "esbuild"]) rmSync(path.join(packages, name), { recursive: true, force: true });
  return { folder, tree, temporary };
}
