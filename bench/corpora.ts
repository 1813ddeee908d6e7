import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { isSmoke } from "./smoke.ts";

/**
 * The real pages that benchmarks check: a folder that the caller names, or PostgreSQL's manual (1,169 pages, 19 MB)
 * out of Debian's package, which is unpacked without being installed and without root.
 */

const PACKAGE = "postgresql-doc-15";
const INSIDE = "usr/share/doc/postgresql-doc-15/html";
const SMOKE_PAGES = 60;
const cache = path.resolve(import.meta.dirname, "../build/corpora");
const run = promisify(execFile);

/** @returns the folder of pages; undefined, after a line that says why, where there is none */
export async function corpus(given = process.argv[2] ?? process.env.MANUAL_DIR): Promise<string | undefined> {
  if (isSmoke) return smokePages();
  if (given) return given;
  const folder = path.join(cache, PACKAGE);
  const pages = path.join(folder, INSIDE);
  if (existsSync(path.join(pages, "index.html"))) return pages;
  await mkdir(cache, { recursive: true });
  const work = await mkdtemp(path.join(cache, "unpacking-"));
  try {
    await run("apt-get", ["download", "-qq", PACKAGE], { cwd: work });
    const [file = ""] = await readdir(work);
    await run("dpkg-deb", ["-x", file, "pages"], { cwd: work });
    await rm(folder, { recursive: true, force: true });
    await rename(path.join(work, "pages"), folder);
    return pages;
  } catch (error) {
    console.error(`Debian's package ${PACKAGE} could not be unpacked (${reason(error)}).`);
    console.error("Name a folder of HTML pages with an index.html as the first argument, or in MANUAL_DIR.");
    return undefined;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Pages of our own that link to each other, each with faults. */
async function smokePages(): Promise<string> {
  const folder = path.join(cache, "smoke");
  await mkdir(folder, { recursive: true });
  const name = (page: number): string => (page === 0 ? "index.html" : `page-${page}.html`);
  for (let page = 0; page < SMOKE_PAGES; page += 1) {
    const links = [1, 2, 3].map((step) => `<a href="${name((page * 3 + step) % SMOKE_PAGES)}">Next ${step}</a>`);
    const faults = `<img src="x.png"><p id="a">One<p id="a">Two<b><i>three</b></i><table><tr><foo></table>`;
    await writeFile(
      path.join(folder, name(page)),
      `<!DOCTYPE html>\n<html lang="en"><title>Page ${page}</title><body>${links.join("\n")}\n${faults}</body></html>\n`,
    );
  }
  return folder;
}

function reason(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message: string };
  return (stderr || message).trim().split("\n").at(-1) ?? "";
}
