import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { isSmoke } from "./smoke.ts";

/** What is put into pages, each a fault that one address names. `N` is a number of its own, `P` another page. */
const BROKEN = [
  '<a href="no-page-N.html">x</a>',
  '<img src="no-image-N.png" alt="x">',
  '<a href="#no-place-N">x</a>',
  '<a href="P#no-place-N">x</a>',
  '<link rel="stylesheet" href="no-sheet-N.css">',
];

export type BrokenSite = {
  folder: string;
  /** A part of the address of each fault. */
  faults: string[];
  remove(): Promise<void>;
};

/** A copy of a folder of pages with as many faults, spread over the pages. */
export async function brokenCopy(of: string, count: number): Promise<BrokenSite> {
  const folder = await mkdtemp(path.join(tmpdir(), "sv-bench-broken-"));
  await cp(of, folder, { recursive: true });
  // Pages of a smoke run name a picture that is not there.
  if (isSmoke) await writeFile(path.join(folder, "x.png"), "");
  const pages = (await readdir(folder)).filter((name) => name.endsWith(".html")).toSorted();
  const faults: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const page = pages[Math.floor(((n + 0.5) * pages.length) / count)] ?? "index.html";
    const file = path.join(folder, page);
    const other = pages[(n * 37) % pages.length] ?? "index.html";
    const fault = (BROKEN[n % BROKEN.length] ?? "").replace("N", String(n)).replace("P", other);
    const source = await readFile(file, "utf8");
    await writeFile(
      file,
      source.replace(/<\/body>/i, () => `${fault}</body>`),
    );
    faults.push(/no-\w+-\d+/.exec(fault)?.[0] ?? "");
  }
  return { folder, faults, remove: () => rm(folder, { recursive: true, force: true }) };
}
