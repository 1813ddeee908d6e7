import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { findNuJar } from "./nu-jar.ts";
import { writeGrammars } from "./own-grammars.ts";

/**
 * `npm run pack -- [FOLDER]`: writes the tarball to the folder, this one by default. It has JavaScript, types and the
 * compiled grammars, and needs nothing but its dependencies (docs/adr/0077).
 */
const PACKAGE = fileURLToPath(new URL("..", import.meta.url));
const run = promisify(execFile);

const nu = findNuJar();
if (!nu) {
  console.error(
    "The grammar is compiled from the npm package vnu-jar, which is not installed: npm ci without --omit=optional.",
  );
  process.exit(2);
}
const draft = await mkdtemp(path.join(tmpdir(), "html-conformance-"));
try {
  const tsc = fileURLToPath(import.meta.resolve("typescript/package.json"));
  await run(process.execPath, [
    path.join(path.dirname(tsc), "bin", "tsc"),
    "-p",
    path.join(PACKAGE, "tsconfig.pack.json"),
    "--outDir",
    path.join(draft, "lib"),
  ]);
  const grammars = await writeGrammars(path.join(draft, "grammar"));
  const license = await readFile(nu.license, "utf8");
  await writeFile(
    path.join(grammars, "LICENSE"),
    `The grammars in this folder are compiled from the schemas of the Nu Html Checker ${nu.version} (npm package vnu-jar):\n\n${license}`,
  );
  await writeFile(path.join(draft, "package.json"), await manifest());
  await mkdir(path.join(draft, "docs"));
  await copyFile(path.join(PACKAGE, "docs", "checks.md"), path.join(draft, "docs", "checks.md"));
  await writeFile(path.join(draft, "README.md"), forUsers(await readFile(path.join(PACKAGE, "README.md"), "utf8")));
  await copyFile(path.join(PACKAGE, "../..", "LICENSE"), path.join(draft, "LICENSE"));
  const destination = path.resolve(process.env.INIT_CWD ?? ".", process.argv[2] ?? ".");
  const { stdout } = await run("npm", ["pack", draft, "--ignore-scripts", "--pack-destination", destination]);
  console.log(path.join(destination, stdout.trim().split("\n").at(-1) ?? ""));
} finally {
  await rm(draft, { recursive: true });
}

/** Without the section about the checkout. */
function forUsers(readme: string): string {
  return readme.replace(/^## Development\n[\s\S]*?(?=^## )/m, "");
}

/** That of the checkout, which is for TypeScript, as it is for JavaScript. */
async function manifest(): Promise<string> {
  const text = await readFile(path.join(PACKAGE, "package.json"), "utf8");
  const {
    private: _,
    scripts,
    devDependencies,
    ...rest
  } = JSON.parse(text.replaceAll(/"\.\/src\/([^"]+)\.ts"/g, '"./lib/$1.js"'));
  return `${JSON.stringify({ ...rest, files: ["docs", "grammar", "lib"] }, null, 2)}\n`;
}
